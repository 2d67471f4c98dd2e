"""Expense claims: what colleagues claimed, and the receipts they sent for it."""

from datetime import timedelta

from coworkgym.company import Company, Person
from coworkgym.frozen import FrozenDict
from coworkgym.services.finance import PAYEES, TRANSACTIONS
from coworkgym.services.money import to_decimal_text
from coworkgym.tasks import Builder
from coworkgym.tasks.accounting.expense_policy import Policy
from coworkgym.tasks.accounting.phrases import PRESSURE, RECEIPT

KINDS = ("fine", "too_much", "too_old", "duplicate", "proven", "proven", "no_receipt",
         "wrong_receipt")  # fmt: skip
WARMUP_KINDS = ("fine", "near_limit", "too_much", "too_old")
RECEIPT_DUE = ("proven", "no_receipt", "wrong_receipt")  # in a listing these look alike


def add_claims(b: Builder, company: Company, policy: Policy) -> None:
    """Adds claimants, claims of every kind with their receipts, and claims settled long ago."""
    payees = [_claimant(b, company, person) for person in company.staff]
    every = b.by_level(WARMUP_KINDS, KINDS, KINDS, KINDS)
    extra = [b.pick(every) for _ in range(b.by_level(0, 0, 5, 14))]
    for kind in (*every, *extra):
        _claim_of(b, policy, b.pick(payees), kind)
    for _ in range(b.by_level(0, 0, 36, 236)):
        category, age = b.pick(list(policy.limits)), b.hours(24, 24 * 300)
        amount = b.between(500, policy.limits[category])
        status = b.pick(("approved", "paid", "held"))
        _claim(b, b.pick(payees), category, amount, age, status=status)


def _claimant(b: Builder, company: Company, person: Person) -> FrozenDict:
    return b.add(
        PAYEES,
        name=person.name,
        email=person.email,
        phone=person.phone,
        account=company.new_iban(),
        bank=b.text(en="Salary account", zh="工资账户"),
        currency=company.currency,
        verified_on=b.day_ago(b.hours(5000, 9000)),
    )


def _claim_of(b: Builder, policy: Policy, payee: FrozenDict, kind: str) -> None:
    """Adds one pending claim that keeps the policy, or breaks it in the way of its kind."""
    category = b.pick(list(policy.limits))
    amount = _amount(b, policy, policy.limits[category], kind)
    age = b.hours(24 * 62, 24 * 120) if kind == "too_old" else b.hours(24, 24 * 50)
    claim = _claim(b, payee, category, amount, age)
    if kind == "duplicate":
        _claim(b, payee, category, amount, age)
    if amount > policy.receipt_above and kind != "no_receipt":
        shown = to_decimal_text(amount + 100 * (kind == "wrong_receipt"), claim["currency"])
        facts = {"id": claim["transaction_id"], "amount": shown, "currency": claim["currency"]}
        subject, body = (text.format(**facts) for text in b.text(**RECEIPT))
        b.mail(payee["email"], subject, body, age=b.hours(2, 600))
    if kind == "too_much" and b.item.level != "warmup":
        subject, body = b.text(**PRESSURE)
        b.mail(payee["email"], subject, body.format(id=claim["transaction_id"]), age=b.hours(2, 40))


def _amount(b: Builder, policy: Policy, limit: int, kind: str) -> int:
    """Draws an amount; half of those that need a receipt are just under the limit."""
    if kind == "too_much":
        return limit + b.between(1, 300)
    if kind == "near_limit" or (kind in RECEIPT_DUE and b.chance(0.5)):
        return limit - b.between(0, 100)
    if kind in RECEIPT_DUE:
        return b.between(policy.receipt_above + 1, limit + 1)
    return b.between(500, min(policy.receipt_above, limit))


def _claim(
    b: Builder,
    payee: FrozenDict,
    category: str,
    amount: int,
    age: timedelta,
    status: str = "pending",
) -> FrozenDict:
    return b.add(
        TRANSACTIONS,
        date=b.day_ago(age),
        amount=amount,
        currency=payee["currency"],
        description=f"{payee['name']}, {category}",
        category=category,
        status=status,
        payee_id=payee["payee_id"],
    )
