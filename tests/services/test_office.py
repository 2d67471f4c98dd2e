"""The office: calls are run and logged in one place, and what is shown says what it means."""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coworkgym.services
from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict
from coworkgym.services import MALFORMED, Office, Tool, table
from coworkgym.services.contacts import CONTACTS
from coworkgym.services.instants import format_instant, local_text, parse_instant
from coworkgym.transcript import ToolCall

TICKETS = table("helpdesk.tickets")


@Tool
def broken(office: Office, text: str = "") -> object:
    """Writes, creates and deletes something and then fails by a fault of its own."""
    office.world.update(TICKETS, "TK-1", title="Changed")
    office.world.insert(CONTACTS, **CONTACTS.validate({**office.world.get(CONTACTS, "CT-1")}))
    office.world.delete(TICKETS, "TK-2")
    raise ZeroDivisionError("a bug")


@Tool
def half_way(office: Office) -> object:
    """Writes something and is then refused."""
    office.world.update(TICKETS, "TK-1", title="Changed")
    office.world.delete(TICKETS, "TK-2")
    raise ToolError("conflict", "No.")


@Tool
def unreadable(office: Office) -> object:
    """Writes something and answers with what is no JSON."""
    office.world.update(TICKETS, "TK-1", title="Changed")
    return object()


# The audit log ------------------------------------------------------------------------------------


def test_an_event_says_everything_about_its_call(desk) -> None:
    desk.ok("helpdesk_list_tickets")
    desk.office.stage = 2
    result = desk.office.call(
        ToolCall("helpdesk_update_ticket", {"ticket_id": "TK-1", "priority": "high"}),
        interface="mcp",
        actor="user",
    )
    event = desk.office.log[-1]
    assert (event.step, event.stage, event.interface, event.actor) == (2, 2, "mcp", "user")
    assert event.name == "helpdesk_update_ticket"
    assert event.result == result.content
    assert event.error is None
    assert event.valid
    (change,) = event.changes
    assert (change.table, change.id) == ("helpdesk.tickets", "TK-1")
    assert (change.before["priority"], change.after["priority"]) == ("low", "high")
    assert change.after == desk.record("helpdesk.tickets", "TK-1")


def test_the_log_has_defaults_filled_in_and_keeps_what_was_sent(desk) -> None:
    desk.call("gmail_list_messages", '{"max_results": "5", "label": null}')
    event = desk.office.log[-1]
    assert event.arguments == {"days_back": 7, "max_results": 5, "label": "inbox", "cursor": None}
    assert type(event.arguments) is FrozenDict
    assert event.raw == '{"max_results": "5", "label": null}'
    desk.ok("helpdesk_get_ticket", ticket_id="TK-1")
    assert desk.office.log[-1].arguments == {"ticket_id": "TK-1"}
    desk.ok("contacts_search", query="ana")
    assert desk.office.log[-1].arguments["department"] is None
    desk.ok("finance_refund_transaction", transaction_id="TXN-2", amount=1)
    json.dumps(desk.office.log[-1].arguments)


def test_a_malformed_call_is_logged_as_it_was_sent(desk) -> None:
    for name, sent in (
        ("gmail_send_mail", {"to": "bo@orga.test"}),
        ("gmail_send_message", {"to": "bo@orga.test"}),
        ("helpdesk_list_tickets", {"limit": "abc"}),
    ):
        desk.call(name, sent)
        event = desk.office.log[-1]
        assert (event.name, event.arguments, event.raw) == (name, sent, sent)
        assert event.error in MALFORMED
        assert not event.valid


def test_a_refused_call_is_logged_with_its_error_and_no_change(desk) -> None:
    desk.refused("helpdesk_get_ticket", ticket_id="TK-9")
    event = desk.office.log[-1]
    assert (event.step, event.error, event.changes) == (1, "not_found", ())
    assert event.valid
    assert json.loads(event.result) == {
        "error": "not_found",
        "message": "There is no ticket 'TK-9'.",
    }


def test_later_calls_do_not_change_earlier_entries(desk) -> None:
    tags = ["a"]
    sent = {"ticket_id": "TK-1", "tags": tags}
    desk.call("helpdesk_update_ticket", sent)
    before = pickle.dumps(desk.office.log), copy.deepcopy(desk.office.log)
    tags.append("b")
    sent["ticket_id"] = "TK-2"
    desk.ok("helpdesk_update_ticket", ticket_id="TK-1", tags=["c"])
    desk.ok("helpdesk_close_ticket", ticket_id="TK-1", resolution="Fixed.")
    assert desk.office.log[0].arguments["tags"] == ["a"]
    assert desk.office.log[0].raw == {"ticket_id": "TK-1", "tags": ["a"]}
    assert desk.office.log[:1] == before[1] == pickle.loads(before[0])


