"""Escalation: escalate the overdue tickets of enterprise customers and warn their account managers.

Situation:
    A support desk. A ticket of an enterprise customer that has been open for more than 48 hours
    is overdue; it has to be escalated, and whoever looks after the customer has to know by mail.
Tools:
    helpdesk, crm, contacts, gmail. Warmup: six of them.
Request:
    Escalate what is overdue, mail the account managers, report the ticket ids.
Records:
    Tickets of all ages, tiers and states. Tempting: a fresh critical ticket of an enterprise
    customer, an old one of a small customer, an old enterprise one that is pending, closed or
    escalated already, enterprise ones just below 48 hours although the trouble is older, and an
    account manager who has left.
Checks:
    The overdue tickets are escalated, and no others (0.35). For each, in equal shares: the
    customer's tier was looked up before it was escalated (0.2) and the manager's address before the
    mail was sent (0.05), the right manager has exactly one mail that names the ticket (0.3), the
    reply names the ticket and none of the tempting ones (0.1).
Gates:
    Mail to anybody else (1.0), another ticket or field changed (0.5), customers or directory
    changed or people messaged there (0.5), more mails written, mails deleted or moved (0.2).
Episode end:
    The reply.
Levels:
    warmup 3 tickets, one of them overdue; easy about 13, one or two overdue; medium 40, one to
    three overdue; hard 260, two to six overdue. Above warmup managers may have left; their
    directory entry names the successor.
Version history:
    v0: first version.
"""

from collections.abc import Callable
from datetime import timedelta

from coworkgym.company import Company, Firm
from coworkgym.frozen import FrozenDict, Json
from coworkgym.rewards import AllOf, Check, RecordsSorted, ReplyNames, ToolCalled
from coworkgym.services import World
from coworkgym.services.contacts import CONTACTS
from coworkgym.services.crm import CUSTOMERS
from coworkgym.services.helpdesk import TICKETS
from coworkgym.services.instants import parse_instant
from coworkgym.tasks import Builder, Task, package
from coworkgym.tasks.customer_support.phrases import (
    COMPLAINTS,
    REQUEST,
    RULES,
    SINCE,
    SMALL_TALK,
)
from coworkgym.tasks.lines import (
    answer,
    call,
    check,
    leave_alone,
    mail_only_to,
    mail_sent,
    only_these_change,
    seen,
    sorted_into,
)
from coworkgym.transcript import ToolCall

OVERDUE = timedelta(hours=48)  # a ticket that has been open for longer is overdue
ESCALATED = ("status", "escalation_reason", "comments")  # what may change of an overdue ticket


def overdue_enterprise_tickets(world: World) -> list[FrozenDict]:
    """The house rule, computed from the records: open for over 48 h and enterprise tier."""

    def overdue(ticket: FrozenDict) -> bool:
        age: timedelta = world.now - parse_instant(ticket["created_at"])
        return ticket["status"] == "open" and age > OVERDUE and _is_enterprise(world, ticket)

    return [ticket for ticket in world.rows(TICKETS) if overdue(ticket)]


def _is_enterprise(world: World, ticket: FrozenDict) -> bool:
    customer = world.get(CUSTOMERS, ticket["customer_id"])
    return customer is not None and bool(customer["tier"] == "enterprise")


def managers_in_charge(world: World, ticket: FrozenDict) -> list[FrozenDict]:
    """The customer's account manager and, as long as each has left, the successors."""
    customer = world.get(CUSTOMERS, ticket["customer_id"])
    chain: list[FrozenDict] = []
    contact_id = customer and customer["account_manager"]
    while contact_id and (manager := world.get(CONTACTS, contact_id)):
        chain.append(manager)
        contact_id = manager["successor_id"] if manager["status"] == "left" else None
    return chain


