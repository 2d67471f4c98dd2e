"""Every registered tool: named, typed, described, small, and true to what it says of itself."""

import copy
import inspect
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkgym.envs import sample_call
from coworkgym.errors import UnknownNameError
from coworkgym.frozen import json_text
from coworkgym.services import Office, Service, Tool, World, reply, service, services, table, tool
from coworkgym.services.gmail import GMAIL
from coworkgym.tasks import packages
from coworkgym.transcript import ToolCall

OWNED = [(owner.name, made) for owner in services() for made in owner.tools.values()]
TOOLS = [*(made for _, made in OWNED), reply]
TABLES = [made for owner in services() for made in owner.tables.values()]
NOUNS = (  # services that are the noun
    "contacts", "documents", "files", "forms", "kb", "notes", "rss", "sheets", "web",
)  # fmt: skip
every_tool = pytest.mark.parametrize("made", TOOLS, ids=lambda made: made.name)


@pytest.mark.parametrize(("owner", "made"), OWNED, ids=lambda x: getattr(x, "name", x))
def test_a_tool_is_named_service_verb_noun(owner: str, made: Tool) -> None:
    prefix, verb, *noun = made.name.split("_")
    assert prefix == owner
    assert verb.isalpha()
    assert noun or owner in NOUNS
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+", made.name)
    assert tool(made.name) is made


@every_tool
def test_a_tool_says_what_it_does_in_a_sentence(made: Tool) -> None:
    assert re.fullmatch(r"[A-Z].{10,120}\.", made.description), made.description
    schema = made.schema
    assert (schema["name"], schema["description"]) == (made.name, made.description)
    documented = re.findall(r"(?m)^    (\w+): ", inspect.getdoc(made.function) or "")
    assert set(documented) <= set(made.parameters), "the docstring names another argument"
    properties = schema["parameters"]["properties"]
    assert all(properties[name].get("description") for name in documented)


@every_tool
def test_every_parameter_is_typed(made: Tool) -> None:
    assert next(iter(inspect.signature(made.function).parameters)) == "office"
    for name, parameter in made.parameters.items():
        assert parameter.annotation is not inspect.Parameter.empty
        shown = made.schema["parameters"]["properties"][name]
        assert shown["type"] in ("string", "integer", "number", "boolean", "array", "object")
        assert shown["type"] != "array" or "type" in shown["items"]


@every_tool
def test_a_schema_is_small(made: Tool) -> None:
    """A schema costs the agent tokens in every episode: about 110 of them."""
    parameters = made.schema["parameters"]
    assert parameters["type"] == "object"
    assert list(parameters["properties"]) == list(made.parameters)
    empty = inspect.Parameter.empty
    required = [name for name, p in made.parameters.items() if p.default is empty]
    assert parameters["required"] == required
    for field in parameters["properties"].values():
        assert not {"title", "anyOf", "oneOf", "$ref"} & set(field)
        assert "null" not in json_text(field)
    assert len(json_text(made.schema)) < 600


def test_a_schema_is_what_a_client_expects() -> None:
    assert tool("finance_refund_transaction").schema == {
        "name": "finance_refund_transaction",
        "description": "Refund a paid transaction.",
        "parameters": {
            "type": "object",
            "properties": {
                "transaction_id": {"type": "string"},
                "amount": {
                    "type": "string",
                    "format": "decimal",
                    "description": "How much, in its currency; all that is left of it by default.",
                },
            },
            "required": ["transaction_id"],
        },
    }
    listing = tool("helpdesk_list_tickets").schema["parameters"]["properties"]
    assert listing["status"] == {
        "type": "string",
        "enum": ["open", "pending", "escalated", "closed", "all"],
        "default": "open",
    }
    assert listing["limit"] == {"type": "integer", "default": 20}
    assert tool("finance_list_transactions").schema["parameters"]["properties"]["end_date"] == {
        "type": "string",
        "format": "date",
        "description": "Last day, YYYY-MM-DD.",
    }


@pytest.mark.parametrize("thing", [*TOOLS, *TABLES], ids=repr)
def test_tools_and_tables_are_pickled_by_name(thing: object) -> None:
    assert pickle.loads(pickle.dumps(thing)) is thing
    assert copy.deepcopy(thing) is thing


# What a tool writes -------------------------------------------------------------------------------

