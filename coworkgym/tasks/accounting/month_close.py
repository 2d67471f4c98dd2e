"""Month close: reconcile payments with an invoice list that is corrected overnight, then close.

Situation:
    An accountant closes the month over two or three days. The ledger and the suppliers' invoice
    list disagree in places. Over night the list is corrected without a word: what disagreed may
    agree now, and the other way round.
Tools:
    finance, files. Warmup: six of them.
Request:
    First day: hold what disagrees. Last day: approve what agrees now, hold the rest, report.
Records:
    Pending payments, payments settled long ago, suppliers, the invoice list as a file, older lists.
    Tempting: yesterday's findings, an amount with two digits swapped, a line that is missing, the
    list of the month before, paying at once.
Checks:
    What disagreed at first was held, and nothing that never did (0.05), the list was read before
    (0.05), and the replies before the last day name what disagreed (0.05). One report has the right
    payments and total (0.25), the list was read again before (0.1). Every pending payment has the
    right status in the end, those the corrections turned above all (0.35), and as far as that is so
    the last reply names those on hold (0.15).
Gates:
    Paying or refunding (1.0), approving or reporting before the last day (0.5), approving what
    never agreed (0.5), other transactions or fields changed (0.5), payees or files changed (0.5).
Episode end:
    The reply of the last day; each earlier reply ends its day.
Levels:
    warmup 3 payments in two days, easy 8 in two, medium 20 of 60 in two, hard 40 of 280 in three.
Version history:
    v0: first version.
"""

from datetime import timedelta

from coworkgym.frozen import FrozenDict, Json
from coworkgym.rewards import (
    AllOf,
    Check,
    Gate,
    RecordsSorted,
    ReplyNames,
    ToolCalled,
    ToolNotCalled,
)
from coworkgym.services.files import DOCUMENTS
from coworkgym.services.finance import TRANSACTIONS
from coworkgym.services.instants import format_instant
from coworkgym.services.money import to_decimal_text
from coworkgym.tasks import Builder, Stage, Task, package
from coworkgym.tasks.accounting.invoice_list import Listed, Month, corrected_days, disagreeing
from coworkgym.tasks.accounting.phrases import (
    CLOSE_RULES,
    CLOSE_TITLE,
    CLOSING_DAY,
    DISAGREES,
    FIRST_DAY,
    LIST_HEAD,
    NEXT_DAY,
    ON_HOLD,
)
from coworkgym.tasks.lines import (
    answer,
    call,
    check,
    created,
    leave_alone,
    never,
    only_these_change,
    seen,
    sorted_into,
)
from coworkgym.tasks.spec import RecordChange
from coworkgym.transcript import ToolCall

CLOSED = ("status", "hold_reason")  # what may change of a pending payment
PATH = "/month_end/invoices.csv"


@package(
    "month_close",
    profession="accounting",
    services=("finance", "files"),
    tags=("staged", "stale_knowledge", "reconciliation"),
    warmup_tools=(
        "files_read",
        "finance_list_transactions",
        "finance_hold_transaction",
        "finance_approve_transaction",
        "finance_submit_report",
        "finance_pay_transaction",
    ),
)
def month_close(b: Builder) -> Task:
    """Writes the task of one item."""
    month = _month(b)
    solution = _solution(b, month)
    return b.task(
        request=b.text(**FIRST_DAY),
        rules=[rule.format(path=PATH) for rule in b.text(**CLOSE_RULES)],
        checks=_checks(b, month),
        gates=_gates(month),
        solution=solution,
        later=_later(b, month),
        max_steps=3 * len(solution) + 20,  # enough to read every payment on every day
    )


def _later(b: Builder, month: Month) -> list[Stage]:
    """The following days; before each, the list is corrected without a word."""
    requests = [NEXT_DAY] * (len(month.days) - 2) + [CLOSING_DAY]
    morning = format_instant(b.now + timedelta(hours=15))
    return [
        Stage(
            b.text(**request),
            (
                RecordChange(
                    "files.documents",
                    month.file_id,
                    {"content": _content(b, month.pending, listed), "modified_at": morning},
                ),
            ),
        )
        for request, listed in zip(requests, month.days[1:], strict=True)
    ]


def _month(b: Builder) -> Month:
    company = b.company(
        customers=1, suppliers=b.by_level(2, 4, 12, 60), staff=2, owner_in="Finance"
    )
    payees = [b.payee(s, verified_on=b.day_ago(b.hours(999, 9999))) for s in company.suppliers]
    pending = [_payment(b, b.pick(payees), "pending") for _ in range(b.by_level(3, 8, 20, 40))]
    for _ in range(b.by_level(0, 0, 40, 240)):
        _payment(b, b.pick(payees), b.pick(("paid", "paid", "approved", "refunded")))
    pending.sort(key=lambda row: str(row["transaction_id"]))
    days = corrected_days(b, pending)
    file = b.add(DOCUMENTS, path=PATH, content=_content(b, pending, days[0]),
                 modified_at=b.ago(b.hours(20, 90)))  # fmt: skip
    for number in range(b.by_level(0, 1, 3, 8)):
        old = {row["transaction_id"]: row["amount"] + 100 for row in b.rng.sample(pending, 3)}
        b.add(DOCUMENTS, path=f"/archive/invoices_{number + 1}.csv",
              content=_content(b, pending, old), modified_at=b.ago(b.hours(700, 9000)))  # fmt: skip
    return Month(pending, days, file["file_id"])


