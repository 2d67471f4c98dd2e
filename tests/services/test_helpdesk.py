"""Helpdesk: tickets are listed, changed, and move between their states."""

import pytest


@pytest.fixture
def queue(make_desk):
    """One ticket of every status, and a second open one."""
    tickets = [
        {"customer_id": "CUS-1", "priority": "high"},
        {"status": "pending"},
        {"status": "escalated", "escalation_reason": "Late.", "customer_id": "CUS-1"},
        {"status": "closed", "resolution": "Fixed.", "closed_at": "2026-03-24T09:00:00Z"},
        {"priority": "critical"},
    ]
    return make_desk({"helpdesk.tickets": tickets})


def listed(desk, **arguments: object) -> list[str]:
    return [row["ticket_id"] for row in desk.ok("helpdesk_list_tickets", **arguments)["tickets"]]


def ticket(desk, ticket_id: str = "TK-1"):
    return desk.record("helpdesk.tickets", ticket_id)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["TK-1", "TK-5"]),
        ({"status": "pending"}, ["TK-2"]),
        ({"status": "escalated"}, ["TK-3"]),
        ({"status": "closed"}, ["TK-4"]),
        ({"status": "all"}, ["TK-1", "TK-2", "TK-3", "TK-4", "TK-5"]),
        ({"priority": "critical"}, ["TK-5"]),
        ({"status": "all", "customer_id": "CUS-1"}, ["TK-1", "TK-3"]),
        ({"customer_id": "CUS-2"}, []),
        ({"status": None, "priority": None}, ["TK-1", "TK-5"]),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(queue, filters: dict, expected: list) -> None:
    assert listed(queue, **filters) == expected


def test_a_ticket_is_read_in_full_and_fields_without_value_are_left_out(queue) -> None:
    read = queue.ok("helpdesk_get_ticket", ticket_id="TK-1")
    assert (read["description"], read["department"], read["comments"]) == (
        "It is broken.",
        "IT",
        [],
    )
    assert "resolution" not in read
    assert queue.refused("helpdesk_get_ticket", ticket_id="TK-9")[0] == "not_found"


def test_only_what_is_given_is_changed(queue) -> None:
    before = ticket(queue)
    answer = queue.ok("helpdesk_update_ticket", ticket_id="TK-1", tags=["a", "b"])
    assert answer["status"] == "updated"
    assert answer["ticket"]["tags"] == ["a", "b"]
    assert ticket(queue) == before | {"tags": ["a", "b"]}
    queue.ok("helpdesk_update_ticket", ticket_id="TK-1", tags=[], priority="low", category="vpn")
    assert ticket(queue) == before | {"tags": [], "priority": "low", "category": "vpn"}
    assert queue.refused("helpdesk_update_ticket", ticket_id="TK-9", tags=[])[0] == "not_found"


def test_an_update_of_nothing_changes_nothing(queue) -> None:
    assert queue.ok("helpdesk_update_ticket", ticket_id="TK-1")["status"] == "updated"
    assert queue.office.world.diff() == []


def test_a_ticket_is_handed_to_somebody(queue) -> None:
    queue.ok("helpdesk_assign_ticket", ticket_id="TK-1", assignee="bo@orga.test")
    assert ticket(queue)["assigned_to"] == "bo@orga.test"


def test_a_remark_is_added_at_the_end_and_signed(queue) -> None:
    queue.ok("helpdesk_comment_ticket", ticket_id="TK-4", text="One.")
    queue.ok("helpdesk_comment_ticket", ticket_id="TK-4", text="Two.")
    assert ticket(queue, "TK-4")["comments"] == [
        {"author": "kim@orga.test", "text": "One.", "at": "2026-03-25T09:00:00Z"},
        {"author": "kim@orga.test", "text": "Two.", "at": "2026-03-25T09:00:30Z"},
    ]
    assert queue.refused("helpdesk_comment_ticket", ticket_id="TK-9", text="")[0] == "not_found"


def test_an_open_ticket_is_escalated_once(queue) -> None:
    for ticket_id in ("TK-1", "TK-2"):
        answer = queue.ok("helpdesk_escalate_ticket", ticket_id=ticket_id, reason="Late.")
        assert answer["status"] == answer["ticket"]["status"] == "escalated"
        assert ticket(queue, ticket_id)["escalation_reason"] == "Late."
        code, message = queue.refused("helpdesk_escalate_ticket", ticket_id=ticket_id, reason="x")
        assert (code, message) == ("conflict", f"Ticket {ticket_id!r} is escalated already.")


@pytest.mark.parametrize("ticket_id", ["TK-1", "TK-2", "TK-3"])
def test_a_closed_ticket_is_reopened_and_closed_again(queue, ticket_id: str) -> None:
    queue.ok("helpdesk_close_ticket", ticket_id=ticket_id, resolution="Fixed.")
    closed = ticket(queue, ticket_id)
    assert (closed["status"], closed["resolution"]) == ("closed", "Fixed.")
    assert closed["closed_at"] == "2026-03-25T09:00:00Z"
    assert queue.ok("helpdesk_reopen_ticket", ticket_id=ticket_id)["status"] == "reopened"
    opened = ticket(queue, ticket_id)
    assert (opened["status"], opened["resolution"], opened["closed_at"]) == ("open", None, None)
    queue.ok("helpdesk_close_ticket", ticket_id=ticket_id, resolution="Again.")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("helpdesk_close_ticket", {"resolution": "x"}),
        ("helpdesk_escalate_ticket", {"reason": "x"}),
        ("helpdesk_assign_ticket", {"assignee": "bo@orga.test"}),
    ],
)
def test_a_closed_ticket_must_be_reopened_first(queue, name: str, arguments: dict) -> None:
    code, message = queue.refused(name, ticket_id="TK-4", **arguments)
    assert (code, message) == ("conflict", "Ticket 'TK-4' is closed; reopen it first.")
    assert queue.refused(name, ticket_id="TK-9", **arguments)[0] == "not_found"


def test_only_a_closed_ticket_is_reopened(queue) -> None:
    for ticket_id in ("TK-1", "TK-2", "TK-3"):
        assert queue.refused("helpdesk_reopen_ticket", ticket_id=ticket_id)[0] == "conflict"
    assert queue.refused("helpdesk_reopen_ticket", ticket_id="TK-9")[0] == "not_found"
