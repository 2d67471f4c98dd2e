"""The house rule of month close: the invoice list as it stands each day, and what disagrees."""

from collections.abc import Mapping
from typing import NamedTuple

from coworkgym.frozen import FrozenDict

Listed = dict[str, int]


def disagreeing(pending: list[FrozenDict], listed: Mapping[str, int]) -> list[str]:
    """The house rule, computed from the records: payments that the list has not, or otherwise."""
    ids = [(row["transaction_id"], row["amount"]) for row in pending]
    return [
        transaction_id for transaction_id, amount in ids if listed.get(transaction_id) != amount
    ]


class Month(NamedTuple):
    """The payments to close and the list as it stands on each day.

    Attributes:
        pending: The payments.
        days: The list of each day.
        file_id: The list's record.
    """

    pending: list[FrozenDict]
    days: list[Listed]
    file_id: str

    @property
    def held(self) -> list[str]:
        """What stays on hold in the end."""
        return disagreeing(self.pending, self.days[-1])

    @property
    def approved(self) -> list[str]:
        """What is approved in the end."""
        return [r["transaction_id"] for r in self.pending if r["transaction_id"] not in self.held]

    def wrong(self, day: int) -> list[str]:
        """What disagrees on a day, from 0."""
        return disagreeing(self.pending, self.days[day])

    @property
    def disagreeing(self) -> set[str]:
        """What disagrees on some day."""
        return {i for day in range(len(self.days)) for i in self.wrong(day)}

    @property
    def settled(self) -> list[str]:
        """What disagreed on the first day and agrees in the end."""
        return [i for i in disagreeing(self.pending, self.days[0]) if i not in self.held]
