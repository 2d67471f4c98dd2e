"""People: files are read and changed within reason, and leave is granted as far as it reaches."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkgym.errors import TaskError
from coworkgym.services.leave import working_days

GONE = {"status": "left", "end_date": "2026-02-28"}


@pytest.fixture
def staff(make_desk):
    """Bo leads Ana, who leads Ida; Lee has left; Kim, whose agent acts, leads nobody."""
    people = [
        {},
        {"name": "Ana Roe", "email": "ana@orga.test", "department": "Sales", "manager_id": "EMP-1"},
        {"name": "Ida Fox", "email": "ida@orga.test", "department": "Presales",
         "manager_id": "EMP-2", "status": "on_leave"},
        {"name": "Lee", "email": "lee@orga.test", **GONE},
        {"name": "Kim", "email": "KIM@orga.test", "manager_id": "EMP-1", "annual_leave_days": 0},
    ]  # fmt: skip
    return make_desk({"people.employees": people})


def listed(desk, **arguments: object) -> list[str]:
    answer = desk.ok("people_list_employees", **arguments)
    return [row["employee_id"] for row in answer["employees"]]


def employee(desk, number: int):
    return desk.record("people.employees", f"EMP-{number}")


# Employees ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["EMP-1", "EMP-2", "EMP-3", "EMP-4", "EMP-5"]),
        ({"name": "a"}, ["EMP-2", "EMP-3"]),
        ({"department": "SALES"}, ["EMP-2", "EMP-3"]),
        ({"status": "on_leave"}, ["EMP-3"]),
        ({"manager_id": "EMP-1"}, ["EMP-2", "EMP-5"]),
        ({"manager_id": "EMP-1", "name": "kim", "department": "it", "status": "active"}, ["EMP-5"]),
        ({"manager_id": "EMP-3"}, []),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(staff, filters: dict, expected: list) -> None:
    assert listed(staff, **filters) == expected


@pytest.mark.parametrize(
    "other", [{"name": "a"}, {"department": "it"}, {"status": "left"}, {"manager_id": "EMP-1"}]
)
def test_a_cursor_belongs_to_its_filters(staff, other: dict) -> None:
    """A-cursor-unordered"""
    cursor = staff.ok("people_list_employees", limit=1)["next"]
    assert listed(staff, cursor=cursor)[0] == "EMP-2"
    assert staff.refused("people_list_employees", cursor=cursor, **other)[0] == "stale_cursor"


def test_a_salary_is_shown_in_the_file_and_nowhere_else(staff) -> None:
    read = staff.ok("people_get_employee", employee_id="EMP-1")
    assert (read["salary"], read["currency"]) == ("50000.00", "EUR")
    for row in staff.ok("people_list_employees")["employees"]:
        assert not {"salary", "currency"} & set(row)
    changed = staff.ok("people_update_employee", employee_id="EMP-1", title="Head")["employee"]
    assert not {"salary", "currency"} & set(changed)


LEAVE = {"kind": "sick", "first_day": "2026-04-07", "last_day": "2026-04-07"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("people_get_employee", {"employee_id": "EMP-9"}),
        ("people_list_employees", {"manager_id": "EMP-9"}),
        ("people_update_employee", {"employee_id": "EMP-9", "title": "Head"}),
        ("people_update_employee", {"employee_id": "EMP-1", "manager_id": "EMP-9"}),
        ("people_list_leave", {"employee_id": "EMP-9"}),
        ("people_leave_balance", {"employee_id": "EMP-9"}),
        ("people_request_leave", {"employee_id": "EMP-9", **LEAVE}),
    ],
)
def test_an_employee_who_does_not_exist_is_refused(staff, name: str, arguments: dict) -> None:
    assert staff.refused(name, **arguments) == ("not_found", "There is no employee 'EMP-9'.")


def test_only_what_is_given_is_changed(staff) -> None:
    before = employee(staff, 2)
    changes = {
        "title": "Head of Sales",
        "department": "Marketing",
        "manager_id": "EMP-5",
        "location": "Rome",
        "employment": "part_time",
        "status": "on_leave",
        "end_date": "2026-12-31",
    }
    for field, value in changes.items():
        before = before | {field: value}
        answer = staff.ok("people_update_employee", employee_id="EMP-2", **{field: value})
        assert (answer["status"], answer["employee"][field]) == ("updated", value)
        assert employee(staff, 2) == before
    staff.ok("people_update_employee", employee_id="EMP-2")
    assert staff.office.log[-1].changes == ()


@pytest.mark.parametrize(("number", "manager"), [(1, 1), (1, 2), (1, 3), (2, 3)])
def test_nobody_manages_whom_they_report_to(staff, number: int, manager: int) -> None:
    code, message = staff.refused(
        "people_update_employee", employee_id=f"EMP-{number}", manager_id=f"EMP-{manager}"
    )
    assert code == "conflict"
    assert f"'EMP-{manager}' is 'EMP-{number}', or reports to them." in message


def test_who_has_left_manages_nobody(staff) -> None:
    code, message = staff.refused("people_update_employee", employee_id="EMP-2", manager_id="EMP-4")
    assert code == "conflict"
    assert "has left" in message


def leads_to(managers: dict, person: str) -> list[str]:
    """Who is met on the way up from a person; endless where it goes in a circle."""
    met = [person]
    while (person := managers[person]) is not None:
        met.append(person)
        assert len(met) <= len(managers), "a circle"
    return met


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=15))
def test_managers_never_form_a_circle_and_nothing_else_is_refused(make_desk, moves: list) -> None:
    desk = make_desk({"people.employees": [{}] * 5})
    for number, manager in moves:
        ids = {"employee_id": f"EMP-{number}", "manager_id": f"EMP-{manager}"}
        managers = {row["employee_id"]: row["manager_id"] for row in desk.rows("people.employees")}
        circle = ids["employee_id"] in leads_to(managers, ids["manager_id"])
        assert desk.call("people_update_employee", ids).error == ("conflict" if circle else None)


def test_a_circle_that_was_there_stops_no_one(make_desk) -> None:
    people = [{"manager_id": "EMP-2"}, {"manager_id": "EMP-1"}, {"manager_id": "EMP-9"}, {}]
    desk = make_desk({"people.employees": people})
    desk.ok("people_update_employee", employee_id="EMP-4", manager_id="EMP-1")
    desk.ok("people_update_employee", employee_id="EMP-4", manager_id="EMP-3")


@pytest.mark.parametrize("end", [None, "2026-03-26", "2030-01-01", "2023-12-31"])
def test_who_has_left_has_an_end_that_is_past(staff, end: str | None) -> None:
    code, _ = staff.refused(
        "people_update_employee", employee_id="EMP-2", status="left", end_date=end
    )
    assert code == "conflict"


def test_an_end_may_be_today_or_lie_ahead_of_somebody_who_stays(make_desk) -> None:
    late = datetime(2026, 3, 25, 23, 30, tzinfo=UTC)  # the next day in Berlin
    desk = make_desk({"people.employees": [{}]}, start=late)
    desk.ok("people_update_employee", employee_id="EMP-1", end_date="2026-06-30")
    assert employee(desk, 1)["status"] == "active"
    desk.ok("people_update_employee", employee_id="EMP-1", status="left", end_date="2026-03-26")
    assert (
        desk.refused("people_update_employee", employee_id="EMP-1", end_date="2026-03-27")[0]
        == "conflict"
    )


def test_an_end_before_the_start_is_refused(staff) -> None:
    wrong = {"employee_id": "EMP-2", "end_date": "2023-12-31"}
    code, message = staff.refused("people_update_employee", **wrong)
    assert code == "conflict"
    assert "2024-01-01" in message


def test_who_comes_back_has_no_end_unless_a_new_one_is_given(staff) -> None:
    staff.ok("people_update_employee", employee_id="EMP-4", title="Guest")
    assert employee(staff, 4)["end_date"] == GONE["end_date"]
    staff.ok("people_update_employee", employee_id="EMP-4", status="active")
    assert employee(staff, 4)["end_date"] is None
    staff.ok("people_update_employee", employee_id="EMP-4", status="left", end_date="2026-03-01")
    staff.ok("people_update_employee", employee_id="EMP-4", status="active", end_date="2027-01-01")
    assert employee(staff, 4)["end_date"] == "2027-01-01"


@pytest.mark.parametrize(
    "wrong", [{"status": "left"}, {"end_date": "2023-12-31"}, {"employment": "monk"}]
)
def test_a_file_that_contradicts_itself_is_no_file(make_desk, wrong: dict) -> None:
    with pytest.raises(TaskError, match=r"people\.employees"):
        make_desk({"people.employees": [wrong]})


# Leave: lists and balance -------------------------------------------------------------------------

REQUESTS = [
    {},
    {"status": "approved", "first_day": "2026-01-05", "last_day": "2026-01-16"},
    {"kind": "sick", "status": "approved", "first_day": "2026-02-02", "last_day": "2026-02-03"},
    {"status": "rejected", "first_day": "2026-07-01", "last_day": "2026-07-31"},
    {"status": "cancelled", "first_day": "2026-08-03", "last_day": "2026-08-07"},
    {"status": "approved", "first_day": "2025-12-29", "last_day": "2026-01-02"},
    {"employee_id": "EMP-2", "status": "approved", "comment": "Wedding"},
]


@pytest.fixture
def diary(make_desk):
    """Requests of Bo's of every kind, one over the turn of the year, and one of Ana's."""
    ana = {"name": "Ana Roe", "email": "ana@orga.test"}
    return make_desk({"people.employees": [{}, ana], "people.leave": REQUESTS})


def leave(desk, **arguments: object) -> list[int]:
    rows = desk.ok("people_list_leave", **arguments)["leave"]
    return [int(row["request_id"].removeprefix("LV-")) for row in rows]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6, 7]),
        ({"employee_id": "EMP-2"}, [7]),
        ({"status": "approved"}, [2, 3, 6, 7]),
        ({"kind": "sick"}, [3]),
        ({"start_date": "2026-04-10"}, [1, 4, 5, 7]),
        ({"start_date": "2026-04-11"}, [4, 5]),
        ({"end_date": "2026-01-05"}, [2, 6]),
        ({"start_date": "2026-01-02", "end_date": "2026-01-04"}, [6]),
        ({"employee_id": "EMP-1", "status": "approved", "kind": "annual"}, [2, 6]),
    ],
)
def test_leave_is_listed_by_what_the_filters_ask_for(diary, filters: dict, expected: list) -> None:
    assert leave(diary, **filters) == expected


@pytest.mark.parametrize(
    "other",
    [
        {"employee_id": "EMP-1"},
        {"status": "pending"},
        {"kind": "annual"},
        {"start_date": "2020-01-01"},
        {"end_date": "2030-01-01"},
    ],
)
def test_a_cursor_of_leave_belongs_to_its_filters(diary, other: dict) -> None:
    """A-cursor-unordered"""
    cursor = diary.ok("people_list_leave", limit=1)["next"]
    assert leave(diary, cursor=cursor)[0] == 2
    assert diary.refused("people_list_leave", cursor=cursor, **other)[0] == "stale_cursor"


def test_a_row_says_how_many_working_days_it_takes(diary) -> None:
    assert diary.ok("people_list_leave", employee_id="EMP-2")["leave"] == [
        {
            "request_id": "LV-7",
            "employee_id": "EMP-2",
            "kind": "annual",
            "first_day": "2026-04-06",
            "last_day": "2026-04-10",
            "status": "approved",
            "comment": "Wedding",
            "working_days": 5,
        }
    ]


def test_the_balance_counts_annual_leave_of_the_year(diary) -> None:
    balance = {"employee_id": "EMP-1", "granted": 30}
    this_year = balance | {"year": 2026, "approved": 12, "pending": 5, "remaining": 18}
    assert diary.ok("people_leave_balance", employee_id="EMP-1") == this_year
    assert diary.ok("people_leave_balance", employee_id="EMP-1", year=2026) == this_year
    assert diary.ok("people_leave_balance", employee_id="EMP-1", year=2025) == balance | {
        "year": 2025, "approved": 3, "pending": 0, "remaining": 27,
    }  # fmt: skip


@pytest.mark.parametrize("year", [0, -5, 10_000, 10**30])
def test_a_year_that_is_none_is_refused(diary, year: int) -> None:
    code, message = diary.refused("people_leave_balance", employee_id="EMP-1", year=year)
    assert code == "invalid_argument"
    assert "'year'" in message


days = st.dates(date(1, 1, 2), date(9000, 12, 31))


@given(days, st.integers(0, 1000))
def test_working_days_are_those_from_monday_to_friday(first: date, more: int) -> None:
    last = first + timedelta(days=more)
    every = (first + timedelta(days=n) for n in range(more + 1))
    counted = sum(day.weekday() < 5 for day in every)
    assert working_days(first.isoformat(), last.isoformat()) == counted


# Leave: asking and deciding -----------------------------------------------------------------------


def ask(desk, first: str, last: str, kind: str = "annual", **arguments: object):
    arguments = {"employee_id": "EMP-1"} | arguments
    return desk.ok("people_request_leave", kind=kind, first_day=first, last_day=last, **arguments)[
        "request"
    ]


def test_a_request_is_pending_and_says_its_working_days(staff) -> None:
    made = ask(staff, "2026-04-03", "2026-04-07", comment="Easter", employee_id="EMP-2")
    assert made["working_days"] == 3
    assert staff.rows("people.leave") == [
        {
            "request_id": "LV-1",
            "employee_id": "EMP-2",
            "kind": "annual",
            "first_day": "2026-04-03",
            "last_day": "2026-04-07",
            "status": "pending",
            "comment": "Easter",
            "requested_at": "2026-03-25T09:00:00Z",
            "decided_by": None,
            "decided_at": None,
            "decision_comment": None,
        }
    ]


@pytest.mark.parametrize(
    ("number", "first", "last", "code"),
    [
        (1, "2026-04-07", "2026-04-06", "invalid_value"),
        (1, "2026-04-04", "2026-04-05", "invalid_value"),  # a weekend
        (1, "2023-12-29", "2024-01-02", "conflict"),
        (4, "2026-02-27", "2026-03-02", "conflict"),
        (1, "2026-02-30", "2026-03-02", "invalid_argument"),
    ],
)
def test_leave_lies_on_working_days_of_the_employment(
    staff, number: int, first: str, last: str, code: str
) -> None:
    arguments = {"employee_id": f"EMP-{number}", "kind": "annual"}
    arguments |= {"first_day": first, "last_day": last}
    assert staff.refused("people_request_leave", **arguments)[0] == code


@pytest.mark.parametrize("decision", ["approved", "rejected"])
def test_a_decision_is_kept_with_who_took_it_when_and_why(diary, decision: str) -> None:
    before = diary.record("people.leave", "LV-1")
    answer = diary.ok("people_decide_leave", request_id="LV-1", decision=decision, comment="Why")
    assert (answer["status"], answer["request"]["working_days"]) == (decision, 5)
    assert diary.record("people.leave", "LV-1") == before | {
        "status": decision,
        "decision_comment": "Why",
        "decided_by": "kim@orga.test",
        "decided_at": "2026-03-25T09:00:00Z",
    }
    assert [change.id for change in diary.office.log[-1].changes] == ["LV-1"]


@pytest.mark.parametrize("number", [2, 4, 5])
@pytest.mark.parametrize("decision", ["approved", "rejected"])
def test_what_is_decided_or_cancelled_is_not_decided_again(
    diary, number: int, decision: str
) -> None:
    code, message = diary.refused(
        "people_decide_leave", request_id=f"LV-{number}", decision=decision
    )
    assert code == "conflict"
    assert f"is {REQUESTS[number - 1]['status']}, not pending" in message


def test_a_request_that_does_not_exist_is_refused(diary) -> None:
    refusal = diary.refused("people_decide_leave", request_id="LV-99", decision="approved")
    assert refusal == ("not_found", "There is no request 'LV-99'.")
    assert diary.refused("people_decide_leave", request_id="LV-1", decision="pending")[0] == (
        "invalid_argument"
    )


def test_nobody_decides_on_their_own_leave(staff) -> None:
    made = ask(staff, "2026-04-07", "2026-04-07", employee_id="EMP-5")
    for decision in ("approved", "rejected"):
        code, _ = staff.refused(
            "people_decide_leave", request_id=made["request_id"], decision=decision
        )
        assert code == "not_allowed"


def decide(desk, number: int) -> str | None:
    """Approves if possible, and returns the code of the refusal."""
    arguments = {"request_id": f"LV-{number}", "decision": "approved"}
    return desk.call("people_decide_leave", arguments).error


@pytest.mark.parametrize(
    ("row", "refusal"),
    [
        ({"first_day": "2026-04-10", "last_day": "2026-04-13"}, "conflict"),
        ({"first_day": "2026-04-01", "last_day": "2026-04-06"}, "conflict"),
        ({"first_day": "2026-04-08", "last_day": "2026-04-08", "kind": "sick"}, "conflict"),
        ({"first_day": "2026-04-11", "last_day": "2026-04-13"}, None),
        ({"first_day": "2026-04-08", "last_day": "2026-04-08", "employee_id": "EMP-2"}, None),
    ],
)
def test_leave_is_not_approved_over_approved_leave_of_the_same_person(
    make_desk, row: dict, refusal: str | None
) -> None:
    rows = [{"status": "approved"}, {"status": "rejected"}, row]
    desk = make_desk({"people.employees": [{}, {}], "people.leave": rows})
    assert decide(desk, 3) == refusal
    assert desk.ok("people_list_leave", status="approved")["total"] == 1 + (refusal is None)


def test_overdrawn_leave_can_only_be_rejected(make_desk) -> None:
    desk = make_desk({"people.employees": [{"annual_leave_days": 4}], "people.leave": [{}]})
    wrong = {"request_id": "LV-1", "decision": "approved"}
    code, message = desk.refused("people_decide_leave", **wrong)
    assert code == "conflict"
    assert "5 days of annual leave in 2026, and 4 remain" in message
    desk.ok("people_decide_leave", request_id="LV-1", decision="rejected")


@pytest.mark.parametrize("kind", ["sick", "parental", "unpaid"])
def test_only_annual_leave_is_limited(make_desk, kind: str) -> None:
    rows = [{"kind": kind, "last_day": "2026-12-31"}]
    desk = make_desk({"people.employees": [{"annual_leave_days": 0}], "people.leave": rows})
    assert decide(desk, 1) is None


@pytest.mark.parametrize(("granted", "refusal"), [(7, "conflict"), (8, None)])
def test_leave_over_the_turn_of_the_year_counts_in_both_years(
    make_desk, granted: int, refusal: str | None
) -> None:
    rows = [
        {"first_day": "2026-12-30", "last_day": "2027-01-05"},  # two working days, and three
        {"first_day": "2027-03-01", "last_day": "2027-03-05", "status": "approved"},
    ]
    desk = make_desk({"people.employees": [{"annual_leave_days": granted}], "people.leave": rows})
    assert decide(desk, 1) == refusal


def test_leave_after_the_end_of_the_employment_is_not_approved(make_desk) -> None:
    people = [{"end_date": "2026-04-09"}]
    desk = make_desk({"people.employees": people, "people.leave": [{}]})
    assert decide(desk, 1) == "conflict"


spans = st.tuples(st.integers(0, 700), st.integers(0, 20))


@given(st.lists(spans, max_size=12), st.integers(0, 25))
@settings(max_examples=60)
def test_approved_leave_never_overlaps_nor_overdraws(make_desk, drawn: list, granted: int) -> None:
    start = date(2026, 1, 1)
    rows = [
        {
            "first_day": (start + timedelta(days=first)).isoformat(),
            "last_day": (start + timedelta(days=first + more)).isoformat(),
        }
        for first, more in drawn
    ]
    desk = make_desk({"people.employees": [{"annual_leave_days": granted}], "people.leave": rows})
    for number in range(1, len(rows) + 1):
        assert decide(desk, number) in (None, "conflict")
    taken: set[str] = set()
    for row in desk.rows("people.leave"):
        if row["status"] == "approved":
            first, last = date.fromisoformat(row["first_day"]), date.fromisoformat(row["last_day"])
            own = {(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)}
            assert not own & taken
            taken |= own
    for year in (2026, 2027):
        balance = desk.ok("people_leave_balance", employee_id="EMP-1", year=year)
        assert 0 <= balance["remaining"] <= granted


@pytest.mark.parametrize("wrong", [{"last_day": "2026-04-01"}, {"first_day": "2026-02-30"}])
def test_days_in_the_wrong_order_are_no_request(make_desk, wrong: dict) -> None:
    with pytest.raises(TaskError, match=r"people\.leave"):
        make_desk({"people.leave": [wrong]})
