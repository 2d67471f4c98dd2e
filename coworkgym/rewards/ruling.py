"""Rulings: what a judge found on one criterion, or why it found nothing."""

from typing import NamedTuple


class Ruling(NamedTuple):
    """What a judge found.

    Attributes:
        grade: How far the criterion is met, in [0, 1]; None when that is undecided.
        verdict: The word for it; empty when undecided.
        votes: The word of each asking, in order; empty where there was none.
        why: The judge's reason, or `undecided: ` and why there is no verdict.
    """

    grade: float | None
    verdict: str
    votes: tuple[str, ...]
    why: str


def undecided(why: str, votes: tuple[str, ...] = ()) -> Ruling:
    """Returns the ruling that decides nothing, and says why."""
    return Ruling(None, "", votes, f"undecided: {why}")
