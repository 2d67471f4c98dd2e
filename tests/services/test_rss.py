"""RSS: feeds are what their articles make them, and a newsletter goes to addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

ARTICLES = [
    {"source": "Trade Daily", "category": "prices", "summary": "On tariffs."},
    {"title": "Ports reopen", "source": "Harbour", "category": "Logistics",
     "published_at": "2026-03-25T07:00:00Z", "content": "Paper and ink come by ship again."},
    {"title": "Ink", "source": "trade daily", "category": "chemistry",
     "published_at": "2026-03-22T23:30:00Z"},  # the 23rd in Berlin
    {"title": "Rails", "source": "Trade Daily", "category": "logistics",
     "published_at": "2026-03-22T09:00:00Z"},
    {"title": "Late ships", "source": "Harbour", "category": "Logistics"},
]  # fmt: skip


@pytest.fixture
def reader(make_desk):
    """Articles of three sources, two of them alike but for their letters."""
    people = [{}, {"name": "Bo Lind", "email": "bo@orga.test"}]
    return make_desk({"rss.articles": ARTICLES, "contacts.contacts": people})


def listed(desk, **arguments: object) -> list[str]:
    return [row["article_id"] for row in desk.ok("rss_list_articles", **arguments)["articles"]]


def feeds(desk, **arguments: object) -> list[str]:
    return [row["source"] for row in desk.ok("rss_list_feeds", **arguments)["feeds"]]


# Feeds --------------------------------------------------------------------------------------------


def test_a_feed_is_what_its_articles_make_it(reader) -> None:
    assert reader.ok("rss_list_feeds")["feeds"] == [
        {"source": "Trade Daily", "categories": ["logistics", "prices"], "article_count": 2},
        {"source": "Harbour", "categories": ["Logistics"], "article_count": 2},
        {"source": "trade daily", "categories": ["chemistry"], "article_count": 1},
    ]


def test_a_category_finds_whole_feeds(reader) -> None:
    (prices,) = reader.ok("rss_list_feeds", category="PRICES")["feeds"]
    assert (prices["source"], prices["article_count"]) == ("Trade Daily", 2)
    assert feeds(reader, category="logistics") == ["Trade Daily", "Harbour"]
    assert feeds(reader, category="log") == []


def test_feeds_are_paged_and_a_cursor_belongs_to_its_filter(make_desk) -> None:
    """A-offset-ignored, A-full-page-done, A-no-has-more, A-cursor-unordered"""
    rows = [{"source": f"Feed {number % 45}"} for number in range(90)]
    desk = make_desk({"rss.articles": rows})
    met, cursor = [], None
    for expected in (20, 20, 5):
        answer = desk.ok("rss_list_feeds", cursor=cursor)
        assert (answer["total"], answer["returned"]) == (45, expected)
        assert answer["has_more"] == ("next" in answer)
        met += [row["source"] for row in answer["feeds"]]
        cursor = answer.get("next")
    assert met == [f"Feed {number}" for number in range(45)]
    cursor = desk.ok("rss_list_feeds", limit=40)["next"]
    assert len(feeds(desk, cursor=cursor)) == 5
    for other in ({"category": "prices"}, {"cursor": f"{cursor}x"}):
        assert desk.refused("rss_list_feeds", **{"cursor": cursor} | other)[0] == "stale_cursor"
    assert desk.refused("rss_list_articles", cursor=cursor)[0] == "stale_cursor"
    assert desk.refused("rss_list_feeds", limit=0)[0] == "invalid_argument"
    assert make_desk({}).ok("rss_list_feeds")["feeds"] == []


SOURCES = st.sampled_from(["A", "a", "B~1", "", "Trade Daily"])


@given(st.lists(st.tuples(SOURCES, st.sampled_from(["x", "y", "Y"])), max_size=12))
def test_the_feeds_count_every_article_once(make_desk, drawn: list) -> None:
    rows = [{"source": source, "category": category} for source, category in drawn]
    desk = make_desk({"rss.articles": rows})
    answer = desk.ok("rss_list_feeds")["feeds"]
    assert sum(feed["article_count"] for feed in answer) == len(drawn)
    for feed in answer:
        found = [category for source, category in drawn if source == feed["source"]]
        assert (len(found), sorted(set(found))) == (feed["article_count"], feed["categories"])
    walked, cursor = [], None
    for _ in answer:
        page = desk.ok("rss_list_feeds", limit=1, cursor=cursor)
        walked += page["feeds"]
        cursor = page.get("next")
    assert walked == answer


# Articles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["RSS-2", "RSS-1", "RSS-5", "RSS-3", "RSS-4"]),  # newest first
        ({"source": "TRADE DAILY"}, ["RSS-1", "RSS-3", "RSS-4"]),
        ({"source": "trade"}, []),
        ({"category": "LOGISTICS"}, ["RSS-2", "RSS-5", "RSS-4"]),
        ({"source": "harbour", "category": "logistics", "since": "2026-03-25"}, ["RSS-2"]),
        ({"since": "2026-03-23"}, ["RSS-2", "RSS-1", "RSS-5", "RSS-3"]),
        ({"since": "2026-03-24"}, ["RSS-2", "RSS-1", "RSS-5"]),
        ({"query": "ink"}, ["RSS-3", "RSS-2"]),  # the title counts more than the text
        ({"query": "ship"}, ["RSS-5", "RSS-2"]),
        ({"query": "tariffs"}, ["RSS-1"]),
        ({"query": "harbour"}, ["RSS-2", "RSS-5"]),
        ({"query": "ship", "since": "2026-03-25"}, ["RSS-2"]),
        ({"query": " "}, ["RSS-2", "RSS-1", "RSS-5", "RSS-3", "RSS-4"]),
        ({"query": "whale"}, []),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(reader, filters: dict, expected: list) -> None:
    assert listed(reader, **filters) == expected


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({}, {"source": "harbour"}),
        ({"source": "logistics"}, {"category": "logistics"}),
        ({}, {"since": "2020-01-01"}),
        ({}, {"query": "paper"}),
        ({"query": "paper"}, {"query": "dear"}),
    ],
)
def test_a_cursor_belongs_to_its_filters(make_desk, one: dict, two: dict) -> None:
    """A-cursor-unordered"""
    desk = make_desk({"rss.articles": [{"source": "Logistics"}] * 3})
    cursor = desk.ok("rss_list_articles", limit=1, **one)["next"]
    assert listed(desk, cursor=cursor, **one) == ["RSS-2", "RSS-3"]
    assert desk.refused("rss_list_articles", cursor=cursor, **two)[0] == "stale_cursor"


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "24.03.2026"])
def test_a_day_that_is_none_is_refused_by_name(reader, day: str) -> None:
    code, message = reader.refused("rss_list_articles", since=day)
    assert (code, "'since' must be a day" in message) == ("invalid_argument", True)


def test_a_row_has_the_summary_and_the_article_its_text(reader) -> None:
    row = reader.ok("rss_list_articles", query="tariffs")["articles"][0]
    assert row == {
        "article_id": "RSS-1",
        "title": "Paper gets dear",
        "source": "Trade Daily",
        "category": "prices",
        "published_at": "2026-03-24T09:00:00Z (2026-03-24 10:00 Europe/Berlin)",
        "summary": "On tariffs.",
        "word_count": 3,
    }
    assert reader.ok("rss_get_article", article_id="RSS-1")["content"] == "It costs more."
    refusal = reader.refused("rss_get_article", article_id="RSS-9")
    assert refusal == ("not_found", "There is no article 'RSS-9'.")


# Newsletters --------------------------------------------------------------------------------------

NEWS = {"title": "March", "content": "Ports reopen.", "recipients": "bo@orga.test"}


def test_a_newsletter_goes_to_each_address_once(reader) -> None:
    recipients = "Bo Lind, Ana <ANA@orga.test>, bo@orga.test"
    answer = reader.ok("rss_publish", **NEWS | {"recipients": recipients})
    assert answer["status"] == "published"
    assert answer["record"]["recipients"] == ["bo@orga.test", "ana@orga.test"]
    assert reader.rows("rss.publications") == [
        {
            "publication_id": "PUB-1",
            "title": "March",
            "content": "Ports reopen.",
            "recipients": ["bo@orga.test", "ana@orga.test"],
            "published_at": "2026-03-25T09:00:00Z",
        }
    ]
    reader.ok("rss_publish", **NEWS)
    assert len(reader.rows("rss.publications")) == 2


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"title": " "}, "invalid_argument"),
        ({"content": ""}, "invalid_argument"),
        ({"recipients": ""}, "invalid_argument"),
        ({"recipients": []}, "invalid_argument"),
        ({"recipients": None}, "missing_argument"),
        ({"recipients": "bo@orga.test, Nobody"}, "invalid_recipient"),
    ],
)
def test_a_newsletter_that_cannot_be_sent_is_refused(reader, wrong: dict, code: str) -> None:
    refusal = reader.refused("rss_publish", **NEWS | wrong)
    assert refusal[0] == code
    assert reader.rows("rss.publications") == []
