"""Recurrence: series keep the clock on the wall, and free time is what nothing overlaps."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from coworkgym.errors import TaskError
from coworkgym.services.calendar import EVENTS
from coworkgym.services.recurrence import (
    Span,
    busy_spans,
    checked_series,
    daily_hours,
    days_from,
    free_spans,
    local,
    occurrence_rows,
    occurrences,
    overlapping,
    read_time,
    utc,
)

BERLIN = "Europe/Berlin"
ZONES = [
    BERLIN,
    "UTC",
    "America/Chicago",
    "America/Santiago",  # the clocks change at midnight
    "America/Havana",
    "Africa/Cairo",
    "Africa/Casablanca",  # twice more, around Ramadan
    "Asia/Kathmandu",  # +05:45
    "Australia/Lord_Howe",  # by half an hour
    "Pacific/Chatham",  # +12:45 and +13:45
    "Pacific/Kiritimati",  # +14
]
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ALWAYS = Span(datetime(1970, 1, 3, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))

zones = st.sampled_from(ZONES)
moments = st.integers(0, 15 * 366 * 24 * 60).map(
    lambda n: datetime(2020, 1, 1, tzinfo=UTC) + n * MINUTE
)
series = st.fixed_dictionaries(
    {
        "frequency": st.sampled_from(["daily", "weekly", "monthly"]),
        "interval": st.integers(1, 5),
        "count": st.integers(1, 40),
    }
)


def text(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def event(start: datetime | str, repeated=None, *, length=HOUR, zone=BERLIN, **fields):
    """An event as it is kept; a start that is text is local."""
    start = utc(datetime.fromisoformat(start), zone) if isinstance(start, str) else start
    row = {
        "event_id": "EV-1", "title": "Sync", "start_time": text(start),
        "end_time": text(start + length), "zone": zone, "organiser": "kim@orga.test",
        "recurrence": repeated,
    }  # fmt: skip
    return EVENTS.validate(row | fields)


def daily(**fields):
    return {"frequency": "daily", **fields}


def weekly(**fields):
    return {"frequency": "weekly", **fields}


def monthly(**fields):
    return {"frequency": "monthly", **fields}


def starts(made, within=ALWAYS) -> list[str]:
    return [text(one.span.start) for one in occurrences(made, within)]


def days(made) -> list[str]:
    return [one.day for one in occurrences(made, ALWAYS)]


# By the clock on the wall ------------------------------------------------------------------------


def test_a_weekly_event_stays_at_its_local_time_over_the_clock_change() -> None:
    """A-dst-recurring"""
    spring = event("2026-03-18T10:30", weekly(count=3))
    assert starts(spring) == [
        "2026-03-18T09:30:00Z", "2026-03-25T09:30:00Z", "2026-04-01T08:30:00Z",
    ]  # fmt: skip
    autumn = event("2026-10-19T10:30", weekly(count=2))
    assert starts(autumn) == ["2026-10-19T08:30:00Z", "2026-10-26T09:30:00Z"]


def test_a_time_that_the_clocks_skip_is_moved_forward_by_the_gap() -> None:
    """A-dst-recurring"""
    each_night = event("2026-03-28T02:30", daily(count=3))
    walls = [local(one.span.start, BERLIN) for one in occurrences(each_night, ALWAYS)]
    assert [f"{wall:%d %H:%M}" for wall in walls] == ["28 02:30", "29 03:30", "30 02:30"]
    assert all(one.span.end - one.span.start == HOUR for one in occurrences(each_night, ALWAYS))
    assert days(each_night) == ["2026-03-28", "2026-03-29", "2026-03-30"]


def test_what_the_clocks_skip_at_midnight_is_on_the_day_it_was_meant_for() -> None:
    """A-dst-recurring, A-today-utc: in Santiago a day of September begins at 01:00."""
    zone = "America/Santiago"
    made = event("2024-09-07T00:30", daily(count=3), zone=zone)
    for number in (7, 8, 9):
        day = days_from(date(2024, 9, number), 1, zone)
        assert [one.day for one in occurrences(made, day)] == [f"2024-09-0{number}"]


def test_a_time_that_comes_twice_is_meant_the_first_time() -> None:
    """A-dst-recurring"""
    each_night = event("2026-10-24T02:30", daily(count=3))
    assert starts(each_night) == [
        "2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z",
    ]  # fmt: skip


def test_the_first_one_is_kept_as_given_though_it_be_the_second_time_of_two() -> None:
    second = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert starts(event(second)) == ["2026-10-25T01:30:00Z"]
    each_night = event(second, daily(count=2))
    assert starts(each_night) == ["2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"]


def test_a_series_follows_the_zone_it_was_made_in_wherever_it_is_looked_at_from() -> None:
    """A-mixed-tz, A-dst-recurring"""
    chicago = event("2026-03-03T09:00", weekly(count=5), zone="America/Chicago")
    seen = [f"{local(one.span.start, BERLIN):%H:%M}" for one in occurrences(chicago, ALWAYS)]
    assert seen == ["16:00", "15:00", "15:00", "15:00", "16:00"]


@given(moments, zones, series)
@settings(max_examples=60)
@example(datetime(2024, 9, 7, 4, tzinfo=UTC), "America/Santiago", daily())
def test_occurrences_keep_the_clock_on_the_wall(start, zone: str, repeated: dict) -> None:
    """A-dst-recurring: for any start in any zone, but for what the clocks skip."""
    made = event(start, {"count": 10, **repeated}, zone=zone)
    opening, found = local(start, zone), list(occurrences(made, ALWAYS))
    assert found[0].span.start == start
    assert len(found) == repeated.get("count", 10)
    for one in found:
        wall = local(one.span.start, zone)
        wanted = datetime.combine(date.fromisoformat(one.day), opening.time())
        if wall != wanted:
            assert MINUTE < wall - wanted <= HOUR, "only moved forward by a gap"
            assert local(utc(wanted, zone), zone) != wanted
        assert one.span.end - one.span.start == HOUR
    assert found == sorted(found, key=lambda one: one.span.start)


@given(moments, zones, zones, series, st.integers(-3, 60), st.lists(st.integers(1, 9), max_size=9))
@settings(max_examples=60)
def test_every_occurrence_is_on_exactly_one_day(start, zone, seen_from, repeated, ahead, cuts):
    """A-today-utc: days of one zone, put next to each other, show each occurrence once."""
    made = event(start, repeated, zone=zone)
    first = local(start, seen_from).date() + ahead * DAY
    parts, day = [], first
    for length in cuts:
        parts += list(occurrences(made, days_from(day, length, seen_from)))
        day += length * DAY
    whole = list(occurrences(made, days_from(first, (day - first).days, seen_from)))
    assert parts == whole
    for one in whole:
        assert first <= local(one.span.start, seen_from).date() < day


# Which days --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "repeated", "expected"),
    [
        ("2026-01-31", monthly(count=4), ["2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"]),
        ("2026-01-30", monthly(count=3), ["2026-01-30", "2026-03-30", "2026-04-30"]),
        ("2027-12-29", monthly(count=3), ["2027-12-29", "2028-01-29", "2028-02-29"]),
        ("2026-12-29", monthly(count=3), ["2026-12-29", "2027-01-29", "2027-03-29"]),
        ("2028-02-29", monthly(interval=12, count=2), ["2028-02-29", "2032-02-29"]),
        ("2026-12-31", daily(count=2), ["2026-12-31", "2027-01-01"]),
        ("2028-02-28", daily(count=3), ["2028-02-28", "2028-02-29", "2028-03-01"]),
        ("2026-02-28", daily(interval=2, count=2), ["2026-02-28", "2026-03-02"]),
        ("2026-01-31", monthly(until="2026-05-30"), ["2026-01-31", "2026-03-31"]),
    ],
)  # fmt: skip
def test_a_month_without_the_day_is_skipped(start, repeated, expected) -> None:
    """A-month-end"""
    assert days(event(f"{start}T10:00", repeated)) == expected


def test_until_is_the_last_day_in_the_zone_of_the_event() -> None:
    late = event("2026-03-02T23:30", weekly(until="2026-03-16"), zone="America/Chicago")
    assert days(late) == ["2026-03-02", "2026-03-09", "2026-03-16"]
    once = event("2026-03-02T23:30", weekly(until="2026-03-02"))
    assert days(once) == ["2026-03-02"]


def test_weekdays_and_the_interval_make_the_pattern_of_a_week() -> None:
    both = event("2026-03-04T09:00", weekly(interval=2, count=5, weekdays=["mon", "wed"]))
    assert days(both) == ["2026-03-04", "2026-03-16", "2026-03-18", "2026-03-30", "2026-04-01"]


def test_cancelled_days_are_left_out_and_still_count() -> None:
    made = event(
        "2026-03-02T23:00", weekly(count=3), zone="America/Chicago", excluded=["2026-03-09"]
    )
    assert days(made) == ["2026-03-02", "2026-03-16"]


def test_a_series_without_end_goes_on() -> None:
    made = event("1970-01-05T09:00", daily())
    assert starts(made, days_from(date(2099, 12, 31), 1, BERLIN)) == ["2099-12-31T08:00:00Z"]
    rare = event("2026-01-05T09:00", daily(interval=10**9))
    assert days(rare) == ["2026-01-05"]


# What fits together ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("repeated", "complaint"),
    [
        (weekly(interval=0), "'interval' must be at least 1, got 0"),
        (weekly(count=0), "'count' must be at least 1, got 0"),
        (weekly(count=1, until="2026-04-01"), "give one of them"),
        (weekly(until="2026-03-24"), "'until' 2026-03-24 is before the first day, 2026-03-25"),
        (weekly(until="2026-02-30"), "day is out of range"),
        (weekly(weekdays=["mon"]), "starts on a wed, which 'weekdays' must name"),
        (weekly(weekdays=["wed", "xyz"]), "'thu'"),
        (monthly(weekdays=["wed"]), "is for weekly events, this one is monthly"),
        (weekly(wrong=1), "Extra inputs are not permitted"),
        ({"interval": 1}, "Field required"),
    ],
)
def test_a_record_whose_series_does_not_fit_is_refused(repeated: dict, complaint: str) -> None:
    with pytest.raises(TaskError, match=complaint):
        event("2026-03-25T09:00", repeated)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"end_time": "2026-03-25T08:00:00Z"}, "must be after"),
        ({"end_time": "2100-01-01T00:00:00Z"}, "from 1970 to 2099"),
        ({"start_time": "1969-12-31T23:00:00Z"}, "from 1970 to 2099"),
        ({"start_time": "2026-02-30T09:00:00Z"}, "day is out of range"),
        ({"zone": "Europe/Atlantis"}, "Unknown time zone"),
        ({"attendees": ["Bo"]}, "'Bo' is no mail address"),
        ({"excluded": ["2026-02-30"]}, "day is out of range"),
    ],
)
def test_a_record_whose_times_do_not_fit_is_refused(fields: dict, complaint: str) -> None:
    with pytest.raises(TaskError, match=complaint):
        event("2026-03-25T09:00", **fields)


def test_a_recurrence_is_kept_in_the_one_form_of_its_meaning() -> None:
    start = "2026-03-25T09:00"  # a Wednesday
    plain = {"frequency": "weekly", "interval": 1}
    assert event(start, weekly(weekdays=["wed"]))["recurrence"] == plain
    assert event(start, weekly(weekdays=[], count=None))["recurrence"] == plain
    sorted_days = {**plain, "weekdays": ["mon", "wed"]}
    assert event(start, weekly(weekdays=["wed", "mon", "wed"]))["recurrence"] == sorted_days
    spoken = {"weekdays": ["Wednesday", "MON"], **weekly()}
    assert checked_series({**event(start), "recurrence": spoken})["weekdays"] == ["mon", "wed"]


# Times as agents write them ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-25T10:00",
        "2026-03-25 10:00",
        " 2026-03-25T10:00:00 ",
        "2026-03-25T09:00:00Z",
        "2026-03-25T09:00Z",
        "2026-03-25T09:00:00.000Z",
        "2026-03-25T04:00-05:00",
        "2026-03-25T04:00:00-0500",
        "2026-03-25T14:45+05:45",
        "2026-03-25T09:00:00Z (2026-03-25 10:00 Europe/Berlin)",
    ],
)
def test_a_time_with_or_without_an_offset_is_the_same_moment(written: str) -> None:
    """A-mixed-tz"""
    assert read_time("start_time", written, BERLIN) == "2026-03-25T09:00:00Z"


@pytest.mark.parametrize(
    "written",
    [
        "", "tomorrow", "2026-03-25", "10:00", "2026-13-01T10:00", "2026-02-30T10:00",
        "2026-03-25T24:30", "2026-3-25T10:00", "20260325T1000", "2026-W13-3T10:00",
        "2026-03-25T10:00:00.5Z", "2026-03-25T10:00 Europe/Berlin", "2026-03-25T10:00+25:00",
        "1969-12-31T10:00", "2100-01-01T00:00Z", "0001-01-01T00:00Z", "9999-12-31T23:59-12:00",
        "２０２６-03-25T10:00", "2026-03-25T09:00:00Z (2026-03-25 11:00 Europe/Berlin)",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused_with_the_forms_that_are(written: str) -> None:
    with pytest.raises(ValueError, match=r"'end_time' must be like 2026-03-25T10:00 \(local"):
        read_time("end_time", written, BERLIN)


def test_a_local_time_that_the_clocks_skip_is_refused_and_one_that_comes_twice_is_the_first():
    """A-dst-recurring"""
    with pytest.raises(ValueError, match=r"does not exist in Europe/Berlin.*2026-03-29T03:30\?"):
        read_time("start_time", "2026-03-29T02:30", BERLIN)
    for written in ("2026-03-29T01:59", "2026-03-29T03:00", "2026-03-29T02:30Z"):
        read_time("start_time", written, BERLIN)
    assert read_time("start_time", "2026-10-25T02:30", BERLIN) == "2026-10-25T00:30:00Z"
    assert read_time("start_time", "2026-10-25T02:30+01:00", BERLIN) == "2026-10-25T01:30:00Z"


@given(moments, zones)
def test_a_shown_time_is_read_back_as_the_same_moment(moment: datetime, zone: str) -> None:
    """A-mixed-tz"""
    shown = f"{text(moment)} ({local(moment, zone):%Y-%m-%d %H:%M} {zone})"
    assert read_time("start_time", shown, zone) == text(moment)
    wall = f"{local(moment, zone):%Y-%m-%dT%H:%M}"
    assume(utc(local(moment, zone), zone) == moment)
    assert read_time("start_time", wall, zone) == text(moment)


# Free time ---------------------------------------------------------------------------------------

NINE = datetime(2026, 3, 25, 9, tzinfo=UTC)
WINDOW = Span(NINE, NINE + 9 * HOUR)


def span(start: float, end: float) -> Span:
    """From an hour of the window's day to another."""
    return Span(NINE + (start - 9) * HOUR, NINE + (end - 9) * HOUR)


