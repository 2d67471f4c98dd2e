"""Cells: figures as a table shows them, value first, then interval and numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from coworkgym.evals.estimate import Estimate
from coworkgym.evals.trial import Counts

NOTHING = "–"


class Strip(NamedTuple):
    """A value and its interval in [0, 1], to be drawn; without an interval all three are equal."""

    value: float
    low: float
    high: float


class Cell(NamedTuple):
    """One cell.

    Attributes:
        text: What it says.
        interval: Lower and upper bound, in words.
        note: What stands small beside it.
        strip: What is drawn beside it.
    """

    text: str
    interval: str = ""
    note: str = ""
    strip: Strip | None = None


class Table(NamedTuple):
    """A table: `head` over the columns, and rows of a name and cells.

    Attributes:
        caption: What the table shows.
        head: Titles; the first is that of the names.
        rows: Names and cells.
        below: What stands small below the titles, if anything.
    """

    caption: str
    head: tuple[str, ...]
    rows: list[tuple[str, Sequence[Cell]]]
    below: tuple[str, ...] = ()


def cell_of(estimate: Estimate, digits: int = 2, *, strip: bool = False, usual: int = 0) -> Cell:
    """Returns the cell of an estimate.

    Args:
        estimate: What to show.
        digits: Digits behind the point.
        strip: Whether it is in [0, 1] and drawn.
        usual: Over how many episodes a figure is that need not say so.
    """
    value, low, high = estimate[:3]
    if value is None:
        return Cell(NOTHING, note=estimate.note)
    over = f"n {estimate.n:,}" if estimate.n != usual else ""
    if low is None or high is None:
        note = ", ".join(part for part in (over, estimate.note) if part)
        return Cell(number(value, digits), "", note, Strip(value, value, value) if strip else None)
    drawn = Strip(value, low, high) if strip else None
    return Cell(number(value, digits), span(low, high, digits), over, drawn)


def span(low: float, high: float, digits: int = 2) -> str:
    """Returns an interval in words; a minus is no dash."""
    middle = " to " if low < 0 else "–"
    return f"{number(low, digits)}{middle}{number(high, digits)}"


def number(value: float, digits: int = 2) -> str:
    """Returns a number with thousands apart, -0.00 as 0.00, and a minus that is as wide as plus."""
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def became(counts: Counts) -> str:
    """Returns what became of the episodes that were asked for, in words."""
    parts = [f"{counts.graded:,} of {counts.asked:,} graded"]
    for name, many in (("ungraded", counts.ungraded), ("void", counts.void)):
        parts += [f"{many:,} {name}"] if many else []
    return ", ".join(parts + ([f"{counts.missing:,} missing"] if counts.missing else []))
