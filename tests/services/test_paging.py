"""Paging: a list says whether there is more, and a walk meets every record once."""

from collections.abc import Iterator
from typing import Any

import pytest

from coworkgym.services import services
from coworkgym.services.table import Table

OWNERS = [owner for owner in services() if owner.name != "calendar"]  # its pages are of days
TOOLS = [tool for owner in OWNERS for tool in owner.tools.values()]
DERIVED = ["rss_list_feeds"]  # rows that are no records; test_rss.py walks them
PAGED = [tool.name for tool in TOOLS if "cursor" in tool.parameters and tool.name not in DERIVED]
paged = pytest.mark.parametrize("name", PAGED)
REQUIRED = {
    "chat_list_messages": {"channel_id": "CH-1"},
    "chat_search_messages": {"query": "hi"},
    "documents_search": {"query": "see"},
    "files_search": {"query": "see"},
    "gmail_search_messages": {"query": "plan"},
    "kb_search": {"query": "button"},
    "notes_search": {"query": "agreed"},
    "scheduler_job_history": {"job_id": "JOB-1"},
    "sheets_read_rows": {"sheet_id": "SHT-1"},
    "web_search": {"query": "paper"},
}
SHORT = {"kb_search": 5, "notes_list": 10, "notes_search": 10, "web_search": 10}


def size_argument(name: str) -> str:
    """What the tool calls its page size."""
    parameters = next(tool.parameters for tool in TOOLS if tool.name == name)
    return next(argument for argument in ("limit", "max_results") if argument in parameters)


def listed_table(desk, name: str) -> Table:
    """The table that the tool lists."""
    noun = next(iter(desk.ok(name, **REQUIRED.get(name, {}))))
    owner = next(owner for owner in services() if name in owner.tools)
    return owner.tables[f"{owner.name}.{noun}"]


@pytest.fixture
def full(make_desk):
    """Makes a desk with n records in every table."""

    def make(count: int):
        return make_desk({name: [{}] * count for owner in OWNERS for name in owner.tables})

    return make


def walk(desk, name: str, size: int, **arguments: Any) -> Iterator[list[str]]:
    """Yields the ids of one page after the other."""
    cursor = None
    kind = listed_table(desk, name)
    arguments = REQUIRED.get(name, {}) | arguments | {size_argument(name): size}
    while True:
        answer = desk.ok(name, cursor=cursor, **arguments)
        rows = next(iter(answer.values()))
        assert answer["returned"] == len(rows)
        assert answer["has_more"] == ("next" in answer)
        yield [row[kind.key] for row in rows]
        if not answer["has_more"]:
            return
        cursor = answer["next"]


def test_the_tools_that_list_are_paged() -> None:
    verbs = {"list", "search", "rows", "history"}  # rows and runs are read, page by page
    lists = {tool.name for tool in TOOLS if verbs & set(tool.name.split("_"))}
    assert lists == {*PAGED, *DERIVED}


@paged
def test_pages_differ_and_their_union_is_the_full_set(full, name: str) -> None:
    """A-offset-ignored"""
    desk = full(45)
    pages = list(walk(desk, name, 20))
    assert [len(page) for page in pages] == [20, 20, 5]
    met = [record_id for page in pages for record_id in page]
    kind = listed_table(desk, name)
    assert sorted(met) == sorted(row[kind.key] for row in desk.rows(kind.name))
    assert pages == list(walk(desk, name, 20))


@paged
def test_a_full_last_page_says_that_it_is_the_last(full, name: str) -> None:
    """A-full-page-done"""
    first, second = list(walk(full(40), name, 20))
    assert len(first) == len(second) == 20


@paged
def test_a_list_gives_twenty_and_says_that_there_are_more(full, name: str) -> None:
    """A-full-page-done, A-no-has-more"""
    answer = full(21).ok(name, **REQUIRED.get(name, {}))
    size = SHORT.get(name, 20)
    assert (answer["total"], answer["returned"], answer["has_more"]) == (21, size, True)
    assert answer["next"]
    inside = ("chat_list_messages", "scheduler_job_history", "sheets_read_rows")
    if name in inside:  # nothing that they could be in
        return
    answer = full(0).ok(name, **REQUIRED.get(name, {}))
    assert list(answer.values()) == [[], 0, 0, False]


@paged
@pytest.mark.parametrize("place", ["first", "last"])
def test_a_record_created_on_the_way_hides_none_and_repeats_none(
    full, name: str, place: str
) -> None:
    """A-cursor-unordered"""
    desk = full(45)
    kind = listed_table(desk, name)
    before = {row[kind.key] for row in desk.rows(kind.name)}
    met: list[str] = []
    for number, page in enumerate(walk(desk, name, 20), start=100):
        met += page
        new = desk.row(kind.name, _newest(kind, place), number)
        desk.office.change(kind, new[kind.key], new)
    assert len(met) == len(set(met))
    assert before <= set(met)


def _newest(kind: Table, place: str) -> dict[str, str]:
    if kind.name != "gmail.messages":  # newest first: the others list in record order
        return {}
    return {"date": "2026-03-25T08:59:00Z" if place == "first" else "2026-03-20T09:00:00Z"}