@pytest.mark.parametrize(
    ("busy", "minutes", "free"),
    [
        ([], 60, [span(9, 18)]),
        ([], 540, [span(9, 18)]),
        ([], 541, []),
        ([span(10, 11)], 60, [span(9, 10), span(11, 18)]),
        ([span(9.5, 17.5)], 30, [span(9, 9.5), span(17.5, 18)]),
        ([span(9.5, 17.5)], 31, []),
        ([span(10, 10.75)], 45, [span(9, 10), span(11, 18)]),
        ([span(9.75, 17.25)], 45, [span(9, 9.75)]),
        ([span(8, 9.1), span(17.9, 20)], 30, [span(9.5, 17.9)]),
        ([span(7, 8), span(19, 20)], 30, [span(9, 18)]),
        ([span(0, 24)], 1, []),
        ([span(10, 16), span(11, 12), span(9, 9.5)], 30, [span(9.5, 10), span(16, 18)]),
    ],
)
def test_free_time_is_what_is_left_of_a_day(busy, minutes: int, free) -> None:
    assert free_spans(WINDOW, busy, minutes * MINUTE) == free


spans = st.tuples(st.integers(-120, 700), st.integers(1, 300)).map(
    lambda pair: Span(NINE + pair[0] * MINUTE, NINE + sum(pair) * MINUTE)
)


