"""The audit of a checkout: which declared checks doing nothing or echoing satisfies."""

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.table import Table

from coworkgym.cli.options import out, print_json
from coworkgym.errors import TaskError


def is_checkout(path: Path) -> bool:
    """Whether a folder is a checkout of Claw-Eval."""
    return any(path.glob("tasks/*/task.yaml"))


def audit_checkouts(roots: Sequence[Path], *, as_json: bool) -> None:
    """Prints what idle policies are given, task by task; 1 if they are given anything.

    Raises:
        TaskError: For other names beside a checkout.
    """
    from coworkgym.integrations.claw_eval import fooled, runnable

    others = [str(root) for root in roots if not is_checkout(root)]
    if others:
        raise TaskError(f"audit checkouts and packages one after the other: {', '.join(others)}")
    found = [each for root in roots for each in fooled(root)]
    tasks = sum(len(runnable(root, talk=True)) for root in roots)
    if as_json:
        told = [each._asdict() for each in found]
        print_json({"passed": not found, "tasks": tasks, "fooled": told})
    else:
        table = Table(box=None, pad_edge=False)
        for name in ("task", "policy", "weight", "declared checks that it meets"):
            table.add_column(name, justify="right" if name == "weight" else "left")
        for each in found:
            table.add_row(each.task_id, each.policy, f"{each.share:.2f}", ", ".join(each.met))
        out.print(table)
        fooling = len({each.task_id for each in found})
        out.print(f"{fooling} of {tasks} tasks give something for nothing", highlight=False)
    if found:
        raise typer.Exit(1)