@paged
def test_a_limit_too_large_is_lowered_and_said_so(full, name: str) -> None:
    """A-no-has-more"""
    size = size_argument(name)
    answer = full(101).ok(name, **REQUIRED.get(name, {}), **{size: 10_000})
    assert (answer["returned"], answer["has_more"]) == (100, True)
    assert answer[size] == 100
    assert size not in full(3).ok(name, **REQUIRED.get(name, {}), **{size: 100})


@paged
@pytest.mark.parametrize("limit", [0, -1, -(10**30)])
def test_a_limit_below_one_is_refused_by_name(desk, name: str, limit: int) -> None:
    """A-no-has-more"""
    size = size_argument(name)
    code, message = desk.refused(name, **REQUIRED.get(name, {}), **{size: limit})
    assert code == "invalid_argument"
    assert f"'{size}' must be from 1 to 100, got {limit}." in message


@paged
def test_a_stale_or_foreign_cursor_is_refused(full, name: str) -> None:
    """A-cursor-unordered"""
    desk = full(45)
    arguments = REQUIRED.get(name, {})
    cursor = desk.ok(name, **arguments)["next"]
    for other in PAGED:
        if other != name:
            refusal = desk.refused(other, cursor=cursor, **REQUIRED.get(other, {}))
            assert refusal[0] == "stale_cursor"
    for wrong in ("2", "~", cursor + "x", cursor.partition("~")[0], cursor.partition("~")[2]):
        assert desk.refused(name, cursor=wrong, **arguments)[0] == "stale_cursor"
    kind = listed_table(desk, name)
    desk.office.change(kind, cursor.partition("~")[0], None)
    code, message = desk.refused(name, cursor=cursor, **arguments)
    assert code == "stale_cursor"
    assert "start it again" in message


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("helpdesk_list_tickets", {}, {"status": "all"}),
        ("helpdesk_list_tickets", {}, {"priority": "low"}),
        ("helpdesk_list_tickets", {"customer_id": "CUS-1"}, {}),
        ("crm_list_customers", {}, {"tier": "standard"}),
        ("crm_list_customers", {}, {"status": "active"}),
        ("crm_list_customers", {}, {"industry": "Retail"}),
        ("crm_list_customers", {}, {"name": "nor"}),
        ("finance_list_transactions", {}, {"start_date": "2026-01-01"}),
        ("finance_list_transactions", {"start_date": "2026-01-01"}, {"end_date": "2026-12-31"}),
        ("finance_list_transactions", {}, {"status": "pending"}),
        ("finance_list_payees", {}, {"name": "papel"}),
        ("contacts_search", {}, {"query": "ana"}),
        ("contacts_search", {"query": "sales"}, {"department": "sales"}),
        ("gmail_list_messages", {}, {"days_back": 8}),
        ("gmail_list_messages", {}, {"label": "all"}),
        ("gmail_search_messages", {"query": "plan"}, {"query": "see you"}),
    ],
)
def test_a_cursor_belongs_to_its_filters(make_desk, name: str, one: dict, two: dict) -> None:
    """A-cursor-unordered"""
    rows: dict[str, list[dict]] = {name: [{}] * 45 for owner in OWNERS for name in owner.tables}
    rows["helpdesk.tickets"] = [{"customer_id": "CUS-1"}] * 45
    rows["contacts.contacts"] = [{"email": "sales@orga.test"}] * 45
    desk = make_desk(rows)
    cursor = desk.ok(name, **one)["next"]
    assert desk.ok(name, cursor=cursor, **one)["returned"] == 20
    assert desk.refused(name, cursor=cursor, **two)[0] == "stale_cursor"


def test_the_page_size_may_change_on_the_way(full) -> None:
    desk = full(45)
    first = desk.ok("helpdesk_list_tickets", limit=10)
    second = desk.ok("helpdesk_list_tickets", limit=100, cursor=first["next"])
    assert (second["returned"], second["has_more"]) == (35, False)


# Repeated writes ----------------------------------------------------------------------------------

MAIL = {"to": "bo@orga.test", "subject": "Plan", "body": "See you."}


def test_a_repeated_send_is_two_deliveries_and_with_a_key_it_is_one(desk) -> None:
    """A-retry-double-send"""
    before = len(desk.rows("gmail.messages"))
    plain = [desk.ok("gmail_send_message", **MAIL)["message"]["message_id"] for _ in range(2)]
    assert plain[0] != plain[1]
    assert len(desk.rows("gmail.messages")) == before + 2
    first = desk.ok("gmail_send_message", **MAIL, idempotency_key="k1")
    clock = desk.office.now
    assert desk.ok("gmail_send_message", **MAIL, idempotency_key="k1") == first
    assert len(desk.rows("gmail.messages")) == before + 3
    assert desk.office.log[-1].changes == ()
    assert desk.office.now == clock
    other = desk.ok("gmail_send_message", **MAIL, idempotency_key="k2")
    assert other["message"]["message_id"] != first["message"]["message_id"]


def test_a_send_that_was_refused_may_be_repeated_with_its_key(desk) -> None:
    """A-retry-double-send"""
    wrong = MAIL | {"to": "ct_0042", "idempotency_key": "k1"}
    assert desk.refused("gmail_send_message", **wrong)[0] == "invalid_recipient"
    desk.ok("gmail_send_message", **MAIL, idempotency_key="k1")
    assert desk.rows("gmail.messages")[-1]["to"] == ["bo@orga.test"]
