"""Rows: ids, order, slices and filters of the lists that routes send."""

import pytest

from coworkgym.frozen import json_text
from coworkgym.services.dialects.claw_eval import server


def ids(rows, key):
    return [row[key] for row in rows]


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
