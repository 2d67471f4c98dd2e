"""To-do: the tasks of one person."""

from typing import Literal

from pydantic import Field

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services import arguments
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Day, Moment, Record

TODO = Service("todo")

TodoPriority = Literal["low", "medium", "high"]
TodoStatus = Literal["pending", "in_progress", "completed"]


class TodoTask(Record):
    """Something to be done."""

    task_id: str
    title: str
    description: str = ""
    status: TodoStatus = "pending"
    priority: TodoPriority = "medium"
    due_date: Day | None = None
    tags: list[str] = Field(default_factory=list)
    created_at: Moment


TASKS = TODO.table("tasks", TodoTask, key="task_id", prefix="TD-")

_COLUMNS = ("task_id", "title", "status", "priority", "due_date", "tags")


@TODO.tool
def todo_list_tasks(
    office: Office,
    status: Literal["pending", "in_progress", "completed", "all"] = "all",
    priority: TodoPriority | None = None,
    tag: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List to-do tasks.

    Args:
        cursor: next of the page before.
    """
    wanted = None if tag is None else tag.casefold()
    rows = [
        row
        for row in office.world.rows(TASKS)
        if status in ("all", row["status"])
        and priority in (None, row["priority"])
        and (wanted is None or wanted in map(str.casefold, row["tags"]))
    ]
    scope = [status, priority, wanted]
    return office.listing(TASKS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@TODO.tool
def todo_get_task(office: Office, task_id: str) -> Json:
    """Read one task in full."""
    return office.read(TASKS, task_id)


@TODO.tool(writes=True)
def todo_create_task(
    office: Office,
    title: str,
    description: str = "",
    priority: TodoPriority = "medium",
    due_date: arguments.Day | None = None,
    tags: list[str] | None = None,
) -> Json:
    """Add a pending task.

    Args:
        due_date: YYYY-MM-DD.
    """
    task = office.world.insert(
        TASKS, title=title, description=description, priority=priority, due_date=due_date,
        tags=tags or [], created_at=office.world.now_text,
    )  # fmt: skip
    return _changed(office, "created", task)


@TODO.tool(writes=True)
def todo_update_task(
    office: Office,
    task_id: str,
    title: str | None = None,
    description: str | None = None,
    status: TodoStatus | None = None,
    priority: TodoPriority | None = None,
    due_date: arguments.Day | None = None,
    tags: list[str] | None = None,
) -> Json:
    """Change a task.

    Args:
        tags: Replaces all tags.
    """
    task = office.edit(
        TASKS, task_id, title=title, description=description, status=status, priority=priority,
        due_date=due_date, tags=tags,
    )  # fmt: skip
    return _changed(office, "updated", task)


@TODO.tool(writes=True)
def todo_delete_task(office: Office, task_id: str) -> Json:
    """Delete a task for good."""
    task = office.record(TASKS, task_id)
    office.world.delete(TASKS, task_id)
    return _changed(office, "deleted", task)


def _changed(office: Office, status: str, task: FrozenDict) -> Json:
    return {"status": status, "task": office.show(TASKS, task)}
