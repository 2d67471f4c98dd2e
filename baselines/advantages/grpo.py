"""GRPO and Dr.GRPO: a rollout is compared with the other rollouts of its task."""

from dataclasses import replace

import numpy as np

from baselines.advantages.arrays import (
    Array,
    Bools,
    Floats,
    as_bools,
    as_floats,
    ids_of,
    like,
    numbered,
)
from baselines.advantages.groups import TRL, GroupNorm, compare, warn_of_lone_rows


def grpo(
    rewards: Array, group: Array, weights: Array | None = None, norm: GroupNorm = TRL
) -> Array:
    """Returns GRPO's advantages (arXiv 2402.03300): A_i = (R_i - mean_g R) / (std_g R + eps).

    Every token of rollout i gets A_i. A reward of None or NaN is unknown, as in TRL 1.16: R_i is
    the weighted sum of the known components, so a row that lacks one is biased low; a row without
    any is out of mean and std and gets 0, and so does a group with fewer than two scorable rows.
    A group that agrees gets exactly 0. verl and oat know no unknown rewards and return NaN; the
    only row of a group gets 0 here and its raw reward in verl (`norm=VERL`).

    Args:
        rewards: (B,) total rewards, or (B, N) components; any finite range.
        group: (B,) an id a row, equal for rollouts of one task in one batch; groups may be ragged
            and their rows in any order (slime treats a ragged batch as one group).
        weights: (N,) weights of the components; 1 each unless given.
        norm: Mean, std and eps; TRL's unless given.

    Returns:
        (B,) advantages, of the kind and dtype of the rewards; without leave-one-out the sum over
        a group is 0, and |A| < (n - 1) / sqrt(n) in a group of n.
    """
    totals = weighted_sum(rewards, weights)
    index = numbered(ids_of(group, len(totals)))
    warn_of_lone_rows(index, norm)
    return like(compare(totals, index, norm), rewards)


def dr_grpo(
    rewards: Array, group: Array, weights: Array | None = None, norm: GroupNorm = TRL
) -> Array:
    """Returns Dr.GRPO's advantages (arXiv 2503.20783): A_i = R_i - mean_g R, without a std.

    The other half of Dr.GRPO is the loss, `aggregate(..., "const-len", length=L)` with L the
    generation budget. TRL's `loss_type="dr_grpo"` changes the loss alone and needs
    `scale_rewards="none"` beside it; verl needs `norm_adv_by_std_in_grpo=False`. With
    `leave_one_out` the result is n / (n - 1) times as large: the unbiased form of RLOO.

    Args:
        rewards: (B,) or (B, N); unknown ones are treated as in `grpo`.
        group: (B,) an id a row.
        weights: (N,) weights of the components; 1 each unless given.
        norm: `leave_one_out` and `lone` of it count; scale and eps do not.

    Returns:
        (B,) advantages in the unit of the rewards.
    """
    return grpo(rewards, group, weights, replace(norm, scale="none", eps=0.0))


def weighted_sum(rewards: Array, weights: Array | None = None) -> Floats:
    """Returns sum_n w_n r_n over the known components of each row: (B,) float64.

    A row without a known component is NaN.

    Raises:
        ValueError: The rewards are neither (B,) nor (B, N), or the weights are not (N,).
    """
    table = components(rewards)
    weighted = table * component_weights(weights, table.shape[1])
    return np.where(scorable_rows(table), np.nansum(weighted, axis=1), np.nan)


def components(rewards: Array) -> Floats:
    """Returns rewards as a table (B, N), where (B,) is one component.

    Raises:
        ValueError: The rewards have another shape, or no component.
    """
    table = as_floats(rewards)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"Rewards are (B,) or (B, N), not {table.shape}")
    return table


def scorable_rows(table: Floats) -> Bools:
    """Says which rows of (B, N) have a known component: (B,)."""
    return np.asarray((~np.isnan(table)).any(axis=1), dtype=np.bool_)


def component_weights(weights: Array | None, count: int) -> Floats:
    """Returns the weights of N components, 1 each unless given.

    Raises:
        ValueError: There are not N of them.
    """
    chosen = np.ones(count) if weights is None else as_floats(weights)
    if chosen.shape != (count,):
        raise ValueError(f"{count} reward components need {count} weights, not {chosen.tolist()}")
    return chosen


def masked_return(token_rewards: Array, mask: Array) -> Array:
    """Returns the sum of each row's token rewards; NaN, that is unscorable, on masked rewards.

    The rule: a reward that stands on a token which the mask rejects was not earned by anything
    that is trained, so the whole row is out of baseline and advantage; and so is a row without
    any token left. Summing without the mask, as verl 0.9.1 does, lets the rejected reward move
    the advantages of its group. Put rewards on tokens that the policy wrote.

    Args:
        token_rewards: (B, T).
        mask: (B, T) of 0/1; 1 where the policy wrote the token.

    Returns:
        (B,) rewards for `grpo` and its kin.
    """
    table, kept = as_floats(token_rewards), as_bools(mask)
    astray = ((table != 0) & ~kept).any(axis=1) | ~kept.any(axis=1)
    return like(np.where(astray, np.nan, table.sum(axis=1)), token_rewards)
