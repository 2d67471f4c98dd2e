"""Wording: what people call records and values, and how drills draw what to ask about."""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from baselines.tiny.scene import Refused, Scene
from coworkgym.frozen import freeze
from coworkgym.transcript import ToolCall

Play = Callable[[], None]

_LOCAL = re.compile(r"\((\d{4}-\d\d-\d\d \d\d:\d\d) ")
_ADDRESS = re.compile(r"<(.+)>")


class Exchange(NamedTuple):
    """What a person says, and how it is played."""

    text: str
    play: Play


def shown(value: Any) -> str:
    """Returns a value as people say it: the local time of an instant, the address of a sender."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    found = _LOCAL.search(text) or _ADDRESS.search(text)
    return found[1] if found else text


def any_row(scene: Scene) -> dict[str, Any]:
    """Draws one of the records that were listed."""
    return scene.rng.choice(scene.rows)


def described(scene: Scene) -> tuple[dict[str, Any], str]:
    """Draws a record and says which by a field that no other record shares."""
    row, field = any_row(scene), scene.rng.choice([*scene.listing.fields])
    value = shown(row.get(field, ""))
    if not value or sum(shown(r.get(field, "")) == value for r in scene.rows) > 1:
        raise Refused("more than one fits")
    return row, f"{scene.listing.fields[field]} {value}"


def measure(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """A field that records can be ordered by, and the words: least, most, below, above."""
    fields = [f for f in ("created_at", "date", "amount", "annual_revenue") if f in scene.rows[0]]
    if not fields:
        raise Refused("nothing to order by")
    field = scene.rng.choice(fields)
    if len({shown(row[field]) for row in scene.rows}) < len(scene.rows):
        raise Refused("two are equal")
    if field in ("amount", "annual_revenue"):
        return field, ("smallest", "largest", "below", "above")
    return field, ("oldest", "newest", "before", "after")


def size_of(value: Any) -> tuple[int, str]:
    """Orders dates as text and amounts as numbers."""
    text = shown(value)
    return (0, text) if "-" in text else (len(text), text)


def near_miss(scene: Scene, value: str) -> str:
    """A value that is easily taken for this one: two neighbouring digits change places."""
    places = [i for i in range(len(value) - 1) if value[i : i + 2].isdigit()]
    if not places or scene.rng.random() < 0.5:
        return value
    i = scene.rng.choice(places)
    return value[:i] + value[i + 1] + value[i] + value[i + 2 :]


def peek(scene: Scene, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a call would answer, without a trace."""
    result = scene.office.fork().call(ToolCall(name, freeze(arguments)))
    if result.error is not None:
        raise Refused(result.content)
    found: dict[str, Any] = json.loads(result.content)
    return found
