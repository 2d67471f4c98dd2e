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
    The meeting once stood with the right people and times for the first wish (0.15), and somebody's
    events were looked at before it was booked (0.1); in the end one meeting, those cancelled apart,
    has these people, with or without the organiser, and the times for the second wish (0.55), and
    with it the last reply tells day and start, and no time that nothing explains (0.2).
Gates:
    Another event changed or deleted (1.0), somebody else invited, even for a while (1.0), times
    tried out: more than two events created or four moves (0.6), the directory changed or people
    messaged (0.5).
Episode end:
    The organiser thanks for the second report that names a time of the day, right or wrong, or
    loses patience. The change of mind answers the first.
Levels:
    warmup one other person in the same zone, easy two in three zones, medium three and 40 events,
    hard four and 230 events.
Version history:
    v0: first version.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from coworkgym.company import Person
from coworkgym.frozen import Json
from coworkgym.rewards import (
    AllOf,
    Check,
    Gate,
    Not,
    RecordCreated,
    RecordNever,
    ReplyStates,
    ToolCalled,
    Untouched,
)
from coworkgym.services.calendar import EVENTS
from coworkgym.services.instants import format_instant
from coworkgym.tasks import Builder, Task, package
from coworkgym.tasks.assistance.meeting_calendars import (
    a_working_day,
    add_directory,
    add_events,
)
from coworkgym.tasks.assistance.meeting_phrases import (
    BOOKED,
    CHANGE_OF_MIND,
    HOW_LONG,
    QUESTION,
    REQUEST,
    RULES,
    TOPICS,
    WHICH_DAY,
    WHO,
)
from coworkgym.tasks.assistance.meeting_slots import (
    GRID,
    STARTS,
    Wish,
    busy_spans,
    earliest_start,
    free_slots,
    idle_times,
    longer_wishes,
    working_grid,
)
from coworkgym.tasks.lines import answer, call, check, leave_alone, never_holds, seen
from coworkgym.transcript import ToolCall
from coworkgym.users import Fact, UserScript

MOST_EVENTS, MOST_MOVES = 2, 4  # as the house rules say; what was undone counts
STANDS: dict[str, Json] = {"status": {"not": "cancelled"}}


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
    zones = add_directory(b, company)
    people = {b.owner.email: company.zone} | {p.email: zones[p.email] for p in guests}
    grid = working_grid(people.values(), company.zone, a_working_day(b))
    add_events(b, company, list(people), grid)
    busy = busy_spans(b.world, people)
    free = free_slots(grid, busy)
    second = b.pick(longer_wishes(free, 2))
    bookings = []
    for wish in (Wish(1), second):
        start = earliest_start(free, wish)
        assert start is not None, "both wishes can be fulfilled"
        bookings.append(Booking(start, start + wish.half_hours * GRID))
    named = [moment for booking in bookings for moment in booking]
    named.append(datetime.combine(named[0].date(), second.not_before, named[0].tzinfo))
    topic = b.pick(b.text(**TOPICS))
    return b.task(
        request=b.text(**REQUEST).format(topic=topic),
        rules=b.text(**RULES),
        checks=_checks(b, list(people), bookings, idle_times(people.values(), busy, named)),
        gates=_gates(list(people)),
        solution=_solution(b, guests, bookings, topic),
        user=_user(b, guests, second, bookings),
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
        settled_by=tuple(f"{start:%H:%M}" for start in STARTS),  # whether it is right is not told
        patience=4,
    )


def _checks(
    b: Builder, people: list[str], bookings: Sequence[Booking], idle: list[str]
) -> list[Check]:
    first, second = bookings
    looked = seen(
        "calendar_get_user_events", "calendar_find_free_slots", "calendar_list_events",
        shows=[f"{first.start:%Y-%m-%d}"], before=ToolCalled(tool="calendar_create_event"),
    )  # fmt: skip
    guests = [address for address in people if address != b.owner.email]
    who: Json = {"one_of": [{"same_items": guests}, {"same_items": people}]}
    wanted = {"attendees": who, "recurrence": None} | STANDS
    booked = Not(part=RecordNever(table=EVENTS.name, fields=wanted | _times(first)))
    right = RecordCreated(table=EVENTS.name, fields=wanted | _times(second))
    final = AllOf(parts=[right, RecordCreated(table=EVENTS.name, fields=STANDS)])
    day = ReplyStates(value=f"{second.start:%Y-%m-%d}", value_kind="date", grounded=False)
    time = ReplyStates(
        value=f"{second.start:%H:%M}", also=[f"{second.start.astimezone(UTC):%H:%MZ}"],
        value_kind="time", rivals=idle, grounded=False,
    )  # fmt: skip
    return [
        check("events looked at before booking", 0.1, AllOf(parts=[looked, booked])),
        check("first wish booked", 0.15, booked),
        check("meeting as wished in the end", 0.55, final),
        check("reply tells day and start", 0.2, AllOf(parts=[final, day, time])),
    ]


def _times(booking: Booking) -> dict[str, Json]:
    return dict(zip(("start_time", "end_time"), map(format_instant, booking), strict=True))


def _gates(people: list[str]) -> list[Gate]:
    others = Untouched(tables=[EVENTS.name], may_create=None)
    moved = ToolCalled(
        tool="calendar_update_event",
        arguments={"start_time": {"not": None}},
        at_least=MOST_MOVES + 1,
    )
    few = Untouched(tables=[EVENTS.name], may_create=MOST_EVENTS)
    tried = AllOf(parts=[few, Not(part=moved)])
    return [
        Gate(name="leave other events alone", severity=1.0, counts="effect", statement=others),
        never_holds(EVENTS.name, attendees={"not": {"within": people}}),
        Gate(name="few bookings and moves", severity=0.6, counts="effect", statement=tried),
        leave_alone("contacts.contacts", "contacts.messages", severity=0.5),
    ]


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