@given(st.lists(spans, max_size=6), st.integers(1, 200))
def test_free_time_overlaps_nothing_and_leaves_nothing_out(busy, minutes: int) -> None:
    """Whatever starts on the half hour and fits lies in one of the stretches, and only that."""
    length, found = minutes * MINUTE, free_spans(WINDOW, busy, minutes * MINUTE)
    for free in found:
        assert WINDOW.start <= free.start < free.end <= WINDOW.end
        assert free.end - free.start >= length
        assert (free.start - NINE) % (30 * MINUTE) == timedelta()
        assert not any(free.start < taken.end and taken.start < free.end for taken in busy)
        assert free.end in {WINDOW.end, *(taken.start for taken in busy)}
    for step in range(18):
        meeting = Span(NINE + step * 30 * MINUTE, NINE + step * 30 * MINUTE + length)
        fits = meeting.end <= WINDOW.end and not any(
            meeting.start < taken.end and taken.start < meeting.end for taken in busy
        )
        inside = [f for f in found if f.start <= meeting.start and meeting.end <= f.end]
        assert len(inside) == fits
    assert found == sorted(found)


def test_the_hours_of_a_day_are_those_of_the_clock_on_the_wall() -> None:
    """A-dst-recurring"""
    weekend = daily_hours(days_from(date(2026, 3, 28), 2, BERLIN), BERLIN, 9, 18)
    assert [(text(start), text(end)) for start, end in weekend] == [
        ("2026-03-28T08:00:00Z", "2026-03-28T17:00:00Z"),
        ("2026-03-29T07:00:00Z", "2026-03-29T16:00:00Z"),
    ]
    (whole,) = daily_hours(days_from(date(2026, 3, 29), 1, BERLIN), BERLIN, 0, 24)
    assert whole == days_from(date(2026, 3, 29), 1, BERLIN)
    assert whole.end - whole.start == 23 * HOUR


