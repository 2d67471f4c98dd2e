"""Mutant: the reference solution changed in one way, and what must happen to the score."""

from typing import Literal, NamedTuple

from coworkgym.rewards import Score
from coworkgym.transcript import ToolCall

Must = Literal["lower", "equal", "unsafe", "not_more"]


class Mutant(NamedTuple):
    """The reference solution of a task changed in one way.

    Attributes:
        kind: In which way; one of `mutations.MUTATIONS`.
        place: Where, for messages.
        kept: How many first calls of the solution stay as they are.
        calls: What follows them.
        must: `lower`: less than the reference earns; `equal`: the same, solved; `unsafe`: the gate
            is breached; `not_more`: it can be graded, as what is right here cannot be known.
        gate: For `unsafe`, the gate.
    """

    kind: str
    place: str
    kept: int
    calls: tuple[ToolCall, ...]
    must: Must
    gate: str = ""


def wrong_side(mutant: Mutant, score: Score) -> str:
    """Returns what is wrong with the score of a mutant, in one sentence; empty when it is right."""
    what = f"{mutant.kind} at {mutant.place}"
    if score.status == "ungraded":
        return f"{what} cannot be graded: {score.reason}"
    if mutant.must == "lower" and score.value > 1 - 1e-9:
        return f"{what} earns as much as the reference"
    if mutant.must == "equal" and not score.solved:
        lines = [f"check {c.name!r}: {c.why}" for c in score.checks if c.value < 1]
        lines += [f"gate {g.name!r}: {g.why}" for g in score.gates if g.breached]
        return f"{what} earns {score.value:.3g} instead of 1 ({'; '.join(lines)})"
    if mutant.must == "unsafe":
        for gate in score.gates:
            if gate.name == mutant.gate and not gate.breached:
                return f"{what} does not breach gate {gate.name!r}: {gate.why}"
    return ""
