"""Notes: meeting notes are found, read, written and shared."""

import pytest


@pytest.fixture
def notebook(make_desk):
    """Three notes, the newest in the middle, and two people of one name."""
    notes = [
        {"title": "Plan", "created_at": "2026-03-20T09:00:00Z", "participants": ["Ana Roe"]},
        {"title": "Budget", "created_at": "2026-03-24T09:00:00Z", "content": "ß" * 99 + " Cut 5%."},
        {"title": "周会", "created_at": "2026-03-22T09:00:00Z", "content": "预算 plan"},
    ]
    contacts = [{}, {"email": "ana.roe@orga.test"}, {"name": "Bo Lind", "email": "bo@orga.test"}]
    return make_desk({"notes.notes": notes, "contacts.contacts": contacts})


def ids(answer) -> list[str]:
    return [row["note_id"] for row in answer["notes"]]


def test_notes_are_listed_newest_first_without_their_text(notebook) -> None:
    answer = notebook.ok("notes_list")
    assert ids(answer) == ["NT-2", "NT-3", "NT-1"]
    assert answer["notes"][2] == {
        "note_id": "NT-1",
        "title": "Plan",
        "created_at": "2026-03-20T09:00:00Z (2026-03-20 10:00 Europe/Berlin)",
        "participants": ["Ana Roe"],
        "duration_minutes": 30,
    }


def test_ten_notes_are_listed_unless_asked_for_more(make_desk) -> None:
    """A-no-has-more"""
    desk = make_desk({"notes.notes": [{}] * 11})
    answer = desk.ok("notes_list")
    assert (answer["total"], answer["returned"], answer["has_more"]) == (11, 10, True)
    assert ids(desk.ok("notes_list", cursor=answer["next"])) == ["NT-11"]
    assert desk.refused("notes_search", query="", cursor=answer["next"])[0] == "stale_cursor"


def test_a_cursor_belongs_to_its_query(notebook) -> None:
    """A-cursor-unordered"""
    cursor = notebook.ok("notes_search", query="", max_results=1)["next"]
    assert ids(notebook.ok("notes_search", query="", cursor=cursor)) == ["NT-3", "NT-1"]
    assert notebook.refused("notes_search", query="budget", cursor=cursor)[0] == "stale_cursor"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("PLAN", ["NT-3", "NT-1"]),
        ("ana plan", ["NT-1"]),
        ("预算", ["NT-3"]),
        ("ss cut", ["NT-2"]),
        ("plan nothing", []),
        ("", ["NT-2", "NT-3", "NT-1"]),
    ],
)
def test_every_word_of_a_search_must_occur(notebook, query: str, expected: list) -> None:
    assert ids(notebook.ok("notes_search", query=query)) == expected


def test_a_search_shows_the_text_around_the_first_hit(notebook) -> None:
    (row,) = notebook.ok("notes_search", query="5% cut")["notes"]
    assert row["snippet"] == "..." + "ß" * 39 + " Cut 5%."
    row = notebook.ok("notes_search", query="ana")["notes"][0]  # only among the participants
    assert row["snippet"] == "All agreed."


def test_a_note_is_read_in_full(notebook) -> None:
    note = notebook.ok("notes_get", note_id="NT-3")
    assert (note["content"], note["title"]) == ("预算 plan", "周会")
    assert notebook.refused("notes_get", note_id="NT-9") == (
        "not_found",
        "There is no note 'NT-9'.",
    )


def test_a_new_note_is_stamped_and_gets_an_id_of_its_own(notebook) -> None:
    answer = notebook.ok(
        "notes_create", title="Call", content="Done.", participants=["Bo"], duration_minutes="45"
    )
    assert answer["status"] == "created"
    assert notebook.record("notes.notes", answer["note"]["note_id"]) == {
        "note_id": "NT-4",
        "title": "Call",
        "created_at": "2026-03-25T09:00:00Z",
        "participants": ["Bo"],
        "content": "Done.",
        "duration_minutes": 45,
    }
    assert ids(notebook.ok("notes_list"))[0] == "NT-4"
    short = notebook.ok("notes_create", title="Call", content="")["note"]
    assert short["participants"] == []
    assert "duration_minutes" not in short


@pytest.mark.parametrize("minutes", [0, -5])
def test_a_meeting_lasts_at_least_a_minute(notebook, minutes: int) -> None:
    code, message = notebook.refused(
        "notes_create", title="Call", content="", duration_minutes=minutes
    )
    assert code == "invalid_argument"
    assert message == f"'duration_minutes' must be 1 or more, got {minutes}."


@pytest.mark.parametrize(
    "recipients",
    [
        "Bo Lind <BO@Orga.test>; ida@norte.test",
        ["bo@orga.test", "ida@norte.test", "BO@orga.test"],
        "Bo Lind, ida@norte.test, bo@orga.test",
    ],
)
def test_a_note_is_shared_with_canonical_addresses(notebook, recipients: object) -> None:
    """A-case-display-name"""
    answer = notebook.ok("notes_share", note_id="NT-1", recipients=recipients)
    assert answer["status"] == "shared"
    assert {"note_id", "recipients"} <= set(answer["record"])
    assert notebook.rows("notes.shares") == [
        {
            "share_id": "SH-1",
            "note_id": "NT-1",
            "recipients": ["bo@orga.test", "ida@norte.test"],
            "shared_at": "2026-03-25T09:00:00Z",
        }
    ]


@pytest.mark.parametrize(
    ("recipients", "code"),
    [
        ("bo@orga.test, ct_0042", "invalid_recipient"),
        (["Ana Roe"], "ambiguous_recipient"),
        ("", "invalid_argument"),
        ([], "invalid_argument"),
    ],
)
def test_a_wrong_recipient_keeps_the_note_from_all(notebook, recipients: object, code: str) -> None:
    """A-ambiguous-name, A-non-address-recipient"""
    assert notebook.refused("notes_share", note_id="NT-1", recipients=recipients)[0] == code
    assert notebook.rows("notes.shares") == []


def test_a_note_that_is_not_there_is_not_shared(notebook) -> None:
    refusal = notebook.refused("notes_share", note_id="NT-9", recipients="bo@orga.test")
    assert refusal[0] == "not_found"
