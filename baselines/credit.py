"""Credit: from what the rollouts of a step earned to the advantages of their tokens.

An estimator gives the advantages; what all algorithms share is here: the floor for groups that only
broke the format, the filter for groups without a signal, and which rows are trained at all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from baselines.advantages import first_scorable, floor, gigpo, informative
from baselines.advantages.arrays import Bools, Floats
from baselines.earned import Earned


class Estimator(Protocol):
    """An algorithm: which rewards it compares, and how."""

    weights: tuple[float, ...] | None

    def rewards(self, earned: Sequence[Earned]) -> Floats:
        """Returns what is compared: (B,) or, by component, (B, N); NaN where unknown."""
        ...

    def advantages(self, earned: Sequence[Earned]) -> Floats | list[Floats]:
        """Returns an advantage for each rollout, or for each of its steps."""
        ...


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What is done beside the estimator.

    Attributes:
        floor: Whether groups of nothing but format errors get -K^(-1/2) instead of 0 (WildAWM).
        dynamic_filter: Whether groups without a signal are left out of the loss and of GDPO's
            batch (DAPO); floor groups have one.
        train_cut_off: Whether rollouts that were cut off are trained; else they stay in the
            baseline of their group and add no loss.
    """

    floor: bool = False
    dynamic_filter: bool = False
    train_cut_off: bool = True


class Credit(NamedTuple):
    """What each rollout of a step is worth.

    Attributes:
        advantages: (B,), or one array over steps a rollout.
        informative: (B,) whether its group carries a signal.
        trained: (B,) whether its tokens are in the loss.
        scale: Rows over those that the filter leaves, by which the advantages of the latter are
            multiplied where the loss is a mean over all rows: the mean is then over those left.
    """

    advantages: Floats | list[Floats]
    informative: Bools
    trained: Bools
    scale: float


def credit(earned: Sequence[Earned], estimator: Estimator, recipe: Recipe) -> Credit:
    """Returns the credit of the rollouts of a step, those of all processes together.

    Rollouts that could not be scored count nowhere: not in a mean, not in the loss.
    """
    table, errors = estimator.rewards(earned), np.array([one.format_error for one in earned])
    group = groups_of(earned)
    exempt = errors if recipe.floor else None
    telling = informative(
        table, group, estimator.weights, per_component=table.ndim == 2, format_errors=exempt
    )
    kept = telling if recipe.dynamic_filter else np.ones(len(earned), dtype=np.bool_)
    values = _over(kept, earned, estimator)
    if recipe.floor:
        values = _floored(values, table, group, errors)
    scorable = ~np.isnan(table.reshape(len(earned), -1)).all(axis=1)
    cut_off = np.array([one.cut_off for one in earned])
    trained = kept & scorable & (recipe.train_cut_off | ~cut_off)
    scale = len(earned) / kept.sum() if kept.any() else 1.0
    return Credit(values, telling, trained, scale)


def kept_rows(earned: Sequence[Earned], count: int) -> list[int]:
    """Returns the rows that a trainer gets: `count` of each group, in order.

    They are the first that could be scored, in the order they were asked for; where there are too
    few, others fill the places.

    Args:
        earned: Whole groups, one after the other.
        count: Rows of each, at most what any has.
    """
    rewards = np.array([one.reward for one in earned])
    first = first_scorable(rewards, groups_of(earned), count)
    rows: list[int] = []
    for group in dict.fromkeys(groups_of(earned)):
        members = [n for n, one in enumerate(earned) if one.group == group]
        ranked = sorted(members, key=lambda n: (not first[n], n))
        rows += sorted(ranked[:count])
    return rows


def groups_of(earned: Sequence[Earned]) -> list[str]:
    """Returns the group of each rollout."""
    return [one.group for one in earned]


def rewards_of(earned: Sequence[Earned]) -> Floats:
    """Returns the reward of each rollout: (B,), NaN where it could not be scored."""
    return np.array([one.reward for one in earned], dtype=np.float64)


def columns_of(earned: Sequence[Earned], names: Sequence[str]) -> Floats:
    """Returns components of the rewards: (B, N), NaN where unknown.

    Args:
        earned: The rollouts.
        names: Of `info["rewards"]`, or `reward` for the reward of the environment.
    """
    rows = [{**one.rewards, "reward": one.reward} for one in earned]
    table = [[float(row.get(name, math.nan)) for name in names] for row in rows]
    return np.array(table, dtype=np.float64).reshape(len(earned), len(names))


def anchor_sizes(earned: Sequence[Earned]) -> dict[tuple[str, str], int]:
    """Returns how many steps of a group began in each state, by group and state."""
    sizes: dict[tuple[str, str], int] = {}
    for one in earned:
        for anchor in one.anchors:
            if anchor is not None:
                sizes[one.group, anchor] = sizes.get((one.group, anchor), 0) + 1
    return sizes


def stepwise(earned: Sequence[Earned], settings: Any) -> list[Floats]:
    """Returns GiGPO's advantages, one array over steps a rollout.

    Args:
        earned: The rollouts.
        settings: GigpoSettings.
    """
    counts = [len(one.steps) for one in earned]
    owner = np.repeat(np.arange(len(earned)), counts)
    steps = [reward for one in earned for reward in one.steps]
    anchors = [anchor for one in earned for anchor in one.anchors]
    tasks = [one.group for one in earned for _ in one.steps]
    total = gigpo(np.array(steps), tasks, owner, anchors, settings=settings).total
    return np.split(np.asarray(total, dtype=np.float64), np.cumsum(counts)[:-1])


def _over(kept: Bools, earned: Sequence[Earned], estimator: Estimator) -> Floats | list[Floats]:
    """The estimator's advantages over the rows kept; 0 in the others."""
    if kept.all():
        return estimator.advantages(earned)
    chosen = [one for one, keep in zip(earned, kept, strict=True) if keep]
    found = iter(estimator.advantages(chosen) if chosen else ())
    zeros = [np.zeros(len(one.steps)) for one in earned]
    rows = [next(found) if keep else zero for keep, zero in zip(kept, zeros, strict=True)]
    if all(np.ndim(row) == 1 for row in rows):
        return rows
    return np.array([row if np.ndim(row) == 0 else 0.0 for row in rows], dtype=np.float64)


def _floored(
    values: Floats | list[Floats], table: Floats, group: list[str], errors: Bools
) -> Floats | list[Floats]:
    if not isinstance(values, list):
        return np.asarray(floor(values, table, group, errors))
    floors = floor(np.zeros(len(table)), table, group, errors)
    pairs = zip(values, floors, strict=True)
    return [np.full_like(steps, value) if value else steps for steps, value in pairs]
