"""Web: the best page comes first, a url has one form, and dead links say so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import TaskError

LONG = "Opening hours. " * 20 + "Then the tariff of the port is due. " + "More. " * 40


@pytest.fixture
def web(make_desk):
    """Pages that share words, one of them in Chinese, one dead and one moved."""
    pages = [
        {"url": "https://news.test/port", "title": "Port news", "content": LONG,
         "source": "Daily News", "published_at": "2026-03-20T09:00:00Z"},
        {"url": "https://orga.test/tariff?year=2026", "title": "Tariff of 2026",
         "content": "Paper costs 19.99.", "content_type": "text/plain"},
        {"url": "https://shop.test", "title": "Shop", "content": "We sell.",
         "keywords": ["tariff", "paper"]},
        {"url": "https://old.test/a", "title": "Old", "content": "Gone.", "status_code": 404},
        {"url": "https://zh.test/港口", "title": "港口关税指南", "content": "税率为百分之五。"},
        {"url": "https://moved.test", "title": "Moved", "content": "", "status_code": 301},
        {"url": "https://odd.test", "title": "Odd", "content": "", "status_code": 400},
    ]  # fmt: skip
    contacts = [{}, {"name": "Bo Lind", "email": "bo@orga.test"}, {"name": "Bo Lind"}]
    return make_desk({"web.pages": pages, "contacts.contacts": contacts})


def found(desk, query: str, **arguments: object) -> list[str]:
    answer = desk.ok("web_search", query=query, **({"max_results": 100} | arguments))
    return [row["url"] for row in answer["pages"]]


PORT = "https://news.test/port"
TARIFF = "https://orga.test/tariff?year=2026"
SHOP = "https://shop.test"


# Search -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tariff", [TARIFF, SHOP, PORT]),  # title, keyword, text
        ("PAPER?", [SHOP, TARIFF]),
        ("the tariff of the port", [PORT, TARIFF, SHOP]),
        ("daily", [PORT]),  # by its source
        ("关税", ["https://zh.test/港口"]),
        ("税率", ["https://zh.test/港口"]),
        ("old", ["https://old.test/a"]),  # a dead link is found
        ("ort", []),  # words are found by their beginning
        ("nothing", []),
        ("", []),
        ("???", []),
    ],
)
def test_the_best_match_comes_first(web, query: str, expected: list) -> None:
    assert found(web, query) == expected


def test_a_row_says_what_the_page_is_about_without_its_text(web) -> None:
    row = web.ok("web_search", query="daily")["pages"][0]
    assert row == {
        "url": PORT,
        "title": "Port news",
        "source": "Daily News",
        "published_at": "2026-03-20T09:00:00Z (2026-03-20 10:00 Europe/Berlin)",
        "snippet": f"{LONG[:150]}...",
    }
    snippet = web.ok("web_search", query="news tariff")["pages"][0]["snippet"]
    assert "Then the tariff of the port is due." in snippet


def test_ten_pages_are_shown_unless_asked_for_more(make_desk) -> None:
    """A-no-has-more"""
    desk = make_desk({"web.pages": [{}] * 12})
    answer = desk.ok("web_search", query="paper")
    assert (answer["total"], answer["returned"], answer["has_more"]) == (12, 10, True)
    rest = found(desk, "Paper", cursor=answer["next"])
    assert rest == ["https://page.test/11", "https://page.test/12"]
    refusal = desk.refused("web_search", query="costs", cursor=answer["next"])
    assert refusal[0] == "stale_cursor"


WORDS = st.lists(st.sampled_from(["port", "Port", "tax", "港口", "关税"]), max_size=4).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=7), WORDS)
def test_a_page_that_matches_nowhere_better_never_comes_first(make_desk, texts, query) -> None:
    pages = [{"title": t, "keywords": k.split(), "content": c} for t, k, c in texts]
    desk = make_desk({"web.pages": [*pages, {"title": query, "content": ""}]})
    ranking = found(desk, query)
    assert found(desk, query.swapcase()) == ranking
    best = f"https://page.test/{len(pages) + 1}"
    titles = {f"https://page.test/{n}": t for n, (t, _, _) in enumerate(texts, start=1)}
    words = set(query.casefold().split())
    assert (best in ranking) == bool(words)
    for url in ranking[: ranking.index(best)] if words else []:
        assert words <= set(titles[url].casefold().split())  # only its equals stand before it


# Pages --------------------------------------------------------------------------------------------


def test_a_page_is_read_in_full(web) -> None:
    before = web.state()
    assert web.ok("web_fetch", url=TARIFF) == {
        "url": TARIFF,
        "status_code": 200,
        "title": "Tariff of 2026",
        "content_type": "text/plain",
        "content": "Paper costs 19.99.",
    }
    assert web.ok("web_fetch", url=PORT)["content"] == LONG
    assert web.ok("web_fetch", url="https://moved.test")["status_code"] == 301
    assert web.state() == before


@pytest.mark.parametrize(
    "url",
    [
        "https://news.test/port",
        "https://news.test/port/",
        "HTTPS://News.TEST/port#top",
        " https://news.test/port//#a?b ",
    ],
)
def test_a_url_is_read_in_any_of_its_forms(web, url: str) -> None:
    assert web.ok("web_fetch", url=url)["url"] == PORT
    assert web.office.log[-1].arguments["url"] == PORT


@pytest.mark.parametrize(
    "url",
    [
        "http://news.test/port",
        "https://news.test/Port",
        "https://news.test/port?a=1",
        "https://www.news.test/port",
        "https://news.test/port/a",
        "https://bo@news.test/port",
        "https://orga.test/tariff",
        "https://orga.test/tariff?Year=2026",
    ],
)
def test_what_may_be_another_page_is_another_page(web, url: str) -> None:
    assert web.refused("web_fetch", url=url) == ("not_found", f"There is no page {url!r}.")


@pytest.mark.parametrize(
    "url",
    ["", "port", "news.test/port", "ftp://news.test", "https://", "https:///port",
     "https://news.test/a b", "httpſ://news.test"],
)  # fmt: skip
def test_what_is_no_url_is_refused(web, make_desk, url: str) -> None:
    code, message = web.refused("web_fetch", url=url)
    assert code == "invalid_url"
    assert message == f"{url!r} is no url such as 'https://orga.test/prices'."
    assert web.office.log[-1].valid
    with pytest.raises(TaskError, match="is no url"):
        make_desk({"web.pages": [{"url": url}]})


@pytest.mark.parametrize(
    ("url", "status"), [("https://old.test/a", 404), ("https://odd.test", 400)]
)
def test_a_dead_link_says_its_status(web, url: str, status: int) -> None:
    refusal = web.refused("web_fetch", url=f"{url}/")
    assert refusal == ("unavailable", f"'{url}' answers with status {status}.")


def test_two_forms_of_one_url_are_one_page(make_desk) -> None:
    with pytest.raises(TaskError, match=r"two records with the id 'https://a\.test/b'"):
        make_desk({"web.pages": [{"url": "https://A.test/b/"}, {"url": "HTTPS://a.test/b#c"}]})


@pytest.mark.parametrize("status", [0, 199, 600])
def test_a_page_has_a_status_of_the_web(make_desk, status: int) -> None:
    with pytest.raises(TaskError, match="status_code"):
        make_desk({"web.pages": [{"status_code": status}]})


HOSTS = st.sampled_from(["a.test", "A.Test:8080", "Bo@A.test", "ΑΣ.test", "İ.test"])
ENDS = st.text("/ab?#é%", max_size=8)


@given(st.sampled_from(["http", "HTTPS"]), HOSTS, ENDS)
def test_the_form_of_a_url_stays_and_finds_its_page(make_desk, scheme, host, end) -> None:
    url = f"{scheme}://{host}{end}"
    desk = make_desk({"web.pages": [{"url": url}]})
    (normal,) = [row["url"] for row in desk.rows("web.pages")]
    assert "#" not in normal
    for form in (url, normal, f"{url}#x", f"{scheme.swapcase()}://{host}{end}"):
        assert desk.ok("web_fetch", url=form)["url"] == normal


@given(st.text(max_size=20))
def test_any_text_for_a_url_is_answered(web_empty, text: str) -> None:
    error = web_empty.call("web_fetch", {"url": text}).error
    assert error in ("not_found", "invalid_url", "invalid_argument")


@pytest.fixture(scope="module")
def web_empty(make_desk):
    """A desk without pages."""
    return make_desk({})


# Notifications ------------------------------------------------------------------------------------


def test_a_notification_is_kept_with_the_addresses_of_its_recipients(web) -> None:
    answer = web.ok(
        "web_send_notification", channel=" ops ", message="Port closed.",
        recipients="Ana Roe, Bo <BO@orga.test>; ana@orga.test",
    )  # fmt: skip
    assert answer == {
        "status": "sent",
        "record": {
            "notification_id": "NTF-1",
            "channel": "ops",
            "message": "Port closed.",
            "recipients": ["ana@orga.test", "bo@orga.test"],
            "sent_at": "2026-03-25T09:00:00Z (2026-03-25 10:00 Europe/Berlin)",
        },
    }
    (kept,) = web.rows("web.notifications")
    assert kept == answer["record"] | {"sent_at": "2026-03-25T09:00:00Z"}
    assert [change.table for change in web.office.world.diff()] == ["web.notifications"]


def test_a_notification_needs_no_recipients(web) -> None:
    record = web.ok("web_send_notification", channel="ops", message="Closed.")["record"]
    assert record["recipients"] == []
    second = web.ok("web_send_notification", channel="ops", message="Closed.")["record"]
    assert second["notification_id"] == "NTF-2"


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"channel": " "}, ("invalid_argument", "'channel' must not be empty.")),
        ({"message": "\n"}, ("invalid_argument", "'message' must not be empty.")),
        ({"recipients": "nobody"}, ("invalid_recipient", None)),
        ({"recipients": ["bo@orga.test", "x@"]}, ("invalid_recipient", None)),
        ({"recipients": "Bo Lind"}, ("ambiguous_recipient", None)),
        ({"recipients": []}, ("invalid_argument", None)),
    ],
)
def test_a_notification_that_cannot_be_sent_is_refused(web, wrong: dict, expected) -> None:
    arguments = {"channel": "ops", "message": "Closed."} | wrong
    code, message = web.refused("web_send_notification", **arguments)
    assert code == expected[0]
    assert expected[1] in (None, message)
    assert web.rows("web.notifications") == []


def test_the_time_of_a_notification_stays_out_of_the_hash(web) -> None:
    kind = web.office.world.base.schema["web.notifications"]
    assert kind.volatile == {"sent_at"}