def test_a_fork_shares_the_past_and_goes_its_own_way(desk) -> None:
    desk.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="high")
    fork = desk.office.fork()
    fork.call(ToolCall("helpdesk_update_ticket", {"ticket_id": "TK-1", "priority": "medium"}))
    assert len(desk.office.log) == 1
    assert (desk.office.step, fork.step) == (1, 2)
    assert desk.record("helpdesk.tickets", "TK-1")["priority"] == "high"
    assert fork.world.get(TICKETS, "TK-1")["priority"] == "medium"


# Failure ------------------------------------------------------------------------------------------


def test_a_refusal_half_way_through_changes_nothing(make_desk) -> None:
    desk = make_desk(tools=[half_way])
    assert desk.refused("half_way") == ("conflict", "No.")
    assert desk.office.log[-1].changes == ()


@pytest.mark.parametrize(
    ("name", "error"), [("broken", ZeroDivisionError), ("unreadable", Exception)]
)
def test_a_bug_in_a_tool_propagates_and_is_rolled_back(make_desk, name: str, error: type) -> None:
    desk = make_desk(tools=[broken, unreadable])
    before = desk.state()
    with pytest.raises(error):
        desk.office.call(ToolCall(name, {}))
    assert desk.state() == before
    desk.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="high")
    assert len(desk.office.log[-1].changes) == 1


def test_an_unknown_tool_gets_the_nearest_match(desk) -> None:
    code, message = desk.refused("helpdesk_list_ticket")
    assert code == "unknown_tool"
    assert message.startswith("There is no tool 'helpdesk_list_ticket'. Did you mean 'helpdesk_")
    assert desk.refused("zzz") == ("unknown_tool", "There is no tool 'zzz'.")


def test_a_tool_that_the_task_does_not_offer_is_unknown(desk) -> None:
    del desk.office.tools["gmail_send_message"]
    assert desk.refused("gmail_send_message")[0] == "unknown_tool"


def test_reply_delivers_any_text_and_changes_nothing(desk) -> None:
    assert desk.ok("reply", text="Done: TK-1.") == {"delivered": True}
    assert desk.office.world.diff() == []
    assert desk.refused("reply") == ("missing_argument", "reply needs 'text'.")


# What the system does -----------------------------------------------------------------------------


def test_the_system_changes_creates_and_deletes_silently_and_logged(desk) -> None:
    office = desk.office
    office.change(TICKETS, "TK-1", {"priority": "critical"})
    office.change(TICKETS, "TK-50", dict(desk.row("helpdesk.tickets", {"title": "New"}, 50)))
    office.change(TICKETS, "TK-2", None)
    assert [ticket["ticket_id"] for ticket in desk.rows("helpdesk.tickets")] == ["TK-1", "TK-50"]
    assert desk.record("helpdesk.tickets", "TK-1")["title"] == "Printer"
    assert {(e.step, e.actor, e.interface, e.error) for e in office.log} == {
        (0, "system", "system", None)
    }
    assert [event.changes[0].id for event in office.log] == ["TK-1", "TK-50", "TK-2"]
    assert office.step == 0
    desk.ok("helpdesk_get_ticket", ticket_id="TK-50")
    assert office.log[-1].step == 1


def test_a_system_change_must_fit_the_record(desk) -> None:
    for fields in ({"priority": "odd"}, {"prority": "low"}):
        before = desk.state()
        with pytest.raises(ValueError, match="TK-1"):
            desk.office.change(TICKETS, "TK-1", fields)
        assert desk.state() == before


# Time ---------------------------------------------------------------------------------------------


def test_today_is_the_day_of_the_office_not_of_utc(make_desk) -> None:
    """A-today-utc"""
    evening = datetime(2031, 3, 6, 4, 20, tzinfo=UTC)  # 20:20 on the 5th in Los Angeles
    assert make_desk({}, zone="America/Los_Angeles", start=evening).office.today == date(2031, 3, 5)
    assert make_desk({}, zone="UTC", start=evening).office.today == date(2031, 3, 6)
    late = datetime(2031, 3, 5, 20, 0, tzinfo=UTC)
    assert make_desk({}, zone="Asia/Shanghai", start=late).office.today == date(2031, 3, 6)


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("Europe/Berlin", "2026-03-24T09:00:00Z (2026-03-24 10:00 Europe/Berlin)"),
        ("America/Chicago", "2026-03-24T09:00:00Z (2026-03-24 04:00 America/Chicago)"),
        ("Asia/Shanghai", "2026-03-24T09:00:00Z (2026-03-24 17:00 Asia/Shanghai)"),
    ],
)
def test_an_instant_is_shown_in_utc_local_time_and_zone(make_desk, zone: str, shown: str) -> None:
    """A-mixed-tz"""
    desk = make_desk(zone=zone)
    assert desk.ok("gmail_get_message", message_id="MSG-1")["date"] == shown
    rows = desk.ok("gmail_list_messages")["messages"]
    assert shown in [row["date"] for row in rows]
    assert desk.record("gmail.messages", "MSG-1")["date"] == "2026-03-24T09:00:00Z"


