"""Claw-Eval's audit: what the servers tell about an episode when it is over."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.frozen import freeze
from coworkgym.services.dialects.claw_eval import audit, server
from coworkgym.services.dialects.claw_eval.audit import health_call
from coworkgym.services.dialects.claw_eval.server import SERVERS
from coworkgym.transcript import ToolCall

STAMP = "2026-05-04T09:00:00+00:00"


def test_a_call_is_told_with_its_path_its_defaults_and_its_answer(claw):
    answer = claw.ok("/kb/search", query="paint", max_results="1", colour="red")
    (call,) = claw.audit("kb")["calls"]
    assert call == {
        "endpoint": "/kb/search",
        "request_body": {"query": "paint", "category": None, "max_results": 1},
        "response_body": answer,
        "timestamp": STAMP,
    }


def test_the_moment_of_all_calls_is_the_start(claw):
    for _ in range(2):
        claw.ok("/todo/tasks/create", title="x")
    assert {call["timestamp"] for call in claw.audit("todo")["calls"]} == {STAMP}


def test_calls_that_have_another_status_than_200_are_not_told(claw):
    claw.refused("/gmail/send", to="x")
    claw.refused("/gmail/messages", days_back=10**9)
    claw.refused("/todo/tasks/get", task_id="todo_001")
    claw.send("/gmail/fly", {})
    assert claw.audit("gmail")["calls"] == claw.audit("todo")["calls"] == []
    assert claw.ok("/gmail/messages/get", message_id="no")["error"]
    assert len(claw.audit("gmail")["calls"]) == 1, "an error of status 200 is told"


def test_each_server_tells_its_own_calls_under_the_name_it_was_started_as(claw):
    claw.ok("/gmail/messages")
    claw.ok("/crm/customers")
    claw.office.call(ToolCall("reply", freeze({"text": "Done."})))
    told = audit(claw.office, {"post": server("gmail"), "clients": server("crm")})
    assert list(told) == ["post", "clients"]
    assert [call["endpoint"] for call in told["post"]["calls"]] == ["/gmail/messages"]
    assert [call["endpoint"] for call in told["clients"]["calls"]] == ["/crm/customers"]


@pytest.mark.parametrize(
    ("name", "lists"),
    [
        ("gmail", ["sent_messages", "drafts"]),
        ("calendar", ["deleted", "created_events"]),
        ("todo", ["deleted", "updated_tasks"]),
        ("contacts", ["sent_messages"]),
        ("finance", ["submitted_reports"]),
        ("notes", ["shared"]),
        ("kb", ["updates"]),
        ("helpdesk", ["closed", "updated_tickets"]),
        ("inventory", ["orders"]),
        ("rss", ["published"]),
        ("crm", ["exported_reports"]),
        ("config", ["updates", "notifications"]),
        ("scheduler", ["created_jobs", "updated_jobs", "deleted_jobs"]),
        ("web", ["notifications"]),
        ("ocr", []),
        ("caption", []),
        ("documents", []),
    ],
)
def test_a_server_that_was_left_alone_tells_empty_lists(claw, name, lists):
    assert claw.audit(name) == {each: [] for each in ["calls", *lists]}
    assert set(SERVERS) == {row[0] for row in _LISTS}


_LISTS = test_a_server_that_was_left_alone_tells_empty_lists.pytestmark[0].args[1]


def test_recorded_texts_are_told_without_their_answer(claw):
    claw.ok("/ocr/extract", image_path="menu.png")
    claw.ok("/caption/describe")
    for name, path, image in (
        ("ocr", "/ocr/extract", "menu.png"),
        ("caption", "/caption/describe", ""),
    ):
        call = {"endpoint": path, "request_body": {"image_path": image}, "timestamp": STAMP}
        assert claw.audit(name)["calls"] == [call]


def test_a_document_is_told_by_the_length_of_its_text(claw):
    claw.ok("/documents/extract_text", **{"path": "a/report.pdf", "max_pages": 1})
    claw.refused("/documents/extract_text", **{"path": "no.pdf"})
    (call,) = claw.audit("documents")["calls"]
    assert call["response_body"] == {
        "path": "a/report.pdf", "page_count": 3, "pages_returned": 1, "text_length": 6,
    }  # fmt: skip


# Later updates -----------------------------------------------------------------------------------


def test_a_later_update_shows_in_the_call_that_created_a_task(claw):
    claw.ok("/todo/tasks/create", title="Varnish")
    claw.ok("/todo/tasks/update", task_id="todo_004", title="Wax", tags=["floor"])
    claw.ok("/todo/tasks/update", task_id="todo_004", status="done")
    calls = claw.audit("todo")["calls"]
    created, first, last = (call["response_body"]["task"] for call in calls)
    assert created == last
    assert (created["title"], created["status"]) == ("Wax", "done")
    assert (first["title"], first["status"]) == ("Wax", "pending")


def test_an_update_of_another_row_of_the_same_id_does_not(claw):
    claw.ok("/todo/tasks/delete", task_id="todo_001")
    claw.ok("/todo/tasks/create", title="Varnish")
    claw.ok("/todo/tasks/update", task_id="todo_003", title="Rasp")
    created = claw.audit("todo")["calls"][1]["response_body"]["task"]
    assert (created["task_id"], created["title"]) == ("todo_003", "Varnish")
    claw.ok("/todo/tasks/delete", task_id="todo_003")
    claw.ok("/todo/tasks/update", task_id="todo_003", title="Wax")
    assert claw.audit("todo")["calls"][1]["response_body"]["task"]["title"] == "Wax"


def test_an_update_that_finds_nothing_and_a_list_leave_it_alone(claw):
    claw.ok("/todo/tasks/create", title="Varnish")
    claw.ok("/todo/tasks/update", task_id="no", title="Wax")
    claw.ok("/todo/tasks")
    claw.ok("/todo/tasks/delete", task_id="todo_004")
    created = claw.audit("todo")["calls"][0]["response_body"]["task"]
    assert created["title"] == "Varnish"


def test_a_created_job_is_told_as_it_was(claw):
    given_ = {"name": "Dust", "cron_expression": "never", "action": "x"}
    claw.ok("/scheduler/jobs/create", **given_)
    claw.ok("/scheduler/jobs/update", job_id="JOB-004", name="Mop")
    audit = claw.audit("scheduler")
    assert audit["calls"][0]["response_body"]["job"]["name"] == "Dust"
    assert audit["created_jobs"][0]["name"] == "Dust"


@given(st.lists(st.sampled_from(["create", "update", "delete"]), max_size=8))
def test_an_audit_is_json_tells_every_call_and_can_be_asked_for_again(make_claw, acts):
    claw = make_claw()
    for act in acts:
        claw.ok(f"/todo/tasks/{act}", task_id="todo_003", title=act)
    told = claw.audit("todo")
    assert [call["endpoint"] for call in told["calls"]] == [f"/todo/tasks/{act}" for act in acts]
    assert json.loads(json.dumps(told)) == told
    assert claw.audit("todo") == told


# Health checks -----------------------------------------------------------------------------------


def test_a_health_check_of_a_list_is_a_call_with_defaults_before_anything_happened(claw):
    before = claw.ok("/todo/tasks")
    claw.ok("/todo/tasks/create", title="More")
    (call,) = health_call(claw.office, server("todo"), "/todo/tasks")
    assert call == {
        "endpoint": "/todo/tasks",
        "request_body": {"status": "all"},
        "response_body": before,
        "timestamp": STAMP,
    }


def test_a_health_check_of_the_calendar_asks_for_one_day_of_march(claw):
    (call,) = health_call(claw.office, server("calendar"), "/calendar/events")
    assert call["request_body"] == {"date": "2026-03-02", "days": 1}


@pytest.mark.parametrize(
    ("name", "path"), [("contacts", "/contacts/search"), ("web", "/web/health"), ("gmail", "")]
)
def test_a_health_check_of_a_route_that_needs_a_body_or_is_none_leaves_nothing(claw, name, path):
    assert health_call(claw.office, server(name), path) == []


def test_an_audit_may_begin_with_the_checks_that_were_answered_before(claw):
    claw.ok("/todo/tasks", status="pending")
    named = {"one": server("todo"), "two": server("contacts"), "three": server("crm")}
    checked = {"one": "/todo/tasks", "two": "/contacts/search"}
    told = audit(claw.office, named, checked)
    bodies = [[call["request_body"] for call in told[name]["calls"]] for name in named]
    assert bodies == [[{"status": "all"}, {"status": "pending"}], [], []]
    assert audit(claw.office, named)["one"]["calls"] == told["one"]["calls"][1:]
