"""Overlong rollouts: what happens to those that reached, or came near, the generation budget."""

import numpy as np

from baselines.advantages.arrays import Array, as_bools, as_floats, like


def mask_truncated(mask: Array, truncated: Array) -> Array:
    """Returns the mask with rows that were cut off set to 0: TRL's `mask_truncated_completions`.

    Such a row adds no loss but keeps its place in the baseline of its group and in B; give it
    reward None to take it out of the baseline too. Dr.GRPO's recipe is reward 0 instead.

    Args:
        mask: (B, T) of 0/1 or booleans.
        truncated: (B,) whether the row was cut off at the budget.

    Returns:
        (B, T), of the kind and dtype of the mask.
    """
    return mask * like(~as_bools(truncated), mask)[:, None]


def soft_overlong(lengths: Array, max_length: int, cache: int) -> Array:
    """Returns DAPO's soft overlong punishment (arXiv 2503.14476), to be added to the reward.

    0 up to max_length - cache, then down in a straight line to -1 at max_length, and -1 beyond.

    Args:
        lengths: (B,) tokens generated.
        max_length: The generation budget; 20480 in the paper.
        cache: Tokens before the budget in which the punishment grows; 4096 in the paper.

    Returns:
        (B,) in [-1, 0].

    Raises:
        ValueError: The cache is not in (0, max_length].
    """
    if not 0 < cache <= max_length:
        raise ValueError(f"cache lies in (0, {max_length}], not {cache}")
    return like(np.clip((max_length - cache - as_floats(lengths)) / cache, -1, 0), lengths)
