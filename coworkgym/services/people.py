"""People: the employees of the company, and their leave."""

from typing import Literal

from pydantic import model_validator

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Day as DayArgument
from coworkgym.services.leave import (
    LeaveKind,
    LeaveRequest,
    LeaveStatus,
    annual_days,
    check_approvable,
    check_employed,
    overlaps,
    working_days,
)
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Day, Minor, Record

PEOPLE = Service("people")

Employment = Literal["full_time", "part_time", "contractor", "intern"]
EmployeeStatus = Literal["active", "on_leave", "left"]


class Employee(Record):
    """Somebody who works for the company, or did."""

    employee_id: str
    name: str
    email: str
    department: str
    title: str
    manager_id: str | None = None
    location: str = ""
    start_date: Day
    end_date: Day | None = None
    employment: Employment = "full_time"
    status: EmployeeStatus = "active"
    annual_leave_days: int = 0
    salary: Minor
    currency: str

    @model_validator(mode="after")
    def _ends_in_order(self) -> "Employee":
        if self.end_date is None and self.status == "left":
            raise ValueError("who has left needs an end_date")
        if self.end_date is not None and self.end_date < self.start_date:
            raise ValueError("end_date must not lie before start_date")
        return self


EMPLOYEES = PEOPLE.table("employees", Employee, key="employee_id", prefix="EMP-")
LEAVE = PEOPLE.table("leave", LeaveRequest, key="request_id", prefix="LV-")

_COLUMNS = (
    "employee_id", "name", "email", "department", "title", "manager_id", "location", "status",
)  # fmt: skip
_LEAVE_COLUMNS = (
    "request_id", "employee_id", "kind", "first_day", "last_day", "status", "comment",
)  # fmt: skip


