"""Cron: expressions are checked, and due in local time, once where the clock is set back."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from coworkgym.services.cron import Cron, next_due
from coworkgym.services.instants import format_instant, parse_instant, time_zone

CRON = TypeAdapter(Cron)


def due(expression: str, after: str, zone: str = "Europe/Berlin", times: int = 1) -> list[str]:
    """The next times in UTC, without year and seconds."""
    found, moment = [], parse_instant(f"2026-{after}:00Z")
    for _ in range(times):
        moment = next_due(expression, moment, zone)
        found.append(format_instant(moment)[5:16])
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0 9 * * 1-5", ["03-25T08:00", "03-26T08:00", "03-27T08:00", "03-30T07:00"]),
        ("*/20 * * * *", ["03-25T07:20", "03-25T07:40", "03-25T08:00"]),
        ("30 */4 * * *", ["03-25T07:30", "03-25T11:30"]),  # 08:30 and 12:30 in Berlin
        ("0 0 1 * *", ["03-31T22:00", "04-30T22:00"]),
        ("0 9 25-31 * *", ["03-25T08:00", "03-26T08:00"]),
        ("0 0 1 * MON", ["03-29T22:00", "03-31T22:00", "04-05T22:00"]),  # either of both
        ("0 0 * * 7", ["03-28T23:00"]),
        ("0 12 29 2 *", ["02-29T11:00"]),  # of 2028
        ("0 9 * * MON#1", ["04-06T07:00"]),
        ("0 0 L * *", ["03-30T22:00"]),
    ],
)
def test_an_expression_is_due_in_local_time(expression: str, expected: list) -> None:
    assert due(expression, "03-25T07:00", times=len(expected)) == expected


def test_what_is_due_now_is_due_the_next_time() -> None:
    assert due("0 9 * * *", "03-25T08:00") == ["03-26T08:00"]
    assert due("0 9 * * *", "03-25T07:59") == ["03-25T08:00"]


def test_what_is_due_in_the_gap_is_due_at_its_end() -> None:
    assert due("30 2 * * *", "03-28T12:00", times=2) == ["03-29T01:00", "03-30T00:30"]
    assert due("*/30 2 * * *", "03-28T12:00") == ["03-30T00:00"]  # no such hour that day


def test_a_fixed_time_comes_once_where_the_clock_is_set_back() -> None:
    assert due("30 2 * * *", "10-24T12:00", times=2) == ["10-25T00:30", "10-26T01:30"]
    assert due("45 2 * * *", "10-25T01:30") == ["10-26T01:45"]  # its first time has passed
    assert due("*/30 2 * * *", "10-24T12:00", times=4) == [
        "10-25T00:00", "10-25T00:30", "10-25T01:00", "10-25T01:30",
    ]  # fmt: skip


def test_a_clock_may_be_set_back_by_half_an_hour() -> None:
    assert due("29 */8 * * *", "04-04T15:00", "Australia/Lord_Howe") == ["04-04T21:59"]
    assert due("* 3 * * *", "04-04T15:09", "Australia/Lord_Howe") == ["04-04T16:30"]


# All expressions against counting -----------------------------------------------------------------


@st.composite
def field(draw: st.DrawFn, low: int, high: int, top: int) -> tuple[str, set[int]]:
    """A field as it is written, with numbers up to `high`, and what it means up to `top`."""
    a, b = sorted(draw(st.lists(st.integers(low, high), min_size=2, max_size=2, unique=True)))
    step = draw(st.integers(1, 12))
    return draw(
        st.sampled_from(
            [
                ("*", set(range(low, top + 1))),
                (f"*/{step}", set(range(low, top + 1, step))),
                (f"{a}", {a}),
                (f"{a},{b}", {a, b}),
                (f"{a}-{b}", set(range(a, b + 1))),
                (f"{a}-{b}/{step}", set(range(a, b + 1, step))),
            ]
        )
    )


def any_or(*fields: st.SearchStrategy) -> st.SearchStrategy:
    """One of the fields, the first as often as not."""
    return st.booleans().flatmap(lambda first: fields[0] if first else st.one_of(fields))


FIELDS = st.tuples(  # hours of the night, days that every month has
    field(0, 59, 59),
    any_or(field(0, 4, 23), field(0, 23, 23)),
    any_or(st.just(("*", set(range(1, 32)))), field(1, 28, 31)),
    any_or(st.just(("*", set(range(1, 13)))), field(1, 12, 12)),
    any_or(st.just(("*", set(range(8)))), field(0, 6, 7)),
)
CHANGES = [  # of the clock, in 2026 and UTC
    ("Europe/Berlin", "2026-03-29T01:00:00Z"),
    ("Europe/Berlin", "2026-10-25T01:00:00Z"),
    ("America/New_York", "2026-03-08T07:00:00Z"),
    ("America/New_York", "2026-11-01T06:00:00Z"),
    ("Australia/Sydney", "2026-04-04T16:00:00Z"),
    ("Australia/Sydney", "2026-10-03T16:00:00Z"),
    ("Australia/Lord_Howe", "2026-04-04T15:00:00Z"),  # by half an hour
    ("Australia/Lord_Howe", "2026-10-03T15:30:00Z"),
    ("America/Santiago", "2026-04-05T03:00:00Z"),  # at midnight
    ("America/Santiago", "2026-09-06T04:00:00Z"),
    ("Asia/Kathmandu", "2026-06-01T00:00:00Z"),
    ("UTC", "2026-06-01T00:00:00Z"),
]


def counted(fields: tuple, after: datetime, zone: str) -> datetime:
    """The next time, by going through all of them."""
    (minute, minutes), (hour, hours), (day, days), (_, months), (weekday, weekdays) = fields
    is_fixed = not (minute.startswith("*") or hour.startswith("*"))
    both = day.startswith("*") or weekday.startswith("*")
    first = after.astimezone(time_zone(zone)).date()
    for at in (first + timedelta(days=number) for number in range(12 * 366)):
        of_day = (at.day in days, bool({at.isoweekday(), at.isoweekday() % 7} & weekdays))
        if at.month in months and (all(of_day) if both else any(of_day)):
            walls = [time(h, m) for h in hours for m in minutes]
            found = {moment for wall in walls for moment in moments(at, wall, zone, is_fixed)}
            if later := [moment for moment in found if moment > after]:
                return min(later)
    raise AssertionError("never")


def moments(day: date, wall: time, zone: str, is_fixed: bool) -> list[datetime]:
    """When the clock shows a time: once for what is fixed, in a gap at its end."""
    shown = datetime.combine(day, wall, time_zone(zone))
    both = [shown.replace(fold=fold).astimezone(UTC) for fold in (0, 1)]
    real = [m for m in both if m.astimezone(time_zone(zone)).time() == wall]
    if not is_fixed:
        return real
    if real:
        return [min(real)]
    end = both[1]  # in a gap fold 1 has the offset after it, which makes it the earlier one
    while end.astimezone(time_zone(zone)).utcoffset() != shown.replace(fold=1).utcoffset():
        end += timedelta(minutes=1)
    return [end]


@given(FIELDS, st.sampled_from(CHANGES), st.integers(-900, 600))
@settings(max_examples=300)
def test_it_is_due_when_counting_says_so(fields, change: tuple, minutes: int) -> None:
    zone, at = change
    after = parse_instant(at) + timedelta(minutes=minutes)
    expression = " ".join(text for text, _ in fields)
    assert CRON.validate_python(expression) == expression
    assert next_due(expression, after, zone) == counted(fields, after, zone)


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("", "five fields"),
        ("0 9 * *", "five fields"),
        ("0 0 9 * * *", "five fields"),  # seconds
        ("@daily", "five fields"),
        ("every day at nine", "five fields"),
        ("9,10," * 30 + "11 * * * *", "five fields"),
        ("9" * 5000 + " * * * *", "five fields"),
        ("60 * * * *", "bad minute"),
        ("0 24 * * *", "bad hour"),
        ("0 9 0 * *", "bad day-of-month"),
        ("0 9 * 13 *", "bad month"),
        ("0 9 * * 8", "bad day-of-week"),
        ("0 9 * * 5-1", "bad day-of-week"),
        ("0 9-x * * *", "bad hour"),
        ("*/0 * * * *", "bad minute"),
        ("0 9 30 2 *", "bad day-of-month"),
        ("0 9 */20 * 1L", "a day that exists"),
    ],
)
def test_what_is_no_expression_is_refused_with_the_reason(expression: str, says: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        CRON.validate_python(expression)
    (detail,) = refusal.value.errors()
    assert says in str(detail["ctx"]["error"])
    assert len(str(detail["ctx"]["error"])) < 250


@given(st.text(st.sampled_from("0123456789*/-,#L W@?MONjan\u00b2\n"), max_size=40))
@settings(max_examples=300)
def test_any_text_is_an_expression_that_is_due_or_refused(text: str) -> None:
    try:
        expression = CRON.validate_python(text)
    except ValidationError:
        return
    after = parse_instant("2026-03-25T09:00:00Z")
    assert next_due(expression, after, "Europe/Berlin") > after
    assert CRON.validate_python(expression) == expression


def test_fields_have_one_space_between_them() -> None:
    assert CRON.validate_python("  0\t9  * *  mon ") == "0 9 * * mon"
