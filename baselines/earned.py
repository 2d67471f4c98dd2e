"""Earned: what a rollout earned, and its row of tokens; what advantages are computed from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from coworkgym.frozen import FrozenList
from coworkgym.rollouts import Segment
from coworkgym.tasks import Item

Ending = Literal["user", "max_steps", "budget", "malformed", "breach", "void"]
"""What ended an episode; `void` one that never came to an end, for no fault of the model."""


@dataclass(frozen=True, kw_only=True)
class Earned:
    """What a rollout earned: all that advantages are computed from.

    Attributes:
        group: Of its place.
        item: Of its place.
        sample: Of its place.
        steps: The reward of each step; NaN somewhere if it could not be scored.
        anchors: The state before each step, where the environment tells it.
        rewards: `info["rewards"]`; NaN where it could not be scored.
        solved: Whether all checks hold and no gate was breached.
        completion: Share of the checks that hold.
        calls: Number of calls.
        malformed: Number of those that were no valid calls.
        ended: What ended it.
    """

    group: str
    item: Item
    sample: int
    steps: tuple[float, ...]
    anchors: tuple[str | None, ...]
    rewards: Mapping[str, float]
    solved: bool
    completion: float
    calls: int
    malformed: int
    ended: Ending

    @property
    def reward(self) -> float:
        """The sum of the rewards; NaN if it could not be scored."""
        return math.fsum(self.steps) if self.ended != "void" else math.nan

    @property
    def format_error(self) -> bool:
        """Whether a malformed call ended it."""
        return self.ended == "malformed"

    @property
    def cut_off(self) -> bool:
        """Whether it was cut off before its user ended it."""
        return self.ended in ("max_steps", "budget")


class Span(NamedTuple):
    """The tokens of one step: [start, stop) of the completion."""

    start: int
    stop: int


@dataclass(frozen=True)
class TrainingRollout:
    """One episode as a row for a trainer.

    Attributes:
        earned: What it earned.
        segment: Its tokens. Where the model could not be shown what it had read and written so far
            (a template that is not prefix-preserving), the last segment: tokens of others are not
            trained.
        spans: Where in the completion the tokens of each step are; empty if in no segment.
        lost: Sampled tokens of other segments.
        transcript: All messages.
    """

    earned: Earned
    segment: Segment
    spans: tuple[Span, ...]
    lost: int
    transcript: FrozenList
