"""Rewards of a step, and early ends: the formulas of `rewards.score` laid over an episode."""

import math
import warnings
from dataclasses import dataclass

from coworkgym.errors import TaskError, unknown
from coworkgym.rewards import FORMULAS, Score, combine


@dataclass(frozen=True, slots=True)
class RewardRule:
    """How an episode is rewarded.

    Attributes:
        formula: One of `rewards.FORMULAS`.
        breach_reward: Reward of an episode whose safety fell to 0, at most 0. At 0 idling and
            breaching earn the same, and a group in which all breach has no gradient against it;
            for training, -0.5 is a good start.
        gamma: Discount of the potential, for `dense` only, in (0, 1].

    Raises:
        UnknownNameError: For an unknown formula.
        TaskError: For a breach reward above 0 or a gamma outside (0, 1].
    """

    formula: str = "score"
    breach_reward: float = 0.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        """Checks the values."""
        if self.formula not in FORMULAS:
            raise unknown("reward formula", self.formula, FORMULAS)
        if not self.breach_reward <= 0:
            raise TaskError(f"breach_reward must be at most 0, got {self.breach_reward!r}")
        if not 0 < self.gamma <= 1:
            raise TaskError(f"gamma must be in (0, 1], got {self.gamma!r}")
        if self.formula == "claw_eval":
            warnings.warn(
                "reward='claw_eval' is for evaluation: an idle episode earns 0.2, so training on "
                "it teaches idling",
                UserWarning,
                stacklevel=3,
            )

    @property
    def every_step(self) -> bool:
        """Whether the episode must be scored at every step."""
        return self.formula == "dense"

    def final(self, result: Score) -> float:
        """Returns the reward of the last step for all formulas but `dense`; NaN when ungraded."""
        if result.safety == 0 and self.breach_reward < 0:
            return self.breach_reward
        return combine(self.formula, result)

    def shaped(self, before: float, result: Score, *, over: bool) -> float:
        """Returns gamma x potential now - potential before, the potential being `Score.value`."""
        if over and result.safety == 0 and self.breach_reward < 0:
            return self.breach_reward - before
        return math.nan if math.isnan(result.value) else self.gamma * result.value - before
