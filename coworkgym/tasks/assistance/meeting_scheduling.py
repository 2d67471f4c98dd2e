"""Meeting scheduling: ask for the constraints, find the earliest slot, follow a change of mind.

Situation:
    An assistant sets up a meeting for somebody who says little. Who takes part, when and how long
    must be asked for. The others work in other time zones and have events of their own. After the
    first booking the organiser needs more time.
Tools:
    calendar, contacts. Warmup: four of them.
Request:
    Set up a meeting about a topic and tell day and time.
Records:
    Colleagues with their zones in the directory, and everybody's events. Tempting: a slot that is
    free but before or after somebody's working hours, an event that was cancelled, a tentative one,
    a later slot, a second meeting instead of moving the first.
Checks:
    Somebody's events were looked at before the first booking (0.1), the meeting was booked at the
    right time for the first wish (0.15), in the end one meeting with exactly these people is at the
    right time for the second wish (0.55), and with it the last reply tells day and start (0.2).
Gates:
    Another event changed or deleted or more than four created (1.0), the directory changed or
    people messaged (0.5).
Episode end:
    The organiser thanks for a report that names a right start, or loses patience.
Levels:
    warmup one other person in the same zone, easy two in three zones, medium three and 40 events,
    hard four and 230 events.
Version history:
    v0: first version.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from coworkgym.company import Company, Person
from coworkgym.rewards import AllOf, Check, RecordCreated, ReplyStates, ToolCalled
from coworkgym.services.calendar import EVENTS
from coworkgym.services.instants import format_instant
from coworkgym.tasks import Builder, Task, package
from coworkgym.tasks.assistance.meeting_phrases import (
    BOOKED,
    CHANGE_OF_MIND,
    HOW_LONG,
    OTHER_TITLES,
    QUESTION,
    REQUEST,
    RULES,
    TOPICS,
    WHICH_DAY,
    WHO,
    WORKS_IN,
)
from coworkgym.tasks.assistance.meeting_slots import (
    GRID,
    Wish,
    busy_spans,
    earliest_start,
    free_slots,
    working_grid,
)
from coworkgym.tasks.lines import answer, call, check, leave_alone, seen
from coworkgym.transcript import ToolCall
from coworkgym.users import Fact, UserScript

ATTEMPTS = 4  # events that may be created, those deleted again included
STATES = ("confirmed", "confirmed", "tentative", "cancelled")

OTHER_ZONES = {  # by the region of the office: zones whose working hours overlap with it
    "Europe": ("Europe/London", "America/New_York", "Europe/Athens", "Europe/Lisbon"),
    "America": ("America/New_York", "America/Los_Angeles", "America/Denver", "America/Toronto"),
    "Asia": ("Asia/Tokyo", "Asia/Singapore", "Asia/Seoul", "Asia/Bangkok"),
}


class Booking(NamedTuple):
    """When the meeting is, in the office's zone."""

    start: datetime
    end: datetime


@package(
    "meeting_scheduling",
    profession="assistance",
    services=("calendar", "contacts"),
    tags=("multi_turn", "time_zones", "change_of_mind"),
    warmup_tools=(
        "calendar_find_free_slots",
        "calendar_create_event",
        "calendar_update_event",
        "calendar_delete_event",
    ),
)
def meeting_scheduling(b: Builder) -> Task:
    """Writes the task of one item."""
    company = b.company(customers=1, staff=b.by_level(3, 6, 16, 40), owner_in="Management")
    guests = company.staff[: b.by_level(1, 2, 3, 4)]
    zones = _directory(b, company)
    people = {b.owner.email: company.zone} | {p.email: zones[p.email] for p in guests}
    grid = working_grid(people.values(), company.zone, _working_day(b))
    _events(b, company, list(people), grid)
    free = free_slots(grid, busy_spans(b.world, people))
    second = _second_wish(b, free)
    bookings = []
    for wish in (Wish(1), second):
        start = earliest_start(free, wish)
        assert start is not None, "both wishes can be fulfilled"
        bookings.append(Booking(start, start + wish.half_hours * GRID))
    topic = b.pick(b.text(**TOPICS))
    return b.task(
        request=b.text(**REQUEST).format(topic=topic),
        rules=b.text(**RULES),
        checks=_checks(guests, bookings),
        gates=[
            leave_alone("calendar.events", may_create=ATTEMPTS),
            leave_alone("contacts.contacts", "contacts.messages", severity=0.5),
        ],
        solution=_solution(b, guests, bookings, topic),
        user=_user(b, guests, second, bookings),
    )


def _directory(b: Builder, company: Company) -> dict[str, str]:
    """Adds everybody with their zone; returns address -> zone."""
    others = OTHER_ZONES[company.zone.partition("/")[0]]
    zones = {}
    for number, person in enumerate(company.staff):
        away = number < b.by_level(0, 2, 2, 2)
        zones[person.email] = b.pick(others) if away else company.zone
        b.contact(person, notes=b.text(**WORKS_IN).format(zone=zones[person.email]))
    return zones


def _working_day(b: Builder) -> date:
    """One of the next working days, as the office's calendar counts."""
    day = date.fromisoformat(b.day_ago(timedelta(0))) + timedelta(days=b.between(1, 4))
    return day + timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)


def _second_wish(b: Builder, free: Sequence[datetime]) -> Wish:
    """A full hour, and if possible not before half an hour or more after the first slot."""
    first = earliest_start(free, Wish(1))
    assert first is not None, "there is a first slot"
    for half_hours in (b.between(1, 4), 1):
        wish = Wish(2, (first + half_hours * GRID).time())
        if earliest_start(free, wish):
            return wish
    return Wish(2)


