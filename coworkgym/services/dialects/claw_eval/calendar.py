"""Calendar: the earliest event is a day ahead when the server starts."""

from datetime import UTC, datetime, timedelta

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Rows, Server, listed, moment, served


def shifted(rows: Rows, now: datetime) -> Rows:
    """Returns events whose earliest is tomorrow; its own wall clock is called UTC.

    Where the file has an offset the shift is by whole days and that offset.
    """
    if not rows:
        return rows
    earliest = min(moment(row["start_time"]) for row in rows)
    target = (now + timedelta(days=1)).replace(
        hour=earliest.hour, minute=earliest.minute, second=0, microsecond=0
    )
    delta = target - earliest
    sides = ("start_time", "end_time")
    return [{**row, **{side: served(moment(row[side]) + delta) for side in sides}} for row in rows]


CALENDAR = Server(
    "calendar", "Event", "events", "event_id", default="T003zh_calendar_scheduling",
    lists=("deleted", "created_events"), load=shifted,
)  # fmt: skip


@CALENDAR.route("/calendar/events")
def events(desk: Desk, date: str, days: int = 1) -> Json:
    """The events that begin on some days, by their start as text."""
    return _between(desk, date, days) or _bad(date)


@CALENDAR.route("/calendar/events/get")
def event(desk: Desk, event_id: str) -> Json:
    """An event."""
    return desk.get(event_id) or desk.missing(event_id)


@CALENDAR.route("/calendar/events/create")
def create(
    desk: Desk,
    title: str,
    start_time: str,
    end_time: str,
    attendees: list[str] = [],  # noqa: B006  never changed; the model copies it
    location: str = "",
) -> Json:
    """An event; its times are not looked at, its id is the number of events and one."""
    made = {
        "event_id": f"evt_{len(desk.rows) + 1:03d}", "title": title, "start_time": start_time,
        "end_time": end_time, "attendees": attendees, "location": location, "recurring": False,
    }  # fmt: skip
    desk.note("created_events", made)
    return {"status": "created", "event": desk.add(made)}


@CALENDAR.route("/calendar/user_events")
def user_events(desk: Desk, user: str, date: str) -> Json:
    """The events of one day that somebody attends."""
    found = _between(desk, date, 1)
    if found is None:
        return _bad(date)
    kept = [row for row in found["events"] if any(user in name for name in row["attendees"])]
    return listed("events", kept, user=user)


@CALENDAR.route("/calendar/events/delete")
def delete(desk: Desk, event_id: str) -> Json:
    """An event that is deleted."""
    if desk.get(event_id) is None:
        return desk.missing(event_id)
    gone = desk.remove(event_id)
    desk.note("deleted", gone)
    return {"status": "deleted", "event": gone}


def _bad(date: str) -> Json:
    return {"error": f"Invalid date format: {date}"}


def _between(desk: Desk, date: str, days: int) -> dict[str, Json] | None:
    """The events of some days; None for a day that is none."""
    try:
        begin = datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    end = begin + timedelta(days=days)
    when = _own_day if desk.intended else _utc
    rows = [row for row in desk.rows if begin <= when(row) < end]
    rows.sort(key=lambda row: str(row["start_time"]))
    found: dict[str, Json] = listed("events", rows)
    return found


def _utc(row: FrozenDict) -> datetime:
    return moment(row["start_time"])


def _own_day(row: FrozenDict) -> datetime:
    """An event's own wall clock, so that a day is that of the people who meet."""
    return moment(row["start_time"]).replace(tzinfo=UTC)
