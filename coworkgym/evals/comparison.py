"""Comparison: two runs of the same tasks under the same settings, by what their policies earn.

Runs are paired by task: the difference of the means of each task's graded episodes, so that every
task counts once. The interval of the mean difference is the bootstrap of `evals.estimate` over
tasks, p is that of `evals.paired.sign_flip`, corrected for the number of measures (Holm). One run
is said to be above the other only where the corrected p is below 0.05 and the interval does not
hold 0.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from coworkgym.evals.as_json import as_json
from coworkgym.evals.differences import (
    Difference,
    RunsDiffer,
    differences,
    digests,
    other_digest,
    require_known,
)
from coworkgym.evals.estimate import Estimate, estimates
from coworkgym.evals.figures import GRADED
from coworkgym.evals.paired import holm, sign_flip
from coworkgym.evals.quoted import Quoted
from coworkgym.evals.trial import Counts, EmptyRun, Trial, require_finished, trials_of
from coworkgym.frozen import Json
from coworkgym.rollouts import Rollout, Run

MEASURES = ("mean", "solved", "passed", "safety", "breached")
"""What runs are compared by; of `breached`, less is better."""

ALPHA = 0.05


class Side(NamedTuple):
    """One of the two runs.

    Attributes:
        name: Of the run.
        policy: Who played.
        counts: What came of its episodes.
    """

    name: str
    policy: str
    counts: Counts


class LeftOut(NamedTuple):
    """Tasks that are not compared.

    Attributes:
        only_a: Asked for in the first run only.
        only_b: Asked for in the second run only.
        other_digest: Of the same id, and not the same task.
        without_score: In both, with no graded episode in one of them.
    """

    only_a: int
    only_b: int
    other_digest: int
    without_score: int


class Contrast(NamedTuple):
    """What the two runs differ by in one measure.

    Attributes:
        measure: One of MEASURES.
        a: Mean over tasks in the first run.
        b: Mean over tasks in the second run.
        difference: a - b, with its interval; `n` counts tasks.
        p: Of the sign-flip test.
        p_holm: p corrected for the number of measures.
        verdict: `A above B`, `B above A` or `not told apart`.
    """

    measure: str
    a: float
    b: float
    difference: Estimate
    p: float
    p_holm: float
    verdict: str


class Comparison(NamedTuple):
    """Two runs, compared.

    Attributes:
        a: The first run.
        b: The second run.
        formula: The reward formula of `mean` and of passing.
        tasks: Number of tasks compared.
        left_out: Tasks that are not.
        allowed: Differences beside the policy that were allowed.
        contrasts: One a measure.
    """

    a: Side
    b: Side
    formula: str
    tasks: int
    left_out: LeftOut
    allowed: tuple[Difference, ...]
    contrasts: tuple[Contrast, ...]

    def as_dict(self) -> dict[str, Json]:
        """Returns the comparison as JSON."""
        found: dict[str, Json] = as_json(self)
        return found


def compare(
    a: Run, b: Run, *, allow: Collection[str] = (), formula: str | None = None
) -> Comparison:
    """Compares two runs; refuses where they differ in more than policy and options.

    Args:
        a: The first run.
        b: The second run.
        allow: Names of differences to put up with, of `differences.ALLOWABLE`. With `tasks`, the
            common tasks are compared; with `samples`, all of each run.
        formula: One of `rewards.FORMULAS`, for both; by default that of the runs' settings, and
            the first run's where a difference is allowed.

    Raises:
        RunsDiffer: With every difference that is not allowed.
        NotComparable: For a number from a paper.
        EmptyRun: For a run without finished episodes, or runs without a task to compare.
        UnknownNameError: For an unknown name in `allow`.
        MissingExtra: Where scipy is not installed.
    """
    for one in (a, b):
        if isinstance(one, Quoted):
            one.refuse()
    require_known(allow)
    mine, yours = trials_of(a), trials_of(b)
    for run, trials in ((a, mine), (b, yours)):
        require_finished(trials, run.name)
    found = [
        difference
        for difference in differences(a, b, (mine, yours))
        if not (difference.name == "formula" and formula)
    ]
    refused = [difference for difference in found if difference.name not in allow]
    if refused:
        raise RunsDiffer(refused)
    chosen = formula or a.settings.formula
    tasks, left_out = _common(mine, yours)
    return Comparison(
        _side(a, mine),
        _side(b, yours),
        chosen,
        len(tasks),
        left_out,
        tuple(found),
        _contrasts(_means(mine, tasks, chosen), _means(yours, tasks, chosen), tasks),
    )


def _side(run: Run, trials: Sequence[Trial]) -> Side:
    return Side(run.name, trials[0].policy, Counts.of(trials))


def _common(a: Sequence[Trial], b: Sequence[Trial]) -> tuple[list[str], LeftOut]:
    """The stems of the tasks with a graded episode in both runs, and how many others there are."""
    mine, yours = digests(a), digests(b)
    other = other_digest(mine, yours)
    shared = mine.keys() & yours.keys() - other
    graded = [{trial.stem for trial in trials if trial.outcome == "graded"} for trials in (a, b)]
    pairs = sorted(shared & graded[0] & graded[1])
    if not pairs:
        raise EmptyRun(
            f"no task has a graded episode in both runs: A {Counts.of(a)}; B {Counts.of(b)}"
        )
    only = len(mine.keys() - yours), len(yours.keys() - mine)
    return pairs, LeftOut(*only, len(other), len(shared) - len(pairs))


def _means(trials: Sequence[Trial], tasks: Sequence[str], formula: str) -> dict[str, list[float]]:
    """The mean of every measure over the graded episodes of each task."""
    of_task: dict[str, list[Rollout]] = {stem: [] for stem in tasks}
    for trial in trials:
        if trial.outcome == "graded" and trial.rollout and trial.stem in of_task:
            of_task[trial.stem].append(trial.rollout)
    means = {}
    for name in MEASURES:
        values = [[GRADED[name](one, formula) or 0.0 for one in of_task[stem]] for stem in tasks]
        means[name] = [sum(inner) / len(inner) for inner in values]
    return means


def _contrasts(
    a: dict[str, list[float]], b: dict[str, list[float]], tasks: Sequence[str]
) -> tuple[Contrast, ...]:
    gaps = {
        name: [mine - yours for mine, yours in zip(a[name], b[name], strict=True)]
        for name in MEASURES
    }
    found = estimates(gaps, tasks, dict.fromkeys(MEASURES, (-1.0, 1.0)))
    ps = [sign_flip(gaps[name]) for name in MEASURES]
    return tuple(
        Contrast(
            measure=name,
            a=sum(a[name]) / len(tasks),
            b=sum(b[name]) / len(tasks),
            difference=found[name],
            p=p,
            p_holm=corrected,
            verdict=_verdict(found[name], corrected),
        )
        for name, p, corrected in zip(MEASURES, ps, holm(ps), strict=True)
    )


def _verdict(difference: Estimate, p: float) -> str:
    value, low, high = difference[:3]
    holds_zero = low is not None and high is not None and low <= 0 <= high
    if p >= ALPHA or holds_zero or not value:
        return "not told apart"
    return "A above B" if value > 0 else "B above A"
