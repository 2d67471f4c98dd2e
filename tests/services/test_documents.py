"""Documents: what is found says on which page, and pages are read in pieces of any size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import TaskError

LEASE = ["Lease of the office.", "Notice: three months.", "The rent is 900.00.\nRent is due."]


@pytest.fixture
def library(make_desk):
    """A lease, a handbook with the rent on many pages, and a report in Chinese."""
    documents = [
        {"path": "/legal/lease.pdf", "title": "Lease", "pages": LEASE, "author": "Ida Fox"},
        {"path": "/handbook.pdf", "title": "Handbook of rent", "pages": ["Start."] +
         [f"On rent, part {number}." for number in range(1, 5)] + ["End of notice and rent."]},
        {"path": "/年报.pdf", "title": "年度报告", "pages": ["收入增长。", "支出下降。"]},
    ]  # fmt: skip
    return make_desk({"documents.documents": documents})


def found(desk, query: str, **arguments: object) -> list[str]:
    answer = desk.ok("documents_search", query=query, **arguments)
    return [row["path"] for row in answer["documents"]]


def text(desk, **arguments: object) -> str:
    return desk.ok("documents_extract_text", **arguments)["text"]


# Lists and searches -------------------------------------------------------------------------------


def test_a_row_says_what_a_document_is_without_its_text(library) -> None:
    rows = library.ok("documents_list")["documents"]
    assert [row["path"] for row in rows] == ["/handbook.pdf", "/legal/lease.pdf", "/年报.pdf"]
    assert rows[1] == {
        "path": "/legal/lease.pdf",
        "title": "Lease",
        "author": "Ida Fox",
        "modified": "2026-03-24T09:00:00Z (2026-03-24 10:00 Europe/Berlin)",
        "page_count": 3,
    }
    assert rows[0]["author"] is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rent", ["/handbook.pdf", "/legal/lease.pdf"]),  # a title counts more than a page
        ("legal", ["/legal/lease.pdf"]),  # by its folder
        ("NOTICE", ["/legal/lease.pdf", "/handbook.pdf"]),  # equals in record order
        ("lease notice", ["/legal/lease.pdf", "/handbook.pdf"]),
        ("支出", ["/年报.pdf"]),
        ("年度", ["/年报.pdf"]),
        ("ease", []),  # words are found by their beginning
        ("nothing", []),
        ("", []),
        ("?!", []),
    ],
)
def test_the_best_match_comes_first(library, query: str, expected: list) -> None:
    assert found(library, query) == expected


def test_a_document_is_found_with_its_best_pages(library) -> None:
    (lease, handbook) = library.ok("documents_search", query="notice rent")["documents"][::-1]
    assert lease == {
        "path": "/legal/lease.pdf",
        "title": "Lease",
        "page_count": 3,
        "matching_pages": 2,
        "pages": [
            {"page": 2, "snippet": "Notice: three months."},
            {"page": 3, "snippet": "The rent is 900.00.\nRent is due."},
        ],
    }
    assert handbook["matching_pages"] == 5
    assert [hit["page"] for hit in handbook["pages"]] == [6, 2, 3]  # both words, then in order


def test_a_document_that_only_its_title_matches_shows_no_page(library) -> None:
    (row,) = library.ok("documents_search", query="handbook")["documents"]
    assert (row["matching_pages"], row["pages"]) == (0, [])


def test_the_snippet_stands_around_the_hit(make_desk) -> None:
    page = "ß" * 200 + " tariff " + "x" * 200
    desk = make_desk({"documents.documents": [{"pages": ["Start.", page]}]})
    (row,) = desk.ok("documents_search", query="tariff")["documents"]
    assert row["pages"] == [{"page": 2, "snippet": f"...{page[161:311]}..."}]


def test_a_cursor_belongs_to_its_query(library) -> None:
    """A-cursor-unordered"""
    cursor = library.ok("documents_search", query="rent", limit=1)["next"]
    assert found(library, "RENT", cursor=cursor) == ["/legal/lease.pdf"]
    for name, arguments in (
        ("documents_search", {"query": "notice"}),
        ("documents_list", {}),
    ):
        assert library.refused(name, cursor=cursor, **arguments)[0] == "stale_cursor"


# Reading ------------------------------------------------------------------------------------------


def test_a_document_is_read_page_by_page(library) -> None:
    before = library.state()
    answer = library.ok("documents_extract_text", path="legal/lease.pdf", max_pages=2)
    assert answer == {
        "path": "/legal/lease.pdf",
        "page_count": 3,
        "pages_returned": 2,
        "text": f"--- page 1 ---\n{LEASE[0]}\n\n--- page 2 ---\n{LEASE[1]}",
        "has_more": True,
        "next": 3,
    }
    last = library.ok("documents_extract_text", path="/legal/lease.pdf", first_page=answer["next"])
    assert last["text"] == f"--- page 3 ---\n{LEASE[2]}"
    assert (last["pages_returned"], last["has_more"], "next" in last) == (1, False, False)
    assert library.state() == before


def test_all_pages_are_read_unless_asked_for_fewer(library) -> None:
    answer = library.ok("documents_extract_text", path="/legal/lease.pdf")
    assert (answer["pages_returned"], answer["has_more"]) == (3, False)
    assert all(page in answer["text"] for page in LEASE)
    assert library.ok("documents_extract_text", path="/年报.pdf")["page_count"] == 2


def test_a_hundred_pages_are_read_at_most(make_desk) -> None:
    """A-no-has-more"""
    desk = make_desk({"documents.documents": [{"path": "/a.pdf", "pages": ["x"] * 101}]})
    for arguments in ({}, {"max_pages": 101}, {"max_pages": 10**30}):
        answer = desk.ok("documents_extract_text", path="/a.pdf", **arguments)
        assert (answer["pages_returned"], answer["next"]) == (100, 101)
        assert answer.get("max_pages") == (100 if arguments else None)
    answer = desk.ok("documents_extract_text", path="/a.pdf", max_pages=100, first_page=2)
    assert (answer["pages_returned"], answer["has_more"], "max_pages" in answer) == (
        100,
        False,
        False,
    )


@pytest.mark.parametrize("name", ["first_page", "max_pages"])
@pytest.mark.parametrize("value", [0, -1, -(10**30)])
def test_pages_are_counted_from_one(library, name: str, value: int) -> None:
    refusal = library.refused("documents_extract_text", path="/年报.pdf", **{name: value})
    assert refusal == ("invalid_argument", f"'{name}' must be 1 or more, got {value}.")


def test_a_page_after_the_last_is_refused(library) -> None:
    assert text(library, path="/年报.pdf", first_page=2).endswith("支出下降。")
    for page in (3, 10**30):
        code, message = library.refused("documents_extract_text", path="/年报.pdf", first_page=page)
        assert (code, message) == ("not_found", f"'/年报.pdf' has no page {page}: it ends at 2.")


PAGES = st.lists(st.text("ab\n ", max_size=4), min_size=1, max_size=7)


@given(PAGES, st.integers(1, 8))
def test_pieces_of_any_size_are_the_whole(make_desk, pages: list[str], size: int) -> None:
    desk = make_desk({"documents.documents": [{"path": "/a.pdf", "pages": pages}]})
    pieces, start, more = [], 1, True
    while more:
        answer = desk.ok("documents_extract_text", path="/a.pdf", first_page=start, max_pages=size)
        pieces.append(answer["text"])
        start, more = answer.get("next"), answer["has_more"]
    assert "\n\n".join(pieces) == text(desk, path="/a.pdf")
    assert len(pieces) == -(-len(pages) // size)
    for number, page in enumerate(pages, start=1):
        one = text(desk, path="/a.pdf", first_page=number, max_pages=1)
        assert one == f"--- page {number} ---\n{page}"


@given(st.lists(PAGES, min_size=1, max_size=6), st.sampled_from(["a", "b", "ab b", "ba"]))
def test_a_page_is_counted_if_it_alone_would_be_found(make_desk, texts, query: str) -> None:
    desk = make_desk({"documents.documents": [{"title": "-", "pages": pages} for pages in texts]})
    answer = desk.ok("documents_search", query=query)
    counts = {row["path"]: row["matching_pages"] for row in answer["documents"]}
    for number, pages in enumerate(texts, start=1):
        alone = [{"path": f"/{place}", "title": "-", "pages": [page]}
                 for place, page in enumerate(pages)]  # fmt: skip
        expected = make_desk({"documents.documents": alone}).ok("documents_search", query=query)
        assert counts.get(f"/documents/{number}", 0) == expected["total"]
    assert all(counts.values())


@pytest.mark.parametrize("wrong", [{"pages": []}, {"pages": [1]}, {"modified": "today"}])
def test_a_document_has_a_page_and_a_date(make_desk, wrong: dict) -> None:
    with pytest.raises(TaskError, match=next(iter(wrong))):
        make_desk({"documents.documents": [wrong]})
