"""Paths: one rule for whatever lies in folders, in each service that keeps such things."""

import posixpath
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import TaskError


class Shelf(NamedTuple):
    """A service whose records go by their path."""

    table: str
    field: str
    lists: str
    reads: str


SHELVES = [
    Shelf("caption.images", "image_path", "caption_list_images", "caption_describe_image"),
    Shelf("documents.documents", "path", "documents_list", "documents_extract_text"),
    Shelf("files.documents", "path", "files_list", "files_read"),
    Shelf("ocr.images", "image_path", "ocr_list_images", "ocr_extract_text"),
]
KEPT = ["/reports/march.x", "plan.x", "/reports/2025/all.x", "/reports2/b.x"]
every_shelf = pytest.mark.parametrize("shelf", SHELVES, ids=lambda shelf: shelf.table)


@pytest.fixture(scope="session")
def make_shelf(make_desk):
    """Makes a desk that keeps something at each of the paths."""

    def make(shelf: Shelf, paths=KEPT):
        return make_desk({shelf.table: [{shelf.field: path} for path in paths]})

    return make


def listed(desk, shelf: Shelf, **arguments: object) -> list[str]:
    rows = next(iter(desk.ok(shelf.lists, **arguments).values()))
    return [row[shelf.field] for row in rows]


@every_shelf
def test_a_folder_holds_what_is_below_it_by_path(make_shelf, shelf: Shelf) -> None:
    desk = make_shelf(shelf)
    reports = ["/reports/2025/all.x", "/reports/march.x"]
    assert listed(desk, shelf) == ["/plan.x", *reports, "/reports2/b.x"]
    assert listed(desk, shelf, folder=None) == listed(desk, shelf)
    for folder in ("/reports", "reports/", "/reports/2025/.."):
        assert listed(desk, shelf, folder=folder) == reports
    assert listed(desk, shelf, folder="/reports/2025") == reports[:1]


@every_shelf
def test_a_folder_that_holds_nothing_is_refused_with_the_nearest(make_shelf, shelf: Shelf) -> None:
    desk = make_shelf(shelf)
    assert desk.refused(shelf.lists, folder="/report") == (
        "not_found",
        "There is no folder '/report'. Did you mean '/reports'?",
    )
    code, message = desk.refused(shelf.lists, folder="/plan.x")
    assert (code, message) == ("not_found", "'/plan.x' is a file; give a folder.")
    assert listed(make_shelf(shelf, []), shelf) == []  # the root is always there


@every_shelf
def test_a_cursor_belongs_to_its_folder(make_shelf, shelf: Shelf) -> None:
    """A-cursor-unordered"""
    desk = make_shelf(shelf)
    cursor = desk.ok(shelf.lists, folder="/reports", limit=1)["next"]
    assert listed(desk, shelf, folder="reports/", cursor=cursor) == ["/reports/march.x"]
    for folder in ("/", "/reports2"):
        refusal = desk.refused(shelf.lists, folder=folder, cursor=cursor)
        assert refusal[0] == "stale_cursor"


@every_shelf
@pytest.mark.parametrize("path", ["/reports/march.x", "reports//march.x", " /a/../reports/march.x"])
def test_a_path_is_read_in_any_of_its_forms(make_shelf, shelf: Shelf, path: str) -> None:
    desk = make_shelf(shelf)
    assert desk.ok(shelf.reads, **{shelf.field: path})[shelf.field] == "/reports/march.x"
    assert desk.office.log[-1].arguments[shelf.field] == "/reports/march.x"


@every_shelf
def test_a_path_where_nothing_is_kept_is_refused_with_the_nearest(make_shelf, shelf) -> None:
    desk = make_shelf(shelf)
    for path, message in (
        ("/reports/marc.x", "There is no file '/reports/marc.x'. Did you mean '/reports/march.x'?"),
        ("/zzz", "There is no file '/zzz'."),
        ("/reports", "'/reports' is a folder; give the path of a file in it."),
        ("/PLAN.X", "There is no file '/PLAN.X'."),
    ):
        assert desk.refused(shelf.reads, **{shelf.field: path}) == ("not_found", message)


@every_shelf
@pytest.mark.parametrize("path", ["", "/", "..", "../plan.x", "/a/../../plan.x", "C:\\x", "/a/"])
def test_a_path_that_names_nothing_below_the_root_is_refused(make_shelf, shelf, path) -> None:
    desk = make_shelf(shelf)
    code, message = desk.refused(shelf.reads, **{shelf.field: path})
    assert (code, repr(path) in message) == ("invalid_argument", True)
    with pytest.raises(TaskError, match=shelf.field):
        make_shelf(shelf, [path])


NAMES = st.sampled_from(["a", "b", "ab", "报告", "a b"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda names: "/" + "/".join(names) + ".x")


@given(st.sampled_from(SHELVES), st.lists(PATHS, unique=True, min_size=1, max_size=8))
def test_each_folder_on_the_way_to_a_file_lists_it(make_shelf, shelf: Shelf, paths) -> None:
    desk = make_shelf(shelf, paths)
    for path in paths:
        folder = path
        while folder != "/":
            folder = posixpath.dirname(folder)
            met = listed(desk, shelf, folder=folder)
            assert path in met
            assert met == sorted(met)
            assert all(found.startswith(f"{folder.rstrip('/')}/") for found in met)
