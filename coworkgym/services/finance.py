"""Finance: transactions, payees with their bank details, and reports."""

from typing import Literal

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Amount
from coworkgym.services.arguments import Day as DayArgument
from coworkgym.services.money import to_decimal_text, to_minor
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Day, Minor, Moment, Record

FINANCE = Service("finance")

TransactionStatus = Literal["pending", "approved", "held", "paid", "refunded"]


class Transaction(Record):
    """A payment, due or done, in or out."""

    transaction_id: str
    date: Day
    amount: Minor
    currency: str
    description: str
    category: str = "other"
    status: TransactionStatus = "pending"
    payee_id: str | None = None
    account: str | None = None
    customer_id: str | None = None
    hold_reason: str | None = None
    refunded: Minor = 0


class Payee(Record):
    """Somebody the company pays, and where the money goes."""

    payee_id: str
    name: str
    email: str
    phone: str
    account: str
    bank: str
    currency: str
    verified_on: Day
    notes: str = ""


class Report(Record):
    """A report handed to the finance department."""

    report_id: str
    title: str
    transactions: list[str]
    total_amount: Minor
    currency: str
    submitted_at: Moment


TRANSACTIONS = FINANCE.table("transactions", Transaction, key="transaction_id", prefix="TXN-")
PAYEES = FINANCE.table("payees", Payee, key="payee_id", prefix="PAY-")
REPORTS = FINANCE.table("reports", Report, key="report_id", prefix="FR-")

_COLUMNS = ("transaction_id", "date", "amount", "currency", "description", "status", "payee_id")
_AFTERWARDS = (
    "transaction_id", "amount", "currency", "status", "account", "hold_reason", "refunded",
)  # fmt: skip
_PAYEE_COLUMNS = ("payee_id", "name", "email", "account")


@FINANCE.tool
def finance_list_transactions(
    office: Office,
    start_date: DayArgument | None = None,
    end_date: DayArgument | None = None,
    status: TransactionStatus | None = None,
    payee_id: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List transactions.

    Args:
        start_date: First day, YYYY-MM-DD.
        end_date: Last day, YYYY-MM-DD.
        cursor: next of the page before.
    """
    rows = [
        row
        for row in office.world.rows(TRANSACTIONS)
        if (start_date or "") <= row["date"] <= (end_date or "9999")
        and status in (None, row["status"])
        and payee_id in (None, row["payee_id"])
    ]
    scope = [start_date, end_date, status, payee_id]
    return office.listing(TRANSACTIONS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@FINANCE.tool
def finance_get_transaction(office: Office, transaction_id: str) -> Json:
    """Read one transaction in full."""
    return office.read(TRANSACTIONS, transaction_id)


@FINANCE.tool
def finance_list_payees(
    office: Office, name: str | None = None, limit: int = 20, cursor: str | None = None
) -> Json:
    """List payees.

    Args:
        name: Part of the name.
        cursor: next of the page before.
    """
    part = (name or "").casefold()
    rows = [row for row in office.world.rows(PAYEES) if part in row["name"].casefold()]
    return office.listing(PAYEES, rows, _PAYEE_COLUMNS, limit=limit, cursor=cursor, scope=part)


@FINANCE.tool
def finance_get_payee(office: Office, payee_id: str) -> Json:
    """Read one payee in full, with bank details."""
    return office.read(PAYEES, payee_id)


@FINANCE.tool(writes=True)
def finance_update_payee(
    office: Office,
    payee_id: str,
    account: str | None = None,
    bank: str | None = None,
    email: str | None = None,
    notes: str | None = None,
) -> Json:
    """Change a payee's bank details, address or notes.

    Args:
        account: The new account number (IBAN).
    """
    number = account and "".join(account.split())
    payee = office.edit(PAYEES, payee_id, account=number, bank=bank, email=email, notes=notes)
    return {"status": "updated", "payee": office.show(PAYEES, payee)}


@FINANCE.tool(writes=True)
def finance_hold_transaction(office: Office, transaction_id: str, reason: str) -> Json:
    """Put a payment on hold.

    Args:
        reason: Why, in a sentence.
    """
    _in_status(office, transaction_id, "pending", "approved")
    return _set(office, transaction_id, status="held", hold_reason=reason)


@FINANCE.tool(writes=True)
def finance_approve_transaction(office: Office, transaction_id: str) -> Json:
    """Approve a payment that is pending or on hold."""
    _in_status(office, transaction_id, "pending", "held")
    return _set(office, transaction_id, status="approved", hold_reason=None)


@FINANCE.tool(writes=True)
def finance_pay_transaction(office: Office, transaction_id: str) -> Json:
    """Pay an approved payment to the account on file."""
    row = _in_status(office, transaction_id, "approved")
    account = row["account"]
    if row["payee_id"] is not None:
        account = office.record(PAYEES, row["payee_id"])["account"]
    return _set(office, transaction_id, status="paid", account=account)


@FINANCE.tool(writes=True)
def finance_refund_transaction(
    office: Office, transaction_id: str, amount: Amount | None = None
) -> Json:
    """Refund a paid transaction.

    Args:
        amount: How much, in its currency; all that is left of it by default.
    """
    row = _in_status(office, transaction_id, "paid")
    left = row["amount"] - row["refunded"]
    refund = left if amount is None else _minor(amount, row["currency"])
    if not 0 < refund <= left:
        most = to_decimal_text(left, row["currency"])
        raise ToolError("conflict", f"A refund of {amount} is not above 0 and at most {most}.")
    refunded = row["refunded"] + refund
    status = "refunded" if refunded == row["amount"] else "paid"
    return _set(office, transaction_id, refunded=refunded, status=status)


@FINANCE.tool(writes=True)
def finance_submit_report(
    office: Office, title: str, transactions: list[str], total_amount: Amount
) -> Json:
    """Submit a report over some transactions.

    Args:
        transactions: Ids of the transactions it covers.
        total_amount: Their sum.
    """
    if not transactions:
        raise ToolError("invalid_argument", "'transactions' must name at least one transaction.")
    rows = [office.record(TRANSACTIONS, transaction_id) for transaction_id in transactions]
    currencies = sorted({row["currency"] for row in rows})
    if len(currencies) > 1:
        raise ToolError("conflict", f"One report, one currency; these are in {currencies}.")
    report = office.world.insert(
        REPORTS, title=title, transactions=transactions, currency=currencies[0],
        total_amount=_minor(total_amount, currencies[0]), submitted_at=office.world.now_text,
    )  # fmt: skip
    return {"status": "submitted", "report": office.show(REPORTS, report)}


def _minor(amount: Amount, currency: str) -> int:
    try:
        return to_minor(amount, currency)
    except ValueError as error:
        raise ToolError("invalid_argument", str(error)) from None


def _in_status(office: Office, transaction_id: str, *allowed: str) -> FrozenDict:
    row = office.record(TRANSACTIONS, transaction_id)
    if row["status"] not in allowed:
        raise ToolError(
            "conflict",
            f"Transaction {transaction_id!r} is {row['status']}, not {' or '.join(allowed)}.",
        )
    return row


def _set(office: Office, transaction_id: str, **fields: Json) -> Json:
    row = office.world.update(TRANSACTIONS, transaction_id, **fields)
    shown = office.show(TRANSACTIONS, row)
    return {
        "status": row["status"],
        "transaction": {name: shown[name] for name in _AFTERWARDS if name in shown},
    }
