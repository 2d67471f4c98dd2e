"""Scheduler: jobs have a next run while they are enabled, and a history of their runs."""

from datetime import UTC, datetime

import pytest

from coworkgym.errors import TaskError

NEW = {"name": "Report", "cron_expression": "0 9 * * 1-5", "action": "Write it."}


@pytest.fixture
def jobs(make_desk):
    """A job that went well, one that failed, one that runs, and one that never ran."""
    rows = [
        {"last_status": "success", "tags": ["Ops", "nightly"], "next_run": "2026-03-26T01:00:00Z",
         "last_run": "2026-03-24T01:00:00Z"},
        {"last_status": "failed", "tags": ["ops"], "enabled": False},
        {"last_status": "running", "tags": ["billing"]},
        {},
    ]  # fmt: skip
    runs = [
        {"run_time": "2026-03-22T01:00:00Z"},
        {"run_time": "2026-03-24T01:00:00Z"},
        {"run_time": "2026-03-23T01:00:00Z", "status": "failed", "error": "Disk full."},
        {"job_id": "JOB-2"},
    ]
    return make_desk({"scheduler.jobs": rows, "scheduler.history": runs})


def listed(desk, **arguments: object) -> list[str]:
    return [row["job_id"] for row in desk.ok("scheduler_list_jobs", **arguments)["jobs"]]


def job(desk, number: int):
    return desk.record("scheduler.jobs", f"JOB-{number}")


# Reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["JOB-1", "JOB-2", "JOB-3", "JOB-4"]),
        ({"status": "success"}, ["JOB-1"]),
        ({"status": "failed"}, ["JOB-2"]),
        ({"status": "running"}, ["JOB-3"]),
        ({"enabled": True}, ["JOB-1", "JOB-3", "JOB-4"]),
        ({"enabled": False}, ["JOB-2"]),
        ({"tag": "OPS"}, ["JOB-1", "JOB-2"]),
        ({"tag": "op"}, []),
        ({"tag": "ops", "enabled": True, "status": "success"}, ["JOB-1"]),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(jobs, filters: dict, expected: list) -> None:
    assert listed(jobs, **filters) == expected


@pytest.mark.parametrize(
    "other", [{"status": "success"}, {"enabled": True}, {"enabled": False}, {"tag": "ops"}]
)
def test_a_cursor_belongs_to_its_filters(jobs, other: dict) -> None:
    """A-cursor-unordered"""
    cursor = jobs.ok("scheduler_list_jobs", limit=1)["next"]
    assert listed(jobs, cursor=cursor) == ["JOB-2", "JOB-3", "JOB-4"]
    assert jobs.refused("scheduler_list_jobs", cursor=cursor, **other)[0] == "stale_cursor"


def test_a_row_leaves_the_action_to_the_job(jobs) -> None:
    row = jobs.ok("scheduler_list_jobs")["jobs"][0]
    assert row == {
        "job_id": "JOB-1",
        "name": "Backup",
        "cron_expression": "0 2 * * *",
        "enabled": True,
        "last_status": "success",
        "last_run": "2026-03-24T01:00:00Z (2026-03-24 02:00 Europe/Berlin)",
        "next_run": "2026-03-26T01:00:00Z (2026-03-26 02:00 Europe/Berlin)",
        "tags": ["Ops", "nightly"],
    }
    read = jobs.ok("scheduler_get_job", job_id="JOB-4")
    assert (read["action"], read["created_by"]) == ("Back up the files.", "bo@orga.test")
    assert not {"last_run", "next_run", "last_status"} & set(read)


def test_the_history_of_a_job_is_its_own_and_newest_first(jobs) -> None:
    answer = jobs.ok("scheduler_job_history", job_id="JOB-1")
    assert [row["run_id"] for row in answer["history"]] == ["RUN-2", "RUN-3", "RUN-1"]
    assert answer["history"][1] == {
        "run_id": "RUN-3",
        "run_time": "2026-03-23T01:00:00Z (2026-03-23 02:00 Europe/Berlin)",
        "status": "failed",
        "duration_seconds": 60,
        "error": "Disk full.",
    }
    assert answer["total"] == 3
    assert jobs.ok("scheduler_job_history", job_id="JOB-4")["history"] == []
    cursor = jobs.ok("scheduler_job_history", job_id="JOB-1", limit=2)["next"]
    rest = jobs.ok("scheduler_job_history", job_id="JOB-1", cursor=cursor)["history"]
    assert [row["run_id"] for row in rest] == ["RUN-1"]
    other = jobs.refused("scheduler_job_history", job_id="JOB-2", cursor=cursor)
    assert (other[0], "another list" in other[1]) == ("stale_cursor", True)


@pytest.mark.parametrize("verb", ["get_job", "job_history", "update_job", "delete_job", "run_job"])
def test_a_job_that_does_not_exist_is_refused(jobs, verb: str) -> None:
    refusal = jobs.refused(f"scheduler_{verb}", job_id="JOB-9")
    assert refusal == ("not_found", "There is no job 'JOB-9'.")


# Adding and changing ------------------------------------------------------------------------------


