"""Files: paths have one form and never lead out; reading gives what was written."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import TaskError
from coworkgym.services import World
from coworkgym.transcript import ToolCall


@pytest.fixture
def shelf(make_desk):
    """Files in two folders and at the root."""
    documents = [
        {"path": "/reports/march.csv", "content": "day,sum\n1,10\n2,20\n"},
        {"path": "notes.txt", "content": "Plan\r\nß" + "x" * 60 + " March 报告"},
        {"path": "/reports/2025/all.csv", "content": "day,sum"},
        {"path": "/reports2/empty.txt", "content": ""},
    ]
    return make_desk({"files.documents": documents})


def paths(answer) -> list[str]:
    return [row["path"] for row in answer["documents"]]


def kept(desk) -> dict[str, str]:
    return {row["path"]: row["content"] for row in desk.rows("files.documents")}


# Paths --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/reports/march.csv",
        "reports/march.csv",
        "//reports//march.csv",
        "/reports/./2025/../march.csv",
        " /reports/ march.csv ",
    ],
)
def test_a_path_is_read_in_any_of_its_forms(shelf, path: str) -> None:
    assert shelf.ok("files_read", path=path)["path"] == "/reports/march.csv"
    assert shelf.office.log[-1].arguments["path"] == "/reports/march.csv"


@pytest.mark.parametrize(
    "path",
    ["..", "../x", "/../x", "/a/../../x", "a/../..", "/ .. /x", "/a/b/../../../etc/passwd",
     "C:\\x", "/a\nb", "", "/", ".", "/reports/", "/new/ ", "x/.."],
)  # fmt: skip
def test_a_path_that_names_no_file_below_the_root_is_refused(shelf, path: str) -> None:
    calls = {
        "files_read": {},
        "files_write": {"content": "x"},
        "files_append": {"content": "x"},
        "files_move": {"new_path": "/y"},
        "files_delete": {},
    }
    for name, arguments in calls.items():
        code, message = shelf.refused(name, path=path, **arguments)
        assert (code, repr(path) in message) == ("invalid_argument", True)
    code, _ = shelf.refused("files_move", path="/notes.txt", new_path=path)
    assert code == "invalid_argument"


@pytest.mark.parametrize("folder", ["..", "/../reports", "a/../..", "C:\\reports"])
def test_a_folder_above_the_root_is_refused(shelf, folder: str) -> None:
    assert shelf.refused("files_list", folder=folder)[0] == "invalid_argument"
    assert shelf.refused("files_search", folder=folder, query="")[0] == "invalid_argument"


def test_the_paths_of_a_task_are_normal_too(make_desk, shelf) -> None:
    assert "/notes.txt" in kept(shelf)
    with pytest.raises(TaskError, match="must not lead above '/'"):
        make_desk({"files.documents": [{"path": "../notes.txt"}]})


PARTS = st.sampled_from(["a", "b c", "..", ".", "", " ", " ..", "报告", "~", "-", "..."])
PATHS = st.lists(PARTS, max_size=7).map("/".join)


@given(PATHS | st.text(max_size=12))
def test_no_path_escapes_and_the_normal_form_stays(make_desk, path: str) -> None:
    desk = make_desk({})
    result = desk.call("files_write", {"path": path, "content": "x"})
    assert result.error in (None, "invalid_argument")
    for normal in kept(desk):
        assert normal == posixpath.normpath(normal) == f"/{normal.lstrip('/')}" != "/"
        assert not {"", ".", ".."} & set(normal.split("/")[1:])
        assert desk.ok("files_read", path=normal)["path"] == normal
        assert desk.ok("files_read", path=path)["path"] == normal


# Lists --------------------------------------------------------------------------------------------


def test_a_list_holds_the_files_of_a_folder_and_below_by_path(shelf) -> None:
    reports = ["/reports/2025/all.csv", "/reports/march.csv"]
    assert paths(shelf.ok("files_list")) == ["/notes.txt", *reports, "/reports2/empty.txt"]
    for folder in ("/reports", "reports/", "/reports/2025/.."):
        assert paths(shelf.ok("files_list", folder=folder)) == reports
    assert shelf.ok("files_list", folder="/reports/2025")["documents"] == [
        {
            "file_id": "FL-3",
            "path": "/reports/2025/all.csv",
            "modified_at": "2026-03-24T09:00:00Z (2026-03-24 10:00 Europe/Berlin)",
            "size": 7,
        }
    ]


def test_a_folder_exists_while_a_file_is_in_it(shelf) -> None:
    code, message = shelf.refused("files_list", folder="/report")
    assert (code, message) == (
        "not_found",
        "There is no folder '/report'. Did you mean '/reports'?",
    )
    assert "is a file" in shelf.refused("files_list", folder="/notes.txt")[1]
    shelf.ok("files_write", path="/new/a.txt", content="")
    assert paths(shelf.ok("files_list", folder="/new")) == ["/new/a.txt"]
    shelf.ok("files_delete", path="/new/a.txt")
    assert shelf.refused("files_list", folder="/new")[0] == "not_found"


def test_the_root_is_always_there(make_desk) -> None:
    assert make_desk({}).ok("files_list") == {
        "documents": [],
        "total": 0,
        "returned": 0,
        "has_more": False,
    }


def test_the_size_is_in_bytes(shelf) -> None:
    sizes = {row["path"]: row["size"] for row in shelf.ok("files_list")["documents"]}
    assert sizes["/notes.txt"] == len("Plan\r\n") + 2 + 60 + len(" March ") + 6
    assert sizes["/reports2/empty.txt"] == 0


@pytest.mark.parametrize(
    ("query", "folder", "expected"),
    [
        ("march", "/", ["/notes.txt", "/reports/march.csv"]),
        ("MARCH csv", "/", ["/reports/march.csv"]),
        ("2,20 day", "/reports", ["/reports/march.csv"]),
        ("报告", "/", ["/notes.txt"]),
        ("march", "/reports2", []),
        ("", "/reports2", ["/reports2/empty.txt"]),
    ],
)
def test_every_word_of_a_search_must_occur(shelf, query: str, folder: str, expected: list) -> None:
    assert paths(shelf.ok("files_search", query=query, folder=folder)) == expected


def test_a_search_shows_the_line_of_the_first_word(shelf) -> None:
    notes, march = shelf.ok("files_search", query="march")["documents"]
    assert (notes["line"], notes["snippet"]) == (2, "..." + "x" * 39 + " March 报告")
    assert not {"line", "snippet"} & set(march)  # it stands in the path only
    (row,) = shelf.ok("files_search", query="20 10")["documents"]
    assert row["line"] == 2
    shelf.ok("files_write", path="/s.txt", content="ßßß zu\n\n")
    assert shelf.ok("files_search", query="zu")["documents"][0]["line"] == 1
    read = shelf.ok("files_read", path=row["path"], offset=row["line"] - 1, limit=1)
    assert read["content"] == "1,10\n"


def test_a_cursor_belongs_to_its_list(shelf) -> None:
    """A-cursor-unordered"""
    cursor = shelf.ok("files_list", limit=2)["next"]
    rest = ["/reports/march.csv", "/reports2/empty.txt"]
    assert paths(shelf.ok("files_list", cursor=cursor)) == rest
    assert shelf.refused("files_list", folder="/reports", cursor=cursor)[0] == "stale_cursor"
    cursor = shelf.ok("files_search", query="", limit=2)["next"]
    for other in ({"query": "csv"}, {"query": "", "folder": "/reports"}):
        assert shelf.refused("files_search", cursor=cursor, **other)[0] == "stale_cursor"


# Reading ------------------------------------------------------------------------------------------


def test_a_file_is_read_by_lines(shelf) -> None:
    """A-offset-ignored"""
    first = shelf.ok("files_read", path="/reports/march.csv", limit=2)
    assert first["content"] == "day,sum\n1,10\n"
    assert (first["total"], first["returned"], first["has_more"], first["next"]) == (3, 2, True, 2)
    second = shelf.ok("files_read", path="/reports/march.csv", limit=2, offset=first["next"])
    assert (second["content"], second["returned"]) == ("2,20\n", 1)
    assert second["has_more"] is False
    assert "next" not in second
    whole = shelf.ok("files_read", path="/reports/march.csv", limit=3)  # A-full-page-done
    assert (whole["has_more"], whole["size"], whole["file_id"]) == (False, 18, "FL-1")
    beyond = shelf.ok("files_read", path="/reports/march.csv", offset=9)
    assert (beyond["content"], beyond["total"], beyond["has_more"]) == ("", 3, False)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"offset": -1}, "'offset' must be 0 or more, got -1."),
        ({"limit": 0}, "'limit' must be 1 or more, got 0."),
        ({"limit": -3}, "'limit' must be 1 or more, got -3."),
    ],
)
def test_a_line_before_the_first_is_refused(shelf, arguments: dict, complaint: str) -> None:
    """A-no-has-more"""
    refusal = shelf.refused("files_read", path="/notes.txt", **arguments)
    assert refusal == ("invalid_argument", complaint)


def test_a_long_file_is_read_in_parts(shelf) -> None:
    """A-full-page-done, A-no-has-more"""
    shelf.ok("files_write", path="/log.txt", content="x\n" * 1200)
    answer = shelf.ok("files_read", path="/log.txt")
    assert (answer["returned"], answer["has_more"], answer["next"]) == (200, True, 200)
    assert "limit" not in answer
    answer = shelf.ok("files_read", path="/log.txt", limit=10_000)
    assert (answer["returned"], answer["limit"], answer["next"]) == (1000, 1000, 1000)


def test_what_is_not_there_gets_the_nearest(shelf) -> None:
    for name, arguments in (
        ("files_read", {}),
        ("files_append", {"content": "x"}),
        ("files_move", {"new_path": "/y"}),
        ("files_delete", {}),
    ):
        code, message = shelf.refused(name, path="/reports/Mach.csv", **arguments)
        assert code == "not_found"
        assert message == (
            "There is no file '/reports/Mach.csv'. Did you mean '/reports/march.csv'?"
        )
        code, message = shelf.refused(name, path="/reports", **arguments)
        assert (code, "is a folder" in message) == ("not_found", True)


# Writing ------------------------------------------------------------------------------------------


def test_a_new_file_is_stamped(shelf) -> None:
    answer = shelf.ok("files_write", path="out/new.txt", content="é")
    assert answer["status"] == "created"
    assert (answer["document"]["path"], answer["document"]["size"]) == ("/out/new.txt", 2)
    assert shelf.record("files.documents", "FL-5") == {
        "file_id": "FL-5",
        "path": "/out/new.txt",
        "content": "é",
        "modified_at": "2026-03-25T09:00:00Z",
    }


def test_a_file_is_replaced_only_when_asked(shelf) -> None:
    code, message = shelf.refused("files_write", path="/notes.txt", content="x")
    assert (code, message) == (
        "conflict",
        "'/notes.txt' exists; give overwrite=true to replace it.",
    )
    answer = shelf.ok("files_write", path="/notes.txt", content="x", overwrite=True)
    assert (answer["status"], answer["document"]["file_id"]) == ("overwritten", "FL-2")
    assert shelf.record("files.documents", "FL-2")["modified_at"] == "2026-03-25T09:00:00Z"
    assert kept(shelf)["/notes.txt"] == "x"
    assert len(kept(shelf)) == 4


def test_text_is_appended_exactly(shelf) -> None:
    shelf.ok("files_append", path="/reports/march.csv", content="3,30")
    answer = shelf.ok("files_append", path="/reports/march.csv", content="\n")
    assert answer["status"] == "appended"
    assert answer["document"]["size"] == 23
    assert kept(shelf)["/reports/march.csv"] == "day,sum\n1,10\n2,20\n3,30\n"


def test_the_same_text_again_changes_nothing(shelf) -> None:
    shelf.ok("files_write", path="/reports2/empty.txt", content="", overwrite=True)
    shelf.ok("files_append", path="/notes.txt", content="")
    shelf.ok("files_move", path="/notes.txt", new_path="notes.txt")
    assert shelf.office.world.diff() == []


def test_a_file_is_moved_with_its_text_and_its_time(shelf) -> None:
    before = shelf.record("files.documents", "FL-1")
    answer = shelf.ok("files_move", path="/reports/march.csv", new_path="/old/march.csv")
    assert (answer["status"], answer["document"]["path"]) == ("moved", "/old/march.csv")
    assert shelf.record("files.documents", "FL-1") == before | {"path": "/old/march.csv"}
    assert shelf.refused("files_read", path="/reports/march.csv")[0] == "not_found"


def test_a_file_is_deleted_and_its_path_free(shelf) -> None:
    answer = shelf.ok("files_delete", path="notes.txt")
    assert answer == {"status": "deleted", "path": "/notes.txt"}
    assert shelf.record("files.documents", "FL-2") is None
    shelf.ok("files_write", path="/notes.txt", content="x")
    assert kept(shelf)["/notes.txt"] == "x"


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("/reports", "'/reports' is a folder."),
        ("/notes.txt/a", "'/notes.txt' is a file, no folder."),
        ("/notes.txt/a/b", "'/notes.txt' is a file, no folder."),
    ],
)
def test_a_path_is_never_file_and_folder_at_once(shelf, path: str, complaint: str) -> None:
    refusal = shelf.refused("files_write", path=path, content="x", overwrite=True)
    assert refusal == ("conflict", complaint)
    refusal = shelf.refused("files_move", path="/reports2/empty.txt", new_path=path)
    assert refusal == ("conflict", complaint)


def test_a_file_may_move_into_a_folder_of_its_own_name(shelf) -> None:
    shelf.ok("files_move", path="/notes.txt", new_path="/notes.txt/old")
    assert "/notes.txt/old" in kept(shelf)
    assert shelf.refused("files_move", path="/reports/march.csv", new_path="/notes.txt/old") == (
        "conflict",
        "'/notes.txt/old' exists.",
    )


TEXT = st.text(st.characters() | st.sampled_from("\n\r\t\u2028\x85ß"), max_size=40)


@given(TEXT, TEXT, st.integers(1, 5))
def test_reading_gives_what_was_written(make_desk, text: str, more: str, limit: int) -> None:
    desk = make_desk({})
    if desk.call("files_write", {"path": "/a", "content": text}).error:
        assert any(ord(char) < 32 or char == "\x7f" for char in text)
        return
    written = text
    if desk.call("files_append", {"path": "/a", "content": more}).error is None:
        written += more
    pieces, offset, more_follows = [], 0, True
    while more_follows:
        answer = desk.ok("files_read", path="/a", offset=offset, limit=limit)
        pieces.append(answer["content"])
        assert answer["returned"] == limit or not answer["has_more"]
        offset, more_follows = answer.get("next"), answer["has_more"]
    assert "".join(pieces) == written
    assert answer["total"] == written.count("\n") + (written[-1:] not in ("", "\n"))
    assert answer["size"] == len(written.encode())


NAMES = st.sampled_from(["/a", "/b", "/a/x", "/a/y", "/c/d/e", "c/d", "/b/../b"])
ACTIONS = st.one_of(
    st.tuples(st.just("files_write"), NAMES, st.sampled_from(["", "one", "two"]), st.booleans()),
    st.tuples(st.just("files_append"), NAMES, st.just("more")),
    st.tuples(st.just("files_move"), NAMES, NAMES),
    st.tuples(st.just("files_delete"), NAMES),
)
ARGUMENTS = {
    "files_write": ("path", "content", "overwrite"),
    "files_append": ("path", "content"),
    "files_move": ("path", "new_path"),
    "files_delete": ("path",),
}


def expected(model: dict[str, str], name: str, path: str, *rest) -> dict[str, str] | None:
    """The files after the action, or None where it must be refused."""
    others = {known: text for known, text in model.items() if known != path}
    if name != "files_write" and path not in model:
        return None
    if name == "files_delete":
        return others
    if name == "files_append":
        return model | {path: model[path] + rest[0]}
    target, text = (path, rest[0]) if name == "files_write" else (rest[0], model[path])
    if name == "files_write" and path in model:
        return model | {path: text} if rest[1] else None
    if target in others or any(_nested(target, known) for known in others):
        return None
    return others | {target: text}


def _nested(one: str, two: str) -> bool:
    return one.startswith(f"{two}/") or two.startswith(f"{one}/")


@given(st.lists(ACTIONS, max_size=12))
def test_files_behave_like_a_dict_of_texts(make_desk, actions) -> None:
    desk = make_desk({})
    model: dict[str, str] = {}
    for name, *values in actions:
        result = desk.call(name, dict(zip(ARGUMENTS[name], values, strict=True)))
        normal = [posixpath.normpath(f"/{v}").replace("//", "/") if v in ("c/d", "/b/../b")
                  else v for v in values]  # fmt: skip
        after = expected(model, name, *normal)
        assert (result.error is None) == (after is not None), result.content
        assert result.error in (None, "conflict", "not_found")
        model = model if after is None else after
        assert kept(desk) == model
        assert paths(desk.ok("files_list")) == sorted(model)


def test_nothing_of_this_machine_is_read_or_written(shelf, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    for path in ("secret.txt", str(tmp_path / "secret.txt")):
        assert shelf.refused("files_read", path=path)[0] == "not_found"
    shelf.ok("files_write", path=str(tmp_path / "made.txt"), content="x")
    assert [found.name for found in tmp_path.iterdir()] == ["secret.txt"]


def test_other_episodes_of_the_task_keep_their_files(shelf) -> None:
    world = shelf.office.world
    shelf.office.call(ToolCall("files_delete", {"path": "/notes.txt"}))
    table = world.base.schema["files.documents"]
    assert len(list(World(world.base).rows(table))) == 4
