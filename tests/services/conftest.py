"""A small office made by hand: Kim's mailbox, and records of every service around it."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from diaries import BERLIN, EVENT, WEEKLY, at

from coworkgym.services import BaseWorld, Office, Owner, Tool, World, reply, services, table
from coworkgym.transcript import ToolCall, ToolResult

Records = Mapping[str, Sequence[Mapping[str, Any]]]

START = datetime(2026, 3, 25, 9, 0, tzinfo=UTC)
OWNER = Owner("Kim", "kim@orga.test")

DEFAULTS: dict[str, dict[str, Any]] = {
    "calendar.events": {
        "title": "Sync",
        "start_time": "2026-03-25T09:00:00Z",
        "end_time": "2026-03-25T10:00:00Z",
        "zone": "Europe/Berlin",
        "organiser": "bo@orga.test",
        "attendees": ["kim@orga.test"],
    },
    "caption.images": {"caption": "Two people.", "confidence": 0.9},
    "chat.channels": {"members": ["kim@orga.test", "bo@orga.test"]},
    "chat.messages": {
        "channel_id": "CH-1",
        "sender": "bo@orga.test",
        "text": "Hi",
        "sent_at": "2026-03-24T09:00:00Z",
    },
    "config.integrations": {
        "name": "Payments",
        "service": "payment",
        "api_key": "sk_live_4f9a2c",
        "api_secret": "whsec_77",
        "last_verified": "2026-03-20T09:00:00Z",
    },
    "config.notifications": {
        "to": ["bo@orga.test"],
        "subject": "Old",
        "body": "Hi",
        "sent_at": "2026-03-24T09:00:00Z",
    },
    "contacts.contacts": {
        "name": "Ana Roe",
        "department": "Sales",
        "title": "Manager",
        "email": "ana@orga.test",
        "phone": "100",
    },
    "contacts.messages": {"contact_id": "CT-1", "message": "Hi", "sent_at": "2026-03-24T09:00:00Z"},
    "crm.customers": {
        "name": "Norte",
        "contact_person": "Ida Fox",
        "email": "ida@norte.test",
        "phone": "200",
        "industry": "Retail",
        "tier": "standard",
        "annual_revenue": 125_000,
        "currency": "EUR",
        "account_manager": "CT-1",
        "customer_since": "2020-01-31",
    },
    "crm.reports": {
        "title": "Old",
        "customer_ids": ["CUS-1"],
        "summary": "",
        "exported_at": "2026-03-24T09:00:00Z",
    },
    "documents.documents": {
        "title": "Plan",
        "pages": ["See you.", "At nine."],
        "modified": "2026-03-24T09:00:00Z",
    },
    "files.documents": {
        "path": "/plan.txt",
        "content": "See you.\n",
        "modified_at": "2026-03-24T09:00:00Z",
    },
    "finance.transactions": {
        "date": "2026-03-20",
        "amount": 1999,
        "currency": "EUR",
        "description": "Paper",
    },
    "finance.payees": {
        "name": "Papel",
        "email": "pay@papel.test",
        "phone": "300",
        "account": "DE00100",
        "bank": "Bank One",
        "currency": "EUR",
        "verified_on": "2025-12-01",
    },
    "finance.reports": {
        "title": "Old",
        "transactions": ["TXN-1"],
        "total_amount": 1999,
        "currency": "EUR",
        "submitted_at": "2026-03-24T09:00:00Z",
    },
    "forms.forms": {
        "title": "Travel",
        "fields": [
            {"name": "Purpose", "type": "text"},
            {"name": "Cost", "type": "money"},
            {"name": "Day", "type": "date", "required": False},
        ],
        "currency": "EUR",
        "amount_field": "Cost",
    },
    "forms.submissions": {
        "form_id": "FORM-1",
        "submitted_by": "bo@orga.test",
        "submitted_at": "2026-03-24T09:00:00Z",
        "values": {"Purpose": "Fair", "Cost": 19_900},
        "amount": 19_900,
        "currency": "EUR",
    },
    "gmail.messages": {
        "thread_id": "TH-1",
        "from": "Bo Lind <bo@orga.test>",
        "to": ["kim@orga.test"],
        "subject": "Plan",
        "body": "See you.",
        "date": "2026-03-24T09:00:00Z",
    },
    "helpdesk.tickets": {
        "title": "Printer",
        "description": "It is broken.",
        "reporter": "ida@norte.test",
        "department": "IT",
        "priority": "low",
        "created_at": "2026-03-23T09:00:00Z",
    },
    "inventory.products": {
        "name": "Paper",
        "category": "Office",
        "current_stock": 5,
        "reorder_point": 10,
        "unit_price": 1999,
        "currency": "EUR",
        "supplier": "Papel",
    },
    "inventory.orders": {
        "product_id": "PRD-1",
        "quantity": 3,
        "supplier": "Papel",
        "created_at": "2026-03-24T09:00:00Z",
    },
    "inventory.adjustments": {
        "product_id": "PRD-1",
        "change": -1,
        "reason": "Broken.",
        "made_by": "bo@orga.test",
        "made_at": "2026-03-24T09:00:00Z",
    },
    "kb.articles": {
        "title": "Printer",
        "content": "Press the button.",
        "last_updated": "2026-01-31",
    },
    "notes.notes": {
        "title": "Weekly",
        "created_at": "2026-03-20T09:00:00Z",
        "content": "All agreed.",
        "duration_minutes": 30,
    },
    "notes.shares": {
        "note_id": "NT-1",
        "recipients": ["bo@orga.test"],
        "shared_at": "2026-03-24T09:00:00Z",
    },
    "ocr.images": {"text": "Total 19.99", "language": "en", "confidence": 0.9},
    "people.employees": {
        "name": "Bo Lind",
        "email": "bo@orga.test",
        "department": "IT",
        "title": "Engineer",
        "start_date": "2024-01-01",
        "annual_leave_days": 30,
        "salary": 5_000_000,
        "currency": "EUR",
    },
    "people.leave": {
        "employee_id": "EMP-1",
        "kind": "annual",
        "first_day": "2026-04-06",
        "last_day": "2026-04-10",
        "requested_at": "2026-03-24T09:00:00Z",
    },
    "rss.articles": {
        "title": "Paper gets dear",
        "source": "Trade Daily",
        "category": "prices",
        "published_at": "2026-03-24T09:00:00Z",
        "content": "It costs more.",
        "word_count": 3,
    },
    "rss.publications": {
        "title": "Old",
        "content": "Hi",
        "recipients": ["bo@orga.test"],
        "published_at": "2026-03-24T09:00:00Z",
    },
    "scheduler.jobs": {
        "name": "Backup",
        "cron_expression": "0 2 * * *",
        "action": "Back up the files.",
        "created_by": "bo@orga.test",
        "created_at": "2026-01-31T09:00:00Z",
    },
    "scheduler.history": {
        "job_id": "JOB-1",
        "run_time": "2026-03-24T01:00:00Z",
        "status": "success",
        "duration_seconds": 60,
    },
    "sheets.sheets": {
        "title": "Budget",
        "columns": [
            {"name": "Item", "type": "text"},
            {"name": "Pieces", "type": "number"},
            {"name": "Cost", "type": "money"},
            {"name": "Day", "type": "date"},
        ],
        "currency": "EUR",
        "owner": "kim@orga.test",
        "modified": "2026-03-24T09:00:00Z",
    },
    "sheets.rows": {"sheet_id": "SHT-1", "number": 1, "cells": {"Item": "Paper"}},
    "todo.tasks": {"title": "Report", "created_at": "2026-03-23T09:00:00Z"},
    "web.pages": {"title": "Prices", "content": "Paper costs 19.99."},
    "web.notifications": {
        "channel": "email",
        "message": "Hi",
        "sent_at": "2026-03-24T09:00:00Z",
    },
}
"""The fields of a record that a test does not mention; ids are the prefix and a number from 1."""

RECORDS: Records = {
    "chat.channels": [{}],
    "contacts.contacts": [{}, {"name": "Bo Lind", "email": "bo@orga.test", "department": "IT"}],
    "crm.customers": [{}, {"name": "Sur", "tier": "enterprise", "industry": "Banking"}],
    "finance.transactions": [
        {},
        {"amount": 1001, "currency": "JPY", "status": "paid", "payee_id": "PAY-1"},
        {"status": "approved", "payee_id": "PAY-1", "date": "2026-03-25"},
    ],
    "finance.payees": [{}],
    "gmail.messages": [{}, {"subject": "Re: Lunch", "date": "2026-03-25T08:00:00Z"}],
    "helpdesk.tickets": [{}, {"title": "Login", "priority": "high", "customer_id": "CUS-1"}],
    "scheduler.jobs": [{}],
    "sheets.sheets": [{}],
}


class Desk:
    """An office and short ways to call it."""

    def __init__(
        self,
        records: Records = RECORDS,
        *,
        tools: Sequence[Tool] = (),
        zone: str = "Europe/Berlin",
        start: datetime = START,
    ) -> None:
        kinds = [kind for service in services() for kind in service.tables.values()]
        base = {
            kind: [
                self.row(kind.name, row, number)
                for number, row in enumerate(records.get(kind.name, ()), start=1)
            ]
            for kind in kinds
        }
        offered = [made for service in services() for made in service.tools.values()]
        by_name = {made.name: made for made in [*offered, reply, *tools]}
        self.office = Office(World(BaseWorld(base, start)), by_name, zone, OWNER)

    @staticmethod
    def row(name: str, fields: Mapping[str, Any], number: int) -> Any:
        """A whole record of a table."""
        kind = table(name)
        return kind.validate({kind.key: f"{kind.prefix}{number}", **DEFAULTS[name], **fields})

    def state(self) -> tuple[Any, ...]:
        """Everything that a failed call must leave alone."""
        world = self.office.world
        rows = [list(world.rows(kind)) for kind in world.base.schema.values()]
        return rows, world.digest(), world.diff(), world.now

    def call(self, name: Any, arguments: Any = None) -> ToolResult:
        """Calls a tool with arguments in any form; a refusal must leave the world alone."""
        before = self.state()
        result = self.office.call(ToolCall(name, arguments))
        assert result.error is None or self.state() == before
        return result

    def ok(self, name: str, /, **arguments: Any) -> Any:
        """Calls a tool that must agree, and returns its answer."""
        result = self.office.call(ToolCall(name, arguments))
        assert result.error is None, result.content
        return json.loads(result.content)

    def refused(self, name: str, /, **arguments: Any) -> tuple[str, str]:
        """Calls a tool that must refuse, and returns code and message."""
        result = self.call(name, arguments)
        assert result.error is not None, result.content
        answer = json.loads(result.content)
        assert list(answer) == ["error", "message"]
        assert answer["error"] == result.error
        return result.error, answer["message"]

    def rows(self, name: str) -> list[Any]:
        """The records of a table, as they are kept."""
        return list(self.office.world.rows(table(name)))

    def record(self, name: str, record_id: str) -> Any:
        """One record, as it is kept, or None."""
        return self.office.world.get(table(name), record_id)


@pytest.fixture(scope="session")
def make_desk() -> Callable[..., Desk]:
    """Makes a desk; see Desk."""
    return Desk


@pytest.fixture
def desk() -> Desk:
    """A desk with the usual records."""
    return Desk()


@pytest.fixture(scope="session")
def make_diary(make_desk):
    """Makes a desk whose calendar holds these events; EVENT gives what they do not mention."""

    class Diary(make_desk):
        @staticmethod
        def row(name, fields, number):
            if name != "calendar.events":
                return make_desk.row(name, fields, number)
            return table(name).validate({"event_id": f"EV-{number}", **EVENT, **fields})

    def make(*events, zone: str = BERLIN, now: str = "2026-03-25T07:00", **records):
        start = datetime.fromisoformat(now).replace(tzinfo=UTC)
        return Diary({"calendar.events": events, **records}, zone=zone, start=start)

    return make


@pytest.fixture
def diary(make_diary):
    """A single event of Kim's, a weekly one of Bo's in Chicago, and a cancelled one."""
    people = [
        {"email": "ana@orga.test"},
        {"name": "Bo Lind", "email": "Bo@Orga.test"},
        {"name": "Ana Roe", "email": "ana.roe@orga.test"},
        {"name": "Lee", "email": "lee@orga.test"},
    ]
    return make_diary(
        {"attendees": ["Bo Lind <BO@orga.test>"], "location": "Room 1"},
        {
            **at("2026-03-04T15:00", "2026-03-04T16:00"),
            "title": "Call",
            "zone": "America/Chicago",
            "organiser": "Bo Lind <BO@orga.test>",
            "attendees": ["ana@orga.test", "kim@orga.test"],
            "recurrence": WEEKLY,
        },
        {**at("2026-03-25T12:00", "2026-03-25T13:00"), "status": "cancelled"},
        **{"contacts.contacts": people},
    )
