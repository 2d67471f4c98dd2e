"""The expense policy: what a claim may cost, when a receipt is due, what is claimed twice."""

from dataclasses import dataclass
from datetime import date, timedelta

from coworkgym.frozen import FrozenDict
from coworkgym.services import World
from coworkgym.services.finance import PAYEES, TRANSACTIONS
from coworkgym.services.gmail import MESSAGES
from coworkgym.services.money import to_decimal_text

OLDEST = timedelta(days=60)  # a claim dated before that is not paid


@dataclass(frozen=True)
class Policy:
    """The expense policy in force: a limit a category and the amount above which a receipt is due.

    Attributes:
        limits: Minor units by category.
        receipt_above: Minor units.
    """

    limits: dict[str, int]
    receipt_above: int


def breaks_policy(policy: Policy, claim: FrozenDict, world: World, today: date) -> bool:
    """The house rule, computed from the records."""
    too_old = date.fromisoformat(claim["date"]) < today - OLDEST
    too_much = claim["amount"] > policy.limits[claim["category"]]
    unproven = claim["amount"] > policy.receipt_above and not has_receipt(claim, world)
    return too_old or too_much or unproven or is_duplicate(claim, world)


def has_receipt(claim: FrozenDict, world: World) -> bool:
    """Whether the claimant has sent a mail that names the claim and exactly its amount."""
    payee = world.get(PAYEES, claim["payee_id"])
    amount = to_decimal_text(claim["amount"], claim["currency"])
    return any(
        payee is not None
        and mail["from"] == payee["email"]
        and claim["transaction_id"] in mail["body"]
        and f" {amount} " in mail["body"].replace("：", " ")
        for mail in world.rows(MESSAGES)
    )


def is_duplicate(claim: FrozenDict, world: World) -> bool:
    """Whether an earlier number claims the same: person, date, category and amount."""
    same = ("payee_id", "date", "category", "amount")
    return any(
        other["transaction_id"] < claim["transaction_id"]
        and all(other[f] == claim[f] for f in same)
        for other in world.rows(TRANSACTIONS)
    )