WRITES = {
    "config_update_integration": {"integration_id": "INT-1", "status": "degraded"},
    "config_rotate_key": {"integration_id": "INT-1"},
    "config_send_notification": {"to": "bo@orga.test", "subject": "Key", "body": "It is new."},
    "contacts_update": {"contact_id": "CT-1", "title": "Head"},
    "contacts_send_message": {"contact_id": "CT-1", "message": "Hi"},
    "crm_update_customer": {"customer_id": "CUS-1", "tier": "business"},
    "crm_add_note": {"customer_id": "CUS-1", "text": "Called."},
    "crm_export_report": {"title": "All", "customer_ids": ["CUS-1"], "summary": ""},
    "finance_update_payee": {"payee_id": "PAY-1", "bank": "Bank Two"},
    "finance_hold_transaction": {"transaction_id": "TXN-1", "reason": "Odd."},
    "finance_approve_transaction": {"transaction_id": "TXN-1"},
    "finance_pay_transaction": {"transaction_id": "TXN-3"},
    "finance_refund_transaction": {"transaction_id": "TXN-2"},
    "finance_submit_report": {"title": "Q1", "transactions": ["TXN-1"], "total_amount": 19.99},
    "gmail_send_message": {"to": "bo@orga.test", "subject": "", "body": ""},
    "gmail_reply_message": {"message_id": "MSG-1", "body": "Yes."},
    "gmail_forward_message": {"message_id": "MSG-1", "to": "ana@orga.test"},
    "gmail_save_draft": {"to": "bo@orga.test", "subject": "", "body": ""},
    "gmail_label_message": {"message_id": "MSG-1", "add": ["later"]},
    "gmail_archive_message": {"message_id": "MSG-1"},
    "gmail_delete_message": {"message_id": "MSG-1"},
    "helpdesk_update_ticket": {"ticket_id": "TK-1", "priority": "high"},
    "helpdesk_assign_ticket": {"ticket_id": "TK-1", "assignee": "Bo Lind"},
    "helpdesk_comment_ticket": {"ticket_id": "TK-1", "text": "Looking."},
    "helpdesk_escalate_ticket": {"ticket_id": "TK-1", "reason": "Late."},
    "helpdesk_close_ticket": {"ticket_id": "TK-1", "resolution": "Fixed."},
    "helpdesk_reopen_ticket": {"ticket_id": "TK-3"},
    "calendar_create_event": {
        "title": "New",
        "start_time": "2026-03-26T10:00",
        "end_time": "2026-03-26T11:00",
    },
    "calendar_update_event": {"event_id": "EV-1", "title": "Plan"},
    "calendar_respond_event": {"event_id": "EV-1", "answer": "accepted"},
    "calendar_delete_event": {"event_id": "EV-1"},
    "chat_send_message": {"channel_id": "CH-1", "text": "Hi"},
    "chat_send_direct": {"to": "ana@orga.test", "text": "Hi"},
    "files_write": {"path": "/new.txt", "content": "Hi"},
    "files_append": {"path": "/plan.txt", "content": "Bo"},
    "files_move": {"path": "/plan.txt", "new_path": "/old/plan.txt"},
    "files_delete": {"path": "/plan.txt"},
    "forms_submit": {"form_id": "FORM-1", "values": {"Purpose": "Fair", "Cost": 199}},
    "forms_approve_submission": {"submission_id": "SUB-1"},
    "forms_reject_submission": {"submission_id": "SUB-1", "reason": "Too much."},
    "forms_withdraw_submission": {"submission_id": "SUB-2"},
    "inventory_create_order": {"product_id": "PRD-1", "quantity": 5},
    "inventory_cancel_order": {"order_id": "ORD-1"},
    "inventory_receive_order": {"order_id": "ORD-1"},
    "inventory_adjust_stock": {"product_id": "PRD-1", "change": -1, "reason": "Broken."},
    "kb_update_article": {"article_id": "KB-1", "content": "Press it twice."},
    "notes_create": {"title": "Call", "content": "Done."},
    "notes_share": {"note_id": "NT-1", "recipients": "bo@orga.test"},
    "people_update_employee": {"employee_id": "EMP-1", "title": "Head"},
    "people_request_leave": {
        "employee_id": "EMP-1",
        "kind": "sick",
        "first_day": "2026-03-24",
        "last_day": "2026-03-25",
    },
    "people_decide_leave": {"request_id": "LV-1", "decision": "approved"},
    "rss_publish": {"title": "News", "content": "None.", "recipients": "bo@orga.test"},
    "scheduler_create_job": {
        "name": "Report",
        "cron_expression": "0 9 * * 1-5",
        "action": "Write it.",
    },
    "scheduler_update_job": {"job_id": "JOB-1", "enabled": False},
    "scheduler_delete_job": {"job_id": "JOB-1"},
    "scheduler_run_job": {"job_id": "JOB-1"},
    "sheets_append_row": {"sheet_id": "SHT-1", "cells": {"Item": "Ink"}},
    "sheets_update_cell": {"sheet_id": "SHT-1", "row": 1, "column": "Item", "value": "Ink"},
    "sheets_delete_row": {"sheet_id": "SHT-1", "row": 1},
    "todo_create_task": {"title": "Call"},
    "todo_update_task": {"task_id": "TD-1", "status": "completed"},
    "todo_delete_task": {"task_id": "TD-1"},
    "web_send_notification": {"channel": "email", "message": "Hi"},
}
CLOSED = {"status": "closed", "resolution": "Fixed.", "closed_at": "2026-03-24T09:00:00Z"}