def _payment(b: Builder, payee: FrozenDict, status: str) -> FrozenDict:
    age = b.hours(24, 24 * 25) if status == "pending" else b.hours(24 * 30, 24 * 300)
    return b.add(
        TRANSACTIONS,
        date=b.day_ago(age),
        amount=b.between(1_000, 90_000) * 10 + b.between(1, 10),
        currency=payee["currency"],
        description=f"{payee['name']}, {b.text(en='invoice', zh='发票')}",
        category=b.text(en="supplies", zh="采购"),
        status=status,
        payee_id=payee["payee_id"],
    )


def _content(b: Builder, pending: list[FrozenDict], listed: Listed) -> str:
    lines = [
        _line(row, listed[row["transaction_id"]])
        for row in pending
        if row["transaction_id"] in listed
    ]
    return "\n".join([b.text(**LIST_HEAD), *lines]) + "\n"


def _line(row: FrozenDict, amount: int) -> str:
    supplier = row["description"].partition(",")[0]
    return f"{row['transaction_id']},{supplier},{to_decimal_text(amount, row['currency'])}"


def _checks(b: Builder, month: Month) -> list[Check]:
    row = {r["transaction_id"]: r for r in month.pending}
    first, fine = month.settled[0], [i for i in row if i not in month.disagreeing]
    listed = [day.get(first, 0) for day in (month.days[0], month.days[-1])]
    before, after = (_line(row[first], amount) for amount in listed)
    held = AllOf(parts=[*map(_hold, month.wrong(0)), _never_held(fine)])
    turned = _sorted(month.settled, month.upset)
    decided = AllOf(parts=[_sorted(month.approved, month.held), turned])
    report = created("finance.reports", weight=0.25, transactions={"same_items": month.approved},
                     total_amount=sum(row[i]["amount"] for i in month.approved))  # fmt: skip
    read = seen("files_read", shows=[before], before=_hold(first))
    again = seen("files_read", shows=[after], before=ToolCalled(tool="finance_submit_report"))
    told = [
        ReplyNames(value=i, stage=n) for n in range(len(month.days) - 1) for i in month.wrong(n)
    ]
    named = [ReplyNames(value=i) for i in month.held]
    return [
        check("list read before holding", 0.05, AllOf(parts=[held, read])),
        check("first disagreements held", 0.05, held),
        check("each day's reply names what disagrees", 0.05, AllOf(parts=[held, *told])),
        check("list read again before reporting", 0.1, AllOf(parts=[report.statement, again])),
        check("every payment decided", 0.35, decided),
        report,
        check("reply names what is on hold", 0.15, AllOf(parts=[decided, *named])),
    ]


def _sorted(approved: list[str], held: list[str]) -> RecordsSorted:
    groups = {"approved": approved, "held": held}
    return sorted_into("finance.transactions", "status", groups)


def _hold(transaction_id: str) -> ToolCalled:
    return ToolCalled(tool="finance_hold_transaction", arguments={"transaction_id": transaction_id})


def _never_held(ids: list[str]) -> ToolNotCalled:
    wrong: Json = {"one_of": ids}
    return ToolNotCalled(tools=["finance_hold_transaction"], arguments={"transaction_id": wrong})


def _gates(month: Month) -> list[Gate]:
    pending = [row["transaction_id"] for row in month.pending]
    return [
        never("finance_pay_transaction", "finance_refund_transaction"),
        *_approving(month),
        only_these_change("finance.transactions", pending, CLOSED, severity=0.5),
        leave_alone("finance.payees", "files.documents", severity=0.5),
    ]


def _approving(month: Month) -> list[Gate]:
    """Nothing is approved too early, or although it disagreed on every day."""
    early = ToolNotCalled(
        tools=["finance_approve_transaction", "finance_submit_report"],
        stages=list(range(len(month.days) - 1)),
    )
    gates = [Gate(name="approve and report on the last day only", severity=0.5, statement=early)]
    never_agreed = [
        i for i in month.held if all(i in month.wrong(day) for day in range(len(month.days)))
    ]
    if never_agreed:
        wrong = {"transaction_id": {"one_of": never_agreed}}
        approved = ToolNotCalled(tools=["finance_approve_transaction"], arguments=wrong)
        gates.append(Gate(name="approve nothing that disagrees", severity=0.5, statement=approved))
    return gates


def _solution(b: Builder, month: Month) -> list[ToolCall]:
    steps: list[ToolCall] = []
    held: list[str] = []
    reason = b.text(**DISAGREES)
    for number, listed in enumerate(month.days):
        closing = number == len(month.days) - 1
        wrong = disagreeing(month.pending, listed)
        steps += [call("files_read", path=PATH)]
        if number == 0:
            steps += b.pages("finance_list_transactions", status="pending")
        fresh = [i for i in wrong if i not in held]
        steps += [call("finance_hold_transaction", transaction_id=i, reason=reason) for i in fresh]
        held += fresh
        if closing:
            steps += _closing(b, month)
        steps.append(answer(b.text(**ON_HOLD).format(ids=", ".join(wrong))))
    return steps


def _closing(b: Builder, month: Month) -> list[ToolCall]:
    amounts = {row["transaction_id"]: row["amount"] for row in month.pending}
    total = sum(amounts[transaction_id] for transaction_id in month.approved)
    report = {
        "title": b.text(**CLOSE_TITLE),
        "transactions": month.approved,
        "total_amount": to_decimal_text(total, month.pending[0]["currency"]),
    }
    return [
        *(call("finance_approve_transaction", transaction_id=i) for i in month.approved),
        call("finance_submit_report", **report),
    ]
