"""Scheduler: jobs, whose cron expressions are not looked at."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, chosen, columns, given, listed

SCHEDULER = Server(
    "scheduler", "Job", "jobs", "job_id", default="T041zh_scheduled_task_management",
    lists=("created_jobs", "updated_jobs", "deleted_jobs"),
)  # fmt: skip

_COLUMNS = ("job_id", "name", "cron_expression", "enabled", "last_status", "last_run")


@SCHEDULER.route("/scheduler/jobs")
def jobs(
    desk: Desk, status: str | None = None, enabled: bool | None = None, tag: str | None = None
) -> Json:
    """Jobs by how they ended last, whether they are enabled, and a tag."""
    rows = chosen(desk.rows, last_status=status)
    if enabled is not None:
        rows = [row for row in rows if row["enabled"] == enabled]
    if tag:
        rows = [row for row in rows if tag in row["tags"]]
    return listed(
        "jobs",
        [
            {**columns(row, _COLUMNS), "next_run": row.get("next_run"), "tags": row["tags"]}
            for row in rows
        ],
    )


@SCHEDULER.route("/scheduler/jobs/get")
def job(desk: Desk, job_id: str) -> Json:
    """A job."""
    return desk.get(job_id) or desk.missing(job_id)


@SCHEDULER.route("/scheduler/jobs/create")
def create(
    desk: Desk,
    name: str,
    cron_expression: str,
    action: str,
    enabled: bool = True,
    tags: list[str] | None = None,
    created_by: str | None = None,
) -> Json:
    """A job; its id is the number of jobs and one."""
    made = {
        "job_id": f"JOB-{len(desk.rows) + 1:03d}", "name": name,
        "cron_expression": cron_expression, "action": action, "enabled": enabled, "last_run": None,
        "next_run": None, "last_status": None, "created_by": created_by, "tags": tags or [],
        "created_at": desk.stamp, "execution_history": [],
    }  # fmt: skip
    desk.add(made)
    return {"status": "created", "job": desk.note("created_jobs", made)}


@SCHEDULER.route("/scheduler/jobs/update")
def update(
    desk: Desk,
    job_id: str,
    enabled: bool | None = None,
    cron_expression: str | None = None,
    name: str | None = None,
    action: str | None = None,
    tags: list[str] | None = None,
) -> Json:
    """A job with the fields that are not null."""
    if desk.get(job_id) is None:
        return desk.missing(job_id)
    fields = given(
        enabled=enabled, cron_expression=cron_expression, name=name, action=action, tags=tags
    )
    return {"status": "updated", "job": desk.note("updated_jobs", desk.set(job_id, fields))}


@SCHEDULER.route("/scheduler/jobs/delete")
def delete(desk: Desk, job_id: str) -> Json:
    """A job that is deleted."""
    if desk.get(job_id) is None:
        return desk.missing(job_id)
    return {"status": "deleted", "job": desk.note("deleted_jobs", desk.remove(job_id))}


@SCHEDULER.route("/scheduler/jobs/history")
def history(desk: Desk, job_id: str, limit: int = 10) -> Json:
    """The first runs of a job, and how many there are in all."""
    found = desk.get(job_id)
    if found is None:
        return desk.missing(job_id)
    runs = found.get("execution_history", [])
    return {"job_id": job_id, "history": runs[:limit], "total": len(runs)}
