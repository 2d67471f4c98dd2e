"""Records: what a training run tells about itself: figures, sample transcripts, curves."""

import json
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from baselines.advantages.arrays import Floats
from baselines.credit import Credit, anchor_sizes, rewards_of
from baselines.earned import Earned, TrainingRollout
from coworkgym.frozen import thaw

CURVES = ("reward", "office/solved", "office/breach_rate", "office/dead_groups", "entropy")
"""What the plot shows, beside evaluations."""


def figures(earned: Sequence[Earned], credit: Credit) -> dict[str, float]:
    """Returns the figures of a step; means are over rollouts that could be scored.

    - `solved`, `completion`, `breach_rate` (safety 0): shares.
    - `malformed`: share of calls; `format_errors`: share of rollouts that one ended.
    - `dead_groups`: share of groups without a signal.
    - `cut_off`, `unscorable`, `void`: shares of rollouts.
    - `steps`: answers a rollout; `anchor_size`: steps that share a state, on average over steps;
      `anchor_shared`: share of steps whose state another step of the group was in, too.
    """
    scorable = [one for one in earned if not math.isnan(one.reward)]
    rates = {
        "solved": [one.solved for one in scorable],
        "completion": [one.completion for one in scorable],
        "breach_rate": [one.rewards["safety"] == 0 for one in scorable],
        "format_errors": [one.format_error for one in scorable],
        "cut_off": [one.cut_off for one in earned],
        "unscorable": np.isnan(rewards_of(earned)),
        "void": [one.ended == "void" for one in earned],
        "steps": [len(one.steps) for one in earned],
        "trained": credit.trained,
    }
    groups = {one.group: told for one, told in zip(earned, credit.informative, strict=True)}
    calls = sum(one.calls for one in earned)
    return {
        **{name: _mean(values) for name, values in rates.items()},
        "malformed": sum(one.malformed for one in earned) / max(calls, 1),
        "dead_groups": _mean([not told for told in groups.values()]),
        **_anchors(earned),
    }


def _anchors(earned: Sequence[Earned]) -> dict[str, float]:
    sizes = np.array(list(anchor_sizes(earned).values()), dtype=np.float64)
    if not len(sizes):
        return {}
    steps = sizes.sum()
    return {
        "anchor_size": float((sizes**2).sum() / steps),
        "anchor_shared": float(sizes[sizes > 1].sum() / steps),
    }


def _mean(values: Any) -> float:
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[~np.isnan(numbers)]
    return float(numbers.mean()) if len(numbers) else math.nan


def write_transcripts(
    path: Path, rollouts: Sequence[TrainingRollout], advantages: Sequence[Any], step: int
) -> None:
    """Appends a line for the best, the worst and the first rollout.

    Args:
        path: A file of JSON lines; its folder is made.
        rollouts: Of this step.
        advantages: Of each rollout; a number, or one a step.
        step: Number of optimizer steps so far.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    rewards = np.nan_to_num(rewards_of([one.earned for one in rollouts]), nan=-math.inf)
    chosen = dict.fromkeys([int(rewards.argmax()), int(rewards.argmin()), 0])
    with path.open("a", encoding="utf-8") as file:
        for n in chosen:
            file.write(json.dumps(_line(rollouts[n], advantages[n], step), ensure_ascii=False))
            file.write("\n")


def _line(rollout: TrainingRollout, advantage: Any, step: int) -> dict[str, Any]:
    earned = rollout.earned
    return {
        "step": step,
        "group": earned.group,
        "sample": earned.sample,
        "reward": None if math.isnan(earned.reward) else earned.reward,
        "rewards": {name: None if math.isnan(v) else v for name, v in earned.rewards.items()},
        "solved": earned.solved,
        "ended": earned.ended,
        "advantage": np.round(advantage, 4).tolist(),
        "messages": thaw(rollout.transcript),
    }


def plot(history: Sequence[Mapping[str, Any]], path: Path, title: str) -> bool:
    """Draws the curves of a run; False, and nothing drawn, where matplotlib is not installed.

    Args:
        history: `trainer.state.log_history`.
        path: A PNG.
        title: Over the curves.
    """
    if find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    found = {name for line in history for name in line}
    names = [name for name in CURVES if name in found]
    names += sorted(name for name in found if name in ("eval/solved", "eval/score"))
    figure = Figure(figsize=(9, 2.2 * max(1, math.ceil(len(names) / 2))), layout="constrained")
    figure.suptitle(title)
    for place, name in enumerate(names):
        axes = figure.add_subplot(math.ceil(len(names) / 2), 2, place + 1)
        points = [(line["step"], line[name]) for line in history if line.get(name) is not None]
        steps, values = np.array(points, dtype=np.float64).T
        axes.plot(steps, values, color="tab:blue", alpha=0.3)
        axes.plot(steps, _smooth(values), color="tab:blue")
        axes.set_title(name, fontsize=9)
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return True


def _smooth(values: Floats, width: int = 10) -> Floats:
    """The mean of each value and the up to nine before it."""
    sums = np.cumsum(np.concatenate([[0.0], values]))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - width, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))
