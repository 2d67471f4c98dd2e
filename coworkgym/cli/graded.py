"""Episodes of claw_eval, graded by the graders of the checkout."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from coworkgym.cli.options import out, print_json
from coworkgym.cli.plan import PlanOptions
from coworkgym.cli.played import Played
from coworkgym.envs import Episode
from coworkgym.errors import GraderError, TaskError
from coworkgym.rollouts import Rollout
from coworkgym.tasks import Task


def require_gradable(options: PlanOptions) -> None:
    """Passes when episodes can be graded: they are played again for that, call for call.

    Raises:
        TaskError: Without a full checkout, and for what would be answered otherwise next time.
    """
    if options.root is None:
        raise TaskError("--grader theirs is for: claw_eval --root DIR")
    if options.faults or options.user != "scripted":
        raise TaskError(
            "--grader theirs plays an episode again, where faults and a model as the user would "
            "answer otherwise: leave out --faults and --user"
        )
    if not any(options.root.glob("tasks/*/grader.py")):
        raise TaskError(f"{options.root} has no tasks/*/grader.py: graders need a full checkout")


def print_theirs(everyone: Sequence[Played], options: PlanOptions, *, as_json: bool) -> None:
    """Prints what the published graders give; one that raises is told and gives nothing."""
    rows = [row for played in everyone for row in _graded(played, options)]
    if as_json:
        print_json({"grader": "theirs", "judge": options.judge or "stub", "episodes": rows})
        return
    table = Table(box=None, pad_edge=False)
    for name in ("task", "policy"):
        table.add_column(name, no_wrap=True)
    for name in ("score", "compl.", "robust.", "comm.", "safety"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        figures = [row.get(n) for n in _FIGURES]
        shown = ["-" if value is None else f"{value:.2f}" for value in figures]
        table.add_row(row["task"], row["policy"], *shown)
    out.print(table)
    for row in rows:
        if "error" in row:
            out.print(f"{row['task']}: {row['error']}", style="red", markup=False)
    if options.judge is None:
        out.print("what needs a judge got 0 from a stub; name one with --judge", style="dim")


_FIGURES = ("score", "completion", "robustness", "communication", "safety")


def _graded(played: Played, options: PlanOptions) -> Iterator[dict[str, Any]]:
    from coworkgym.integrations.claw_eval import grade_theirs, load_claw_task
    from coworkgym.integrations.claw_eval.judging import ChatJudge
    from coworkgym.integrations.claw_eval.reading import task_ids

    assert options.root is not None, "checked before anything is played"
    judge = ChatJudge.at(options.judge) if options.judge else None
    ids = task_ids(options.root)
    for rollout in played.rollouts:
        task_id = ids[rollout.item.seed]
        row: dict[str, Any] = {"task": task_id, "policy": played.policy}
        task = load_claw_task(options.root, task_id, mode=options.mode).task
        try:
            row |= grade_theirs(options.root, task_id, replayed(task, rollout), judge)._asdict()
        except GraderError as error:
            row["error"] = str(error)
        yield row


def replayed(task: Task, rollout: Rollout) -> Episode:
    """Returns the episode of a rollout, played again: same calls, same answers."""
    episode = Episode(task)
    for message in rollout.transcript:
        if message["role"] == "assistant" and not episode.over:
            episode.say(message)
    return episode
