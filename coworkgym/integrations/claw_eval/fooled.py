"""Fooled: which declared checks are met by policies that do none of the work."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coworkgym.integrations.claw_eval.importer import load_claw_task
from coworkgym.integrations.claw_eval.reading import read_source, task_ids
from coworkgym.integrations.claw_eval.roster import refusal_of
from coworkgym.policies import get_policy
from coworkgym.rewards import Check, Evidence
from coworkgym.rewards.judged import judged_in
from coworkgym.rollouts import play_out
from coworkgym.tasks import Task

POLICIES = ("null", "echo")
"""Doing nothing; saying the request again."""


class Fooled(NamedTuple):
    """What one policy is given by the declared checks of one task.

    Attributes:
        task_id: The task.
        policy: What was played.
        met: Names of the checks that hold, in full.
        share: Of the weight of all checks, in [0, 1]; what needs a judge counts as not met.
    """

    task_id: str
    policy: str
    met: tuple[str, ...]
    share: float


def fooled(root: Path) -> Iterator[Fooled]:
    """Yields what idle policies are given, task by task, where it is anything.

    Raises:
        TaskError: For a root without tasks.
    """
    for task_id in task_ids(root):
        if refusal_of(read_source(root, task_id)):
            continue
        task = load_claw_task(root, task_id).task
        for policy in POLICIES:
            met = _met(task, policy)
            if met:
                yield Fooled(task_id, policy, tuple(met), sum(met.values()))


def _met(task: Task, policy: str) -> dict[str, float]:
    evidence = play_out(task, get_policy(policy)).evidence()
    asked = [check for check in task.checks if not any(judged_in(check.statement))]
    return {c.name: c.weight for c in asked if _holds(c, evidence)}


def _holds(check: Check, evidence: Evidence) -> bool:
    return check.statement.verdict(evidence).value >= 1
