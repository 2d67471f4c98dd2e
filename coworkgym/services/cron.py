"""Cron: expressions of five fields, and when they are due in a zone."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator

from coworkgym.services.instants import time_zone

_EARLY = datetime(2000, 1, 1)  # noqa: DTZ001  the local time of no zone in particular
_LONGEST = 100  # characters
_SET_BACK = timedelta(hours=4)  # more than any clock is


def next_due(expression: str, after: datetime, zone: str) -> datetime:
    """Returns the first moment after an aware one that an expression is due, in UTC.

    Its fields are local time. Where the clock is set forward, what is due in the gap is due at its
    end; where it is set back, what has a fixed hour is due once, at the first of both times. What
    has no fixed hour or minute follows the clock on the wall, as in Debian's cron.
    """
    minute, hour, *_ = expression.split()
    if "*" in (minute[0], hour[0]):
        return min(_next_shown(expression, after, zone, fold) for fold in (0, 1))
    from cronsim import CronSim  # needed by few tasks

    times = CronSim(expression, after.astimezone(time_zone(zone)))
    return next(due for time in times if (due := time.astimezone(UTC)) > after)


def _next_shown(expression: str, after: datetime, zone: str, fold: int) -> datetime:
    """The first moment that a clock shows what is due, of times that come twice one of both."""
    from cronsim import CronSim

    local = time_zone(zone)
    start = (after - _SET_BACK).astimezone(local).replace(tzinfo=None)
    moments = (
        (wall, wall.replace(tzinfo=local, fold=fold).astimezone(UTC))
        for wall in CronSim(expression, start)
    )
    return next(
        moment
        for wall, moment in moments
        if moment > after and moment.astimezone(local).replace(tzinfo=None) == wall
    )


def _checked(expression: str) -> str:
    """The expression with one space between its fields."""
    from cronsim import CronSim, CronSimError

    fields = expression.split()
    plain = " ".join(fields)
    if len(fields) != 5 or len(plain) > _LONGEST:
        raise ValueError(
            f"must have five fields (minute hour day month weekday) such as '0 9 * * 1-5', "
            f"got {expression[:_LONGEST]!r}"
        )
    try:
        is_due = next(CronSim(plain, _EARLY), None) is not None
    except CronSimError as error:
        raise ValueError(f"has a {str(error).lower()} field, got {plain!r}") from None
    if not is_due:
        raise ValueError(f"must name a day that exists, got {plain!r}")
    return plain


Cron = Annotated[str, AfterValidator(_checked)]
"""When something is due: minute, hour, day, month and weekday, as crontab writes them."""
