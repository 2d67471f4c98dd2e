"""Control: does all the work well, and cannot tell one record from another.

It plays the solution with the record that all depends on exchanged, in every call, for one drawn
among those of its kind that it has read. What a model earns above it, it earns by selecting.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from coworkgym.frozen import Json, json_text, thaw
from coworkgym.policies import ReferencePolicy
from coworkgym.tasks import Item, Task
from coworkgym.transcript import Message
from study.measures import reference


class RandomRecordPolicy(ReferencePolicy):
    """Plays the solution with a record drawn at random for the right one.

    Only where the right ones are records that a text names by their ids; elsewhere it plays the
    solution.
    """

    name = "random_record"

    def __init__(self) -> None:
        super().__init__()
        self._swaps: dict[tuple[str, str], Mapping[str, str]] = {}

    def begin(self, task: Task) -> None:
        """Draws, by the task, what stands for what."""
        super().begin(task)
        system, request = task.opening
        self._swaps[system["content"], request["content"]] = swaps(task.item)

    def act(
        self, transcripts: Sequence[Sequence[Message]], tools: Sequence[Json]
    ) -> list[dict[str, Any]]:
        """Returns the next call of each transcript."""
        return [
            _swapped(self._next(one), self._swaps[one[0]["content"], one[1]["content"]])
            for one in transcripts
        ]


def swaps(item: Item) -> dict[str, str]:
    """Returns what stands for what in a task: its records in an order drawn at random."""
    alike = reference(item).alike
    drawn = Random(zlib.crc32(json_text(list(item)).encode())).sample(alike, len(alike))
    return dict(zip(alike, drawn, strict=True))


def _swapped(message: dict[str, Any], swaps: Mapping[str, str]) -> dict[str, Any]:
    marks = {name: f"\0{place}\0" for place, name in enumerate(swaps)}
    text = json.dumps(thaw(message["tool_calls"]), ensure_ascii=False)
    for name, mark in marks.items():
        text = text.replace(name, mark)
    for name, mark in marks.items():
        text = text.replace(mark, swaps[name])
    return {**message, "tool_calls": json.loads(text)}
