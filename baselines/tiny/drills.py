"""Drills: short chats over training worlds that teach skills and no package's policy.

A drill lists a few records and then answers questions and orders about them, in the format of the
library's episodes. English only. No drill holds a package's request or plays its solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from baselines.tiny.kinds import KINDS
from baselines.tiny.listings import LISTINGS
from baselines.tiny.scene import Refused, Scene
from coworkgym.tasks import Split
from coworkgym.transcript import to_openai


class Lesson(NamedTuple):
    """A step of the curriculum.

    Attributes:
        records: Fewest and most records of a list.
        exchanges: Fewest and most questions of a drill.
        weights: How often each kind is asked, by name; the others are not.
        tools: Most schemas beside those that are used.
    """

    records: tuple[int, int]
    exchanges: tuple[int, int]
    weights: dict[str, float]
    tools: int = 5


@dataclass(frozen=True)
class Drill:
    """One chat.

    Attributes:
        kinds: What each exchange practises, in order.
        records: How many records were listed.
        messages: The chat in the form of the OpenAI API.
        tools: The schemas, in the same form.
    """

    kinds: tuple[str, ...]
    records: int
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]


LISTING = "listing"
"""The kind of an exchange that lists the records and no more."""

_FIRST_LISTED = 0.7  # share of drills that list before they ask
_COPY = {"copying": 3.0, "reading": 2.0, "counting": 0.2}
_CHOOSE = {"finding": 3.0, "crossing": 2.0, "all_of": 1.0, "checking": 1.0, "ordering": 1.0}
_DO = {"opening": 2.0, "looking_inside": 2.0, "acting": 2.5, "writing": 2.0, "walking": 1.5,
       "searching": 0.5, "bounding": 0.5}  # fmt: skip
_GO_ON = {"visiting": 2.0, "slotting": 20.0, "booking": 20.0, "comparing": 8.0}
LESSONS = (
    Lesson((1, 2), (2, 4), _COPY | {"quizzing": 3.0}),
    Lesson((2, 3), (3, 5), _CHOOSE | {"copying": 0.5, "reading": 2.0, "quizzing": 8.0}),
    Lesson((1, 4), (2, 5), _COPY | _CHOOSE | _DO | {"quizzing": 3.0}),
    Lesson((2, 8), (2, 5), _CHOOSE | _DO | {"copying": 0.5, "reading": 1.0, "quizzing": 1.0}),
    Lesson(
        (2, 5),
        (2, 4),
        _DO
        | _GO_ON
        | {
            "copying": 0.5,
            "finding": 3.0,
            "crossing": 2.0,
            "narrowing": 4.0,
            "ordering": 1.0,
            "checking": 2.0,
            "bounding": 1.0,
            "quizzing": 1.0,
        },
    ),
)


def make_drill(seed: int, lesson: Lesson, split: Split = "train") -> Drill:
    """Returns a drill; equal arguments give equal drills.

    Args:
        seed: Of all dice.
        lesson: What to practise.
        split: Of the names in it; `train`, except to measure.
    """
    rng = Random(f"drill {seed}")
    while True:
        try:
            return _drawn(rng, lesson, split)
        except Refused:
            continue


def _drawn(rng: Random, lesson: Lesson, split: Split) -> Drill:
    scene = Scene(rng, rng.choice(LISTINGS), rng.randint(*lesson.records), split)
    asked = scene.list_records()
    kinds: list[str] = []
    if rng.random() < _FIRST_LISTED:
        kinds.append(LISTING)
        scene.ask(f"List the {asked}.")
        scene.play_listing()
        scene.reply(str(len(scene.rows)))
    for _ in range(rng.randint(*lesson.exchanges)):
        kind, exchange = _exchange(scene, lesson)
        if kinds:
            scene.ask(exchange.text)
        else:
            scene.ask(f"List the {asked}. {exchange.text}")
            scene.play_listing()
        kinds.append(kind)
        exchange.play()
        if scene.stale():
            break
    messages = to_openai(scene.transcript.messages)
    return Drill(tuple(kinds), len(scene.rows), messages, scene.tools(rng.randint(1, lesson.tools)))


def _exchange(scene: Scene, lesson: Lesson) -> tuple[str, Any]:
    names = list(lesson.weights)
    for _ in range(20):
        [name] = scene.rng.choices(names, list(lesson.weights.values()))
        try:
            return name, KINDS[name](scene)
        except Refused:
            continue
    raise Refused("no kind fits")


def drills(seeds: Sequence[int], lesson: Lesson, split: Split = "train") -> list[Drill]:
    """Returns one drill a seed."""
    return [make_drill(seed, lesson, split) for seed in seeds]
