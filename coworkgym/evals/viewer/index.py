"""Index: the episodes of a run by id, a row each, read again where the run has grown."""

import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.frozen import Json
from coworkgym.rewards import combine
from coworkgym.rollouts import Rollout, Run, StoreError
from coworkgym.rollouts.lines import read_lines
from coworkgym.tasks import Item


class Place(NamedTuple):
    """Where a line stands in its file: its number, from 1, its first byte and the byte after it."""

    line: int = 0
    start: int = 0
    end: int = 0


class Index:
    """What the list of episodes shows, and where each of them is.

    Args:
        path: Folder of the run, which may still be written to.

    Raises:
        StoreError: For a folder that is no run.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.run = Run(path)
        self._rows: dict[str, dict[str, Json]] = {}
        self._void_rows: dict[str, dict[str, Json]] = {}
        self._voids: dict[str, dict[str, Any]] = {}
        self._places: dict[str, Place] = {}
        self._last = Place()
        self._stamp = ("", 0)  # of the file of episodes; see _stamp_and_size

    @property
    def rows(self) -> list[dict[str, Json]]:
        """A row an episode, void ones last."""
        return [*self._rows.values(), *self._void_rows.values()]

    @property
    def pending(self) -> int:
        """Number of episodes asked for that neither ended nor failed yet."""
        return len(set(self.run.asked) - set(self._rows) - set(self._void_rows))

    def refresh(self) -> None:
        """Reads what was added since the last time; everything, where the file is another one.

        Raises:
            StoreError: Naming file and line, for a line that is no rollout.
        """
        self.run = Run(self.run.path)
        stamp, size = self._stamp_and_size()
        if stamp != self._stamp or size < self._last.end:
            self._forget()
            self._stamp = stamp
        for place, data in self._lines(self._last):
            rollout = self._rollout(data, place)
            self._rows[rollout.id] = row_of(rollout, self.run.settings.formula)
            self._places[rollout.id] = self._last = place
        seconds = self.run.seconds()
        for identity, row in self._rows.items():
            row["seconds"] = seconds.get(identity)
        voids = _read(self.run.path / "voids.jsonl")
        self._voids = {data["id"]: data for _, data in voids if data["id"] not in self._rows}
        self._void_rows = {one: void_row(void, seconds) for one, void in self._voids.items()}

    def rollout(self, identity: str) -> Rollout | None:
        """Returns an episode; None where the run holds none of that id.

        Raises:
            StoreError: For a line that is no rollout.
        """
        if identity not in self._places:
            return None
        wanted = self._places[identity]
        before = Place(wanted.line - 1, 0, wanted.start)
        return next((self._rollout(data, place) for place, data in self._lines(before)), None)

    def row(self, identity: str) -> dict[str, Json] | None:
        """Returns the row of an episode, void ones included."""
        return self._rows.get(identity) or self._void_rows.get(identity)

    def void(self, identity: str) -> dict[str, Json] | None:
        """Returns why an episode is void; None for one that is not."""
        return self._voids.get(identity)

    def find(self, text: str) -> list[str]:
        """Returns the ids of episodes whose messages or calls hold a text, in whatever case."""
        wanted = text.casefold()
        lines = self._lines(Place())
        return [data["id"] for _, data in lines if wanted in _said(data).casefold()]

    def _forget(self) -> None:
        self._rows, self._places, self._last = {}, {}, Place()

    def _stamp_and_size(self) -> tuple[tuple[str, int], int]:
        """What tells one file of episodes from another, and its length in bytes."""
        fingerprint, file = self.run.settings.fingerprint, self.run.episodes_file
        if not file.exists():
            return (fingerprint, 0), 0
        facts = file.stat()
        return (fingerprint, facts.st_ino), facts.st_size

    def _lines(self, before: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yields the whole lines after a place; those of a compressed file have no bytes."""
        file = self.run.episodes_file
        if file.suffix == ".zst":
            found = ((Place(number), data) for number, data in _read(file))
            yield from (pair for pair in found if pair[0].line > before.line)
        elif file.exists():
            with file.open("rb") as opened:
                opened.seek(before.end)
                place = before
                for line in iter(opened.readline, b""):
                    if not line.endswith(b"\n"):
                        return  # it is being written
                    place = Place(place.line + 1, place.end, place.end + len(line))
                    yield place, _object(line, f"{file}:{place.line}")

    def _rollout(self, data: dict[str, Any], place: Place) -> Rollout:
        where = f"{self.run.episodes_file}:{place.line}"
        try:
            if data["run"] != self.run.settings.fingerprint:
                raise StoreError(f"{where}: an episode of other settings ({data['run']})")
            return Rollout.from_dict(data)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise StoreError(f"{where}: not a rollout: {error!r:.200}") from None


def row_of(rollout: Rollout, formula: str) -> dict[str, Json]:
    """Returns what the list shows of an episode."""
    score = rollout.score
    graded = score.status == "graded"
    return {
        **_item_columns(rollout.id, rollout.item, rollout.sample),
        "score": combine(formula, score) if graded else None,
        "marks": _marks(rollout),
        "steps": rollout.steps,
        "ended": rollout.ended,
        "tokens": rollout.usage.prompt_tokens + rollout.usage.completion_tokens,
    }


def void_row(void: dict[str, Any], seconds: dict[str, float]) -> dict[str, Json]:
    """Returns what the list shows of a void episode."""
    rest = {"score": None, "marks": ["void"], "steps": None, "ended": void["reason"], "tokens": 0}
    columns = _item_columns(void["id"], Item(**void["item"]), void["sample"])
    return {**columns, **rest, "seconds": seconds.get(void["id"])}


def _item_columns(identity: str, item: Item, sample: int) -> dict[str, Json]:
    return {"id": identity, **item._asdict(), "sample": sample}


def _marks(rollout: Rollout) -> list[str]:
    """What became of an episode, the heaviest word first."""
    score = rollout.score
    cut = ["truncated"] if rollout.truncated else []
    if score.status == "ungraded":
        return ["ungraded", *cut]
    if score.solved:
        return ["solved", *cut]
    breached = any(gate.breached for gate in score.gates)
    return [*(["breach"] if breached else []), "failed", *cut]


def _read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields numbers and objects of whole lines; one that is being written is left out."""
    with warnings.catch_warnings(action="ignore"):
        yield from read_lines(path)


def _object(line: bytes, place: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise StoreError(f"{place}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise StoreError(f"{place}: not a JSON object: {line[:80]!r}")
    return data


def _said(data: dict[str, Any]) -> str:
    """The text of an episode's messages and calls."""
    parts: list[str] = []
    for message in data["messages"]:
        parts.append(message.get("content") or "")
        for call in message.get("tool_calls") or ():
            parts += call["function"]["name"], call["function"]["arguments"]
    return "\n".join(parts)
