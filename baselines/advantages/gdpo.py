"""GDPO: every component of the reward is normalised by itself before they are summed."""

import numpy as np

from baselines.advantages.arrays import Array, Floats, as_floats, ids_of, like, numbered
from baselines.advantages.groups import TRL, GroupNorm, compare, mean_and_std, warn_of_lone_rows
from baselines.advantages.grpo import component_weights, components, scorable_rows


def gdpo(
    rewards: Array,
    group: Array,
    weights: Array | None = None,
    norm: GroupNorm = TRL,
    lengths: Array | None = None,
    batch_eps: float | None = None,
) -> Array:
    """Returns GDPO's advantages (arXiv 2601.05242), in three steps.

    1. Z_{i,n} = (r_{i,n} - mean_g r_n) / (std_g r_n + eps), by component and group;
    2. S_i = sum_n w_n Z_{i,n};
    3. A_i = (S_i - mean S) / (std S + eps) over the whole batch, gathered from all ranks.

    The defaults are the paper's and TRL's `normalize_then_sum`. An unknown component (None, NaN)
    adds 0, without the bias that `grpo` has; a row without any is out of step 3 and gets exactly
    0. NVlabs' TRL fork replaces unknown rewards by 0 first: call with `np.nan_to_num(rewards)`.
    With one component step 3 still rescales, where that fork falls back to plain GRPO.

    A component that a group agrees on adds exactly 0. A group that agrees on all of them has
    S = 0 and gets -mean S / std S: 0 up to rounding by default, where each group's S sums to 0,
    unknown rewards or not. It is not 0 with `lengths`, `leave_one_out` or `lone="raw"`, as in the
    codes these reproduce: filter such groups with `informative(..., per_component=True)`.

    Args:
        rewards: (B, N) components, any finite range.
        group: (B,) an id a row.
        weights: (N,) weights of the normalised components; 1 each unless given.
        norm: Step 1. `VERL` and `NEMO` give those codes' first step.
        lengths: (B,) trained tokens of each row: step 3 then counts a row once a token and divides
            by sqrt(var + 1e-8), as verl and NVlabs-verl do. Each row counts once unless given.
        batch_eps: eps of step 3, that of `norm` unless given; NeMo-RL takes 0.

    Returns:
        (B,) advantages with batch mean 0 (over tokens with `lengths`) and std near 1. They depend
        on the rest of the batch.
    """
    table = components(rewards)
    index = numbered(ids_of(group, len(table)))
    warn_of_lone_rows(index, norm)
    sums = _normalised(table, index, norm) @ component_weights(weights, table.shape[1])
    scorable = scorable_rows(table)
    advantages = np.zeros(len(table))
    if lengths is not None:
        advantages[scorable] = _whiten_tokens(sums[scorable], as_floats(lengths)[scorable])
    elif scorable.any():
        mean, std = mean_and_std(sums[scorable], norm.ddof)
        eps = norm.eps if batch_eps is None else batch_eps
        advantages[scorable] = (sums[scorable] - mean) / (std + eps if std > 0 else 1.0)
    return like(advantages, rewards)


def gdpo_components(rewards: Array, group: Array, norm: GroupNorm = TRL) -> Array:
    """Returns GDPO's first step, Z_{i,n} = (r_{i,n} - mean_g r_n) / (std_g r_n + eps).

    Args:
        rewards: (B, N) components; an unknown one gets 0.
        group: (B,) an id a row.
        norm: Mean, std and eps.

    Returns:
        (B, N); each component sums to 0 over each group, and is 0 where the group agrees.
    """
    table = components(rewards)
    return like(_normalised(table, numbered(ids_of(group, len(table))), norm), rewards)


def _normalised(table: Floats, index: np.ndarray, norm: GroupNorm) -> Floats:
    return np.stack([compare(column, index, norm) for column in table.T], axis=1)


def _whiten_tokens(sums: Floats, lengths: Floats) -> Floats:
    tokens = lengths.sum()
    if tokens < 2:
        return np.zeros(len(sums))
    mean = (lengths * sums).sum() / tokens
    variance = (lengths * (sums - mean) ** 2).sum() / (tokens - 1)
    return np.asarray((sums - mean) / np.sqrt(variance + 1e-8))


def condition(rewards: Array, dep: int, on: int, threshold: float, otherwise: float = 0.0) -> Array:
    """Returns the rewards with r_dep kept only where r_on >= threshold (arXiv 2601.05242).

    The paper's remedy for an easy component that swamps a hard one: r_easy * 1[r_hard >= t],
    done before step 1. The paper's length reward is 1 if the text is short and the answer right.
    No public code has a switch for it.

    Args:
        rewards: (B, N) components.
        dep: The column that depends.
        on: The column it depends on.
        threshold: From where on it counts, in the unit of `on`.
        otherwise: What the component is below that, even where it was unknown.

    Returns:
        (B, N) new rewards; the component is unknown (NaN) where `on` is unknown.
    """
    table = components(rewards)
    cause = table[:, on].copy()
    kept = np.where(cause >= threshold, table[:, dep], otherwise)
    table[:, dep] = np.where(np.isnan(cause), np.nan, kept)
    return like(table, rewards)
