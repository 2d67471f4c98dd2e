"""Dr.GRPO: GRPO without its two biases, towards easy and hard tasks and towards long failures.

Liu et al. 2025, Understanding R1-Zero-like Training, arXiv 2503.20783. In a group of K:

    A_i  = R_i - mean R                                                    no std
    loss = -(1/(B L)) sum_i sum_t min(rho A_i, clip(rho, 1 - eps, 1 + eps) A_i)

with L the generation budget (`--budget`): a constant, not the length of what was written, nor the
padded width of the batch.

Differences from the paper: L counts the tokens of tools, too, as the budget does; the reward of a
rollout that was cut off is that of the state it reached, in which checks of the reply fail, where
the paper gives 0 (`--overlong mask` trains none of them). TRL's `loss_type="dr_grpo"` alone keeps
the std: `scale_rewards` is none here.

    python -m baselines.dr_grpo --model tiny --packages escalation --learning-rate 1e-3
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baselines.advantages import dr_grpo
from baselines.advantages.arrays import Floats
from baselines.arguments import from_command_line
from baselines.credit import groups_of, rewards_of
from baselines.earned import Earned
from baselines.running import config_of, run
from baselines.trainer import OfficeTrainer
from baselines.training import TrainingArgs


@dataclass(kw_only=True)
class Args(TrainingArgs):
    """Arguments of Dr.GRPO."""

    out: str = "runs/dr_grpo"


class DrGrpo:
    """The estimator."""

    weights: tuple[float, ...] | None = None

    def rewards(self, earned: Sequence[Earned]) -> Floats:
        """Returns the rewards: (B,)."""
        return rewards_of(earned)

    def advantages(self, earned: Sequence[Earned]) -> Floats:
        """Returns A_i: (B,)."""
        return np.asarray(dr_grpo(self.rewards(earned), groups_of(earned)))


def main(args: Args) -> OfficeTrainer:
    """Trains and returns the trainer."""
    config = config_of(args, loss_type="dr_grpo", scale_rewards="none")
    return run(args, config, DrGrpo(), args.play())


if __name__ == "__main__":
    main(from_command_line(Args, __doc__))
