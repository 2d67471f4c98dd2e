"""The intended office of Claw-Eval: what a task declares works."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.frozen import freeze


def ids(rows, key):
    return [row[key] for row in rows]


def repairs(claw, path):
    return claw.office.tools[path].repairs


# Routes that the published office lacks ----------------------------------------------------------


def test_a_task_can_be_read(mended):
    claw = mended()
    assert claw.ok("/todo/tasks/get", task_id="todo_002")["title"] == "Sweep"
    assert claw.ok("/todo/tasks/get", task_id="no") == {"error": "Task no not found"}
    (said,) = repairs(claw, "/todo/tasks/get")
    assert said == "/todo/tasks/get: there is a route /todo/tasks/get"


def test_a_feed_has_the_articles_of_its_source(mended):
    told = mended().ok("/rss/feeds/get", feed_id="Trade")
    assert ids(told["articles"], "article_id") == ["r1", "r3"]
    assert (told["total"], told["source"]) == (2, "Trade")
    assert "content" not in told["articles"][0]
    for feed_id in ("trade", ""):
        assert mended().ok("/rss/feeds/get", feed_id=feed_id) == {
            "error": f"Feed {feed_id} not found"
        }


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("NORTH", ["eva@north.test", "ida@north.test", "me@north.test"]),
        ("udo", ["udo@south.test"]),
        ("zz", []),
    ],
)
def test_people_of_the_mailbox_are_found_by_a_part_of_their_address(mended, query, found):
    told = mended().ok("/gmail/contacts/search", query=query)
    assert told == {"contacts": [{"email": each} for each in found], "total": len(found)}


def test_a_limit_cuts_where_the_route_knows_none_and_other_arguments_filter_nothing(mended):
    claw = mended({"/gmail/contacts/search": ["query", "max_results", "company"]})
    told = claw.ok("/gmail/contacts/search", query="north", max_results=2, company="North")
    assert told["contacts"] == [{"email": "eva@north.test"}, {"email": "ida@north.test"}]
    assert claw.ok("/gmail/contacts/search", query="", company="North")["total"] == 4


def test_a_path_that_no_server_has_is_still_not_found(mended):
    claw = mended()
    assert claw.refused("/todo/tasks/find") == (404, {"detail": "Not Found"})
    assert repairs(claw, "/todo/tasks/find") == ()


# Arguments that filter ---------------------------------------------------------------------------

FILTERS = [
    ("/helpdesk/tickets", "tickets", {"priority": "low"}, ["h3"]),
    ("/helpdesk/tickets", "tickets", {"priority": "low", "status": "all"}, ["h2", "h3"]),
    ("/helpdesk/tickets", "tickets", {"category": "heat"}, ["h3"]),
    ("/helpdesk/tickets", "tickets", {"date_from": "2026-05-03"}, ["h3"]),
    ("/helpdesk/tickets", "tickets", {"date_to": "2026-05-01T23:00:00Z"}, ["h1"]),
    ("/helpdesk/tickets", "tickets", {"date_from": "2026-05-01", "date_to": "2026-05-03"},
     ["h1", "h3"]),
    ("/notes/list", "notes", {"tag": "plan"}, ["n1", "n3"]),
    ("/notes/list", "notes", {"tag": "pla"}, []),
    ("/notes/list", "notes", {"days_back": 3}, ["n1", "n3"]),
    ("/notes/list", "notes", {"days_back": "1"}, ["n3"]),
    ("/notes/list", "notes", {"tag": "plan", "max_results": 1}, ["n1"]),
    ("/notes/list", "notes", {"tag": "old", "max_results": 1}, ["n2"]),
    ("/todo/tasks", "tasks", {"priority": "low"}, ["todo_002", "todo_003"]),
    ("/todo/tasks", "tasks", {"priority": "low", "status": "pending"}, ["todo_003"]),
    ("/inventory/products", "products", {"status": "low"}, ["p1"]),
    ("/rss/articles", "articles", {"feed_name": "Woods"}, ["r2"]),
    ("/rss/articles", "articles", {"start_date": "2026-05-02", "end_date": "2026-05-02"}, ["r2"]),
    ("/config/integrations", "integrations", {"type": "money"}, ["i2"]),
    ("/finance/transactions", "transactions", {"amount": 80}, ["t2"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "noun", "arguments", "expected"), FILTERS)
def test_a_declared_argument_keeps_the_rows_that_have_what_it_asks_for(
    mended, path, noun, arguments, expected
):
    claw = mended({path: arguments})
    told = claw.ok(path, **arguments)
    key = next(iter(told[noun][0])) if told[noun] else ""
    assert ids(told[noun], key) == expected
    assert told["total"] == len(expected)


@pytest.mark.parametrize(("path", "noun", "arguments", "expected"), FILTERS)
def test_an_argument_that_is_not_declared_or_empty_is_ignored_as_published(
    mended, claw, path, noun, arguments, expected
):
    known = {n: v for n, v in arguments.items() if n in ("status", "max_results")}
    known = {n: v for n, v in known.items() if path != "/inventory/products"}
    published = claw.ok(path, **known)
    assert mended().ok(path, **arguments) == published
    for nothing in ("", None):
        silent = {name: nothing for name in arguments if name not in known}
        assert mended({path: arguments}).ok(path, **known, **silent) == published


def test_an_argument_that_is_not_ignored_is_told(mended):
    claw = mended({"/notes/list": ["tag", "max_results"]})
    assert repairs(claw, "/notes/list") == ("/notes/list: tag is not ignored",)
    assert repairs(claw, "/notes/share") == ()


# Arguments that set ------------------------------------------------------------------------------


def test_a_declared_argument_sets_a_field_of_what_is_written(mended):
    claw = mended(
        {
            "/todo/tasks/create": ["title", "tags"],
            "/todo/tasks/update": ["task_id", "description"],
            "/helpdesk/tickets/update": ["ticket_id", "assigned_to"],
        }
    )
    made = claw.ok("/todo/tasks/create", title="Wax", tags=["floor"])["task"]
    assert made["tags"] == ["floor"]
    assert claw.ok("/todo/tasks/get", task_id="todo_004") == made
    told = claw.ok("/todo/tasks/update", task_id="todo_001", description="Twice.", title="Coat")
    assert (told["task"]["description"], told["task"]["title"]) == ("Twice.", "Coat")
    assert claw.ok("/todo/tasks/get", task_id="todo_001") == told["task"]
    ticket = claw.ok("/helpdesk/tickets/update", ticket_id="h1", assigned_to="Udo")["ticket"]
    assert claw.ok("/helpdesk/tickets/get", ticket_id="h1") == ticket
    assert ticket["assigned_to"] == "Udo"


def test_nothing_is_set_where_nothing_is_found_or_kept(mended):
    declared = {"/todo/tasks/update": ["task_id", "owner"], "/notes/share": ["note_id", "note"]}
    claw = mended(declared)
    before = claw.state()
    assert claw.ok("/todo/tasks/update", task_id="no", owner="Ida")["error"]
    assert claw.state() == before
    shared = claw.ok("/notes/share", note_id="n1", recipients=[], note="Read it.")
    assert list(shared["record"]) == ["note_id", "recipients", "timestamp"]
    assert claw.ok("/notes/get", note_id="n1") == before["notes.notes"][0]


# Arguments that are worded otherwise -------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"start_date": "2026-05-05"}, ["evt_002", "evt_001"]),
        ({"start_date": "2026-05-05", "end_date": "2026-05-05"}, ["evt_002", "evt_001"]),
        ({"start_date": "2026-05-05", "end_date": "2026-05-06"},
         ["evt_002", "evt_001", "evt_003"]),
        ({"start_date": "2026-05-06T12:00:00Z", "end_date": ""}, ["evt_003"]),
        ({"start_date": "2026-05-06", "end_date": "2026-05-01"}, ["evt_003"]),
        ({"date": "2026-05-06", "start_date": "2026-05-05"}, ["evt_003"]),
    ],
)  # fmt: skip
def test_a_calendar_takes_the_first_and_the_last_day(mended, arguments, expected):
    claw = mended({"/calendar/events": ["start_date", "end_date"]})
    if "date" in arguments:
        claw = mended({"/calendar/events": ["date"]})
    assert ids(claw.ok("/calendar/events", **arguments)["events"], "event_id") == expected


def test_the_words_of_a_calendar_are_told_and_a_day_that_is_none_is_an_error(mended):
    claw = mended({"/calendar/events": ["start_date", "end_date"]})
    said = "/calendar/events: start_date, end_date stand for date"
    assert repairs(claw, "/calendar/events") == (said,)
    for arguments in ({"start_date": "soon"}, {"start_date": "soon", "end_date": "2026-05-05"}):
        assert claw.ok("/calendar/events", **arguments) == {"error": "Invalid date format: soon"}
    assert claw.ok("/calendar/events")["total"] == 3  # no day asked for: all there are
    assert claw.ok("/calendar/events", end_date="2026-05-05")["total"] < 3


def test_an_event_belongs_to_the_day_of_its_own_clock(mended, make_claw):
    row = {"event_id": "e", "title": "x", "attendees": ["Ida"], "location": ""}
    early = {"start_time": "2026-05-05T02:00:00+08:00", "end_time": "2026-05-05T03:00:00+08:00"}
    rows = {"calendar.events": [row | early]}
    claw, published = mended(rows=rows), make_claw(rows)
    for path, more in (("/calendar/events", {}), ("/calendar/user_events", {"user": "Ida"})):
        assert claw.ok(path, date="2026-05-05", **more)["total"] == 1
        assert claw.ok(path, date="2026-05-04", **more)["total"] == 0
        assert published.ok(path, date="2026-05-04", **more)["total"] == 1


def test_a_report_may_be_a_text(mended):
    claw = mended({"/finance/report/submit": ["title", "content"]})
    told = claw.ok("/finance/report/submit", title="May", content="All paid.")
    report = told["report"]
    assert (report["title"], report["transactions"], report["total_amount"]) == ("May", [], 0)
    assert claw.refused("/finance/report/submit", title="May")[0] == 422


def test_a_notification_may_be_worded_as_mail(mended):
    claw = mended({"/web/notify": ["recipient", "subject", "body"]})
    told = claw.ok("/web/notify", recipient="ida@north.test", subject="Lamps", body="Two.")
    record = told["record"]
    assert record["recipients"] == ["ida@north.test"]
    assert (record["channel"], record["message"]) == ("email", "Lamps\n\nTwo.")


# What holds for all ------------------------------------------------------------------------------

DECLARED = {
    path: ["query", "feed_id", "tag", "days_back", "date_from", "date_to", "category", "odd"]
    for path in ("/notes/list", "/rss/feeds", "/gmail/contacts/search", "/web/search",
                 "/calendar/events", "/helpdesk/tickets", "/rss/feeds/get", "/todo/tasks/create")
}  # fmt: skip
ODD = st.one_of(
    st.text(max_size=3), st.integers(), st.floats(), st.booleans(), st.lists(st.integers()),
    st.dictionaries(st.text(max_size=1), st.integers()), st.just("north"),
)  # fmt: skip


SENT = sorted({name for names in DECLARED.values() for name in names} | {"title", "date"})


@given(st.sampled_from(list(DECLARED)), st.dictionaries(st.sampled_from(SENT), ODD))
def test_whatever_is_sent_is_answered(mended, path, arguments):
    claw = mended(DECLARED)
    before = claw.state()
    status, _ = claw.send(path, freeze(arguments))
    assert status in (200, 404, 422, 500)
    assert status == 200 or claw.state() == before


@given(st.lists(st.sampled_from(FILTERS), max_size=6))
def test_without_more_arguments_than_the_route_knows_both_offices_answer_alike(
    mended, make_claw, calls
):
    claw, published = mended(), make_claw()
    for path, _, arguments, _ in calls:
        assert claw.send(path, freeze(arguments)) == published.send(path, freeze(arguments))
