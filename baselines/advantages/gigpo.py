"""GiGPO: a step is compared with other steps that started from the same state."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from baselines.advantages.anchors import anchor_key
from baselines.advantages.arrays import Array, Floats, Ints, as_floats, ids_of, like, numbered
from baselines.advantages.groups import GroupNorm, compare, moments, warn_of_lone_rows


@dataclass(frozen=True, slots=True)
class GigpoSettings:
    """Constants of GiGPO; the defaults are the paper's estimator with the example scripts' gamma.

    Attributes:
        gamma: Discount of the step returns, in [0, 1]; 0.95 in every example script of the
            reference code, 1 in its configuration.
        omega: Weight of the step advantage.
        mode: F of the paper: `mean_norm` divides by nothing, `mean_std_norm` by std + eps
            (ddof 1). Trinity-RFT divides by 1 + 1e-6 in the former.
        eps: Added to the std.
        episode_stats: `episode` counts each episode once in mean and std, as Eq. 3 and Trinity
            do; `step` counts it once a step, as the reference code does by default.
        lone: What the only episode of a task gets: `zero` with a warning, or `raw`, its return,
            as in the reference code. With `episode_stats="step"` alone means one step.
    """

    gamma: float = 0.95
    omega: float = 1.0
    mode: Literal["mean_norm", "mean_std_norm"] = "mean_norm"
    eps: float = 1e-6
    episode_stats: Literal["episode", "step"] = "episode"
    lone: Literal["zero", "raw"] = "zero"

    def __post_init__(self) -> None:
        """Refuses words that mean nothing.

        Raises:
            ValueError: `mode` or `episode_stats` is none of the words above.
        """
        modes, stats = ("mean_norm", "mean_std_norm"), ("episode", "step")
        for name, allowed in (("mode", modes), ("episode_stats", stats)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is one of {allowed}, not {getattr(self, name)!r}")

    @property
    def norm(self) -> GroupNorm:
        """How rows are compared with their group."""
        scale: Literal["none", "group"] = "none" if self.mode == "mean_norm" else "group"
        return GroupNorm(scale=scale, eps=self.eps, lone=self.lone)


PAPER = GigpoSettings()
"""Eq. 3-8 as printed, F = 1."""

VERL_AGENT = GigpoSettings(episode_stats="step", lone="raw")
"""The reference code as its entry point calls it."""


class GigpoAdvantages(NamedTuple):
    """Advantages of each step: (B,) each; total = episode + omega * step."""

    total: Array
    episode: Array
    step: Array


def gigpo(
    rewards: Array,
    task: Array,
    episode: Array,
    anchors: Array,
    penalty: Array | None = None,
    settings: GigpoSettings = PAPER,
) -> GigpoAdvantages:
    """Returns GiGPO's advantages (arXiv 2505.10978, Eq. 3-8), one a step.

    A^E_i = (R_i - mean R) / F over the episodes of a task, R_i the undiscounted sum (Eq. 3);
    Ret_{i,t} = sum_{k>=t} gamma^{k-t} r_{i,k} (Eq. 5);
    A^S_{i,t} = (Ret_{i,t} - mean Ret) / F over all steps of the task that started in the same
    anchor state (Eq. 6-7); A = A^E + omega A^S (Eq. 8).

    A state met twice in one episode counts twice in its group. An anchor group of one step gives
    0, so without repeated states this is GRPO over episodes. Groups never cross tasks, as they do
    in Trinity-RFT. An episode with an unknown reward is out of all means and gets 0. Rows that
    only pad a batch are given reward NaN and an episode of their own; the reference code copies
    random rows instead, which then count twice.

    Args:
        rewards: (B,) rewards of single steps; steps of one episode stand in order of time.
        task: (B,) equal for episodes of one task from the same initial state.
        episode: (B,) the episode of each step, unique within its task.
        anchors: (B,) the state before each step, anything `anchor_key` takes. None is no anchor
            and gives step advantage 0, as in Trinity-RFT; the reference code's environments
            put all such steps in one group.
        penalty: (B,) what is taken off for an invalid action, >= 0 (0.1 in the reference code).
            After discounting, it lowers that row's own episode return and step return only. With
            `episode_stats="episode"` the mean and std of Eq. 3 stay those of the returns without
            penalties; code that counts episodes by their first row lets that row's penalty in.
        settings: Discount, weight and norm.

    Returns:
        Total, episode and step advantages, of the kind and dtype of the rewards.
    """
    values = as_floats(rewards)
    taken = np.zeros(len(values)) if penalty is None else as_floats(penalty)
    tasks = ids_of(task, len(values))
    runs = numbered(zip(tasks, ids_of(episode, len(values)), strict=True))
    episodes = _episode_level(values, numbered(tasks), runs, taken, settings)
    returns = _returns_to_go(values, runs, settings.gamma) - taken
    steps = compare(returns, _step_groups(tasks, anchors), _silent(settings.norm))
    total = episodes + settings.omega * steps
    return GigpoAdvantages(*(like(one, rewards) for one in (total, episodes, steps)))


def discounted_returns(rewards: Array, episode: Array, gamma: float = 1.0) -> Array:
    """Returns Ret_{i,t} = sum_{k>=t} gamma^{k-t} r_{i,k} (arXiv 2505.10978, Eq. 5).

    Args:
        rewards: (B,) rewards of single steps; steps of one episode stand in order of time, with
            those of others between them or not.
        episode: (B,) the episode of each step.
        gamma: Discount in [0, 1].

    Returns:
        (B,) returns; NaN in an episode with an unknown reward.
    """
    values = as_floats(rewards)
    return like(_returns_to_go(values, numbered(ids_of(episode, len(values))), gamma), rewards)


def _returns_to_go(values: Floats, runs: Ints, gamma: float) -> Floats:
    ahead = np.zeros(runs.max(initial=-1) + 1)
    returns = np.empty(len(values))
    for row in reversed(range(len(values))):
        ahead[runs[row]] = values[row] + gamma * ahead[runs[row]]
        returns[row] = ahead[runs[row]]
    unknown = np.isin(runs, runs[np.isnan(values)])
    return np.where(unknown, np.nan, returns)


def _episode_level(
    values: Floats, tasks: Ints, runs: Ints, taken: Floats, settings: GigpoSettings
) -> Floats:
    totals = np.zeros(runs.max(initial=-1) + 1)
    np.add.at(totals, runs, values)
    scores = totals[runs] - taken
    if settings.episode_stats == "step":
        warn_of_lone_rows(tasks, settings.norm)
        return compare(scores, tasks, settings.norm)
    firsts = np.unique(runs, return_index=True)[1]
    warn_of_lone_rows(tasks[firsts], settings.norm)
    mean, scale = moments(totals, tasks[firsts], settings.norm)
    return np.nan_to_num((scores - mean[runs]) / scale[runs], nan=0.0)


def _step_groups(tasks: list[Hashable], anchors: Array) -> Ints:
    states = anchors.tolist() if hasattr(anchors, "tolist") else list(anchors)
    if len(states) != len(tasks):
        raise ValueError(f"Every row needs one anchor: {len(tasks)} rows, {len(states)} anchors")
    return numbered(
        (place, "none", row) if state is None else (place, "state", anchor_key(state))
        for row, (place, state) in enumerate(zip(tasks, states, strict=True))
    )


def _silent(norm: GroupNorm) -> GroupNorm:
    return GroupNorm(scale=norm.scale, eps=norm.eps)
