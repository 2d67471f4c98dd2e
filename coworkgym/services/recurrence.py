"""Recurrence: when events take place, by the local time of the zone they were made in.

A series is expanded in local time and only then turned into UTC, so that a weekly 10:30 stays 10:30
when the clocks change. A local time that the clocks skip is moved forward by the gap (02:30 becomes
03:30); one that comes twice is meant the first time. Every occurrence lasts as long as the first.
A monthly event skips the months without its day, as calendars do (RFC 5545).

Events are records of `calendar.events`. What is wrong in a text or in times is a ValueError.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from dateutil.rrule import rrule

from coworkgym.frozen import FrozenDict
from coworkgym.services.instants import format_instant, local_text, parse_instant, time_zone
from coworkgym.services.patterns import lazy_pattern
from coworkgym.services.table import Day, Record

Frequency = Literal["daily", "weekly", "monthly"]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

YEARS = range(1970, 2100)
"""The years a calendar has: enough for an office, and no series is expanded without end."""

_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS = tuple(name[:3] for name in _NAMES)
_FREQUENCIES: dict[str, Literal[1, 2, 3]] = {"monthly": 1, "weekly": 2, "daily": 3}  # of rrule
_DAY, _GRID = timedelta(days=1), timedelta(minutes=30)
_TIME = lazy_pattern(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.0+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


class Recurrence(Record):
    """How an event is repeated: every `interval` days, weeks or months.

    `count`, with cancelled occurrences, or `until`, the last day, ends the series. Without
    `weekdays` a weekly event is on the weekday of its start.
    """

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: Day | None = None
    weekdays: list[Weekday] | None = None


class Span(NamedTuple):
    """From a moment up to another, which is not part of it; both aware."""

    start: datetime
    end: datetime


class Occurrence(NamedTuple):
    """One time that an event takes place; the local day in its zone tells it from the others."""

    event: FrozenDict
    day: str
    span: Span


def utc(wall: datetime, zone: str) -> datetime:
    """Returns a local time in UTC: in a gap moved forward, of two the first."""
    return wall.replace(tzinfo=time_zone(zone), fold=0).astimezone(UTC)


def local(moment: datetime, zone: str) -> datetime:
    """Returns what the clock on the wall shows in a zone, as a datetime without one."""
    return moment.astimezone(time_zone(zone)).replace(tzinfo=None, fold=0)


def span_of(event: Mapping[str, Any]) -> Span:
    """Returns when an event takes place, a series for the first time."""
    return Span(parse_instant(event["start_time"]), parse_instant(event["end_time"]))


def days_from(first: date, days: int, zone: str) -> Span:
    """Returns calendar days of a zone, from midnight to midnight."""
    if first.year not in YEARS:
        raise ValueError(f"The calendar goes from {YEARS[0]} to {YEARS[-1]}, got {first}.")
    midnight = datetime.combine(first, time())
    return Span(utc(midnight, zone), utc(midnight + days * _DAY, zone))


def occurrences(event: FrozenDict, within: Span) -> Iterator[Occurrence]:
    """Yields the occurrences that start within a span, in order, without cancelled ones."""
    first, zone = span_of(event), event["zone"]
    opening = local(first.start, zone)
    for wall in _wall_times(event, opening, within):
        # The first one is kept as it was given, though it be the second time of two.
        start = first.start if wall == opening else utc(wall, zone)
        day = wall.date().isoformat()
        if within.start <= start < within.end and day not in event["excluded"]:
            yield Occurrence(event, day, Span(start, start + (first.end - first.start)))


def overlapping(event: FrozenDict, within: Span) -> list[Occurrence]:
    """Returns the occurrences that share some time with a span."""
    first = span_of(event)
    earlier = Span(within.start - (first.end - first.start), within.end)
    return [found for found in occurrences(event, earlier) if found.span.end > within.start]


def occurrence_rows(events: Iterable[FrozenDict], within: Span) -> list[FrozenDict]:
    """Returns the occurrences of a span by their start, as events with the times of each."""
    found = [one for event in events for one in occurrences(event, within)]
    return [
        FrozenDict(
            one.event,
            start_time=format_instant(one.span.start),
            end_time=format_instant(one.span.end),
            recurring=one.event["recurrence"] is not None,
            occurrence=f"{one.event['event_id']}@{one.day}",
        )
        for one in sorted(found, key=lambda one: one.span.start)
    ]


def _wall_times(event: FrozenDict, opening: datetime, within: Span) -> Iterable[datetime]:
    """Local starts within a span, and up to a day around it for what the clocks move."""
    series = event["recurrence"]
    if series is None:
        return (opening,)
    after, before = (local(moment, event["zone"]) for moment in within)
    weekdays = tuple(series.get("weekdays", ()))
    return _expanded(
        opening, series["frequency"], series["interval"], series.get("count"),
        series.get("until"), weekdays, after - _DAY, before + _DAY,
    )  # fmt: skip


@lru_cache(maxsize=1024)  # the episodes of a task look at the same days of the same events
def _expanded(
    opening: datetime, frequency: str, interval: int, count: int | None, until: str | None,
    weekdays: tuple[str, ...], after: datetime, before: datetime,
) -> tuple[datetime, ...]:  # fmt: skip
    rule = rrule(
        _FREQUENCIES[frequency],
        dtstart=opening,
        interval=interval,
        count=count,
        until=datetime.combine(date.fromisoformat(until), time.max) if until else None,
        byweekday=[_WEEKDAYS.index(day) for day in weekdays] or None,
    )
    return tuple(rule.between(after, before, inc=True))


def series_of(frequency: str | None, repeated: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the recurrence that the fields given say, or None when nothing is repeated."""
    given = {name: value for name, value in repeated.items() if value not in (None, [])}
    if frequency is None and given:
        raise ValueError(f"{', '.join(map(repr, given))} needs 'frequency' too.")
    return {"frequency": frequency, "interval": 1, **given} if frequency else None


