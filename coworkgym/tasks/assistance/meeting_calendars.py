"""The calendars of meeting scheduling: colleagues, where they work, and everybody's events."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from coworkgym.company import Company
from coworkgym.services.calendar import EVENTS
from coworkgym.services.instants import format_instant
from coworkgym.tasks import Builder
from coworkgym.tasks.assistance.meeting_phrases import OTHER_TITLES, WORKS_IN
from coworkgym.tasks.assistance.meeting_slots import GRID

STATES = ("confirmed", "confirmed", "tentative", "cancelled")

OTHER_ZONES = {  # by the region of the office: zones whose working hours overlap with it
    "Europe": ("Europe/London", "America/New_York", "Europe/Athens", "Europe/Lisbon"),
    "America": ("America/New_York", "America/Los_Angeles", "America/Denver", "America/Toronto"),
    "Asia": ("Asia/Tokyo", "Asia/Singapore", "Asia/Seoul", "Asia/Bangkok"),
}


def add_directory(b: Builder, company: Company) -> dict[str, str]:
    """Adds everybody with their zone; returns address -> zone."""
    others = OTHER_ZONES[company.zone.partition("/")[0]]
    zones = {}
    for number, person in enumerate(company.staff):
        away = number < b.by_level(0, 2, 2, 2)
        zones[person.email] = b.pick(others) if away else company.zone
        b.contact(person, notes=b.text(**WORKS_IN).format(zone=zones[person.email]))
    return zones


def a_working_day(b: Builder) -> date:
    """One of the next working days, as the office's calendar counts."""
    day = date.fromisoformat(b.day_ago(timedelta(0))) + timedelta(days=b.between(1, 4))
    return day + timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)


def add_events(b: Builder, company: Company, people: list[str], grid: list[datetime]) -> None:
    """Fills calendars; on the day, an event that would leave no room for an hour is not added."""
    midnight = grid[0].replace(hour=0, minute=0)
    staff, length = [person.email for person in company.staff], b.between(1, 6)
    _event(b, midnight + 15 * GRID, length, people[:1], "confirmed")  # begins before work
    free = set(grid) - _taken(midnight + 15 * GRID, length)
    for number in range(b.by_level(3, 6, 39, 229)):
        today = number < b.by_level(3, 5, 9, 13)
        days = 0 if today else b.pick((-1, 1)) * b.between(1, 20)
        start = midnight + timedelta(days=days, hours=b.between(8, 17), minutes=b.pick((0, 30)))
        length, status = b.between(1, 4), b.pick(STATES)
        left = free - _taken(start, length)
        if today and status != "cancelled":
            if sum(slot + GRID in left for slot in left) < 2:
                continue
            free = left
        _event(b, start, length, people if today else staff, status)
    _break_up(b, sorted(free), people)


def _break_up(b: Builder, free: Sequence[datetime], people: list[str]) -> None:
    """Adds an event after the first free half hour, if that leaves a full hour later in the day.

    Else a full hour would be free from the very time that the organiser happens to name.
    """
    after = free[0] + GRID
    hours = {slot for slot in free if slot + GRID in free}
    lengths = [length for length in (1, 2, 3) if hours - _taken(free[0], length + 1)]
    if after in free and lengths:
        _event(b, after, b.pick(lengths), people, "confirmed")


def _taken(start: datetime, half_hours: int) -> set[datetime]:
    return {start + number * GRID for number in range(half_hours)}


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
