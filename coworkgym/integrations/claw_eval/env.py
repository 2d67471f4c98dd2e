"""The environment `cowork/claw_eval-v0`: tasks of a checkout behind the usual interface."""

import os
from pathlib import Path
from typing import Any

from coworkgym.envs import CoworkEnv
from coworkgym.errors import TaskError
from coworkgym.integrations.claw_eval.importer import load_claw_task
from coworkgym.integrations.claw_eval.roster import runnable
from coworkgym.tasks import Item, Task, TaskPackage


def claw_package(
    root: str | os.PathLike[str], task_id: str | None = None, *, mode: str = "intended"
) -> TaskPackage:
    """Returns a package of one task of a checkout, or of all that can be run.

    Args:
        root: The checkout.
        task_id: One task; by default the seed picks among those that can be run without a
            language model, in order.
        mode: See `load_claw_task`.
    """
    folder = Path(root)
    ids = [task_id] if task_id else runnable(folder)
    if not ids:
        raise TaskError(f"{folder} holds no task that can be run")

    def write(item: Item) -> Task:
        return load_claw_task(folder, ids[item.seed % len(ids)], mode=mode).task

    return TaskPackage(
        name="claw_eval", version=0, profession="imported", tags=("claw_eval",),
        tools={"easy": ()}, languages=("en",), write=write,
        doc="Claw-Eval: tasks of a checkout.",
    )  # fmt: skip


def make_env(
    root: str | os.PathLike[str],
    task_id: str | None = None,
    *,
    mode: str = "intended",
    **keywords: Any,
) -> CoworkEnv:
    """Returns the environment of a task of a checkout.

    Args:
        root: The checkout; it holds `tasks/`.
        task_id: One task; by default the seed picks among those that can be run.
        mode: `intended` or `faithful`; see `load_claw_task`.
        keywords: Of CoworkEnv.

    Raises:
        TaskError: See `load_claw_task`.
    """
    if task_id is not None:
        keywords["task"] = load_claw_task(root, task_id, mode=mode).task
    return CoworkEnv(claw_package(root, task_id, mode=mode), **keywords)
