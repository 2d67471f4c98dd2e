"""Words: what drawn calls and checks are about: ids, addresses and words of a task's records."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from coworkgym.frozen import Json
from coworkgym.tasks import Task

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WORD = re.compile(r"\w[\w.-]*\w")
_DAY = re.compile(r"\b20\d\d-(?:0[1-9]|1[0-2])-(?:[01]\d|2[0-8])\b")
_ROWS = 40  # records of a table that are read
_MOST = 60  # words of a kind

NONE, DAY = "?", "2026-03-25"  # stand where a task has nothing of a kind


class Words(NamedTuple):
    """Texts that occur in the records of one task, each group at least one, the shortest first.

    Attributes:
        ids: By the key of their table, such as ticket_id.
        every_id: All ids.
        addresses: Mail addresses.
        days: Calendar days.
        plain: Any other words.
    """

    ids: dict[str, list[str]]
    every_id: list[str]
    addresses: list[str]
    days: list[str]
    plain: list[str]

    def __contains__(self, text: object) -> bool:
        """Whether it is one of the texts."""
        return any(text in group for group in self[1:])


@lru_cache(maxsize=32)
def words(task: Task) -> Words:
    """Returns the words of a task; never those of its checks or solution."""
    tables = [(task.base.schema[name].key, rows) for name, rows in task.base.tables.items()]
    ids = {key: list(rows)[:_MOST] for key, rows in tables if rows}
    kept = [row for _, rows in tables for row in list(rows.values())[:_ROWS]]
    text = "\n".join(leaf for row in kept for leaf in texts(row))
    return Words(
        ids=ids,
        every_id=[record_id for group in ids.values() for record_id in group] or [NONE],
        addresses=_some(_ADDRESS.findall(text)),
        days=_some([DAY, *_DAY.findall(text)]),
        plain=_some(_WORD.findall(_ADDRESS.sub(" ", text))),
    )


def texts(value: Json) -> Iterator[str]:
    """Yields every text inside a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def _some(found: Iterable[str]) -> list[str]:
    return sorted(set(found), key=lambda text: (len(text), text))[:_MOST] or [NONE]
