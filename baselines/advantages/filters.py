"""Filters: which groups carry a signal, and which rows of an oversampled group are kept."""

import numpy as np

from baselines.advantages.arrays import (
    Array,
    Bools,
    Floats,
    Ints,
    as_bools,
    ids_of,
    like,
    numbered,
)
from baselines.advantages.groups import mean_and_std, members
from baselines.advantages.grpo import component_weights, components, scorable_rows, weighted_sum


def informative(
    rewards: Array,
    group: Array,
    weights: Array | None = None,
    per_component: bool = False,
    format_errors: Array | None = None,
    threshold: float = 1e-6,
) -> Array:
    """Says which rows are in groups that carry a signal: DAPO's dynamic filter (2503.14476).

    A group is kept if the std (ddof 1) of its known rewards exceeds the threshold, as in slime;
    verl keeps a group unless all are equal, which is `threshold=0`. Fewer than two scorable rows
    carry none. Filtering on totals under GDPO would drop groups whose totals agree and whose
    components do not: use `per_component` there.

    Args:
        rewards: (B,) or (B, N).
        group: (B,) an id a row.
        weights: (N,); with `per_component` a component of weight 0 carries no signal.
        per_component: Whether one component that differs is enough.
        format_errors: (B,) which rows broke the format; groups of nothing else are kept, since
            `floor` gives them an advantage.
        threshold: In the unit of the rewards.

    Returns:
        (B,) booleans, equal over each group.
    """
    table = components(rewards)
    if per_component:
        table = table[:, component_weights(weights, table.shape[1]) != 0]
    else:
        table = weighted_sum(rewards, weights)[:, None]
    index = numbered(ids_of(group, len(table)))
    kept = np.zeros(len(table), dtype=np.bool_)
    for rows in members(index):
        kept[rows] = any(_differs(column[rows], threshold) for column in table.T)
    if format_errors is not None:
        kept |= floor_rows(components(rewards), index, as_bools(format_errors))
    return like(kept, rewards)


def _differs(values: Floats, threshold: float) -> bool:
    known = values[~np.isnan(values)]
    return len(known) > 1 and bool(mean_and_std(known, 1).scale > threshold)


def floor_rows(table: Floats, index: Ints, format_errors: Bools) -> Bools:
    """Says which scorable rows are in groups where every scorable row is a format error: (B,)."""
    scorable = scorable_rows(table)
    spoiled = np.isin(index, index[scorable & ~format_errors])
    return scorable & ~spoiled


def first_scorable(rewards: Array, group: Array, count: int) -> Array:
    """Says which rows are the first `count` scorable ones of their group, by their order.

    Rows stand in the order in which they were asked for, never in that of completion, which
    would favour fast rollouts.

    Args:
        rewards: (B,) or (B, N); unscorable if all of a row is unknown.
        group: (B,) an id a row.
        count: How many a group keeps, K.

    Returns:
        (B,) booleans.
    """
    scorable = scorable_rows(components(rewards))
    kept = np.zeros(len(scorable), dtype=np.bool_)
    for rows in members(numbered(ids_of(group, len(scorable)))):
        kept[rows[scorable[rows]][:count]] = True
    return like(kept, rewards)
