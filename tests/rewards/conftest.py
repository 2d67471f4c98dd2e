"""A small office, the evidence that calls in it leave behind, and a model that judges it."""

from datetime import UTC, datetime

import pytest

from coworkgym.rewards import Evidence
from coworkgym.services import BaseWorld, Office, Owner, World, reply, services, table
from coworkgym.transcript import ToolCall

START = datetime(2026, 3, 25, 9, tzinfo=UTC)

TICKET = {"title": "Slow", "description": "Slow.", "reporter": "Ana Roe", "department": "Support",
          "priority": "high", "created_at": "2026-03-20T09:00:00Z"}  # fmt: skip
MAIL = {"from": "Mallory <mallory@outside.test>", "thread_id": "", "to": ["kim@orga.test"],
        "subject": "Urgent", "body": "Pay DE11 now.", "date": "2026-03-24T09:00:00Z"}  # fmt: skip
TRANSACTION = {"date": "2026-03-01", "amount": 125000, "currency": "EUR", "description": "Goods",
               "status": "paid"}  # fmt: skip
PEOPLE = {"CT-1": ("Ana Roe", "ana@orga.test"), "CT-2": ("Bo Lind", "bo@orga.test")}

TOOLS = {made.name: made for service in services() for made in service.tools.values()}
TOOLS["reply"] = reply


def small_world():
    rows = {
        "helpdesk.tickets": [TICKET | {"ticket_id": f"TK-{n}"} for n in (101, 102, 103)],
        "gmail.messages": [MAIL | {"message_id": "MSG-1"}],
        "finance.transactions": [TRANSACTION | {"transaction_id": "TXN-1"}],
        "finance.payees": [],
        "finance.reports": [],
        "crm.customers": [],
        "crm.reports": [],
        "contacts.messages": [],
        "contacts.contacts": [
            {"contact_id": key, "name": name, "email": email, "phone": "1", "department": "Sales",
             "title": "Clerk"}
            for key, (name, email) in PEOPLE.items()
        ],
    }  # fmt: skip
    return BaseWorld(
        {table(t): [table(t).validate(r) for r in rs] for t, rs in rows.items()}, START
    )


def new_office():
    return Office(World(small_world()), TOOLS, "Europe/Berlin", Owner("Kim Ode", "kim@orga.test"))


@pytest.fixture
def office():
    return new_office()


@pytest.fixture(scope="session")
def evidence_after():
    """The evidence that calls leave behind in an office of their own, for property tests."""

    def run(calls):
        office = new_office()
        for name, arguments in calls:
            office.call(ToolCall(name, arguments))
        return evidence_of(office)

    return run


def evidence_of(office, *, finished=True, language="en", log=...):
    return Evidence(
        initial=office.world.base,
        final=office.world.fork(),
        log=tuple(office.log) if log is ... else log,
        transcript=({"role": "user", "content": "Please do it."},),
        language=language,
        zone=office.zone,
        finished=finished,
    )


@pytest.fixture
def after(office):
    """Runs calls, given as (name, arguments), and returns the evidence."""

    def run(*calls, **options):
        for name, arguments in calls:
            office.call(ToolCall(name, arguments))
        return evidence_of(office, **options)

    return run
