"""Quoted: numbers from papers, which can stand in a table and be compared with nothing."""

from dataclasses import dataclass
from typing import NoReturn

from coworkgym.errors import CoworkError


class NotComparable(CoworkError, TypeError):
    """A comparison with a number that was measured elsewhere, by other rules."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A number that others have published, for a row of a table.

    Tasks, harness, judge and formula were others, so that neither a difference nor an order means
    anything: `<`, `-`, `float()` and `compare` refuse.

    Attributes:
        name: What was measured, such as a model.
        value: The number as published.
        source: Where, so that it can be found: paper, table, version.
        what: What the number is: metric, benchmark, number of trials.
    """

    name: str
    value: float
    source: str
    what: str

    def refuse(self) -> NoReturn:
        """Refuses a comparison.

        Raises:
            NotComparable: Always.
        """
        raise NotComparable(
            f"{self.name}: {self.value:g} is quoted ({self.what}; {self.source}), and was not "
            "measured by the same tasks and settings: play it here, and compare the runs"
        )

    def __lt__(self, other: object) -> bool:
        """Refuses."""
        self.refuse()

    def __le__(self, other: object) -> bool:
        """Refuses."""
        self.refuse()

    def __gt__(self, other: object) -> bool:
        """Refuses."""
        self.refuse()

    def __ge__(self, other: object) -> bool:
        """Refuses."""
        self.refuse()

    def __sub__(self, other: object) -> float:
        """Refuses."""
        self.refuse()

    def __rsub__(self, other: object) -> float:
        """Refuses."""
        self.refuse()

    def __float__(self) -> float:
        """Refuses."""
        self.refuse()
