"""GiGPO: rollouts of a task are compared, and so are their steps that began in the same state.

Feng et al. 2025, arXiv 2505.10978, Eq. 3-9. With r_{i,t} the reward of step t of rollout i:

    A^E_i     = (R_i - mean R) / F                         R_i = sum_t r_{i,t}, over the group
    Ret_{i,t} = sum_{k >= t} gamma^{k-t} r_{i,k}
    A^S_{i,t} = (Ret_{i,t} - mean Ret) / F                 over the steps with the same anchor
    A_{i,t}   = A^E_i + omega A^S_{i,t}                    the same for all tokens of the step
    loss      as GRPO's, A by token

F is 1 (`mean_norm`) or the std (`mean_std_norm`). A step is one assistant message, with all its
calls. The environment gives the anchor: a hash of task, stage, what was changed, and last message.
Rewards come at the end, or with `--reward dense` at every step, as gamma phi' - phi.

Differences from the paper: one row a rollout, not one a step, so that the mean of the loss is over
a rollout's tokens and not over a step's; steps that reading led to look alike even if the readers
know different things. Differences from the reference code (`--statistics reference` takes its
means): there the mean of A^E counts an episode once a step, the only rollout of a task keeps its
raw reward, and a penalty of 0.1 is on invalid actions, for which `--on-malformed` and the column
`format` stand here.

    python -m baselines.gigpo --model tiny --packages escalation --learning-rate 1e-3 --gamma 0.95
    python -m baselines.gigpo --model tiny --reward dense
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from baselines.advantages import GigpoSettings
from baselines.advantages.arrays import Floats
from baselines.arguments import from_command_line
from baselines.credit import rewards_of, stepwise
from baselines.earned import Earned
from baselines.running import config_of, run
from baselines.trainer import OfficeTrainer
from baselines.training import TrainingArgs
from coworkgym.errors import SettingsError


@dataclass(kw_only=True)
class Args(TrainingArgs):
    """Arguments of GiGPO.

    Attributes:
        gamma: Discount of the steps' returns, and of the dense reward, in (0, 1].
        omega: Weight of the steps' advantages.
        mode: F: mean_norm divides by nothing, mean_std_norm by the std.
        statistics: Those of the paper, or of the reference code.
    """

    out: str = "runs/gigpo"
    gamma: float = 0.95
    omega: float = 1.0
    mode: Literal["mean_norm", "mean_std_norm"] = "mean_norm"
    statistics: Literal["paper", "reference"] = "paper"

    def __post_init__(self) -> None:
        """Checks gamma, too."""
        super().__post_init__()
        if not 0 < self.gamma <= 1:
            raise SettingsError(f"gamma is in (0, 1], not {self.gamma}")

    def settings(self) -> GigpoSettings:
        """Returns the constants of the estimator."""
        reference = self.statistics == "reference"
        return GigpoSettings(
            gamma=self.gamma,
            omega=self.omega,
            mode=self.mode,
            episode_stats="step" if reference else "episode",
            lone="raw" if reference else "zero",
        )


class Gigpo:
    """The estimator.

    Args:
        settings: Its constants.
    """

    weights: tuple[float, ...] | None = None

    def __init__(self, settings: GigpoSettings) -> None:
        self.settings = settings

    def rewards(self, earned: Sequence[Earned]) -> Floats:
        """Returns the rewards of whole rollouts: (B,)."""
        return rewards_of(earned)

    def advantages(self, earned: Sequence[Earned]) -> list[Floats]:
        """Returns A_{i,t}: an array over steps a rollout."""
        return stepwise(earned, self.settings)


def main(args: Args) -> OfficeTrainer:
    """Trains and returns the trainer."""
    config = config_of(args, loss_type="grpo", scale_rewards="none")
    how = args.play(anchors=True, gamma=args.gamma)
    return run(args, config, Gigpo(args.settings()), how)


if __name__ == "__main__":
    main(from_command_line(Args, __doc__))