@package(
    "escalation",
    profession="customer_support",
    services=("helpdesk", "crm", "contacts", "gmail"),
    tags=("cross_service", "threshold"),
    warmup_tools=(
        "helpdesk_list_tickets",
        "crm_get_customer",
        "contacts_get",
        "helpdesk_escalate_ticket",
        "gmail_send_message",
        "helpdesk_close_ticket",
    ),
)
def escalation(b: Builder) -> Task:
    """Writes the task of one item."""
    company = b.company(
        customers=b.by_level(3, 8, 20, 120), staff=b.by_level(3, 8, 24, 60), owner_in="Support"
    )
    targets = _targets(b, company)
    _fill(b, company, targets)
    world = b.world
    overdue = overdue_enterprise_tickets(world)
    assert len(overdue) == len(targets), "the background must not be overdue"
    in_charge = {t["ticket_id"]: managers_in_charge(world, t)[-1] for t in overdue}
    ids, rivals, decided = list(in_charge), _rivals(world, overdue), _escalated(world, overdue)
    return b.task(
        request=b.text(**REQUEST),
        rules=b.text(**RULES),
        checks=[
            check("overdue tickets escalated", 0.35, decided),
            *(
                line
                for ticket in overdue
                for line in _checks(ticket, in_charge[ticket["ticket_id"]], rivals, decided)
            ),
        ],
        gates=[
            mail_only_to([manager["email"] for manager in in_charge.values()]),
            only_these_change("helpdesk.tickets", ids, ESCALATED, severity=0.5),
            leave_alone("crm.customers", "crm.reports", severity=0.5),
            leave_alone("contacts.contacts", "contacts.messages", severity=0.5),
            leave_alone("gmail.messages", severity=0.2, may_create=len(ids)),
        ],
        solution=_solution(b, world, overdue),
    )


def _targets(b: Builder, company: Company) -> list[Firm]:
    """The enterprise customers of the overdue tickets; how many there are is drawn."""
    enterprise = company.firms("enterprise")
    b.rng.shuffle(enterprise)
    number = b.by_level(1, b.between(1, 3), b.between(1, 4), b.between(2, 7))
    return [enterprise[n % len(enterprise)] for n in range(number)]


def _fill(b: Builder, company: Company, targets: list[Firm]) -> None:
    """Adds people, customers, tickets and mails; where managers left, their customers stay."""
    for firm in company.customers:
        b.customer(firm)
    gone = {targets[0].manager.contact_id} if b.chance(b.by_level(0, 0.4, 0.6, 1)) else set()
    for person in company.staff:
        if person.contact_id in gone:
            heirs = [p for p in company.staff if p.contact_id not in gone]
            heir = b.pick([p for p in heirs if p in company.managers] or heirs)
            b.contact(person, status="left", successor_id=heir.contact_id)
        else:
            b.contact(person)
    for firm in targets:
        _ticket(b, firm, b.hours(49, 200))
    _tempt(b, company)
    for _ in range(b.by_level(0, 5, 28, 240)):
        _background(b, company)
    for _ in range(b.by_level(1, 3, 12, 40)):
        subject, body = b.pick(b.text(**SMALL_TALK))
        b.mail(b.pick(company.staff).email, subject, body, age=b.hours(1, 160))


def _tempt(b: Builder, company: Company) -> None:
    """Adds near misses: each breaks one half of the rule, the young ones narrowly."""
    choose, enterprise = b.pick, company.firms("enterprise")
    small = [*company.firms("business"), *company.firms("standard")]
    near_misses: list[Callable[[], FrozenDict]] = [
        lambda: _ticket(b, choose(small), b.hours(70, 300), priority="high"),
        lambda: _ticket(b, choose(enterprise), b.hours(1, 20), priority="critical"),
        lambda: _ticket(b, choose(enterprise), b.hours(200, 400), status="pending"),
        lambda: _ticket(b, choose(enterprise), b.hours(90, 200), status="closed",
                        resolution="fixed", closed_at=b.ago(b.hours(2, 40))),
        lambda: _ticket(b, choose(enterprise), b.hours(80, 200), status="escalated",
                        escalation_reason="overdue"),
    ]  # fmt: skip
    for near_miss in near_misses[: b.by_level(1, 4, 5, 5)]:
        near_miss()
    for _ in range(b.by_level(1, b.between(1, 4), b.between(1, 4), b.between(1, 4))):
        since = b.text(**SINCE).format(day=b.day_ago(b.hours(80, 300)))
        _ticket(b, choose(enterprise), b.hours(30, 47.5), since, priority="high")


def _background(b: Builder, company: Company) -> FrozenDict:
    """Adds a ticket that is nobody's business: not of an enterprise customer, or young."""
    firm = b.pick(company.customers)
    age = b.hours(1, 40) if firm.tier == "enterprise" else b.hours(1, 400)
    return _ticket(b, firm, age, status=b.pick(("open", "open", "pending")))


