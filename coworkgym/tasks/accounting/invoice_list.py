"""The house rule of month close: the invoice list as it stands each day, and what disagrees."""

from collections.abc import Mapping
from typing import NamedTuple

from coworkgym.frozen import FrozenDict
from coworkgym.tasks import Builder

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
        return [i for i in self.wrong(0) if i not in self.held]

    @property
    def upset(self) -> list[str]:
        """What agreed on the first day and disagrees in the end."""
        return [i for i in self.held if i not in self.wrong(0)]


def corrected_days(b: Builder, pending: list[FrozenDict]) -> list[Listed]:
    """Draws the list of each day: some lines are wrong at first; each night two are changed."""
    right = {row["transaction_id"]: row["amount"] for row in pending}
    shuffled, count = b.rng.sample(list(right), len(right)), b.by_level(1, 2, 5, 8)
    wrong, good = shuffled[:count], shuffled[count:]
    first = dict(right)
    for number, transaction_id in enumerate(wrong):
        first[transaction_id] = _swapped(right[transaction_id])
        if number and number % 3 == 0:
            del first[transaction_id]
    days = [first]
    for night in range(b.by_level(1, 1, 1, 2)):
        corrected, upset = wrong[night], good[night]
        days.append(days[-1] | {corrected: right[corrected], upset: _swapped(right[upset])})
    return days


def _swapped(amount: int) -> int:
    """The amount with its last two digits swapped, or one more where they are equal."""
    tens, ones = amount // 10 % 10, amount % 10
    return amount + 1 if tens == ones else amount - tens * 10 - ones + ones * 10 + tens