def test_a_new_job_is_enabled_and_knows_its_next_run(jobs) -> None:
    answer = jobs.ok("scheduler_create_job", **NEW | {"cron_expression": " 0 9  * * 1-5"})
    assert answer["status"] == "created"
    assert job(jobs, 5) == {
        "job_id": "JOB-5",
        "name": "Report",
        "cron_expression": "0 9 * * 1-5",
        "action": "Write it.",
        "enabled": True,
        "last_run": None,
        "next_run": "2026-03-26T08:00:00Z",
        "last_status": None,
        "created_by": "kim@orga.test",
        "created_at": "2026-03-25T09:00:00Z",
        "tags": [],
    }
    off = jobs.ok("scheduler_create_job", **NEW, enabled=False, tags=["a"])["job"]
    assert (off["enabled"], off["tags"], "next_run" in off) == (False, ["a"], False)


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Europe/Berlin", "2026-03-26T08:00:00Z"),
        ("America/New_York", "2026-03-25T13:00:00Z"),
        ("Asia/Shanghai", "2026-03-26T01:00:00Z"),
    ],
)
def test_the_next_run_is_in_the_zone_of_the_office(make_desk, zone: str, expected: str) -> None:
    desk = make_desk(zone=zone)
    desk.ok("scheduler_create_job", **NEW)
    assert desk.rows("scheduler.jobs")[-1]["next_run"] == expected


def test_the_next_run_follows_the_clock_that_is_set_forward(make_desk) -> None:
    desk = make_desk(start=datetime(2026, 3, 28, 12, tzinfo=UTC))
    desk.ok("scheduler_create_job", **NEW | {"cron_expression": "30 2 * * *"})
    assert desk.rows("scheduler.jobs")[-1]["next_run"] == "2026-03-29T01:00:00Z"


@pytest.mark.parametrize("wrong", ["every morning", "0 9 * *", "0 25 * * *", "0 9 31 2 *", ""])
def test_a_cron_expression_that_is_none_is_refused_by_name(jobs, wrong: str) -> None:
    for name, arguments in (
        ("scheduler_create_job", NEW),
        ("scheduler_update_job", {"job_id": "JOB-1"}),
    ):
        code, message = jobs.refused(name, **arguments | {"cron_expression": wrong})
        assert code == "invalid_argument"
        assert "'cron_expression' " in message


@pytest.mark.parametrize("field", ["name", "action"])
def test_a_job_has_a_name_and_an_action(jobs, field: str) -> None:
    for name, arguments in (
        ("scheduler_create_job", NEW),
        ("scheduler_update_job", {"job_id": "JOB-1"}),
    ):
        code, message = jobs.refused(name, **arguments | {field: "  "})
        assert (code, f"'{field}' must not be empty." in message) == ("invalid_argument", True)


def test_only_what_is_given_is_changed(jobs) -> None:
    before = job(jobs, 1)
    for field, value in {"name": "Copy", "action": "Copy it.", "tags": []}.items():
        before = before | {field: value}
        answer = jobs.ok("scheduler_update_job", job_id="JOB-1", **{field: value})
        assert (answer["status"], answer["job"][field]) == ("updated", value)
        assert job(jobs, 1) == before
    changes = jobs.office.world.diff()
    same = {"name": "Copy", "cron_expression": "0 2 * * *", "enabled": True}
    jobs.ok("scheduler_update_job", job_id="JOB-1", **same)
    assert jobs.office.world.diff() == changes


def test_the_next_run_changes_with_the_expression_and_goes_with_the_job_switched_off(jobs) -> None:
    jobs.ok("scheduler_update_job", job_id="JOB-1", cron_expression="*/30 * * * *")
    assert job(jobs, 1)["next_run"] == "2026-03-25T09:30:00Z"
    jobs.ok("scheduler_update_job", job_id="JOB-1", enabled=False)
    assert (job(jobs, 1)["enabled"], job(jobs, 1)["next_run"]) == (False, None)
    jobs.ok("scheduler_update_job", job_id="JOB-1", cron_expression="0 6 * * *")
    assert job(jobs, 1)["next_run"] is None
    jobs.ok("scheduler_update_job", job_id="JOB-1", enabled=True)
    assert job(jobs, 1)["next_run"] == "2026-03-26T05:00:00Z"


def test_a_deleted_job_is_gone_and_its_runs_are_kept(jobs) -> None:
    answer = jobs.ok("scheduler_delete_job", job_id="JOB-1")
    assert (answer["status"], answer["job"]["job_id"]) == ("deleted", "JOB-1")
    assert listed(jobs) == ["JOB-2", "JOB-3", "JOB-4"]
    assert jobs.refused("scheduler_job_history", job_id="JOB-1")[0] == "not_found"
    assert len(jobs.rows("scheduler.history")) == 4
    assert jobs.ok("scheduler_create_job", **NEW)["job"]["job_id"] == "JOB-5"


# Running ------------------------------------------------------------------------------------------


def test_a_job_that_is_started_runs_beside_its_schedule(jobs) -> None:
    before = job(jobs, 1)
    answer = jobs.ok("scheduler_run_job", job_id="JOB-1")
    assert (answer["status"], answer["run"]["run_id"]) == ("started", "RUN-5")
    assert jobs.rows("scheduler.history")[-1] == {
        "run_id": "RUN-5",
        "job_id": "JOB-1",
        "run_time": "2026-03-25T09:00:00Z",
        "status": "running",
        "duration_seconds": None,
        "error": None,
    }
    now = {"last_run": "2026-03-25T09:00:00Z", "last_status": "running"}
    assert job(jobs, 1) == before | now
    history = jobs.ok("scheduler_job_history", job_id="JOB-1")["history"]
    assert [row["run_id"] for row in history] == ["RUN-5", "RUN-2", "RUN-3", "RUN-1"]


def test_a_job_does_not_run_twice_at_a_time(jobs) -> None:
    jobs.ok("scheduler_run_job", job_id="JOB-2")  # which is switched off, but run by hand
    for number in (2, 3):
        code, message = jobs.refused("scheduler_run_job", job_id=f"JOB-{number}")
        assert (code, message) == ("conflict", f"Job 'JOB-{number}' is running already.")


def test_a_job_of_a_task_has_an_expression_that_can_be(make_desk) -> None:
    with pytest.raises(TaskError, match="cron_expression"):
        make_desk({"scheduler.jobs": [{"cron_expression": "0 9 31 2 *"}]})
