"""Calendar: the company's events, single ones and series."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.services import recurrence
from coworkgym.services.addresses import canonical, split_recipients
from coworkgym.services.arguments import Day, Recipients
from coworkgym.services.gmail import canonical_or_contact
from coworkgym.services.instants import format_instant, parse_instant
from coworkgym.services.office import Office
from coworkgym.services.recurrence import Frequency, Recurrence, Span, read_time
from coworkgym.services.service import Service
from coworkgym.services.table import Instant, Moment, Record, Table

CALENDAR = Service("calendar")

Status = Literal["confirmed", "tentative", "cancelled"]
Answer = Literal["accepted", "declined", "tentative"]


class Response(Record):
    """What an attendee has answered to an invitation."""

    attendee: str
    answer: Answer
    at: Moment


class Event(Record):
    """An event, or a series with its first times.

    A series is repeated by the local time of `zone`; `excluded` are its cancelled days there.
    """

    event_id: str
    title: str
    start_time: Instant
    end_time: Instant
    zone: str
    organiser: str
    attendees: list[str] = Field(default_factory=list)
    location: str = ""
    notes: str = ""
    status: Status = "confirmed"
    recurrence: Recurrence | None = None
    excluded: list[str] = Field(default_factory=list)
    responses: list[Response] = Field(default_factory=list)

    @model_validator(mode="after")
    def _fit_together(self) -> "Event":
        fields = vars(self)
        fields["organiser"] = canonical(self.organiser)
        fields["attendees"] = [canonical(address) for address in self.attendees]
        if self.excluded:
            fields["excluded"] = [date.fromisoformat(text).isoformat() for text in self.excluded]
        if self.recurrence is not None:  # kept as plain JSON
            fields["recurrence"] = self.recurrence.model_dump(exclude_none=True)
        fields["recurrence"] = freeze(recurrence.checked_series(fields))
        return self


EVENTS = CALENDAR.table("events", Event, key="event_id", prefix="EV-")
_OCCURRENCES = Table(EVENTS.name, Event, key="occurrence", prefix="")  # an event has many
_SLOTS = Table("calendar.slots", Event, key="start_time", prefix="")

_TIMES = ("start_time", "end_time")
_COLUMNS = ("event_id", "title", *_TIMES, "attendees", "location", "status", "recurring")


def _entries(value: object) -> object:
    if isinstance(value, str) or (isinstance(value, list) and all(type(v) is str for v in value)):
        return split_recipients(value)
    raise ValueError(f"must be text or a list of texts, got {value!r:.80}")


Entries = Annotated[list[str], BeforeValidator(_entries), WithJsonSchema({"type": "string"})]
"""Text with commas or semicolons between the entries, or a list; it may be empty."""


@CALENDAR.tool
def calendar_list_events(
    office: Office, date: Day | None = None, days: int = 1,
    limit: int = 20, cursor: str | None = None,
) -> Json:  # fmt: skip
    """List what starts on a day or on several; a series is shown date by date.

    Args:
        date: First day; today by default.
        cursor: next of the page before.
    """
    return _listing(office, office.world.rows(EVENTS), _span(office, date, days), limit, cursor)


@CALENDAR.tool
def calendar_get_event(office: Office, event_id: str) -> Json:
    """Read an event in full; a series with its first times and how it is repeated."""
    return office.read(EVENTS, event_id)


@CALENDAR.tool
def calendar_get_user_events(
    office: Office, user: str, date: Day | None = None, days: int = 1,
    limit: int = 20, cursor: str | None = None,
) -> Json:  # fmt: skip
    """List what a person organises or is invited to, on a day or on several.

    Args:
        user: Address or exact name.
        date: First day; today by default.
        cursor: next of the page before.
    """
    person = canonical_or_contact(office, user)
    events = [row for row in office.world.rows(EVENTS) if person in recurrence.people_of(row)]
    within = _span(office, date, days)
    return _listing(office, events, within, limit, cursor, person) | {"user": person}


@CALENDAR.tool
def calendar_find_free_slots(
    office: Office, attendees: Recipients, date: Day | None = None, days: int = 1,
    duration_minutes: int = 30, from_hour: int = 9, to_hour: int = 18,
    limit: int = 20, cursor: str | None = None,
) -> Json:  # fmt: skip
    """Find when all attendees are free: stretches from a full or half hour on.

    Args:
        date: First day; today by default.
        cursor: next of the page before.
    """
    if duration_minutes < 1 or not 0 <= from_hour < to_hour <= 24:
        asked = f"{duration_minutes} minutes between {from_hour} and {to_hour} o'clock"
        raise ToolError("invalid_time", f"There can be no {asked}.")
    people, within = _resolved(office, attendees), _span(office, date, days)
    events = office.world.rows(EVENTS)
    taken = [Span(within.start, office.now), *recurrence.busy_spans(events, people, within)]
    rows = [
        FrozenDict(zip(_TIMES, map(format_instant, free), strict=True))
        for window in recurrence.daily_hours(within, office.zone, from_hour, to_hour)
        for free in recurrence.free_spans(window, taken, timedelta(minutes=duration_minutes))
    ]
    scope = [sorted(people), *map(format_instant, within), duration_minutes, from_hour, to_hour]
    return office.listing(_SLOTS, rows, _TIMES, limit=limit, cursor=cursor, scope=scope)


@CALENDAR.tool(writes=True)
def calendar_create_event(
    office: Office, title: str, start_time: str, end_time: str,
    attendees: Entries | None = None, location: str | None = None,
    frequency: Frequency | None = None, interval: int | None = None, count: int | None = None,
    until: Day | None = None, weekdays: Entries | None = None,
) -> Json:  # fmt: skip
    """Create an event or a series.

    Args:
        start_time: Local like 2026-03-25T10:00, or with Z.
        weekdays: Like mon,wed.
    """
    repeated = {"interval": interval, "count": count, "until": until, "weekdays": weekdays}
    with _times_refused():
        event = {
            "title": title,
            "start_time": read_time("start_time", start_time, office.zone),
            "end_time": read_time("end_time", end_time, office.zone),
            "zone": office.zone,
            "organiser": office.owner.email,
            "attendees": _resolved(office, attendees or []),
            "location": location or "",
            "recurrence": recurrence.series_of(frequency, repeated),
        }
        event["recurrence"] = recurrence.checked_series(event)
    return _changed(office, "created", office.world.insert(EVENTS, **event))


@CALENDAR.tool(writes=True)
def calendar_update_event(
    office: Office, event_id: str, title: str | None = None,
    start_time: str | None = None, end_time: str | None = None,
    attendees: Entries | None = None, location: str | None = None, notes: str | None = None,
    status: Status | None = None,
) -> Json:  # fmt: skip
    """Change an event, or a whole series.

    Args:
        start_time: It lasts as long as before unless end_time is given.
        attendees: Replaces all attendees.
    """
    start, end = recurrence.span_of(office.record(EVENTS, event_id))
    people = None if attendees is None else _resolved(office, attendees)
    with _times_refused():
        if start_time is not None:
            start_time = read_time("start_time", start_time, office.zone)
            if end_time is None:
                end_time = format_instant(parse_instant(start_time) + (end - start))
        if end_time is not None:
            end_time = read_time("end_time", end_time, office.zone)
        event = office.edit(
            EVENTS, event_id, title=title, start_time=start_time, end_time=end_time,
            attendees=people, location=location, notes=notes, status=status,
        )  # fmt: skip
        recurrence.checked_series(event)
    return _changed(office, "updated", event)


@CALENDAR.tool(writes=True)
def calendar_respond_event(office: Office, event_id: str, answer: Answer) -> Json:
    """Answer an invitation that you got."""
    event, own = office.record(EVENTS, event_id), canonical(office.owner.email)
    if own not in event["attendees"]:
        raise ToolError("conflict", f"{own} is not invited to {event_id!r}.")
    if event["status"] == "cancelled":
        raise ToolError("conflict", f"Event {event_id!r} is cancelled.")
    responses = {given["attendee"]: given for given in event["responses"]}
    if own not in responses or responses[own]["answer"] != answer:
        responses[own] = {"attendee": own, "answer": answer, "at": office.world.now_text}
    event = office.edit(EVENTS, event_id, responses=list(responses.values()))
    return _changed(office, answer, event)


@CALENDAR.tool(writes=True)
def calendar_delete_event(
    office: Office, event_id: str, occurrence_date: Day | None = None
) -> Json:
    """Delete an event or a series, or cancel one date of a series.

    Args:
        occurrence_date: The only date to cancel.
    """
    event = office.record(EVENTS, event_id)
    if occurrence_date is None:
        office.world.delete(EVENTS, event_id)
        return _changed(office, "deleted", event)
    if event["recurrence"] is None:
        raise ToolError("conflict", f"Event {event_id!r} is no series; leave out occurrence_date.")
    found = list(recurrence.occurrences(event, _span(office, occurrence_date, 1)))
    if len(found) != 1:  # twice: when the clocks change in one zone and not in the other
        code = "conflict" if found else "not_found"
        raise ToolError(code, f"Event {event_id!r} is {len(found)} times on {occurrence_date}.")
    event = office.edit(EVENTS, event_id, excluded=sorted([*event["excluded"], found[0].day]))
    return _changed(office, "deleted", event)


def _resolved(office: Office, entries: list[str]) -> list[str]:
    """Canonical addresses of addresses and of exact contact names."""
    return list(dict.fromkeys(canonical_or_contact(office, entry) for entry in entries))


@contextmanager
def _times_refused() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ToolError("invalid_time", str(error)) from None


def _span(office: Office, first: str | None, days: int) -> Span:
    if not 1 <= days <= 366:
        raise ToolError("invalid_argument", f"'days' must be from 1 to 366, got {days}.")
    with _times_refused():
        start = office.today if first is None else date.fromisoformat(first)
        return recurrence.days_from(start, days, office.zone)


def _listing(
    office: Office, events: Iterable[FrozenDict], within: Span, limit: int, cursor: str | None,
    person: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    rows = recurrence.occurrence_rows(events, within)
    scope = [person, *map(format_instant, within)]
    return office.listing(_OCCURRENCES, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


def _changed(office: Office, status: str, event: FrozenDict) -> Json:
    recurring = event["recurrence"] is not None
    return {"status": status, "event": office.show(EVENTS, event) | {"recurring": recurring}}