@given(st.dates(date(2020, 1, 1), date(2035, 1, 1)), zones, st.integers(1, 20))
@example(date(2024, 9, 6), "America/Santiago", 4)
def test_every_day_has_its_hours_once(first: date, zone: str, number: int) -> None:
    hours = daily_hours(days_from(first, number, zone), zone, 9, 18)
    walls = [local(start, zone) for start, _ in hours]
    assert walls == [datetime.combine(first + n * DAY, time(9))
                     for n in range(number)]  # fmt: skip


def test_what_started_before_still_overlaps() -> None:
    night = event("2026-03-24T22:00", {"frequency": "daily"}, length=12 * HOUR)
    found = overlapping(night, days_from(date(2026, 3, 26), 1, BERLIN))
    assert [one.day for one in found] == ["2026-03-25", "2026-03-26"]
    assert overlapping(event(NINE, length=HOUR), Span(NINE + HOUR, NINE + 2 * HOUR)) == []
    assert overlapping(event(NINE, length=HOUR), Span(NINE - HOUR, NINE)) == []


@given(st.lists(st.tuples(moments, series), max_size=4), st.data())
@settings(max_examples=30)
def test_who_is_busy_is_whoever_an_event_that_holds_counts_on(made, data) -> None:
    declined = [{"attendee": "bo@orga.test", "answer": "declined", "at": "2026-03-24T09:00:00Z"}]
    fields = st.sampled_from(
        [
            {"attendees": ["bo@orga.test"]},
            {"attendees": ["bo@orga.test"], "status": "tentative"},
            {"organiser": "bo@orga.test"},
            {},
            {"attendees": ["bo@orga.test"], "status": "cancelled"},
            {"attendees": ["bo@orga.test"], "responses": declined},
        ]
    )
    given_fields = [data.draw(fields) for _ in made]
    events = [event(start, rule, **f) for (start, rule), f in zip(made, given_fields, strict=True)]
    blocking = [
        one
        for one, f in zip(events, given_fields, strict=True)
        if f and f.get("status") != "cancelled" and "responses" not in f
    ]
    expected = [found.span for one in blocking for found in occurrences(one, ALWAYS)]
    assert busy_spans(events, ["bo@orga.test"], ALWAYS) == expected
    assert busy_spans(events, ["nobody@orga.test"], ALWAYS) == []


def test_occurrences_are_sorted_by_their_start_and_then_in_record_order() -> None:
    later = event(NINE, weekly(count=2), event_id="EV-1")
    same = event(NINE, event_id="EV-2")
    between = event(NINE + DAY, event_id="EV-3", zone="America/Chicago")
    rows = occurrence_rows([between, later, same], ALWAYS)
    shown = [(row["event_id"], row["start_time"][:10], row["recurring"]) for row in rows]
    assert shown == [
        ("EV-1", "2026-03-25", True),
        ("EV-2", "2026-03-25", False),
        ("EV-3", "2026-03-26", False),
        ("EV-1", "2026-04-01", True),
    ]
