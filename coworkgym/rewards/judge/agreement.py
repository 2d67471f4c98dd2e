"""Agreement: how often a judge finds what a program computes."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from coworkgym.frozen import json_text
from coworkgym.rewards.checklist import Check
from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.judge.judge import Judge
from coworkgym.rewards.judged import judged_in


class Case(NamedTuple):
    """A question with a known answer.

    Attributes:
        criterion: One sentence.
        evidence: What it is asked about.
        expected: The value that a program computed, in [0, 1], or a verdict of the judge.
    """

    criterion: str
    evidence: Evidence
    expected: float | str


class Agreement(NamedTuple):
    """How often judge and program agree. The undecided cases are counted and left out.

    Attributes:
        n: Number of cases.
        undecided: Cases that the judge did not decide.
        confusion: (programmatic verdict, judged verdict) -> number of cases.
        kappa: Cohen's kappa, (p_o - p_e) / (1 - p_e): p_o the share of cases in which both agree,
            p_e the share in which they would by chance, from how often each gives each verdict.
            J. Cohen (1960), A coefficient of agreement for nominal scales, Educational and
            Psychological Measurement 20(1), 37-46. NaN when undefined: no case was decided, or
            both always give one and the same verdict.
        accuracy: p_o; NaN when no case was decided.
    """

    n: int
    undecided: int
    confusion: Mapping[tuple[str, str], int]
    kappa: float
    accuracy: float


class _HasChecks(Protocol):
    @property
    def checks(self) -> Sequence[Check]: ...


def cases_of(task: _HasChecks, evidence: Evidence) -> list[Case]:
    """Returns every check of a task that a program answers, as a case with that answer.

    Args:
        task: A Task, or whatever has checks.
        evidence: An episode of it.

    Raises:
        GraderError: When a check cannot be answered.
    """
    return [
        Case(_sentence(check), evidence, check.statement.verdict(evidence).value)
        for check in task.checks
        if not any(judged_in(check))
    ]


def _sentence(check: Check) -> str:
    """The check's name, what its kind of statement says, and what it says here."""
    claim = (type(check.statement).__doc__ or "").partition("\n")[0]
    return f"{check.name}: {claim} Here: {json_text(check.statement.data())}"


def agreement(judge: Judge, cases: Iterable[Case]) -> Agreement:
    """Returns how well a judge answers questions with known answers.

    A value that was computed counts as the verdict that is worth the nearest, of two as near the
    lower one.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    n = missing = 0
    for criterion, evidence, expected in cases:
        ruling = judge.rule(criterion, evidence)
        n += 1
        missing += ruling.grade is None
        if ruling.grade is not None:
            pairs[_word(expected, judge.grades), ruling.verdict] += 1
    accuracy, kappa = _cohen(pairs)
    return Agreement(n, missing, dict(sorted(pairs.items())), kappa, accuracy)


def _word(expected: float | str, grades: Mapping[str, float]) -> str:
    if isinstance(expected, str):
        return expected
    return min(grades, key=lambda word: (abs(grades[word] - expected), grades[word]))


def _cohen(pairs: Mapping[tuple[str, str], int]) -> tuple[float, float]:
    """Accuracy and kappa; counts stay whole numbers, so that 0 / 0 is seen exactly."""
    total = sum(pairs.values())
    rows: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    for (programmatic, judged), count in pairs.items():
        rows[programmatic] += count
        columns[judged] += count
    same = sum(count for (programmatic, judged), count in pairs.items() if programmatic == judged)
    chance = sum(rows[word] * columns[word] for word in rows)
    accuracy = same / total if total else math.nan
    defined = chance < total**2
    return accuracy, (same * total - chance) / (total**2 - chance) if defined else math.nan
