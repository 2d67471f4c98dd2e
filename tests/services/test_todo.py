"""To-do: tasks are listed, read, added, changed and deleted."""

import pytest


@pytest.fixture
def plan(make_desk):
    """Tasks of every status."""
    tasks = [
        {"priority": "high", "tags": ["Q1", "report"]},
        {"status": "in_progress", "due_date": "2026-03-27", "description": "Ask Bo."},
        {"status": "completed", "priority": "low"},
        {"tags": ["q1"]},
    ]
    return make_desk({"todo.tasks": tasks})


def listed(desk, **arguments: object) -> list[str]:
    return [row["task_id"] for row in desk.ok("todo_list_tasks", **arguments)["tasks"]]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["TD-1", "TD-2", "TD-3", "TD-4"]),
        ({"status": "pending"}, ["TD-1", "TD-4"]),
        ({"status": "in_progress"}, ["TD-2"]),
        ({"status": "completed"}, ["TD-3"]),
        ({"priority": "medium"}, ["TD-2", "TD-4"]),
        ({"tag": "Q1"}, ["TD-1", "TD-4"]),
        ({"tag": "q"}, []),
        ({"status": "pending", "priority": "high", "tag": "REPORT"}, ["TD-1"]),
        ({"status": None, "priority": None, "tag": None}, ["TD-1", "TD-2", "TD-3", "TD-4"]),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(plan, filters: dict, expected: list) -> None:
    assert listed(plan, **filters) == expected


def test_a_status_that_does_not_exist_is_refused_with_the_nearest(plan) -> None:
    code, message = plan.refused("todo_list_tasks", status="complete")
    assert code == "invalid_argument"
    assert "Did you mean 'completed'?" in message
    assert plan.refused("todo_list_tasks", status="")[0] == "invalid_argument"


@pytest.mark.parametrize("other", [{"status": "pending"}, {"priority": "high"}, {"tag": "q1"}])
def test_a_cursor_belongs_to_its_filters(plan, other: dict) -> None:
    """A-cursor-unordered"""
    cursor = plan.ok("todo_list_tasks", limit=1)["next"]
    assert listed(plan, cursor=cursor) == ["TD-2", "TD-3", "TD-4"]
    assert plan.refused("todo_list_tasks", cursor=cursor, **other)[0] == "stale_cursor"


def test_a_row_leaves_the_description_to_the_task(plan) -> None:
    row = plan.ok("todo_list_tasks")["tasks"][1]
    assert row == {
        "task_id": "TD-2",
        "title": "Report",
        "status": "in_progress",
        "priority": "medium",
        "due_date": "2026-03-27",
        "tags": [],
    }
    task = plan.ok("todo_get_task", task_id="TD-2")
    assert (task["description"], task["created_at"][:20]) == ("Ask Bo.", "2026-03-23T09:00:00Z")
    assert plan.refused("todo_get_task", task_id="TD-9")[0] == "not_found"


def test_a_new_task_is_pending_and_keeps_its_tags(plan) -> None:
    answer = plan.ok(
        "todo_create_task", title="Call", description="Today.", priority="low",
        due_date="2026-03-26", tags=["a", "b"],
    )  # fmt: skip
    assert answer["status"] == "created"
    assert plan.record("todo.tasks", answer["task"]["task_id"]) == {
        "task_id": "TD-5",
        "title": "Call",
        "description": "Today.",
        "status": "pending",
        "priority": "low",
        "due_date": "2026-03-26",
        "tags": ["a", "b"],
        "created_at": "2026-03-25T09:00:00Z",
    }
    plain = plan.ok("todo_create_task", title="Call")["task"]
    assert (plain["priority"], plain["tags"]) == ("medium", [])
    assert "due_date" not in plain


@pytest.mark.parametrize("day", ["tomorrow", "2026-02-30", "2026-3-1"])
def test_a_due_date_is_a_day_of_the_calendar(plan, day: str) -> None:
    for name, arguments in (
        ("todo_create_task", {"title": "Call"}),
        ("todo_update_task", {"task_id": "TD-1"}),
    ):
        assert plan.refused(name, due_date=day, **arguments)[0] == "invalid_argument"


def test_only_what_is_given_is_changed(plan) -> None:
    before = plan.record("todo.tasks", "TD-1")
    changes = {
        "title": "Final report",
        "description": "With tables.",
        "status": "completed",
        "priority": "low",
        "due_date": "2026-03-31",
        "tags": [],
    }
    for field, value in changes.items():
        before = before | {field: value}
        answer = plan.ok("todo_update_task", task_id="TD-1", **{field: value})
        assert answer["status"] == "updated"
        assert answer["task"][field] == value
        assert plan.record("todo.tasks", "TD-1") == before
    assert plan.refused("todo_update_task", task_id="TD-9", title="x")[0] == "not_found"
    assert plan.refused("todo_update_task", task_id="TD-1", status="done")[0] == "invalid_argument"


def test_an_update_of_nothing_changes_nothing(plan) -> None:
    assert plan.ok("todo_update_task", task_id="TD-1")["status"] == "updated"
    assert plan.office.world.diff() == []


def test_the_id_of_a_deleted_task_is_never_used_again(plan) -> None:
    answer = plan.ok("todo_delete_task", task_id="TD-4")
    assert (answer["status"], answer["task"]["task_id"]) == ("deleted", "TD-4")
    assert listed(plan) == ["TD-1", "TD-2", "TD-3"]
    assert plan.refused("todo_delete_task", task_id="TD-4")[0] == "not_found"
    assert plan.ok("todo_create_task", title="Call")["task"]["task_id"] == "TD-5"
    plan.ok("todo_delete_task", task_id="TD-5")
    assert plan.ok("todo_create_task", title="Call")["task"]["task_id"] == "TD-6"
