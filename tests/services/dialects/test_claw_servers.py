"""Servers: what is peculiar to each of them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.services.dialects.claw_eval import server, servers
from coworkgym.services.dialects.claw_eval.words import pairs, terms

STAMP = "2026-05-04T09:00:00+00:00"


def ids(rows, key):
    return [row[key] for row in rows]


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
