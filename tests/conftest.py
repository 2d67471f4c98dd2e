"""Shared by all tests: the hypothesis profile, and tasks to play."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import settings

from coworkgym.tasks import Stage, Task, get_package
from coworkgym.tasks.spec import RecordChange

settings.register_profile("coworkgym", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("coworkgym")


def _build(name: str = "escalation", level: str = "warmup", **item: Any) -> Task:
    package = get_package(name)
    return package.build(package.item(level=level, **item))


@pytest.fixture(scope="session")
def build() -> Callable[..., Task]:
    """Builds a task by package name and the parts of its item; warmup unless told."""
    return _build


@pytest.fixture(scope="session")
def task() -> Task:
    """A small escalation task."""
    return _build(seed=1)


@pytest.fixture(scope="session")
def overdue(task: Task) -> str:
    """The ticket that is to be escalated in the small task."""
    names = {call.name: call.arguments for call in task.solution}
    return str(names["helpdesk_escalate_ticket"]["ticket_id"])


@pytest.fixture(scope="session")
def two_stages(task: Task, overdue: str) -> Task:
    """The small task with a second day, before which the system changes three records."""
    tickets = task.base.tables["helpdesk.tickets"]
    changed, deleted = [ticket_id for ticket_id in tickets if ticket_id != overdue][:2]
    news = {
        "from": "ana.roe@outside.test",
        "thread_id": "",
        "to": [task.owner.email],
        "subject": "Second day",
        "body": "Nothing to do.",
        "date": tickets[changed]["created_at"],
    }
    changes = (
        RecordChange("helpdesk.tickets", changed, {"category": "reopened"}),
        RecordChange("helpdesk.tickets", deleted, None),
        RecordChange("gmail.messages", "MSG-90001", news),
    )
    return replace(task, stages=(*task.stages, Stage("Anything new today?", changes)))
