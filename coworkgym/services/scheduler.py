"""Scheduler: jobs that run by the clock, and how their runs went."""

from typing import Literal

from pydantic import Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Filled
from coworkgym.services.cron import Cron, next_due
from coworkgym.services.instants import format_instant
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Moment, Record

SCHEDULER = Service("scheduler")

RunStatus = Literal["success", "failed", "running"]


class Job(Record):
    """Something that is done by the clock."""

    job_id: str
    name: str
    cron_expression: Cron
    action: str
    enabled: bool = True
    last_run: Moment | None = None
    next_run: Moment | None = None
    last_status: RunStatus | None = None
    created_by: str
    created_at: Moment
    tags: list[str] = Field(default_factory=list)


class Run(Record):
    """One time that a job ran; kept when the job is deleted."""

    run_id: str
    job_id: str
    run_time: Moment
    status: RunStatus
    duration_seconds: int | None = None
    error: str | None = None


JOBS = SCHEDULER.table("jobs", Job, key="job_id", prefix="JOB-")
HISTORY = SCHEDULER.table("history", Run, key="run_id", prefix="RUN-")

_COLUMNS = (
    "job_id", "name", "cron_expression", "enabled", "last_status", "last_run", "next_run", "tags",
)  # fmt: skip
_RUN_COLUMNS = ("run_id", "run_time", "status", "duration_seconds", "error")


@SCHEDULER.tool
def scheduler_list_jobs(
    office: Office,
    status: RunStatus | None = None,
    enabled: bool | None = None,
    tag: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List scheduled jobs.

    Args:
        status: How the last run went.
        cursor: next of the page before.
    """
    wanted = None if tag is None else tag.casefold()
    rows = [
        row
        for row in office.world.rows(JOBS)
        if status in (None, row["last_status"])
        and enabled in (None, row["enabled"])
        and (wanted is None or wanted in map(str.casefold, row["tags"]))
    ]
    scope = [status, enabled, wanted]
    return office.listing(JOBS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@SCHEDULER.tool
def scheduler_get_job(office: Office, job_id: str) -> Json:
    """Read one job in full."""
    return office.read(JOBS, job_id)


@SCHEDULER.tool
def scheduler_job_history(
    office: Office, job_id: str, limit: int = 20, cursor: str | None = None
) -> Json:
    """List the runs of a job, newest first.

    Args:
        cursor: next of the page before.
    """
    office.record(JOBS, job_id)
    rows = [row for row in office.world.rows(HISTORY) if row["job_id"] == job_id]
    rows.sort(key=lambda row: str(row["run_time"]), reverse=True)
    return office.listing(HISTORY, rows, _RUN_COLUMNS, limit=limit, cursor=cursor, scope=job_id)


@SCHEDULER.tool(writes=True)
def scheduler_create_job(
    office: Office,
    name: Filled,
    cron_expression: Cron,
    action: Filled,
    enabled: bool = True,
    tags: list[str] | None = None,
) -> Json:
    """Add a job that runs by the clock.

    Args:
        cron_expression: Minute, hour, day, month, weekday in local time, such as 0 9 * * 1-5.
        action: What it does.
    """
    job = office.world.insert(
        JOBS, name=name, cron_expression=cron_expression, action=action, enabled=enabled,
        next_run=_next_run(office, cron_expression) if enabled else None,
        created_by=office.owner.email, created_at=office.world.now_text, tags=tags or [],
    )  # fmt: skip
    return _changed(office, "created", job)


@SCHEDULER.tool(writes=True)
def scheduler_update_job(
    office: Office,
    job_id: str,
    name: Filled | None = None,
    cron_expression: Cron | None = None,
    action: Filled | None = None,
    enabled: bool | None = None,
    tags: list[str] | None = None,
) -> Json:
    """Change a job, switch it on or off.

    Args:
        cron_expression: Minute, hour, day, month, weekday in local time, such as 0 9 * * 1-5.
        tags: Replaces all tags.
    """
    before = office.record(JOBS, job_id)
    job = office.edit(
        JOBS, job_id, name=name, cron_expression=cron_expression, action=action, enabled=enabled,
        tags=tags,
    )  # fmt: skip
    if any(job[field] != before[field] for field in ("cron_expression", "enabled")):
        due = _next_run(office, job["cron_expression"]) if job["enabled"] else None
        job = office.world.update(JOBS, job_id, next_run=due)
    return _changed(office, "updated", job)


@SCHEDULER.tool(writes=True)
def scheduler_delete_job(office: Office, job_id: str) -> Json:
    """Delete a job for good."""
    job = office.record(JOBS, job_id)
    office.world.delete(JOBS, job_id)
    return _changed(office, "deleted", job)


@SCHEDULER.tool(writes=True)
def scheduler_run_job(office: Office, job_id: str) -> Json:
    """Start a job now, beside its schedule."""
    if office.record(JOBS, job_id)["last_status"] == "running":
        raise ToolError("conflict", f"Job {job_id!r} is running already.")
    now = office.world.now_text
    run = office.world.insert(HISTORY, job_id=job_id, run_time=now, status="running")
    office.world.update(JOBS, job_id, last_run=now, last_status="running")
    return {"status": "started", "run": office.show(HISTORY, run)}


def _next_run(office: Office, cron_expression: str) -> str:
    return format_instant(next_due(cron_expression, office.now, office.zone))


def _changed(office: Office, status: str, job: FrozenDict) -> Json:
    return {"status": status, "job": office.show(JOBS, job)}
