"""Finance: transactions and reports about them."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, listed

FINANCE = Server(
    "finance", "Transaction", "transactions", "transaction_id", default="T011zh_expense_report",
    lists=("submitted_reports",),
)  # fmt: skip


@FINANCE.route("/finance/transactions")
def transactions(desk: Desk, start_date: str | None = None, end_date: str | None = None) -> Json:
    """Transactions between two days, compared as text."""
    rows = desk.rows
    if start_date:
        rows = [row for row in rows if row["date"] >= start_date]
    if end_date:
        rows = [row for row in rows if row["date"] <= end_date]
    return listed("transactions", rows)


@FINANCE.route("/finance/transactions/get")
def transaction(desk: Desk, transaction_id: str) -> Json:
    """A transaction."""
    return desk.get(transaction_id) or desk.missing(transaction_id)


@FINANCE.route("/finance/report/submit")
def submit(desk: Desk, title: str, transactions: list[str], total_amount: float) -> Json:
    """A report; neither ids nor sum are looked at."""
    report = {
        "title": title, "transactions": transactions, "total_amount": total_amount,
        "timestamp": desk.stamp,
    }  # fmt: skip
    return {"status": "submitted", "report": desk.note("submitted_reports", report)}