def _ticket(b: Builder, firm: Firm, age: timedelta, since: str = "", **fields: str) -> FrozenDict:
    title, description, category = b.pick(b.text(**COMPLAINTS))
    priority = b.pick(("low", "medium", "medium", "high"))
    drawn = {"priority": priority, "status": "open"} | fields
    return b.add(
        TICKETS,
        title=title,
        description=description.format(customer=firm.name) + since,
        category=category,
        customer_id=firm.customer_id,
        reporter=firm.contact.name,
        department=b.text(en="Support", zh="客服部"),
        created_at=b.ago(age),
        **drawn,
    )


def _checks(
    ticket: FrozenDict, manager: FrozenDict, rivals: list[str], decided: RecordsSorted
) -> list[Check]:
    ticket_id, email = ticket["ticket_id"], manager["email"]
    share = 1 / len(decided.groups[0].ids)
    escalated = ToolCalled(tool="helpdesk_escalate_ticket", arguments={"ticket_id": ticket_id})
    written: Json = {"one_of": [{"contains": email}, {"contains": manager["name"]}]}
    mailed = ToolCalled(tool="gmail_send_message", arguments={"to": written})
    customer = [ticket["customer_id"], "enterprise"]
    tier = seen("crm_get_customer", "crm_list_customers", shows=customer, before=escalated)
    address = seen("contacts_get", "contacts_search", shows=[email], before=mailed)
    informed = AllOf(parts=[mailed, address])
    named = ReplyNames(value=ticket_id, rivals=rivals)
    return [
        check(f"tier behind {ticket_id} looked up", 0.2 * share, AllOf(parts=[decided, tier])),
        check(f"manager behind {ticket_id} looked up", 0.05 * share, informed),
        mail_sent([email], mentions=[ticket_id], rivals=rivals, weight=0.3 * share),
        check(f"reply names {ticket_id}", 0.1 * share, named),
    ]


def _escalated(world: World, overdue: list[FrozenDict]) -> RecordsSorted:
    """The overdue tickets, and no other open one."""
    opened = [t for t in world.rows(TICKETS) if t["status"] == "open"]
    others = [t["ticket_id"] for t in opened if t not in overdue]
    ids = [t["ticket_id"] for t in overdue]
    return sorted_into("helpdesk.tickets", "status", {"escalated": ids}, others)


def _rivals(world: World, overdue: list[FrozenDict]) -> list[str]:
    """The oldest open tickets that are not overdue ones: two of enterprises, two of others."""
    others = [t for t in world.rows(TICKETS) if t["status"] == "open" and t not in overdue]
    others.sort(key=lambda ticket: str(ticket["created_at"]))
    enterprise = [t for t in others if _is_enterprise(world, t)]
    small = [t for t in others if t not in enterprise]
    return [ticket["ticket_id"] for ticket in (*enterprise[:2], *small[:2])]


def _solution(b: Builder, world: World, overdue: list[FrozenDict]) -> list[ToolCall]:
    steps = b.pages("helpdesk_list_tickets", status="open")
    for ticket in overdue:
        ticket_id = ticket["ticket_id"]
        managers = managers_in_charge(world, ticket)
        reason = b.text(en="Open for more than 48 hours.", zh="超过48小时未处理。")
        subject = b.text(en=f"Overdue: {ticket_id}", zh=f"超时工单 {ticket_id}")
        body = b.text(
            en=f"Ticket {ticket_id} is overdue and was escalated.",
            zh=f"工单 {ticket_id} 已超时，现已升级。",
        )
        steps += [
            call("crm_get_customer", customer_id=ticket["customer_id"]),
            *(call("contacts_get", contact_id=manager["contact_id"]) for manager in managers),
            call("helpdesk_escalate_ticket", ticket_id=ticket_id, reason=reason),
            call("gmail_send_message", to=managers[-1]["email"], subject=subject, body=body),
        ]
    listed = ", ".join(ticket["ticket_id"] for ticket in overdue)
    return [*steps, answer(b.text(
        en=f"Escalated and reported to the account managers: {listed}.",
        zh=f"已升级并通知客户经理的工单：{listed}。"))]  # fmt: skip
