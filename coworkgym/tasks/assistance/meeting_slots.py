"""The house rule of meeting scheduling, computed from the records: the earliest start for all."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from coworkgym.services import World
from coworkgym.services.calendar import EVENTS
from coworkgym.services.instants import parse_instant, time_zone

OPENS, CLOSES = time(9), time(17)  # local working hours of everybody
GRID = timedelta(minutes=30)
STARTS = tuple(time(number // 2, 30 * (number % 2)) for number in range(18, 34))  # of that grid


class Wish(NamedTuple):
    """What the organiser wants: how many half hours, and no earlier start than a local time."""

    half_hours: int
    not_before: time = OPENS


def working_grid(zones: Iterable[str], zone: str, day: date) -> list[datetime]:
    """The half hours of a day, in the office's zone, that lie in the working hours of all zones."""
    midnight = datetime.combine(day, time(0), time_zone(zone))
    grid = [midnight + number * GRID for number in range(48)]
    for local in dict.fromkeys(zones):
        grid = [start for start in grid if _at_work(start, time_zone(local))]
    return grid


def _at_work(start: datetime, zone: ZoneInfo) -> bool:
    local = start.astimezone(zone)
    return OPENS <= local.time() and (local + GRID).time() <= CLOSES


def busy_spans(world: World, people: Iterable[str]) -> list[tuple[datetime, datetime]]:
    """When one of these people has an event that was not cancelled."""
    wanted = set(people)
    return [
        (parse_instant(event["start_time"]), parse_instant(event["end_time"]))
        for event in world.rows(EVENTS)
        if event["status"] != "cancelled" and wanted & {event["organiser"], *event["attendees"]}
    ]


def free_slots(
    grid: Sequence[datetime], busy: Iterable[tuple[datetime, datetime]]
) -> list[datetime]:
    """The half hours of a grid in which nobody is busy; see `working_grid` and `busy_spans`."""
    free = list(grid)
    for begin, end in busy:
        if free and begin < free[-1] + GRID and free[0] < end:
            begin, end = (moment.astimezone(free[0].tzinfo) for moment in (begin, end))
            free = [start for start in free if end <= start or start + GRID <= begin]
    return free


def earliest_start(free: Sequence[datetime], wish: Wish) -> datetime | None:
    """The house rule: the first start from which all wished half hours are free, or None."""
    slots = set(free)
    for start in free:
        late = start.time() >= wish.not_before
        if late and all(start + number * GRID in slots for number in range(wish.half_hours)):
            return start
    return None


def longer_wishes(free: Sequence[datetime], half_hours: int) -> list[Wish]:
    """The wishes for a longer meeting that can be fulfilled and give little of the answer away.

    Where there are such, the answer is neither the start for half an hour nor the time that the
    wish names; else it is not the start for half an hour; else any will do.
    """
    first = earliest_start(free, Wish(1))
    wishes = [Wish(half_hours, start) for start in STARTS]
    answers = {wish: start for wish in wishes if (start := earliest_start(free, wish))}
    moving = {wish: start for wish, start in answers.items() if start != first}
    subtle = [wish for wish, start in moving.items() if start.time() != wish.not_before]
    return subtle or list(moving or answers)


def idle_times(
    zones: Iterable[str],
    busy: Iterable[tuple[datetime, datetime]],
    meetings: Sequence[datetime],
) -> list[str]:
    """The half hours of a working day that no report about a meeting has a reason to name.

    Reasons are when the meeting begins and ends on everybody's clock, when somebody's working
    hours do on the office's clock, and when an event does.

    Args:
        zones: The zones of everybody in the meeting.
        busy: When somebody is; see `busy_spans`.
        meetings: Beginnings and ends, all on one day, in the office's zone.
    """
    day, office = meetings[0].date(), meetings[0].tzinfo
    local = [time_zone(name) for name in dict.fromkeys(zones)]
    edges = [datetime.combine(day, edge, there) for there in local for edge in (OPENS, CLOSES)]
    edges += [moment for span in busy for moment in span]
    shown = (moment.astimezone(office) for moment in edges)
    named = {moment.time() for moment in shown if moment.date() == day}
    named |= {moment.astimezone(there).time() for moment in meetings for there in local}
    return [f"{start:%H:%M}" for start in STARTS if start not in named]
