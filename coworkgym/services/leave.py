"""Leave: requests, the working days they take, and when they can be approved."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal

from pydantic import model_validator

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict
from coworkgym.services.table import Day, Moment, Record

LeaveKind = Literal["annual", "sick", "parental", "unpaid"]
LeaveStatus = Literal["pending", "approved", "rejected", "cancelled"]


class LeaveRequest(Record):
    """Days on which somebody wants to be away."""

    request_id: str
    employee_id: str
    kind: LeaveKind
    first_day: Day
    last_day: Day
    status: LeaveStatus = "pending"
    comment: str | None = None
    requested_at: Moment
    decided_by: str | None = None
    decided_at: Moment | None = None
    decision_comment: str | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "LeaveRequest":
        if date.fromisoformat(self.first_day) > date.fromisoformat(self.last_day):
            raise ValueError("last_day must not lie before first_day")
        return self


def working_days(first_day: str, last_day: str) -> int:
    """Returns how many days from Monday to Friday lie between two days, both included."""
    first, last = date.fromisoformat(first_day), date.fromisoformat(last_day)
    weeks, rest = divmod((last - first).days + 1, 7)
    return 5 * weeks + sum((first.weekday() + day) % 7 < 5 for day in range(rest))


def overlaps(request: FrozenDict, first_day: str, last_day: str) -> bool:
    """Returns whether a day of the request lies between two days, both included."""
    return bool(request["first_day"] <= last_day and first_day <= request["last_day"])


def annual_days(requests: Iterable[FrozenDict], status: str, year: int) -> int:
    """Returns the working days of a year that annual leave in that status takes."""
    chosen = (row for row in requests if row["kind"] == "annual" and row["status"] == status)
    return sum(_days_in(row, year) for row in chosen)


def _days_in(request: FrozenDict, year: int) -> int:
    first = max(request["first_day"], f"{year:04d}-01-01")
    last = min(request["last_day"], f"{year:04d}-12-31")
    return working_days(first, last) if first <= last else 0


def check_employed(employee: FrozenDict, first_day: str, last_day: str) -> None:
    """Refuses days before an employee's start or after the end.

    Raises:
        ToolError: `conflict`.
    """
    start, end = employee["start_date"], employee["end_date"] or "9999-12-31"
    if not start <= first_day <= last_day <= end:
        until = f"from {start} to {end}" if employee["end_date"] else f"since {start}"
        raise ToolError(
            "conflict",
            f"{employee['employee_id']!r} is employed {until}; "
            f"{first_day} to {last_day} does not lie within.",
        )


def check_approvable(
    employee: FrozenDict, requests: Sequence[FrozenDict], request: FrozenDict
) -> None:
    """Refuses leave over approved leave, and more annual leave than remains of a year.

    Args:
        employee: Whose leave it is.
        requests: All requests of the employee.
        request: The one to approve.

    Raises:
        ToolError: `conflict`.
    """
    first, last = request["first_day"], request["last_day"]
    check_employed(employee, first, last)
    for row in requests:
        if row["status"] == "approved" and overlaps(row, first, last):
            raise ToolError(
                "conflict",
                f"It overlaps {row['request_id']!r}, approved from {row['first_day']} to "
                f"{row['last_day']}.",
            )
    if request["kind"] == "annual":
        for year in range(int(first[:4]), int(last[:4]) + 1):
            _check_remaining(employee, requests, request, year)


def _check_remaining(
    employee: FrozenDict, requests: Sequence[FrozenDict], request: FrozenDict, year: int
) -> None:
    days = _days_in(request, year)
    remaining = employee["annual_leave_days"] - annual_days(requests, "approved", year)
    if days > remaining:
        raise ToolError(
            "conflict",
            f"It takes {days} days of annual leave in {year}, and {remaining} remain.",
        )