@PEOPLE.tool
def people_list_employees(
    office: Office,
    name: str | None = None,
    department: str | None = None,
    status: EmployeeStatus | None = None,
    manager_id: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List employees.

    Args:
        name: Part of the name.
        department: Part of the department's name.
        cursor: next of the page before.
    """
    if manager_id is not None:
        office.record(EMPLOYEES, manager_id)
    part, group = (name or "").casefold(), (department or "").casefold()
    rows = [
        row
        for row in office.world.rows(EMPLOYEES)
        if part in row["name"].casefold()
        and group in row["department"].casefold()
        and status in (None, row["status"])
        and manager_id in (None, row["manager_id"])
    ]
    scope = [part, group, status, manager_id]
    return office.listing(EMPLOYEES, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@PEOPLE.tool
def people_get_employee(office: Office, employee_id: str) -> Json:
    """Read an employee's file in full, salary included."""
    return office.read(EMPLOYEES, employee_id)


@PEOPLE.tool(writes=True)
def people_update_employee(
    office: Office,
    employee_id: str,
    title: str | None = None,
    department: str | None = None,
    manager_id: str | None = None,
    location: str | None = None,
    employment: Employment | None = None,
    status: EmployeeStatus | None = None,
    end_date: DayArgument | None = None,
) -> Json:
    """Change an employee's file.

    Args:
        end_date: Last day of work; needed for who has left.
    """
    before = office.record(EMPLOYEES, employee_id)
    if manager_id is not None:
        _check_manager(office, employee_id, manager_id)
    employee = office.edit(
        EMPLOYEES, employee_id, title=title, department=department, manager_id=manager_id,
        location=location, employment=employment, status=status, end_date=end_date,
    )  # fmt: skip
    came_back = before["status"] == "left" and employee["status"] != "left"
    if came_back and end_date is None:
        employee = office.world.update(EMPLOYEES, employee_id, end_date=None)
    _check_end(office, employee)
    shown = EMPLOYEES.show_columns(employee, (*_COLUMNS, "employment", "end_date"), office.zone)
    return {"status": "updated", "employee": shown}


@PEOPLE.tool
def people_list_leave(
    office: Office,
    employee_id: str | None = None,
    status: LeaveStatus | None = None,
    kind: LeaveKind | None = None,
    start_date: DayArgument | None = None,
    end_date: DayArgument | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List leave requests.

    Args:
        start_date: First day of the time asked about.
        cursor: next of the page before.
    """
    if employee_id is not None:
        office.record(EMPLOYEES, employee_id)
    rows = [
        row
        for row in office.world.rows(LEAVE)
        if employee_id in (None, row["employee_id"])
        and status in (None, row["status"])
        and kind in (None, row["kind"])
        and overlaps(row, start_date or "", end_date or "9999-12-31")
    ]
    scope = [employee_id, status, kind, start_date, end_date]
    answer = office.listing(LEAVE, rows, _LEAVE_COLUMNS, limit=limit, cursor=cursor, scope=scope)
    for shown in answer["leave"]:
        shown["working_days"] = working_days(shown["first_day"], shown["last_day"])
    return answer


@PEOPLE.tool
def people_leave_balance(office: Office, employee_id: str, year: int | None = None) -> Json:
    """Count an employee's annual leave: working days granted, approved, pending and remaining.

    Args:
        year: This year by default.
    """
    employee = office.record(EMPLOYEES, employee_id)
    year = office.today.year if year is None else year
    if not 1 <= year <= 9999:
        raise ToolError("invalid_argument", f"'year' must be from 1 to 9999, got {year}.")
    granted = employee["annual_leave_days"]
    requests = _leave_of(office, employee_id)
    approved, pending = (annual_days(requests, status, year) for status in ("approved", "pending"))
    return {
        "employee_id": employee_id, "year": year, "granted": granted, "approved": approved,
        "pending": pending, "remaining": granted - approved,
    }  # fmt: skip


@PEOPLE.tool(writes=True)
def people_request_leave(
    office: Office,
    employee_id: str,
    kind: LeaveKind,
    first_day: DayArgument,
    last_day: DayArgument,
    comment: str | None = None,
) -> Json:
    """Ask for leave; it is pending until it is decided.

    Args:
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD, included.
    """
    employee = office.record(EMPLOYEES, employee_id)
    if last_day < first_day:
        raise ToolError("invalid_value", f"'last_day' {last_day} lies before {first_day}.")
    if not working_days(first_day, last_day):
        raise ToolError("invalid_value", f"{first_day} to {last_day} holds no working day.")
    check_employed(employee, first_day, last_day)
    request = office.world.insert(
        LEAVE, employee_id=employee_id, kind=kind, first_day=first_day, last_day=last_day,
        comment=comment, requested_at=office.world.now_text,
    )  # fmt: skip
    return _changed(office, "requested", request)


@PEOPLE.tool(writes=True)
def people_decide_leave(
    office: Office,
    request_id: str,
    decision: Literal["approved", "rejected"],
    comment: str | None = None,
) -> Json:
    """Approve or reject a pending leave request.

    Args:
        comment: Why.
    """
    request = office.record(LEAVE, request_id)
    if request["status"] != "pending":
        raise ToolError("conflict", f"Request {request_id!r} is {request['status']}, not pending.")
    employee = office.record(EMPLOYEES, request["employee_id"])
    if employee["email"].casefold() == office.owner.email.casefold():
        raise ToolError(
            "not_allowed", f"Request {request_id!r} is by {employee['email']}: another one decides."
        )
    if decision == "approved":
        check_approvable(employee, _leave_of(office, employee["employee_id"]), request)
    decided = office.world.update(
        LEAVE, request_id, status=decision, decision_comment=comment,
        decided_by=office.owner.email, decided_at=office.world.now_text,
    )  # fmt: skip
    return _changed(office, decision, decided)


def _leave_of(office: Office, employee_id: str) -> list[FrozenDict]:
    return [row for row in office.world.rows(LEAVE) if row["employee_id"] == employee_id]


def _changed(office: Office, status: str, request: FrozenDict) -> Json:
    shown = office.show(LEAVE, request)
    days = working_days(request["first_day"], request["last_day"])
    return {"status": status, "request": shown | {"working_days": days}}


def _check_manager(office: Office, employee_id: str, manager_id: str) -> None:
    """Refuses a manager who has left, and one who is managed by the employee, however far up."""
    manager: FrozenDict | None = office.record(EMPLOYEES, manager_id)
    if office.record(EMPLOYEES, manager_id)["status"] == "left":
        raise ToolError("conflict", f"{manager_id!r} has left and can manage nobody.")
    above: set[str] = set()
    while manager is not None and manager["employee_id"] not in above:
        if manager["employee_id"] == employee_id:
            raise ToolError("conflict", f"{manager_id!r} is {employee_id!r}, or reports to them.")
        above.add(manager["employee_id"])
        manager = office.world.get(EMPLOYEES, manager["manager_id"] or "")


def _check_end(office: Office, employee: FrozenDict) -> None:
    """Refuses an end before the start, and having left without an end, or before it."""
    end, today = employee["end_date"], office.today.isoformat()
    if end is not None and end < employee["start_date"]:
        raise ToolError(
            "conflict", f"'end_date' {end} lies before the start {employee['start_date']}."
        )
    if employee["status"] == "left" and (end is None or end > today):
        raise ToolError("conflict", f"Who has left needs an 'end_date' up to {today}, not {end}.")