def test_instants_inside_of_a_record_are_shown_alike(desk) -> None:
    """A-mixed-tz"""
    ticket = desk.ok("helpdesk_comment_ticket", ticket_id="TK-1", text="Looking.")["ticket"]
    assert ticket["comments"][0]["at"] == "2026-03-25T09:00:00Z (2026-03-25 10:00 Europe/Berlin)"
    assert "closed_at" not in ticket
    ticket = desk.ok("helpdesk_close_ticket", ticket_id="TK-1", resolution="Fixed.")["ticket"]
    assert ticket["closed_at"] == "2026-03-25T09:00:30Z (2026-03-25 10:00 Europe/Berlin)"


def test_the_local_time_follows_the_clock_change() -> None:
    """A-mixed-tz"""
    assert "(2026-03-29 01:30 " in local_text("2026-03-29T00:30:00Z", "Europe/Berlin")
    assert "(2026-03-29 03:30 " in local_text("2026-03-29T01:30:00Z", "Europe/Berlin")


@given(st.builds(datetime.fromtimestamp, st.integers(-(10**10), 10**11), st.timezones()))
@settings(max_examples=40)
def test_an_instant_and_its_text_are_the_same_moment(moment: datetime) -> None:
    """A-mixed-tz"""
    parsed = parse_instant(format_instant(moment))
    assert parsed == moment.astimezone(UTC).replace(microsecond=0)
    assert format_instant(parsed) == format_instant(moment)


@pytest.mark.parametrize("text", ["2026-03-25", "2026-03-25T09:00:00+01:00", "2026-3-5T09:00:00Z"])
def test_other_forms_of_an_instant_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        parse_instant(text)


def test_money_is_shown_as_a_decimal_with_its_currency(make_desk) -> None:
    rows = [
        {"amount": 125_000, "currency": "EUR"},
        {"amount": 1001, "currency": "JPY"},
        {"amount": -5, "currency": "KWD"},
    ]
    desk = make_desk({"finance.transactions": rows})
    listed = desk.ok("finance_list_transactions")["transactions"]
    shown = [(row["amount"], row["currency"]) for row in listed]
    assert shown == [("1250.00", "EUR"), ("1001", "JPY"), ("-0.005", "KWD")]
    assert desk.ok("finance_get_transaction", transaction_id="TXN-1")["refunded"] == "0.00"


def test_a_record_read_again_after_a_change_is_the_new_one(desk) -> None:
    old = desk.ok("helpdesk_get_ticket", ticket_id="TK-1")
    fork = desk.office.fork()
    desk.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="high")
    assert desk.ok("helpdesk_get_ticket", ticket_id="TK-1") == old | {"priority": "high"}
    read = fork.call(ToolCall("helpdesk_get_ticket", {"ticket_id": "TK-1"}))
    assert json.loads(read.content) == old


def test_offices_of_one_task_in_two_zones_show_their_own_time(desk) -> None:
    twin = Office(desk.office.world.fork(), desk.office.tools, "Asia/Tokyo", desk.office.owner)
    here = desk.ok("gmail_get_message", message_id="MSG-1")["date"]
    there = json.loads(twin.call(ToolCall("gmail_get_message", {"message_id": "MSG-1"})).content)
    assert "Europe/Berlin" in here
    assert "Asia/Tokyo" in there["date"]


# The same everywhere ------------------------------------------------------------------------------

REPLAY = """
import numpy
from coworkgym.envs import Episode, sample_call
from coworkgym.tasks import get_package
package = get_package("escalation")
episode = Episode(package.build(package.item(seed=3)))
rng = numpy.random.default_rng(5)
tools = [tool for tool in episode.task.tool_schemas if tool["name"] != "reply"]
words = [row_id for rows in episode.task.base.tables.values() for row_id in rows]
for _ in range(15):
    episode.act(sample_call(rng, tools, words))
print(episode.transcript.messages, episode.office.log, episode.office.world.digest())
"""


def test_neither_hash_seed_nor_system_zone_changes_an_episode() -> None:
    """A-hash-order, A-wall-clock"""
    outputs = set()
    for hash_seed, zone in (("0", "UTC"), ("1", "America/Los_Angeles"), ("random", "Asia/Tokyo")):
        variables = {**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone}
        run = [sys.executable, "-c", REPLAY]
        outputs.add(subprocess.run(run, env=variables, capture_output=True, check=True).stdout)
    assert len(outputs) == 1
    assert len(outputs.pop()) > 5000


def test_no_service_reads_a_clock_or_rolls_dice() -> None:
    """A-wall-clock"""
    forbidden = re.compile(
        r"datetime\.now|date\.today|utcnow|(?:import|from) (?:time|random|uuid|secrets)\b"
    )
    for path in Path(coworkgym.services.__file__).parent.glob("*.py"):
        assert not forbidden.search(path.read_text(encoding="utf-8")), path.name


def test_the_clock_moves_on_writes_only(desk) -> None:
    """A-wall-clock"""
    start = desk.office.now
    desk.ok("gmail_list_messages")
    assert desk.office.now == start
    desk.ok("gmail_archive_message", message_id="MSG-1")
    assert desk.office.now == start + timedelta(seconds=30)