@pytest.fixture
def busy(make_desk):
    """The usual desk with a closed ticket beside the others."""
    records = {
        "config.integrations": [{}],
        "contacts.contacts": [{}],
        "crm.customers": [{}],
        "finance.payees": [{}],
        "finance.transactions": [{}, {"status": "paid"}, {"status": "approved"}],
        "gmail.messages": [{}],
        "helpdesk.tickets": [{}, {}, CLOSED],
        "calendar.events": [{}],
        "chat.channels": [{}],
        "files.documents": [{}],
        "forms.forms": [{}],
        "forms.submissions": [{}, {"submitted_by": "kim@orga.test"}],
        "inventory.products": [{}],
        "inventory.orders": [{}],
        "kb.articles": [{}],
        "notes.notes": [{}],
        "people.employees": [{}],
        "people.leave": [{}],
        "scheduler.jobs": [{}],
        "sheets.sheets": [{}],
        "sheets.rows": [{}],
        "todo.tasks": [{}],
    }
    return make_desk(records)


@pytest.mark.parametrize("name", sorted(WRITES))
def test_a_tool_that_says_it_writes_changes_a_record(busy, name: str) -> None:
    assert tool(name).writes
    before = busy.office.now
    busy.ok(name, **WRITES[name])
    assert busy.office.log[-1].changes
    assert busy.office.world.diff()
    assert busy.office.now > before


def test_the_writing_tools_are_those_that_say_so() -> None:
    assert {made.name for owner, made in OWNED if made.writes} == set(WRITES)


TASKS = [
    found.build(found.item(seed=seed, level=level))
    for found in packages()
    for seed, level in ((1, "easy"), (2, "warmup"))
]


@given(st.sampled_from(TASKS), st.integers(min_value=0))
@settings(max_examples=40)
def test_a_tool_that_only_reads_changes_nothing_in_any_task(task, seed: int) -> None:
    rng, ids = np.random.default_rng(seed), [""]
    for rows in task.base.tables.values():
        ids += list(rows)[:8]
    office = Office(World(task.base), task.tools, task.zone, task.owner)
    for _ in range(15):
        call = sample_call(rng, task.tool_schemas, [*ids, task.owner.email, task.owner.name])
        before = office.world.digest(), office.now
        result = office.call(ToolCall(call["name"], call["arguments"]))
        event = office.log[-1]
        assert event.valid, result.content
        if not task.tools[call["name"]].writes:
            assert event.changes == ()
            assert (office.world.digest(), office.now) == before


# Names that carry over from Claw-Eval -------------------------------------------------------------

