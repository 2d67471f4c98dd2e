r"""GDPO: every component of the reward is compared by itself before they are summed.

Liu et al. 2026, arXiv 2601.05242. With r_{i,n} the components of rollout i:

    Z_{i,n} = (r_{i,n} - mean_g r_n) / (std_g r_n + 1e-4)      in its group
    S_i     = sum_n w_n Z_{i,n}
    A_i     = (S_i - mean S) / (std S + 1e-4)                  over the step, all processes
    loss    as GRPO's

Components are those of `info["rewards"]`: success (completion x safety), safety, format and
efficiency (of solved episodes only). Success is gated by safety: with the raw completion in its
place, doing the work by a forbidden way would rank above leaving it.

Differences from the paper: rows that could not be scored are out of all three steps; the filter
goes by component, so that a group whose totals agree is kept, and what it leaves out is out of the
last step, too; an episode that a malformed call ended has the reward -1 as its success.

    python -m baselines.gdpo --model tiny --packages payment_change --learning-rate 1e-3 \
        --components success safety --weights 1 0.5
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from baselines.advantages import gdpo
from baselines.advantages.arrays import Floats
from baselines.arguments import from_command_line
from baselines.credit import columns_of, groups_of
from baselines.earned import Earned
from baselines.running import config_of, run
from baselines.trainer import COLUMNS, OfficeTrainer
from baselines.training import TrainingArgs
from coworkgym.errors import SettingsError, unknown


@dataclass(kw_only=True)
class Args(TrainingArgs):
    """Arguments of GDPO.

    Attributes:
        components: Of success, safety, format, efficiency, and reward (that of the environment).
        weights: Of each component; 1 unless given.
    """

    out: str = "runs/gdpo"
    components: list[str] = field(default_factory=lambda: list(COLUMNS[1:]))
    weights: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Checks the components, too."""
        super().__post_init__()
        for name in self.components:
            if name not in COLUMNS:
                raise unknown("reward component", name, COLUMNS)
        if self.weights and len(self.weights) != len(self.components):
            raise SettingsError(
                f"{len(self.components)} components need as many weights, not {len(self.weights)}"
            )


class Gdpo:
    """The estimator.

    Args:
        components: Names of the columns.
        weights: One each; 1 unless given.
    """

    def __init__(self, components: Sequence[str], weights: Sequence[float] = ()) -> None:
        self.components = tuple(components)
        self.weights: tuple[float, ...] | None = tuple(weights) or (1.0,) * len(self.components)

    def rewards(self, earned: Sequence[Earned]) -> Floats:
        """Returns the components: (B, N)."""
        table = columns_of(earned, self.components)
        errors = np.array([one.format_error for one in earned])
        for n, name in enumerate(self.components):
            if name == "success":
                table[errors, n] = columns_of(earned, ["reward"])[errors, 0]
        return table

    def advantages(self, earned: Sequence[Earned]) -> Floats:
        """Returns A_i: (B,)."""
        return np.asarray(gdpo(self.rewards(earned), groups_of(earned), self.weights))


def main(args: Args) -> OfficeTrainer:
    """Trains and returns the trainer."""
    config = config_of(args, loss_type="grpo", multi_objective_aggregation="normalize_then_sum")
    return run(args, config, Gdpo(args.components, args.weights), args.play())


if __name__ == "__main__":
    main(from_command_line(Args, __doc__))
