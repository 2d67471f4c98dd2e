"""To-do: tasks without a route to read one."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, given, listed

TODO = Server(
    "todo", "Task", "tasks", "task_id", default="T007zh_todo_management",
    lists=("deleted", "updated_tasks"),
)  # fmt: skip


@TODO.route("/todo/tasks")
def tasks(desk: Desk, status: str = "all") -> Json:
    """Tasks of a status."""
    return listed("tasks", [row for row in desk.rows if status in ("all", row["status"])])


@TODO.route("/todo/tasks/update")
def update(
    desk: Desk,
    task_id: str,
    title: str | None = None,
    priority: str | None = None,
    status: str | None = None,
    tags: list[str] | None = None,
) -> Json:
    """A task with the fields that are not null."""
    if desk.get(task_id) is None:
        return desk.missing(task_id)
    fields = given(title=title, priority=priority, status=status, tags=tags)
    return {"status": "updated", "task": desk.note("updated_tasks", desk.set(task_id, fields))}


@TODO.route("/todo/tasks/create")
def create(
    desk: Desk,
    title: str,
    description: str | None = None,
    priority: str = "medium",
    due_date: str | None = None,
) -> Json:
    """A pending task; its id is the number of tasks and one."""
    made: dict[str, Json] = {
        "task_id": f"todo_{len(desk.rows) + 1:03d}", "title": title,
        "description": description or "",
        "status": "pending", "priority": priority, "due_date": due_date, "tags": [],
        "created_at": desk.stamp,
    }  # fmt: skip
    return {"status": "created", "task": desk.add(made)}


@TODO.route("/todo/tasks/delete")
def delete(desk: Desk, task_id: str) -> Json:
    """A task that is deleted."""
    if desk.get(task_id) is None:
        return desk.missing(task_id)
    return {"status": "deleted", "task": desk.note("deleted", desk.remove(task_id))}


@TODO.route("/todo/tasks/get", repaired=True)
def task(desk: Desk, task_id: str) -> Json:
    """A task."""
    return desk.get(task_id) or desk.missing(task_id)
