"""Breakdowns: figures of the parts of a set of episodes."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from coworkgym.errors import UnknownNameError, unknown
from coworkgym.evals.figures import Figures, figures_of
from coworkgym.evals.trial import Trial
from coworkgym.rollouts import TaskFacts
from coworkgym.tasks import LEVELS, get_package

UNKNOWN = "unknown"
"""Where an episode belongs of whose task too little is known: none of its trials was finished."""

_Parts = Callable[[Trial], Iterable[str]]


def breakdown(trials: Sequence[Trial], by: str, formula: str = "score") -> dict[str, Figures]:
    """Returns the figures of each part of a set of episodes.

    Difficulty goes by the calls of the reference solution: the tasks are cut at the quartiles of
    that number, with every task counted once. Tasks with equal numbers stay together, so that parts
    can be of unequal size, and there can be fewer than four. An episode counts for each of its
    tags.

    Args:
        trials: At least one.
        by: One of DIMENSIONS.
        formula: One of `rewards.FORMULAS`.

    Raises:
        UnknownNameError: For a `by` that does not exist, with the nearest.
        EmptyRun: For no trials.
    """
    if by not in DIMENSIONS:
        raise unknown("dimension", by, DIMENSIONS)
    facts = {trial.stem: trial.rollout.task for trial in trials if trial.rollout}
    parts_of = DIMENSIONS[by](facts)
    parts: dict[str, list[Trial]] = {}
    for trial in trials:
        for name in parts_of(trial):
            parts.setdefault(name, []).append(trial)
    return {name: figures_of(parts[name], formula) for name in sorted(parts, key=_place)}


def _place(name: str) -> tuple[int, str]:
    """Levels from warmup to hard, everything else by name."""
    return (LEVELS.index(name), "") if name in LEVELS else (len(LEVELS), name)


_Facts = dict[str, TaskFacts]


def _of_item(name: str) -> Callable[[_Facts], _Parts]:
    return lambda _: lambda trial: [str(getattr(trial.item, name))]


def _tags(facts: _Facts) -> _Parts:
    return lambda trial: facts[trial.stem].tags if trial.stem in facts else [UNKNOWN]


def _professions(_: _Facts) -> _Parts:
    def profession(trial: Trial) -> list[str]:
        try:
            return [get_package(trial.item.package).profession or UNKNOWN]
        except UnknownNameError:  # of a package that is not installed here
            return [UNKNOWN]

    return profession


def _turns(facts: _Facts) -> _Parts:
    def turns(trial: Trial) -> list[str]:
        if trial.stem not in facts:
            return [UNKNOWN]
        return ["multi-turn" if facts[trial.stem].multi_turn else "single-turn"]

    return turns


def _difficulty(facts: _Facts) -> _Parts:
    calls = {stem: fact.reference_calls for stem, fact in facts.items()}
    if not calls:
        return lambda _: [UNKNOWN]
    every = np.array(list(calls.values()))
    cuts = np.quantile(every, [0.25, 0.5, 0.75], method="inverted_cdf")
    quartiles = {stem: int((number > cuts).sum()) for stem, number in calls.items()}
    names = {}
    for quartile in sorted(set(quartiles.values())):
        inside = [calls[stem] for stem, found in quartiles.items() if found == quartile]
        low, high = min(inside), max(inside)
        span = str(low) if low == high else f"{low}-{high}"
        names[quartile] = f"Q{quartile + 1}: {span} calls"
    return lambda trial: [names[quartiles[trial.stem]] if trial.stem in quartiles else UNKNOWN]


DIMENSIONS: dict[str, Callable[[_Facts], _Parts]] = {
    **{name: _of_item(name) for name in ("package", "level", "language", "split")},
    "tag": _tags,
    "profession": _professions,
    "turns": _turns,
    "difficulty": _difficulty,
    "policy": lambda _: lambda trial: [trial.policy],
}
"""What a set of episodes can be broken down by."""
