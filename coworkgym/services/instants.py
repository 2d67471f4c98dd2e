"""Instants: stored as UTC text, shown to the agent with the local time and its zone."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from coworkgym.errors import TaskError

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


def format_instant(moment: datetime) -> str:
    """Returns an aware datetime as UTC text, such as 2026-03-25T09:00:00Z."""
    return f"{moment.astimezone(UTC).isoformat()[:19]}Z"


def parse_instant(text: str) -> datetime:
    """Returns the aware datetime of `format_instant`'s text.

    Raises:
        ValueError: For any other form, naming the text.
    """
    if not _INSTANT.fullmatch(text):
        raise ValueError(f"not an instant such as 2026-03-25T09:00:00Z: {text!r}")
    return datetime.fromisoformat(text)


@lru_cache(maxsize=65536)
def local_text(instant: str, zone: str) -> str:
    """Returns an instant as shown to the agent: UTC, local time and zone in one string."""
    local = parse_instant(instant).astimezone(time_zone(zone))
    return f"{instant} ({local:%Y-%m-%d %H:%M} {zone})"


def local_date(moment: datetime, zone: str) -> date:
    """Returns the calendar day of an aware datetime in an IANA zone."""
    return moment.astimezone(time_zone(zone)).date()


@lru_cache(maxsize=1024)
def time_zone(name: str) -> ZoneInfo:
    """Returns the IANA zone.

    Raises:
        TaskError: When no such zone exists.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError) as error:
        raise TaskError(
            f"Unknown time zone {name!r}; use an IANA name such as Europe/Berlin."
        ) from error
