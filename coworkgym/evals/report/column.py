"""Columns: what a report knows of each run it shows side by side."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from coworkgym.evals.estimate import Estimate, estimate
from coworkgym.evals.evaluation import Evaluation, evaluate
from coworkgym.evals.trial import Counts, Trial, trials_of
from coworkgym.rewards import combine
from coworkgym.rollouts import Rollout, Run
from coworkgym.tasks import LEVELS

Kind = tuple[str, str]  # package, level


class Share(NamedTuple):
    """The mean score of the episodes of one kind, and what became of those asked for."""

    mean: Estimate
    counts: Counts


class Column(NamedTuple):
    """One run of a report.

    Attributes:
        name: Unlike that of any other column.
        number: From 1; says colour and mark in the plots.
        run: The run.
        trials: Every episode that it asked for.
        evaluation: What is said about it.
        kinds: The mean score by package and level, in that order.
        link: Address of a viewer that shows it; empty for none.
    """

    name: str
    number: int
    run: Run
    trials: list[Trial]
    evaluation: Evaluation
    kinds: dict[Kind, Share]
    link: str

    @property
    def rollouts(self) -> list[Rollout]:
        """The episodes that came to an end."""
        return [trial.rollout for trial in self.trials if trial.rollout]

    @property
    def counts_tokens(self) -> bool:
        """Whether the policy says how many tokens it read and wrote."""
        return any(any(rollout.usage[:2]) for rollout in self.rollouts)


def kind_order(kind: Kind) -> tuple[str, int]:
    """Returns what kinds are sorted by: the package, then levels from warmup to hard."""
    return kind[0], LEVELS.index(kind[1])


def shares_of(trials: Sequence[Trial], formula: str) -> dict[Kind, Share]:
    """Returns the mean score by package and level, in that order."""
    parts: dict[Kind, list[Trial]] = {}
    for trial in trials:
        parts.setdefault((trial.item.package, trial.item.level), []).append(trial)
    return {kind: _share(parts[kind], formula) for kind in sorted(parts, key=kind_order)}


def columns_of(runs: Sequence[Run], formula: str | None, links: Sequence[str]) -> list[Column]:
    """Returns the columns of runs; of two runs of one name the second is `name (2)`.

    Args:
        runs: At least one.
        formula: One of `rewards.FORMULAS`; by default that of each run.
        links: Addresses of viewers, one a run, or none at all.
    """
    names: list[str] = []
    for run in runs:
        before = sum(one == run.name or one.startswith(f"{run.name} (") for one in names)
        names.append(f"{run.name} ({before + 1})" if before else run.name)
    given = links or [""] * len(runs)
    listed = enumerate(zip(names, runs, given, strict=True), 1)
    return [_column(name, number, run, formula, link) for number, (name, run, link) in listed]


def _column(name: str, number: int, run: Run, formula: str | None, link: str) -> Column:
    trials = trials_of(run)
    graded = Counter(trial.stem for trial in trials if trial.outcome == "graded")
    ks = range(1, max(graded.values(), default=0) + 1)
    evaluation = evaluate(run, formula, ks)
    kinds = shares_of(trials, evaluation.figures.formula)
    return Column(name, number, run, trials, evaluation, kinds, link)


def _share(trials: Sequence[Trial], formula: str) -> Share:
    graded = [trial for trial in trials if trial.outcome == "graded"]
    values = [combine(formula, trial.rollout.score) for trial in graded if trial.rollout]
    return Share(estimate(values, [trial.task for trial in graded]), Counts.of(trials))
