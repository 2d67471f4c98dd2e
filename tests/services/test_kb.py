"""Knowledge base: the best article comes first, in a fixed order, with the text around the hit."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

LONG = "Open the client. " * 20 + "Then renew the certificate of the tunnel. " + "Wait. " * 40


@pytest.fixture
def library(make_desk):
    """Articles of two categories, one of them in Chinese; every one holds common words."""
    articles = [
        {"title": "How to print", "content": "Start the printer, then the scanner."},
        {"title": "Network access", "content": "How to reset the VPN password.",
         "tags": ["remote"]},
        {"title": "VPN guide", "content": LONG, "category": "IT", "tags": ["tunnel"]},
        {"title": "Travel", "content": "Book the train to the art fair.", "views": 7,
         "tags": ["payroll"]},
        {"title": "公司VPN连接指南", "content": "无法连接时请重置密码。", "category": "it"},
        {"title": "Payroll", "content": "Paid on the 25th.", "tags": ["train", "remote"]},
    ]  # fmt: skip
    return make_desk({"kb.articles": articles})


def found(desk, query: str, **arguments: object) -> list[str]:
    arguments = {"max_results": 100} | arguments
    answer = desk.ok("kb_search", query=query, **arguments)
    return [row["article_id"] for row in answer["articles"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("vpn", ["KB-3", "KB-5", "KB-2"]),  # the title counts more than the text
        ("remote", ["KB-2", "KB-6"]),
        ("tunnel", ["KB-3"]),
        ("payroll", ["KB-6", "KB-4"]),  # a title more than a tag
        ("train", ["KB-6", "KB-4"]),  # a tag more than the text
        ("how to reset the password", ["KB-2", "KB-1", "KB-4", "KB-3", "KB-6"]),
        ("the certificate", ["KB-3", "KB-1", "KB-2", "KB-4", "KB-6"]),  # the rare word decides
        ("art", ["KB-4"]),  # the beginning of a word, so not: start
        ("PRINT", ["KB-1"]),
        ("paid?", ["KB-6"]),
        ("连接", ["KB-5"]),
        ("重置VPN", ["KB-5", "KB-3", "KB-2"]),
        ("密", ["KB-5"]),
        ("连密", []),
        ("nothing", []),
        ("???", []),
    ],
)
def test_the_best_match_comes_first(library, query: str, expected: list) -> None:
    assert found(library, query) == expected


def test_an_empty_query_finds_every_article_in_record_order(library) -> None:
    assert found(library, " ") == [f"KB-{number}" for number in range(1, 7)]
    assert found(library, "", category="IT") == ["KB-3", "KB-5"]


def test_the_category_narrows_the_search(library) -> None:
    assert found(library, "vpn", category="It") == ["KB-3", "KB-5"]
    assert found(library, "vpn", category="other") == []


def test_five_articles_are_shown_unless_asked_for_more(library) -> None:
    """A-no-has-more"""
    answer = library.ok("kb_search", query="")
    assert (answer["total"], answer["returned"], answer["has_more"]) == (6, 5, True)
    second = library.ok("kb_search", query="", cursor=answer["next"])
    assert [row["article_id"] for row in second["articles"]] == ["KB-6"]
    assert library.refused("kb_search", query="vpn", cursor=answer["next"])[0] == "stale_cursor"


def test_a_row_says_what_the_article_is_about_without_its_text(library) -> None:
    (row,) = library.ok("kb_search", query="travel")["articles"]
    assert row == {
        "article_id": "KB-4",
        "title": "Travel",
        "category": "general",
        "tags": ["payroll"],
        "last_updated": "2026-01-31",
        "views": 7,
        "snippet": "Book the train to the art fair.",
    }


def test_the_snippet_stands_around_the_first_hit_of_the_rarest_word(library) -> None:
    for query in ("certificate", "the CERTIFICATE"):
        snippet = library.ok("kb_search", query=query)["articles"][0]["snippet"]
        assert "renew the certificate of the tunnel" in snippet
        assert snippet.startswith("...")
        assert snippet.endswith("...")
        assert len(snippet) <= 156
    (row,) = library.ok("kb_search", query="guide")["articles"]  # only in the title
    assert row["snippet"] == f"{LONG[:150]}..."


def test_the_snippet_finds_its_place_where_casefolding_makes_text_longer(make_desk) -> None:
    content = "ß" * 200 + " password 重置密码 " + "x" * 200
    desk = make_desk({"kb.articles": [{"content": content}]})
    for query, place in (("password", 201), ("密码", 212)):
        (row,) = desk.ok("kb_search", query=query)["articles"]
        assert row["snippet"] == f"...{content[place - 40 : place + 110]}..."


WORDS = st.sampled_from(["vpn", "VPN", "reset", "the", "重置", "重置密码", "pass-word", "ß", "!"])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), TEXTS, st.integers(0, 7))
def test_the_ranking_is_the_same_every_time_and_pages_are_parts_of_it(
    make_desk, texts, query: str, changed: int
) -> None:
    def library():
        return make_desk({"kb.articles": [{"title": t, "content": c} for t, c in texts]})

    desk = library()
    ranking = found(desk, query)
    assert found(library(), query) == found(desk, query.swapcase()) == ranking
    paged, cursor = [], None
    for _ in ranking:
        answer = desk.ok("kb_search", query=query, max_results=1, cursor=cursor)
        paged += [row["article_id"] for row in answer["articles"]]
        cursor = answer.get("next")
    assert paged == ranking
    other = f"KB-{changed + 1}"  # a change of one article moves no other
    desk.office.change(
        desk.office.world.base.schema["kb.articles"], other,
        {"title": "reset", "content": "vpn", "last_updated": "2026-03-25"},
    )  # fmt: skip
    assert [i for i in found(desk, query) if i != other] == [i for i in ranking if i != other]


@given(st.lists(TEXTS, min_size=1, max_size=5), TEXTS)
def test_an_article_whose_title_is_the_query_is_found_first(make_desk, contents, query) -> None:
    articles = [{"title": "", "content": content} for content in contents]
    desk = make_desk({"kb.articles": [*articles, {"title": query, "content": query}]})
    ranking = found(desk, query)
    if ranking and query.strip():
        assert ranking[0] == f"KB-{len(contents) + 1}"


def test_new_articles_do_not_change_the_order_of_the_others(make_desk) -> None:
    """A-cursor-unordered"""
    desk = make_desk({"kb.articles": [{"content": text} for text in ("beta", "alpha", "beta")]})
    assert found(desk, "alpha beta") == ["KB-2", "KB-1", "KB-3"]
    kind = desk.office.world.base.schema["kb.articles"]
    for number in (7, 8, 9):
        new = {"title": "New", "content": "alpha", "last_updated": "2026-03-25"}
        desk.office.change(kind, f"KB-{number}", new)
    assert found(desk, "alpha beta") == ["KB-2", "KB-7", "KB-8", "KB-9", "KB-1", "KB-3"]


def test_a_whole_document_as_a_query_is_answered(library) -> None:
    query = " ".join(map(str, range(50_000))) + " vpn"
    assert found(library, query) == ["KB-6"]  # by the 25th; the end of the query is not read


def test_an_article_is_read_in_full(library) -> None:
    before = library.state()
    article = library.ok("kb_get_article", article_id="KB-3")
    assert (article["content"], article["tags"], article["views"]) == (LONG, ["tunnel"], 0)
    assert library.state() == before
    code, message = library.refused("kb_get_article", article_id="KB-9")
    assert (code, message) == ("not_found", "There is no article 'KB-9'.")


def test_an_update_replaces_the_text_and_stamps_the_day(make_desk) -> None:
    late = datetime(2026, 3, 25, 23, 30, tzinfo=UTC)  # the next day in Berlin
    desk = make_desk({"kb.articles": [{"title": "VPN"}, {}]}, start=late)
    before = desk.record("kb.articles", "KB-1")
    answer = desk.ok("kb_update_article", article_id="KB-1", content="New steps.")
    assert answer == {"status": "updated", "article_id": "KB-1"}
    after = desk.record("kb.articles", "KB-1")
    assert after == before | {"content": "New steps.", "last_updated": "2026-03-26"}
    assert found(desk, "steps") == ["KB-1"]
    assert desk.refused("kb_update_article", article_id="KB-9", content="x")[0] == "not_found"


def test_an_update_with_the_same_text_changes_nothing(library) -> None:
    library.ok("kb_update_article", article_id="KB-3", content=LONG)
    assert library.office.world.diff() == []


def test_the_day_of_an_update_stays_out_of_the_hash(library) -> None:
    kind = library.office.world.base.schema["kb.articles"]
    assert kind.volatile == {"last_updated"}
