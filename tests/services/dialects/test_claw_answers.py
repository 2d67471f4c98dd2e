"""Claw-Eval's answers: what each route says, its defaults, quirks and refusals."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkgym.errors import UnknownNameError
from coworkgym.frozen import FrozenDict, freeze, json_text
from coworkgym.services.dialects.claw_eval import server, servers
from coworkgym.services.dialects.claw_eval.server import ROUTES, row_table
from coworkgym.services.dialects.claw_eval.words import pairs, terms
from coworkgym.transcript import ToolCall

STAMP = "2026-05-04T09:00:00+00:00"


def ids(rows, key):
    return [row[key] for row in rows]


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


# Rows: ids, order --------------------------------------------------------------------------------

READS = [
    ("/gmail/messages/get", "message_id", "m1", "Message"),
    ("/calendar/events/get", "event_id", "evt_001", "Event"),
    ("/contacts/get", "contact_id", "c1", "Contact"),
    ("/finance/transactions/get", "transaction_id", "t1", "Transaction"),
    ("/notes/get", "note_id", "n1", "Note"),
    ("/kb/articles/get", "article_id", "a1", "Article"),
    ("/helpdesk/tickets/get", "ticket_id", "h1", "Ticket"),
    ("/inventory/products/get", "product_id", "p1", "Product"),
    ("/rss/articles/get", "article_id", "r1", "Article"),
    ("/crm/customers/get", "customer_id", "k1", "Customer"),
    ("/config/integrations/get", "integration_id", "i1", "Integration"),
    ("/scheduler/jobs/get", "job_id", "JOB-001", "Job"),
]
WRITES = [
    ("/calendar/events/delete", "event_id", "Event", {}),
    ("/todo/tasks/update", "task_id", "Task", {}),
    ("/todo/tasks/delete", "task_id", "Task", {}),
    ("/kb/articles/update", "article_id", "Article", {"content": "x"}),
    ("/helpdesk/tickets/update", "ticket_id", "Ticket", {}),
    ("/helpdesk/tickets/close", "ticket_id", "Ticket", {"resolution": "x"}),
    ("/config/integrations/update", "integration_id", "Integration", {}),
    ("/scheduler/jobs/update", "job_id", "Job", {}),
    ("/scheduler/jobs/delete", "job_id", "Job", {}),
    ("/scheduler/jobs/history", "job_id", "Job", {}),
]


@pytest.mark.parametrize(("path", "key", "wanted", "noun"), READS, ids=lambda value: str(value))
def test_one_row_is_read_in_full(claw, path, key, wanted, noun):
    (row,) = [r for rows in claw.state().values() for r in rows if r.get(key) == wanted]
    assert claw.ok(path, **{key: wanted}) == row
    assert claw.ok(path, **{key: "no"}) == {"error": f"{noun} no not found"}


@pytest.mark.parametrize(("path", "key", "noun", "more"), WRITES, ids=lambda value: str(value))
def test_an_id_that_no_row_has_is_an_error_of_status_200_and_changes_nothing(
    claw, path, key, noun, more
):
    before = claw.state()
    assert claw.ok(path, **{key: "no"}, **more) == {"error": f"{noun} no not found"}
    assert claw.state() == before


def test_reading_a_message_does_not_mark_it_and_its_age_does_not_matter(claw):
    assert claw.ok("/gmail/messages/get", message_id="m1")["is_read"] is False
    assert claw.ok("/gmail/messages/get", message_id="m1")["is_read"] is False


def test_the_first_row_of_a_repeated_id_is_the_one_that_is_read_changed_and_deleted(make_claw):
    twin = {"task_id": "t", "status": "pending", "title": "first"}
    claw = make_claw({"todo.tasks": [twin, twin | {"title": "second"}]})
    assert claw.ok("/todo/tasks")["total"] == 2
    assert claw.ok("/todo/tasks/update", task_id="t", priority="low")["task"]["title"] == "first"
    assert claw.ok("/todo/tasks/delete", task_id="t")["task"]["title"] == "first"
    assert claw.ok("/todo/tasks/update", task_id="t")["task"]["title"] == "second"
    claw.ok("/todo/tasks/delete", task_id="t")
    assert claw.ok("/todo/tasks/delete", task_id="t") == {"error": "Task t not found"}


@pytest.mark.parametrize(
    ("server_name", "key", "made", "create"),
    [
        ("todo/tasks", "task_id", "todo_003", {"title": "New"}),
        ("scheduler/jobs", "job_id", "JOB-003",
         {"name": "New", "cron_expression": "never", "action": "x"}),
        ("calendar/events", "event_id", "evt_003",
         {"title": "New", "start_time": "2026-05-05T08:00:00Z", "end_time": "?"}),
    ],
)  # fmt: skip
def test_a_new_id_counts_the_rows_and_is_used_twice_after_a_delete(
    claw, server_name, key, made, create
):
    path = f"/{server_name}"
    first = made.replace("003", "001")
    table = server(server_name.partition("/")[0]).table.name
    noun = key.removesuffix("_id")
    claw.ok(f"{path}/delete", **{key: first})
    answer = claw.ok(f"{path}/create", **create)
    assert (answer["status"], answer[noun][key]) == ("created", made)
    last = made.replace("003", "002")
    assert ids(claw.state()[table], key) == [last, made, made]
    old = claw.ok(f"{path}/delete", **{key: made})[noun]
    assert old.get("title", old.get("name")) != "New"
    assert ids(claw.state()[table], key) == [last, made]
    assert claw.state()[table][1].get("title", claw.state()[table][1].get("name")) == "New"


def test_a_row_that_comes_back_after_its_delete_stands_at_the_end(make_claw):
    rows = [{"task_id": "todo_002", "status": "x"}, {"task_id": "b", "status": "x"}]
    claw = make_claw({"todo.tasks": rows})
    claw.ok("/todo/tasks/delete", task_id="todo_002")
    assert claw.ok("/todo/tasks/create", title="Again")["task"]["task_id"] == "todo_002"
    assert ids(claw.ok("/todo/tasks")["tasks"], "task_id") == ["b", "todo_002"]
    assert claw.ok("/todo/tasks/update", task_id="todo_002")["task"]["title"] == "Again"


# Slices ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "noun", "arguments"),
    [
        ("/gmail/messages", "messages", {"days_back": 99}),
        ("/notes/list", "notes", {}),
        ("/rss/articles", "articles", {}),
    ],
)
@pytest.mark.parametrize(("limit", "kept"), [(0, 0), (2, 2), (99, 3), (-1, 2), (-5, 0)])
def test_a_limit_is_a_slice_zero_for_none_and_negative_for_all_but_the_last(
    claw, path, noun, arguments, limit, kept
):
    whole = claw.ok(path, **arguments)[noun]
    answer = claw.ok(path, **arguments, max_results=limit)
    assert answer == {noun: whole[:kept], "total": kept}
    assert len(whole) == 3


@pytest.mark.parametrize(
    ("path", "noun", "arguments", "limit"),
    [
        ("/gmail/messages", "messages", {}, 20),
        ("/notes/list", "notes", {}, 10),
        ("/rss/articles", "articles", {}, 20),
        ("/kb/search", "articles", {"query": "paint"}, 5),
        ("/web/search", "results", {"query": "lamp"}, 10),
    ],
)
def test_a_list_is_cut_unless_a_limit_is_given(make_claw, path, noun, arguments, limit):
    name = path.split("/")[1]
    table = f"{name}.results" if name == "web" else server(name).table.name
    row = make_claw().state()[table][1 if name == "gmail" else 0]
    claw = make_claw({table: [row] * 30})
    assert claw.ok(path, **arguments)["total"] == limit
    assert len(claw.ok(path, **arguments, max_results=30)[noun]) == 30


# Filters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "key", "arguments", "expected"),
    [
        ("/crm/customers", "customer_id", {}, ["k1", "k2", "k3"]),
        ("/crm/customers", "customer_id", {"tier": "gold"}, ["k1", "k3"]),
        ("/crm/customers", "customer_id", {"tier": "Gold"}, []),
        ("/crm/customers", "customer_id", {"tier": "gold", "status": "active"}, ["k1"]),
        ("/crm/customers", "customer_id", {"industry": "Glass", "status": ""}, ["k3"]),
        ("/inventory/products", "product_id", {"category": "seat"}, ["p2"]),
        ("/inventory/products", "product_id", {"category": ""}, ["p1", "p2"]),
        ("/inventory/products", "product_id", {"status": "low"}, ["p1", "p2"]),
        ("/config/integrations", "integration_id", {"status": "stopped"}, ["i2"]),
        ("/rss/articles", "article_id", {"source": "Trade", "category": "bulb"}, ["r3"]),
        ("/rss/articles", "article_id", {"source": "", "category": None}, ["r1", "r2", "r3"]),
        ("/scheduler/jobs", "job_id", {"status": "success"}, ["JOB-002", "JOB-003"]),
        ("/scheduler/jobs", "job_id", {"enabled": False}, ["JOB-002"]),
        ("/scheduler/jobs", "job_id", {"tag": "night"}, ["JOB-001", "JOB-003"]),
        ("/scheduler/jobs", "job_id", {"tag": "nigh"}, []),
        ("/scheduler/jobs", "job_id", {"tag": "", "status": "", "enabled": None},
         ["JOB-001", "JOB-002", "JOB-003"]),
        ("/todo/tasks", "task_id", {}, ["todo_001", "todo_002", "todo_003"]),
        ("/todo/tasks", "task_id", {"status": "pending"}, ["todo_001", "todo_003"]),
        ("/todo/tasks", "task_id", {"status": ""}, []),
        ("/helpdesk/tickets", "ticket_id", {}, ["h1", "h3"]),
        ("/helpdesk/tickets", "ticket_id", {"status": "closed"}, ["h2"]),
        ("/helpdesk/tickets", "ticket_id", {"status": "Open"}, []),
        ("/helpdesk/tickets", "ticket_id", {"status": "all"}, ["h1", "h2", "h3"]),
        ("/helpdesk/tickets", "ticket_id", {"status": ""}, []),
        ("/finance/transactions", "transaction_id", {"start_date": "2026-05-01"}, ["t2", "t3"]),
        ("/finance/transactions", "transaction_id", {"end_date": "2026-05-01"}, ["t1", "t2"]),
        ("/finance/transactions", "transaction_id", {"start_date": "x"}, []),
        ("/finance/transactions", "transaction_id", {"start_date": "", "end_date": "x"},
         ["t1", "t2", "t3"]),
        ("/contacts/search", "contact_id", {"query": "Ida"}, ["c1", "c2"]),
        ("/contacts/search", "contact_id", {"query": "ida"}, []),
        ("/contacts/search", "contact_id", {"query": "north.test"}, []),
        ("/contacts/search", "contact_id", {"query": ""}, ["c1", "c2"]),
        ("/contacts/search", "contact_id", {"query": "", "department": "North"}, ["c1"]),
        ("/contacts/search", "contact_id", {"query": "", "department": ""}, ["c1", "c2"]),
        ("/contacts/search", "contact_id", {"query": "", "department": None}, ["c1", "c2"]),
    ],
)  # fmt: skip
def test_a_list_holds_what_its_filters_ask_for_in_the_order_of_the_file(
    claw, path, key, arguments, expected
):
    answer = claw.ok(path, **arguments)
    (rows,) = [value for value in answer.values() if isinstance(value, list)]
    assert ids(rows, key) == expected
    assert answer["total"] == len(expected)


@pytest.mark.parametrize(
    ("path", "noun", "columns"),
    [
        ("/gmail/messages", "messages", "message_id from subject date is_read labels"),
        ("/notes/list", "notes", "note_id title created_at participants duration_minutes"),
        ("/helpdesk/tickets", "tickets",
         "ticket_id title reporter department priority status created_at"),
        ("/crm/customers", "customers",
         "customer_id name contact_person tier status industry annual_revenue"),
        ("/config/integrations", "integrations",
         "integration_id name service status last_verified monthly_calls error_rate"),
        ("/rss/articles", "articles",
         "article_id title source category published_at summary word_count"),
        ("/scheduler/jobs", "jobs",
         "job_id name cron_expression enabled last_status last_run next_run tags"),
    ],
)  # fmt: skip
def test_a_row_of_a_list_has_these_columns(claw, path, noun, columns):
    assert list(claw.ok(path)[noun][0]) == columns.split()


def test_a_list_hides_the_secrets_that_reading_one_shows(claw):
    assert "key-one" not in json_text(claw.ok("/config/integrations"))
    assert claw.ok("/config/integrations/get", integration_id="i1")["api_key"] == "key-one"


# Mail and calendar -------------------------------------------------------------------------------


def test_mail_of_the_last_seven_days_is_listed_in_the_order_of_the_file(claw):
    assert ids(claw.ok("/gmail/messages")["messages"], "message_id") == ["m2", "m3"]
    assert ids(claw.ok("/gmail/messages", days_back=99)["messages"], "message_id")[0] == "m1"
    assert claw.ok("/gmail/messages", days_back=1)["total"] == 1, "the bound belongs to it"
    assert claw.ok("/gmail/messages", days_back=0)["total"] == 0


def test_sent_mail_and_drafts_are_in_the_audit_and_in_no_list(claw):
    sent = {"to": "nobody", "subject": "", "body": "Hm."}
    stamped = sent | {"timestamp": STAMP}
    assert claw.ok("/gmail/send", **sent) == {"status": "sent", "message": stamped}
    draft = {**sent, "reply_to_message_id": None, "timestamp": STAMP}
    assert claw.ok("/gmail/drafts/save", **sent) == {"status": "draft_saved", "draft": draft}
    assert claw.ok("/gmail/messages", days_back=99)["total"] == 3
    audit = claw.audit("gmail")
    assert (audit["sent_messages"], audit["drafts"]) == ([stamped], [draft])


def test_the_newest_mail_is_a_day_old_and_offsets_are_dropped_not_converted():
    rows = [{"date": "2026-01-05T20:00:00+08:00"}, {"date": "2026-01-04T10:00:00+08:00"}]
    now = datetime(2026, 3, 1, 9, 30, 15, tzinfo=UTC)
    served = server("gmail").load(rows, now)
    assert ids(served, "date") == ["2026-02-28T17:30:15Z", "2026-02-27T07:30:15Z"]
    assert server("gmail").load([], now) == []


@pytest.mark.parametrize(
    ("written", "served"),
    [
        ("2026-01-05T14:30:00Z", "2026-03-02T14:30:00Z"),
        ("2026-01-05T14:30:00+08:00", "2026-03-02T22:30:00Z"),
        ("2026-01-05T18:00:00+08:00", "2026-03-03T02:00:00Z"),
    ],
)
def test_the_earliest_event_is_tomorrow_moved_by_whole_days_and_its_offset(written, served):
    now = datetime(2026, 3, 1, 9, 45, 15, tzinfo=UTC)
    rows = [{"start_time": written, "end_time": written}]
    assert server("calendar").load(rows, now) == [{"start_time": served, "end_time": served}]
    first = {"start_time": "2026-01-05T09:00:00+08:00", "end_time": "2026-01-05T10:00:00+08:00"}
    both = server("calendar").load([*rows, first], now)
    assert both[1] == {"start_time": "2026-03-02T17:00:00Z", "end_time": "2026-03-02T18:00:00Z"}
    assert server("calendar").load([], now) == []


def test_only_mail_and_calendar_are_shifted():
    moving = [each.name for each in servers() if each.load is not server("todo").load]
    assert sorted(moving) == ["calendar", "gmail"]
    rows = [{"created_at": "2020-01-01"}]
    assert server("todo").load(rows, datetime.now(UTC)) == rows


MINUTES = st.integers(0, 40_000_000).map(
    lambda count: datetime(2000, 1, 1, tzinfo=UTC) + timedelta(minutes=count)
)


@given(st.lists(MINUTES, min_size=1, max_size=5), MINUTES, st.integers(0, 59))
def test_a_shift_keeps_what_lies_between_two_events(starts, now, seconds):
    now += timedelta(seconds=seconds)
    rows = [{"start_time": f"{s:%Y-%m-%dT%H:%M}:00Z"} for s in starts]
    rows = [row | {"end_time": row["start_time"], "date": row["start_time"]} for row in rows]

    def read(name, field):
        served = ids(server(name).load(rows, now), field)
        return [datetime.fromisoformat(text) for text in served]

    events, mail = read("calendar", "start_time"), read("gmail", "date")
    assert max(mail) == now - timedelta(days=1)
    assert min(events).date() == (now + timedelta(days=1)).date()
    assert min(events).time() == min(starts).time()
    for moved in (events, mail):
        assert len({when - start for when, start in zip(moved, starts, strict=True)}) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"date": "2026-05-05"}, ["evt_002", "evt_001"]),
        ({"date": "2026-5-5"}, ["evt_002", "evt_001"]),
        ({"date": "2026-05-05", "days": 2}, ["evt_002", "evt_001", "evt_003"]),
        ({"date": "2026-05-06", "days": 1}, ["evt_003"]),
        ({"date": "2026-05-05", "days": 0}, []),
        ({"date": "2026-05-05", "days": -3}, []),
    ],
)
def test_events_begin_on_the_days_asked_for_and_are_sorted(claw, arguments, expected):
    answer = claw.ok("/calendar/events", **arguments)
    assert ids(answer["events"], "event_id") == expected
    assert answer["total"] == len(expected)


@pytest.mark.parametrize("date", ["tomorrow", "", "2026-02-30", "2026-05-05T00:00:00Z"])
def test_a_day_that_is_none_is_an_error_of_status_200(claw, date):
    error = {"error": f"Invalid date format: {date}"}
    assert claw.ok("/calendar/events", date=date) == error
    assert claw.ok("/calendar/user_events", user="Ida", date=date) == error


def test_a_user_is_a_part_of_an_attendee(claw):
    answer = claw.ok("/calendar/user_events", user="Ida", date="2026-05-05")
    assert (ids(answer["events"], "event_id"), answer["user"]) == (["evt_002"], "Ida")
    both = claw.ok("/calendar/user_events", user="da", date="2026-05-05")
    assert both["total"] == 2
    assert claw.ok("/calendar/user_events", user="Ida", date="2026-05-06")["total"] == 0


def test_a_time_that_is_none_is_taken_and_breaks_every_later_list(claw):
    times = {"start_time": "2026-05-05T08:00:00", "end_time": "whenever"}
    event = claw.ok("/calendar/events/create", title="Naive", **times)["event"]
    assert event == {
        "event_id": "evt_004", "title": "Naive", **times, "attendees": [], "location": "",
        "recurring": False,
    }  # fmt: skip
    assert claw.refused("/calendar/events", date="2026-05-05")[0] == 500
    assert claw.refused("/calendar/user_events", user="Ida", date="2026-05-05")[0] == 500
    assert claw.ok("/calendar/events/get", event_id="evt_004") == event
    assert claw.ok("/calendar/events/delete", event_id="evt_004")["event"] == event
    assert claw.ok("/calendar/events", date="2026-05-05")["total"] == 2
    audit = claw.audit("calendar")
    assert audit["created_events"] == audit["deleted"] == [event]


# To-do, helpdesk, scheduler, config --------------------------------------------------------------


def test_a_new_task_is_pending_and_loses_its_tags(claw):
    task = claw.ok("/todo/tasks/create", title="Varnish", tags=["wall"])["task"]
    assert task == {
        "task_id": "todo_004", "title": "Varnish", "description": "", "status": "pending",
        "priority": "medium", "due_date": None, "tags": [], "created_at": STAMP,
    }  # fmt: skip
    audit = claw.audit("todo")
    assert list(audit) == ["calls", "deleted", "updated_tasks"], "creations have no list"


def test_a_task_takes_what_is_not_null_even_if_it_is_empty(claw):
    before = claw.ok("/todo/tasks")["tasks"][0]
    changes = {"title": "", "priority": None, "status": "odd", "description": "lost"}
    task = claw.ok("/todo/tasks/update", task_id="todo_001", **changes)["task"]
    assert task == before | {"title": "", "status": "odd"}
    assert claw.ok("/todo/tasks/update", task_id="todo_001", tags=[])["task"]["tags"] == []
    assert ids(claw.audit("todo")["updated_tasks"], "tags") == [["wall"], []]


def test_a_deleted_task_is_in_the_audit(claw):
    answer = claw.ok("/todo/tasks/delete", task_id="todo_002")
    assert answer["status"] == "deleted"
    assert claw.audit("todo")["deleted"] == [answer["task"]]


def test_a_ticket_takes_what_is_not_null_and_is_noted_even_without(claw):
    path = "/helpdesk/tickets/update"
    changed = claw.ok(path, ticket_id="h1", priority="", tags=[], category="x", assigned_to="Udo")
    assert changed["status"] == "updated"
    ticket = changed["ticket"]
    assert (ticket["priority"], ticket["tags"], ticket["category"]) == ("", [], "x")
    assert "assigned_to" not in ticket
    assert claw.ok(path, ticket_id="h1")["ticket"] == ticket
    assert claw.audit("helpdesk")["updated_tickets"] == [ticket, ticket]


def test_a_ticket_can_be_closed_again(claw):
    for resolution in ("Fixed.", "Fixed again."):
        closed = claw.ok("/helpdesk/tickets/close", ticket_id="h1", resolution=resolution)
        assert closed["status"] == "closed"
        assert (closed["ticket"]["status"], closed["ticket"]["resolution"]) == (
            "closed", resolution,
        )  # fmt: skip
    assert ids(claw.audit("helpdesk")["closed"], "resolution") == ["Fixed.", "Fixed again."]


def test_an_integration_takes_only_what_is_not_empty_and_notes_what_is_not_null(claw):
    before = claw.ok("/config/integrations/get", integration_id="i1")
    path = "/config/integrations/update"
    changed = claw.ok(path, integration_id="i1", status="", notes="Seen.")
    assert changed == {"status": "updated", "integration": before | {"notes": "Seen."}}
    changes = {"integration_id": "i1", "status": "", "notes": "Seen."}
    assert claw.audit("config")["updates"] == [
        {"integration_id": "i1", "changes": changes, "timestamp": STAMP}
    ]
    assert claw.ok(path, integration_id="i1", status="off")["integration"]["status"] == "off"


def test_a_new_job_is_enabled_and_its_cron_is_not_looked_at(claw):
    given = {"name": "Dust", "cron_expression": "never", "action": "x"}
    job = claw.ok("/scheduler/jobs/create", **given)["job"]
    assert job == {
        "job_id": "JOB-004", **given, "enabled": True, "last_run": None, "next_run": None,
        "last_status": None, "created_by": None, "tags": [], "created_at": STAMP,
        "execution_history": [],
    }  # fmt: skip
    assert claw.audit("scheduler")["created_jobs"] == [job]
    assert claw.ok("/scheduler/jobs/get", job_id="JOB-004") == job


def test_a_job_takes_what_is_not_null_false_too(claw):
    changes = {"enabled": False, "name": "", "tags": ["x"], "cron_expression": None}
    job = claw.ok("/scheduler/jobs/update", job_id="JOB-001", **changes)["job"]
    assert (job["enabled"], job["name"], job["tags"]) == (False, "", ["x"])
    assert job["cron_expression"] == "0 2 * * *"
    assert claw.audit("scheduler")["updated_jobs"] == [job]
    gone = claw.ok("/scheduler/jobs/delete", job_id="JOB-001")["job"]
    assert claw.audit("scheduler")["deleted_jobs"] == [gone] == [job]


def test_a_history_is_cut_and_its_total_is_of_all_runs(claw):
    path = "/scheduler/jobs/history"
    told = claw.ok(path, job_id="JOB-001")
    assert (len(told["history"]), told["total"], told["job_id"]) == (10, 12, "JOB-001")
    assert claw.ok(path, job_id="JOB-001", limit=-11)["history"] == [{"run": 0}]
    assert claw.ok(path, job_id="JOB-001", limit=0)["total"] == 12
    empty = {"job_id": "JOB-002", "history": [], "total": 0}
    assert claw.ok(path, job_id="JOB-002") == empty


# What is only noted ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "arguments", "status", "noun", "kept"),
    [
        ("/contacts/send_message", {"contact_id": "no", "message": "Hi"}, "sent", "record",
         "sent_messages"),
        ("/finance/report/submit", {"title": "x", "transactions": ["no"], "total_amount": 1},
         "submitted", "report", "submitted_reports"),
        ("/notes/share", {"note_id": "no", "recipients": []}, "shared", "record", "shared"),
        ("/inventory/orders/create", {"product_id": "no", "quantity": -2, "supplier": None},
         "created", "order", "orders"),
        ("/crm/export", {"title": "x", "customer_ids": ["no"], "summary": ""}, "exported",
         "report", "exported_reports"),
        ("/config/notify", {"to": "x", "subject": "", "body": ""}, "sent", "notification",
         "notifications"),
        ("/rss/publish", {"title": "x", "content": "y", "recipients": []}, "published", "record",
         "published"),
        ("/web/notify", {"channel": "x", "message": "y", "recipients": ["z"]}, "sent", "record",
         "notifications"),
    ],
)  # fmt: skip
def test_an_act_is_noted_with_its_moment_and_its_ids_are_not_looked_at(
    claw, path, arguments, status, noun, kept
):
    noted = arguments | {"timestamp": STAMP}
    for _ in range(2):
        assert claw.ok(path, **arguments) == {"status": status, noun: noted}
    assert claw.audit(path.split("/")[1])[kept] == [noted, noted]


def test_lists_of_recipients_are_empty_unless_given(claw):
    assert claw.ok("/rss/publish", title="x", content="y")["record"]["recipients"] == []
    assert claw.ok("/web/notify", channel="x", message="y")["record"]["recipients"] == []
    order = claw.ok("/inventory/orders/create", product_id="x", quantity=1)["order"]
    assert order["supplier"] is None


def test_feeds_are_sources_as_they_are_met_with_sorted_categories(claw):
    trade = {"source": "Trade", "categories": ["bulb", "light"], "article_count": 2}
    woods = {"source": "Woods", "categories": ["floor"], "article_count": 1}
    assert claw.ok("/rss/feeds") == {"feeds": [trade, woods], "total": 2}
    only = trade | {"categories": ["bulb"], "article_count": 1}
    assert claw.ok("/rss/feeds", category="bulb") == {"feeds": [only], "total": 1}


# Words: knowledge base and web -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("paint", ["a1", "a3"]),
        ("PAINT", ["a1", "a3"]),
        ("xx ai", ["a1", "a3"]),
        ("木头", ["a2"]),
        ("磨", ["a2"]),
        ("", []),
        ("q", []),
    ],
)
def test_articles_are_found_by_any_shared_word_pair_or_chinese_character(claw, query, expected):
    answer = claw.ok("/kb/search", query=query)
    assert ids(answer["articles"], "article_id") == expected


def test_an_article_is_found_in_its_category_cut_to_150_characters_and_dots(claw):
    (found,) = claw.ok("/kb/search", query="hm", category="walls")["articles"]
    assert list(found) == [
        "article_id", "title", "category", "tags", "last_updated", "views", "snippet",
    ]  # fmt: skip
    assert found["snippet"] == "Hm...."
    whole = claw.ok("/kb/articles/get", article_id="a1")["content"]
    assert claw.ok("/kb/search", query="day")["articles"][0]["snippet"] == whole[:150] + "..."
    assert claw.ok("/kb/search", query="paint", category="floors")["total"] == 0
    assert claw.ok("/kb/search", query="paint", category="")["total"] == 2


def test_an_updated_article_is_dated_today_and_noted_without_its_content(claw):
    told = claw.ok("/kb/articles/update", article_id="a1", content="New.")
    assert told == {"status": "updated", "article_id": "a1"}
    article = claw.ok("/kb/articles/get", article_id="a1")
    assert (article["content"], article["last_updated"]) == ("New.", "2026-05-04")
    assert claw.audit("kb")["updates"] == [{"article_id": "a1", "timestamp": STAMP}]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lamp", ["u1", "u2"]),
        ("Lamp, chair!", ["u2", "u1"]),
        ("la", []),
        ("支付", ["u3"]),
        ("故", ["u3"]),
        ("(green)", ["u2"]),
        ("", []),
    ],
)
def test_results_are_ranked_by_shared_words_and_the_rest_is_dropped(claw, query, expected):
    answer = claw.ok("/web/search", query=query)
    assert ids(answer["results"], "url") == expected
    assert answer["query"] == query
    assert answer["total"] == len(expected)
    assert all("keywords" not in row for row in answer["results"])


@given(st.text(alphabet="ab 木材,. ", max_size=12))
def test_words_are_cut_without_blanks_whatever_their_case(text):
    assert pairs(text.upper()) == pairs(text)
    assert terms(text.upper()) == terms(text)
    assert all(piece.strip() for piece in pairs(text) | terms(text))
    assert {c for c in text if c in "木材"} <= pairs(text) & terms(text)
    assert set(text.split()) <= pairs(text)
    assert terms(f"({text})") == terms(text)


def test_a_page_is_fetched_by_its_exact_address(claw):
    assert claw.ok("/web/fetch", url="http://x.test/up") == {
        "status_code": 200, "url": "http://x.test/up", "title": "Up", "content": "It works.",
        "content_type": "text/html", "fetched_at": STAMP,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("page", "status", "error"),
    [
        ("up/", 404, "Page not found or unavailable"),
        ("down", 503, "HTTP 503"),
        ("gone", 410, "Gone for good"),
    ],
)
def test_a_page_that_fails_is_told_with_its_own_status_in_an_answer_of_200(
    claw, page, status, error
):
    url = f"http://x.test/{page}"
    told = {"status_code": status, "url": url, "error": error, "content": None}
    assert claw.ok("/web/fetch", url=url) == told


# Recorded documents ------------------------------------------------------------------------------


def test_recorded_texts_are_told_whatever_image_is_asked_for(make_claw):
    text = {"text": "Soup 4.00", "confidence": 0.95, "language": "mixed"}
    for arguments in ({}, {"image_path": "other.png"}):
        assert make_claw().ok("/ocr/extract", **arguments) == text
        caption = make_claw().ok("/caption/describe", **arguments)
        assert caption == {"caption": "A hall with two lamps.", "confidence": 0.92}
    rows = [{"file": f"{n}.txt", "text": f"Page {n}", "several": True} for n in "ab"]
    both = make_claw({"ocr.texts": rows}).ok("/ocr/extract")["text"]
    assert both == "--- Document 1: a.txt ---\nPage a\n\n--- Document 2: b.txt ---\nPage b"
    assert make_claw({"ocr.texts": []}).ok("/ocr/extract")["text"] == ""


def test_the_first_pages_of_a_document_are_told(claw):
    path = "/documents/extract_text"
    whole = {"path": "a/report.pdf", "page_count": 3, "pages_returned": 3,
             "text": "First.\n\nSecond.\n\nThird."}  # fmt: skip
    for wanted in ("a/report.pdf", "./a/../a/report.pdf"):
        assert claw.ok(path, path=wanted, max_pages=9) == whole
    cut = {"pages_returned": 1, "text": "First."}
    assert claw.ok(path, path="a/report.pdf", max_pages=1) == whole | cut


@pytest.mark.parametrize(
    ("wanted", "status", "detail"),
    [
        ("b.pdf", 404, "File not found: b.pdf"),
        ("../b.pdf", 404, "File not found: ../b.pdf"),
        ("notes.json", 400, "Only PDF files are supported"),
        ("a", 400, "Only PDF files are supported"),
        (".", 400, "Only PDF files are supported"),
    ],
)
def test_a_document_that_is_none_has_a_status_of_its_own(claw, wanted, status, detail):
    assert claw.refused("/documents/extract_text", path=wanted) == (status, {"detail": detail})


# What holds for all calls ------------------------------------------------------------------------

TEXTS = st.text(max_size=4) | st.sampled_from([
    "m1", "evt_001", "evt_004", "todo_001", "todo_003", "k1", "JOB-003", "a1", "pending", "inf",
    "2026-05-05", "2026-05-05T10:00:00Z", "http://x.test/up",
])  # fmt: skip
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 40), st.just(10**7), st.floats(), TEXTS,
    st.lists(st.text(max_size=2) | st.integers(), max_size=2),
)  # fmt: skip


@st.composite
def bodies(draw, path):
    """Bodies for a route: often whole, sometimes of wrong values, sometimes no object."""
    route = ROUTES[path]
    names = [name for name in route.parameters if draw(st.integers(0, 9))]
    body = {name: draw(VALUES) for name in [*names, *draw(st.lists(st.just("odd"), max_size=1))]}
    for name in names:
        if route.parameters[name].annotation is str and draw(st.integers(0, 5)):
            body[name] = draw(TEXTS)
    return draw(st.sampled_from([body] * 9 + [[body]]))


CALLS = st.lists(
    st.sampled_from(sorted(ROUTES)).flatmap(lambda path: st.tuples(st.just(path), bodies(path))),
    max_size=6,
)


@settings(max_examples=150)
@given(calls=CALLS)
def test_every_answer_is_json_of_a_known_status_and_a_refused_call_changes_nothing(
    make_claw, calls
):
    claw = make_claw()
    for path, body in calls:
        before = claw.state()
        status, told = claw.send(path, freeze(body))
        assert status in (200, 400, 404, 422, 500)
        json.loads(json.dumps(told, allow_nan=False))
        assert status == 200 or claw.state() == before


@given(CALLS, CALLS)
def test_the_same_calls_have_the_same_answers_and_forks_do_not_see_each_other(
    make_claw, calls, more
):
    claw, twin = make_claw(), make_claw()
    assert answers(claw, calls) == answers(twin, calls)
    fork = make_claw()
    fork.office = claw.office.fork()
    assert answers(fork, more) == answers(twin, more)
    kept = make_claw()
    answers(kept, calls)
    assert claw.state() == kept.state()


def answers(claw, calls):
    """The answers to some calls."""
    return [claw.office.call(ToolCall(path, freeze(body))) for path, body in calls]
