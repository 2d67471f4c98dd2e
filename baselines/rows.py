"""Rows: the plan of a run as a dataset, and the rows that TRL gets of its rollouts."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from baselines.earned import TrainingRollout
from baselines.training import TrainingArgs
from coworkgym.errors import SettingsError
from coworkgym.rollouts import episode_id, item_of


def plan(args: TrainingArgs) -> list[str]:
    """Returns the groups of a whole run, in order; the first n steps do not depend on the rest.

    A group is named by the id of an episode, whose last number says how often its task was drawn
    before. All tasks are drawn once, in random order, before any is drawn again.
    """
    items, dice = args.training_items(), random.Random(f"plan {args.seed}")
    groups = -(-args.steps // args.iterations) * args.groups
    names: list[str] = []
    for visit in range(-(-groups // len(items))):
        names += [episode_id(item, visit) for item in dice.sample(items, len(items))]
    return names[:groups]


def task_of(group: str) -> str:
    """Returns what a multiplier is kept for: the task of a group, whichever time it is drawn."""
    return episode_id(item_of(group), 0)


def row_of(rollout: TrainingRollout, pad: int) -> dict[str, Any]:
    """Returns the row that TRL trains: what its `rollout_func` returns, by name.

    Args:
        rollout: One without tokens becomes a padding token that is not trained.
        pad: The padding token.
    """
    segment, earned = rollout.segment, rollout.earned
    empty = not segment.completion_ids
    return {
        "prompt_ids": list(segment.prompt_ids) or [pad],
        "completion_ids": [pad] if empty else list(segment.completion_ids),
        "logprobs": [0.0] if empty else list(segment.logprobs),
        "env_mask": [0] if empty else list(segment.mask),
        "columns": {**earned.rewards, "reward": earned.reward},
    }


def trimmed(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a micro-batch without the columns in which all its rows are padding.

    TRL pads to the longest row of the whole batch of rollouts, and episodes differ much in length.

    Args:
        inputs: As TRL's loss takes them: prompts padded on the left, completions on the right.
    """
    width = inputs["completion_ids"].shape[1]
    used = max(int(inputs["completion_mask"].sum(1).max()), 1)
    empty = int((~inputs["prompt_mask"].bool().any(0)).sum())
    made = dict(inputs)
    for name, value in inputs.items():
        if name in ("prompt_ids", "prompt_mask"):
            made[name] = value[:, empty:]
        elif getattr(value, "ndim", 0) == 2 and value.shape[1] == width:
            made[name] = value[:, :used]
    return made


def column(name: str) -> Callable[..., list[float | None]]:
    """Returns a reward function of TRL that gives one component; None where it is unknown."""

    def component(*, columns: Sequence[dict[str, float]], **_: Any) -> list[float | None]:
        values = [row.get(name, math.nan) for row in columns]
        return [None if math.isnan(value) else value for value in values]

    component.__name__ = name
    return component


def require_whole_groups(args: TrainingArgs, processes: int) -> None:
    """Passes when every process plays whole groups, and checkpoints fall between batches.

    Raises:
        SettingsError: Saying which numbers do not go together.
    """
    if args.groups % processes:
        raise SettingsError(
            f"{args.groups} groups cannot be shared by {processes} processes: groups stay whole"
        )
    rows = args.groups * args.k // processes
    if rows % args.micro_batch:
        raise SettingsError(
            f"groups x k = {args.groups} x {args.k} gives each process {rows} rollouts, which is "
            f"no multiple of micro_batch {args.micro_batch}"
        )
    for name in ("save_every", "steps"):
        if getattr(args, name) % args.iterations:
            raise SettingsError(
                f"{name} {getattr(args, name)} is no multiple of iterations {args.iterations}: a "
                "run can be resumed between batches of rollouts only"
            )