CLAW_EVAL = {
    "gmail_list_messages": ({"days_back": 7, "max_results": 20}, {"messages", "total"}),
    "gmail_get_message": ({"message_id": "MSG-1"}, {"message_id", "from", "to", "subject", "body"}),
    "gmail_send_message": (
        {"to": "bo@orga.test", "subject": "a", "body": "b"},
        {"status": "sent", "message": {"to", "subject"}},
    ),
    "gmail_save_draft": (
        {"to": "bo@orga.test", "subject": "a", "body": "b", "reply_to_message_id": "MSG-1"},
        {"status": "draft_saved", "draft": {"to", "subject"}},
    ),
    "contacts_search": ({"query": "Ana", "department": "Sales"}, {"contacts", "total"}),
    "contacts_get": ({"contact_id": "CT-1"}, {"contact_id", "name", "department", "email"}),
    "contacts_send_message": (
        {"contact_id": "CT-1", "message": "Hi"},
        {"status": "sent", "record": {"contact_id", "message"}},
    ),
    "helpdesk_list_tickets": ({"status": "all"}, {"tickets", "total"}),
    "helpdesk_get_ticket": ({"ticket_id": "TK-1"}, {"ticket_id", "title", "description"}),
    "helpdesk_update_ticket": (
        {"ticket_id": "TK-1", "priority": "high", "tags": ["a"], "category": "vpn"},
        {"status": "updated", "ticket": {"ticket_id", "priority", "tags", "category"}},
    ),
    "helpdesk_close_ticket": (
        {"ticket_id": "TK-1", "resolution": "Fixed."},
        {"status": "closed", "ticket": {"ticket_id", "status", "resolution"}},
    ),
    "crm_list_customers": (
        {"status": "active", "tier": "standard", "industry": "Retail"},
        {"customers", "total"},
    ),
    "crm_get_customer": ({"customer_id": "CUS-1"}, {"customer_id", "name", "tier"}),
    "crm_export_report": (
        {"title": "a", "customer_ids": ["CUS-1"], "summary": "b"},
        {"status": "exported", "report": {"title", "customer_ids", "summary"}},
    ),
    "finance_list_transactions": (
        {"start_date": "2026-03-01", "end_date": "2026-03-31"},
        {"transactions", "total"},
    ),
    "finance_get_transaction": (
        {"transaction_id": "TXN-1"},
        {"transaction_id", "date", "amount", "description"},
    ),
    "finance_submit_report": (
        {"title": "a", "transactions": ["TXN-1"], "total_amount": 19.99},
        {"status": "submitted", "report": {"title", "transactions", "total_amount"}},
    ),
}


@pytest.mark.parametrize("name", sorted(CLAW_EVAL))
def test_names_arguments_and_answers_carry_over_from_claw_eval(desk, name: str) -> None:
    arguments, expected = CLAW_EVAL[name]
    answer = desk.ok(name, **arguments)
    assert set(expected) <= set(answer)
    if isinstance(expected, dict):
        _, wrapper = expected
        assert answer["status"] == expected["status"]
        assert expected[wrapper] <= set(answer[wrapper])


ROWS = {
    "gmail_list_messages": {"message_id", "from", "subject", "date", "is_read", "labels"},
    "helpdesk_list_tickets": {"ticket_id", "title", "reporter", "priority", "status", "created_at"},
    "crm_list_customers": {"customer_id", "name", "contact_person", "tier", "status", "industry",
                           "annual_revenue"},
    "finance_list_transactions": {"transaction_id", "date", "amount", "description"},
    "contacts_search": {"contact_id", "name", "department", "title", "email"},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows_of_a_list_have_the_fields_of_claw_eval(desk, name: str) -> None:
    answer = desk.ok(name)
    first = next(iter(answer.values()))[0]
    assert ROWS[name] <= set(first)


# Registration -------------------------------------------------------------------------------------


def test_an_unknown_name_gets_the_nearest() -> None:
    for find, wrong, right in (
        (service, "gmial", "gmail"),
        (table, "gmail.mesages", "gmail.messages"),
        (tool, "gmail_send_mesage", "gmail_send_message"),
    ):
        with pytest.raises(UnknownNameError, match=f"Did you mean '{right}'"):
            find(wrong)


def test_a_name_is_registered_once_and_starts_with_its_service() -> None:
    def helpdesk_list_mail(office: Office) -> object:
        """Lists nothing."""

    def gmail_get_message(office: Office) -> object:
        """Reads nothing."""

    for function in (helpdesk_list_mail, gmail_get_message):
        with pytest.raises(ValueError, match="gmail_verb_noun"):
            GMAIL.tool(function)
    with pytest.raises(ValueError, match="registered twice"):
        Service("gmail")
    assert tool("gmail_get_message").function is not gmail_get_message
