"""The recipe of WildAWM: its reward, the floor of all-malformed groups, and oversampling.

The published formulas leave constants and edges open; what is chosen here says so.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from baselines.advantages.arrays import Array, as_bools, as_floats, ids_of, like, numbered
from baselines.advantages.filters import floor_rows
from baselines.advantages.grpo import components


def wild_reward(
    solved: float | None, checks: Sequence[float] | None = None, format_error: bool = False
) -> float:
    """Returns min(1, V + (0.1 / N) sum_i v_i), or -1 for a format error.

    The bonus ranks failures only: a solved rollout earns 1 whatever its checks. A format error
    (a call that cannot be parsed or fits no schema, not a tool that returned an error) ends the
    episode and nothing else is looked at; running out of steps is none. What could not be scored
    has no reward at all (None), never -1.
    `wild_awm` in `coworkgym.rewards.score` is this of a Score.

    Args:
        solved: V, the verdict of the final verifier in [0, 1].
        checks: v_i in [0, 1]; without any the bonus is 0.
        format_error: Whether the episode ended so.

    Returns:
        -1, or a number in [0, 1]; at most 0.1 where V = 0.

    Raises:
        ValueError: V is missing although the format was kept.
    """
    if format_error:
        return -1.0
    if solved is None:
        raise ValueError("V may be missing only beside a format error; unscorable is no reward")
    bonus = 0.1 * math.fsum(checks) / len(checks) if checks else 0.0
    return min(1.0, solved + bonus)


def floor(advantages: Array, rewards: Array, group: Array, format_errors: Array) -> Array:
    """Returns the advantages with -K^(-1/2) in groups where all K scorable rows broke the format.

    GRPO gives such a group 0. The floor makes the group's advantages a vector of length 1
    whatever K. It comes last, after GDPO's batch step; other groups keep what they have, with -1
    among their rewards as any other. Chosen here: unscorable rows count neither in K nor for or
    against the group, and keep their advantage; K = 1 gives -1.

    Args:
        advantages: (B,).
        rewards: (B,) or (B, N), to see which rows are scorable.
        group: (B,) an id a row.
        format_errors: (B,) booleans.

    Returns:
        (B,) of the kind and dtype of the advantages.
    """
    values, table = as_floats(advantages), components(rewards)
    index = numbered(ids_of(group, len(table)))
    rows = floor_rows(table, index, as_bools(format_errors))
    sizes = np.bincount(index[rows], minlength=len(table))[index]
    return like(np.where(rows, -1 / np.sqrt(np.maximum(sizes, 1)), values), advantages)


class RolloutMultiplier:
    """How many more rollouts a task is given than K, from how often its groups were informative.

    p <- (1 - alpha) p + alpha x, where x says whether the group was informative (`informative`,
    floor groups included); the multiplier is 1 / p, held within bounds. Averaging the rate and
    not the multiplier is chosen here: the mean of 1 / p is biased upward, and undefined after a
    group without signal. So are the constants.

    Args:
        alpha: Weight of the newest group, in (0, 1].
        low: Least multiplier.
        high: Greatest multiplier.
    """

    def __init__(self, alpha: float = 0.2, low: float = 1.0, high: float = 4.0) -> None:
        if not (0 < alpha <= 1 and 0 < low <= high):
            raise ValueError(f"0 < alpha <= 1, 0 < low <= high; got {alpha}, {low}, {high}")
        self.alpha, self.low, self.high = alpha, low, high
        self._rates: dict[Hashable, float] = {}

    def update(self, task: Hashable, informative: bool) -> None:
        """Takes in whether a group of the task was informative."""
        rate = (1 - self.alpha) * self.rate(task) + self.alpha * float(informative)
        self._rates[task] = rate

    def rate(self, task: Hashable) -> float:
        """Returns p of a task, in [0, 1]; 1 for one never seen."""
        return self._rates.get(task, 1.0)

    def multiplier(self, task: Hashable) -> float:
        """Returns 1 / p within bounds."""
        return min(self.high, max(self.low, 1 / max(self.rate(task), 1e-12)))

    def count(self, task: Hashable, k: int) -> int:
        """Returns how many rollouts to ask for so that about K are useful: ceil(multiplier K).

        `first_scorable` then keeps K of them.
        """
        return math.ceil(self.multiplier(task) * k - 1e-9)

    def state_dict(self) -> dict[str, Any]:
        """Returns what a checkpoint keeps: constants, and the rates as pairs of task and p."""
        constants = {"alpha": self.alpha, "low": self.low, "high": self.high}
        return constants | {"rates": [list(pair) for pair in self._rates.items()]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over what `state_dict` returned, after JSON too if tasks are texts or numbers."""
        self.alpha, self.low, self.high = state["alpha"], state["low"], state["high"]
        self._rates = {task: rate for task, rate in state["rates"]}
