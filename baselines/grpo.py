r"""GRPO: a rollout is compared with the other rollouts of its task.

Shao et al. 2024, DeepSeekMath, arXiv 2402.03300. With R_i the reward of rollout i of a group of K:

    A_i  = (R_i - mean R) / (std R + 1e-4)                  the same for all its tokens
    loss = -(1/B) sum_i (1/n_i) sum_t min(rho A_i, clip(rho, 1 - eps, 1 + eps) A_i) + beta KL

over the n_i tokens that the model sampled, rho = pi / pi_old by token, KL the k3 estimate.

Differences from the paper: outcome rewards only; std divides by K - 1 (every public code); beta is
0 unless given; rollouts are whole episodes with tools, whose tokens are not trained; those that
could not be scored count nowhere. `--loss dapo` divides by all tokens of the step instead (arXiv
2503.14476), TRL's default.

    python -m baselines.grpo --model tiny --packages escalation --learning-rate 1e-3
    python -m baselines.grpo --model tiny --recipe wild_awm
    accelerate launch --config_file baselines/configs/fsdp.yaml -m baselines.grpo \
        --model Qwen/Qwen3-VL-8B-Instruct --micro-batch 1 --gradient-checkpointing
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from baselines.advantages import grpo
from baselines.advantages.arrays import Floats
from baselines.arguments import from_command_line
from baselines.credit import groups_of, rewards_of
from baselines.earned import Earned
from baselines.running import config_of, run
from baselines.trainer import OfficeTrainer
from baselines.training import TrainingArgs


@dataclass(kw_only=True)
class Args(TrainingArgs):
    """Arguments of GRPO.

    Attributes:
        loss: grpo (mean over rollouts of means over tokens) or dapo (mean over all tokens).
    """

    out: str = "runs/grpo"
    loss: Literal["grpo", "dapo"] = "grpo"


class Grpo:
    """The estimator."""

    weights: tuple[float, ...] | None = None

    def rewards(self, earned: Sequence[Earned]) -> Floats:
        """Returns the rewards: (B,)."""
        return rewards_of(earned)

    def advantages(self, earned: Sequence[Earned]) -> Floats:
        """Returns A_i: (B,)."""
        return np.asarray(grpo(self.rewards(earned), groups_of(earned)))


def main(args: Args) -> OfficeTrainer:
    """Trains and returns the trainer."""
    config = config_of(args, loss_type=args.loss, scale_rewards="group")
    return run(args, config, Grpo(), args.play())


if __name__ == "__main__":
    main(from_command_line(Args, __doc__))