def checked_series(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the recurrence of an event in the one form of its meaning, or None.

    Raises:
        ValueError: When the event's times do not fit together.
    """
    start, end = span_of(event)
    if start >= end:
        raise ValueError(f"The end {event['end_time']} must be after {event['start_time']}.")
    if start.year not in YEARS or end.year not in YEARS:
        raise ValueError(f"The calendar goes from {YEARS[0]} to {YEARS[-1]}, got {start}.")
    opening = local(start, event["zone"])
    series = event["recurrence"]
    if series is None:
        return None
    for name in ("interval", "count"):
        if series.get(name, 1) < 1:
            raise ValueError(f"{name!r} must be at least 1, got {series[name]}.")
    if "count" in series and "until" in series:
        raise ValueError("'count' and 'until' both end a series; give one of them.")
    if date.fromisoformat(series.get("until", "9999-12-31")) < opening.date():
        raise ValueError(f"'until' {series['until']} is before the first day, {opening.date()}.")
    return _checked_weekdays(series, _WEEKDAYS[opening.weekday()])


def _checked_weekdays(series: Mapping[str, Any], first: str) -> dict[str, Any]:
    """The recurrence with its weekdays sorted, and without them where they say nothing new."""
    names = [str(name).casefold() for name in series.get("weekdays", ())]
    days = {name[:3] if name in _NAMES else name for name in names}
    if days and series["frequency"] != "weekly":
        raise ValueError(f"'weekdays' is for weekly events, this one is {series['frequency']}.")
    if unknown := sorted(days - set(_WEEKDAYS)):
        raise ValueError(f"'weekdays' takes {', '.join(_WEEKDAYS)}, got {unknown[0]!r}.")
    if days and first not in days:
        raise ValueError(f"The event starts on a {first}, which 'weekdays' must name.")
    kept = {name: value for name, value in series.items() if name != "weekdays"}
    return kept | ({"weekdays": sorted(days, key=_WEEKDAYS.index)} if len(days) > 1 else {})


def read_time(name: str, text: str, zone: str) -> str:
    """Returns the UTC text of a time as agents write it; without an offset it is local.

    Raises:
        ValueError: For other forms, and for a local time that the clocks skip.
    """
    written = text.strip()
    bare = written.partition(" (")[0]  # copied from an answer, local time and all
    try:
        given = datetime.fromisoformat(bare if _TIME.fullmatch(bare) else "")
        if given.year not in YEARS:
            raise ValueError(text)
        moment = given if given.tzinfo else utc(given, zone)
        instant, wall = format_instant(moment), local(moment, zone)
        if bare != written != local_text(instant, zone):
            raise ValueError(text)
    except ValueError:
        raise ValueError(
            f"{name!r} must be like 2026-03-25T10:00 (local time, {zone}) or 2026-03-25T09:00:00Z, "
            f"from {YEARS[0]} to {YEARS[-1]}, got {text[:80]!r}."
        ) from None
    if given.tzinfo is None and wall != given:
        raise ValueError(
            f"{name!r} {bare} does not exist in {zone}, where the clocks go forward then. "
            f"Did you mean {wall:%Y-%m-%dT%H:%M}?"
        )
    return instant


def daily_hours(within: Span, zone: str, from_hour: int, to_hour: int) -> list[Span]:
    """Returns the same hours of each day of a span, by the clock on the wall."""
    first, last = (local(moment, zone).date() for moment in within)
    midnights = (datetime.combine(first, time()) + n * _DAY for n in range((last - first).days))
    hours = timedelta(hours=from_hour), timedelta(hours=to_hour)
    return [Span(*(utc(midnight + hour, zone) for hour in hours)) for midnight in midnights]


def people_of(event: Mapping[str, Any]) -> set[str]:
    """Returns the addresses of the organiser and of all attendees."""
    return {event["organiser"], *event["attendees"]}


def busy_spans(events: Iterable[FrozenDict], people: list[str], within: Span) -> list[Span]:
    """Returns when at least one of the people is taken.

    Cancelled events take nobody, and no event takes an attendee who declined it.
    """
    going = [(event, people_of(event) - _declined(event)) for event in events]
    blocking = [e for e, who in going if e["status"] != "cancelled" and not who.isdisjoint(people)]
    return [one.span for event in blocking for one in overlapping(event, within)]


def _declined(event: Mapping[str, Any]) -> set[str]:
    return {given["attendee"] for given in event["responses"] if given["answer"] == "declined"}


def free_spans(window: Span, busy: Iterable[Span], length: timedelta) -> list[Span]:
    """Returns the free stretches of a window that hold `length`.

    Each starts on the half-hour grid that begins with the window, and goes on until something
    begins: whatever fits and starts on the grid lies in one of them.
    """
    free, start = [], window.start
    for taken in [*sorted(busy), Span(window.end, window.end)]:
        end = min(taken.start, window.end)
        if end - start >= length:
            free.append(Span(start, end))
        if taken.end > start:
            start = window.start - (window.start - taken.end) // _GRID * _GRID
    return free
