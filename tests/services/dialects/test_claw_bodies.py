"""Bodies and transport: what a route takes, and how it refuses the rest."""

import json

import pytest

from coworkgym.errors import UnknownNameError
from coworkgym.frozen import FrozenDict
from coworkgym.services.dialects.claw_eval import server
from coworkgym.services.dialects.claw_eval.server import row_table
from coworkgym.transcript import ToolCall

# Bodies ------------------------------------------------------------------------------------------


def test_missing_fields_are_told_one_by_one_in_order_with_the_whole_body(claw):
    status, body = claw.refused("/gmail/send", subject="Lamps")
    assert status == 422
    line = {"type": "missing", "msg": "Field required", "input": {"subject": "Lamps"}}
    assert body == {"detail": [line | {"loc": ["body", name]} for name in ("to", "body")]}


@pytest.mark.parametrize(
    ("path", "arguments", "kind", "message"),
    [
        ("/gmail/messages", {"days_back": "soon"}, "int_parsing",
         "Input should be a valid integer, unable to parse string as an integer"),
        ("/gmail/messages", {"days_back": 2.5}, "int_from_float",
         "Input should be a valid integer, got a number with a fractional part"),
        ("/gmail/messages", {"days_back": None}, "int_type", "Input should be a valid integer"),
        ("/todo/tasks", {"status": None}, "string_type", "Input should be a valid string"),
        ("/todo/tasks", {"status": 3}, "string_type", "Input should be a valid string"),
        ("/scheduler/jobs", {"enabled": "perhaps"}, "bool_parsing",
         "Input should be a valid boolean, unable to interpret input"),
    ],
)  # fmt: skip
def test_a_value_of_a_wrong_type_is_told_with_its_place_and_itself(
    claw, path, arguments, kind, message
):
    status, body = claw.refused(path, **arguments)
    ((name, value),) = arguments.items()
    assert status == 422
    assert body["detail"] == [{"type": kind, "loc": ["body", name], "msg": message, "input": value}]


def test_the_items_of_a_list_are_looked_at_one_by_one(claw):
    _, body = claw.refused("/notes/share", note_id="n1", recipients=["a", 1, "b", None])
    assert [line["loc"] for line in body["detail"]] == [
        ["body", "recipients", 1],
        ["body", "recipients", 3],
    ]


@pytest.mark.parametrize("sent", ["30", 30.0, 30])
def test_numbers_are_taken_as_text_and_as_whole_floats(claw, sent):
    claw.ok("/gmail/messages", days_back=sent)
    (call,) = claw.audit("gmail")["calls"]
    assert json.dumps(call["request_body"]) == '{"days_back": 30, "max_results": 20}'


def test_true_is_one_and_text_is_a_bool_and_a_float(claw):
    assert claw.ok("/notes/list", max_results=True)["total"] == 1
    assert claw.ok("/scheduler/jobs", enabled="false")["total"] == 1
    assert claw.ok("/scheduler/jobs", enabled=1)["total"] == 2
    report = claw.ok("/finance/report/submit", title="x", transactions=[], total_amount="3.5")
    assert report["report"]["total_amount"] == 3.5


def test_unknown_keys_are_dropped(claw):
    assert claw.ok("/todo/tasks", status="pending", colour="red")["total"] == 2
    assert claw.audit("todo")["calls"][0]["request_body"] == {"status": "pending"}


def test_null_is_taken_where_a_field_may_be_null(claw):
    assert claw.ok("/inventory/products", category=None)["total"] == 2
    assert claw.refused("/kb/search", query=None)[0] == 422


def test_no_arguments_are_an_empty_body(claw):
    assert claw.send("/todo/tasks", None) == claw.send("/todo/tasks", {})


def test_what_is_no_object_is_refused_with_itself(claw):
    status, body = claw.send("/todo/tasks", [1])
    assert status == 422
    assert body["detail"] == [
        {
            "type": "model_attributes_type",
            "loc": ["body"],
            "msg": "Input should be a valid dictionary or object to extract fields from",
            "input": [1],
        }
    ]


def test_text_that_is_no_json_is_refused_and_text_that_is_one_is_read(claw):
    assert claw.send("/todo/tasks", '{"status": "completed"}')[1]["total"] == 1
    assert claw.send("/todo/tasks", '{"status": ')[0] == 422


# Transport ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/todo/tasks/find", "/todo/tasks/get", "/rss/feeds/get", "/gmail/contacts/search"]
)
def test_a_path_that_no_server_has_is_not_found_whatever_is_sent(claw, path):
    for body in ({}, {"task_id": "todo_001"}):
        assert claw.send(path, body) == (404, {"detail": "Not Found"})


def test_a_tool_that_is_not_offered_is_unknown_in_the_harness_words(claw):
    assert claw.send("todo_fly", {}) == (404, {"error": "unknown tool 'todo_fly'"})


def test_a_broken_server_answers_with_no_json_and_changes_nothing(claw):
    before = claw.state()
    for path, arguments in (
        ("/gmail/messages", {"days_back": 10**9}),
        ("/calendar/events", {"date": "9999-12-31"}),
        ("/finance/report/submit", {"title": "x", "transactions": [], "total_amount": "inf"}),
    ):
        status, body = claw.refused(path, **arguments)
        assert status == 500
        assert body == {"error": "Expecting value: line 1 column 1 (char 0)"}
    assert claw.state() == before


def test_a_row_without_a_column_breaks_its_list_and_nothing_else(make_claw):
    rows = [{"ticket_id": "h1", "status": "open"}, {"ticket_id": "h2", "status": "gone"}]
    claw = make_claw({"helpdesk.tickets": rows})
    assert claw.refused("/helpdesk/tickets")[0] == 500
    assert claw.ok("/helpdesk/tickets/get", ticket_id="h1") == rows[0]


def test_characters_beyond_ascii_are_kept(claw):
    result = claw.office.call(ToolCall("/kb/articles/get", FrozenDict(article_id="a2")))
    assert '"title": "木材"' in result.content


def test_servers_and_tables_are_found_by_name_or_the_nearest_is_told():
    assert server("crm").table is row_table("crm.customers")
    with pytest.raises(UnknownNameError, match="Did you mean 'calendar'"):
        server("calender")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'crm\.customers'"):
        row_table("crm.customer")