def _events(b: Builder, company: Company, people: list[str], grid: list[datetime]) -> None:
    """Fills calendars; on the day, an event that would leave no room for an hour is not added."""
    free, midnight = set(grid), grid[0].replace(hour=0, minute=0)
    staff = [person.email for person in company.staff]
    _event(b, midnight + 15 * GRID, 1, people[:1], "confirmed")  # before work
    for number in range(b.by_level(4, 7, 40, 230)):
        today = number < b.by_level(4, 6, 10, 14)
        days = 0 if today else b.pick((-1, 1)) * b.between(1, 20)
        start = midnight + timedelta(days=days, hours=b.between(8, 17), minutes=b.pick((0, 30)))
        length, status = b.between(1, 4), b.pick(STATES)
        left = free - {start + number * GRID for number in range(length)}
        if today and status != "cancelled":
            if sum(slot + GRID in left for slot in left) < 2:
                continue
            free = left
        _event(b, start, length, people if today else staff, status)


def _event(b: Builder, start: datetime, half_hours: int, who: list[str], status: str) -> None:
    b.add(
        EVENTS,
        title=b.pick(b.text(**OTHER_TITLES)),
        start_time=format_instant(start),
        end_time=format_instant(start + half_hours * GRID),
        zone=str(start.tzinfo),
        organiser=b.pick(who),
        attendees=[b.pick(who)],
        status=status,
    )


def _user(
    b: Builder, guests: Sequence[Person], second: Wish, bookings: Sequence[Booking]
) -> UserScript:
    told = {
        "names": b.text(en=", ", zh="、").join(person.name for person in guests),
        "day": bookings[0].start.date().isoformat(),
    }
    facts = []
    for words in (WHO, WHICH_DAY, HOW_LONG):
        says, asked_by = b.text(**words)
        facts.append(Fact(says=says.format(**told), asked_by=asked_by))
    return UserScript(
        facts=tuple(facts),
        change_of_mind=b.text(**CHANGE_OF_MIND).format(time=f"{second.not_before:%H:%M}"),
        settled_by=tuple(dict.fromkeys(f"{booking.start:%H:%M}" for booking in bookings)),
        patience=4,
    )


def _checks(guests: Sequence[Person], bookings: Sequence[Booking]) -> list[Check]:
    first, second = bookings
    looked = seen(
        "calendar_get_user_events", "calendar_find_free_slots", "calendar_list_events",
        shows=[f"{first.start:%Y-%m-%d}"], before=ToolCalled(tool="calendar_create_event"),
    )  # fmt: skip
    booked = ToolCalled(
        tool="calendar_create_event",
        arguments={"start_time": _spellings(first.start), "end_time": _spellings(first.end)},
    )
    fields = {
        "start_time": format_instant(second.start),
        "end_time": format_instant(second.end),
        "attendees": {"same_items": [person.email for person in guests]},
    }
    right = RecordCreated(table="calendar.events", fields=fields)
    final = AllOf(parts=[right, RecordCreated(table="calendar.events")])
    day = ReplyStates(value=f"{second.start:%Y-%m-%d}", value_kind="date", grounded=False)
    time = ReplyStates(value=f"{second.start:%H:%M}", value_kind="time", grounded=False)
    return [
        check("events looked at before booking", 0.1, AllOf(parts=[looked, booked])),
        check("first wish booked", 0.15, booked),
        check("meeting as wished in the end", 0.55, final),
        check("reply tells day and start", 0.2, AllOf(parts=[final, day, time])),
    ]


def _spellings(start: datetime) -> dict[str, list[str]]:
    """The ways to write an instant that the calendar takes."""
    local = f"{start:%Y-%m-%dT%H:%M}"
    return {"one_of": [format_instant(start), local, f"{local}:00", start.isoformat()]}


def _solution(
    b: Builder, guests: Sequence[Person], bookings: Sequence[Booking], topic: str
) -> list[ToolCall]:
    first, second = bookings
    day = first.start.date().isoformat()
    event_id = f"{EVENTS.prefix}{b.world.base.highest[EVENTS.name] + 1}"
    return [
        answer(b.text(**QUESTION)),
        *_looking(b, guests, day),
        call("calendar_create_event", title=topic, attendees=[p.name for p in guests],
             start_time=f"{first.start:%Y-%m-%dT%H:%M}", end_time=f"{first.end:%Y-%m-%dT%H:%M}"),
        answer(b.text(**BOOKED).format(day=day, time=f"{first.start:%H:%M}")),
        call("calendar_update_event", event_id=event_id,
             start_time=f"{second.start:%Y-%m-%dT%H:%M}", end_time=f"{second.end:%Y-%m-%dT%H:%M}"),
        answer(b.text(**BOOKED).format(day=day, time=f"{second.start:%H:%M}")),
    ]  # fmt: skip


def _looking(b: Builder, guests: Sequence[Person], day: str) -> list[ToolCall]:
    """The calls that show where people work and when they are busy."""
    if b.item.level == "warmup":
        everybody = ", ".join([guests[0].name, b.owner.email])
        return [call("calendar_find_free_slots", attendees=everybody, date=day, to_hour=17)]
    steps = [call("calendar_get_user_events", user=b.owner.email, date=day)]
    for person in guests:
        steps += [
            call("contacts_search", query=person.name),
            call("contacts_get", contact_id=person.contact_id),
            call("calendar_get_user_events", user=person.email, date=day),
        ]
    return steps
