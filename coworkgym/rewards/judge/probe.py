"""The counterfactual probe: whether a judge stays with its verdict when told the opposite."""

from typing import NamedTuple

from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.judge.judge import Judge
from coworkgym.rewards.ruling import Ruling


class Probe(NamedTuple):
    """What a judge found on its own, and what once it was told of somebody who disagrees.

    Attributes:
        first: Its ruling on its own.
        told: The verdict that another reviewer was said to have found; empty when it was not
            asked again, because the first ruling is undecided.
        second: Its ruling in a new chat that names `told`.
        holds: Whether both rulings give one verdict.
    """

    first: Ruling
    told: str
    second: Ruling
    holds: bool


def probe(judge: Judge, criterion: str, evidence: Evidence) -> Probe:
    """Asks twice, the second time telling that another reviewer found the opposite.

    The opposite is the verdict whose worth is the farthest from the first one's.
    """
    first = judge.rule(criterion, evidence)
    grade = first.grade
    if grade is None:
        return Probe(first, "", first, holds=False)
    told = max(judge.grades, key=lambda word: abs(judge.grades[word] - grade))
    second = judge.rule(criterion, evidence, told=told)
    return Probe(first, told, second, holds=second.verdict == first.verdict)
