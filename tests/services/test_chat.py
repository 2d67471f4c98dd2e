"""Chat: channels and direct messages, newest message first."""

import pytest

from coworkgym.errors import TaskError

TEAM = ["kim@orga.test", "Bo Lind <BO@Orga.test>", "ana@orga.test"]


@pytest.fixture
def room(make_desk):
    """A team channel, a direct one with Bo, and a directory that holds more people."""
    records = {
        "chat.channels": [
            {"name": "team", "members": TEAM},
            {"members": ["bo@orga.test", "Kim <kim@orga.test>"]},
            {"name": "pair", "members": ["kim@orga.test", "ana@orga.test"]},
        ],
        "chat.messages": [
            {"text": "Lunch?", "sent_at": "2026-03-24T09:00:00Z"},
            {"text": "Ship the plan", "sent_at": "2026-03-25T08:00:00Z", "sender": "ANA@orga.test"},
            {"text": "Yes", "sent_at": "2026-03-25T08:00:00Z"},
            {"text": "the PLAN is late", "channel_id": "CH-2", "sent_at": "2026-03-20T09:00:00Z"},
        ],
        "contacts.contacts": [
            {},
            {"name": "Lei Li", "email": "LEI@orga.test"},
            {"name": "Max Orr", "email": "max@orga.test", "status": "left"},
            {"name": "Two Faces", "email": "one@orga.test"},
            {"name": "Two Faces", "email": "two@orga.test"},
            {"name": "Front Desk", "email": "none"},
        ],
    }
    return make_desk(records)


def texts(answer) -> list[str]:
    return [row["text"] for row in answer["messages"]]


def test_channels_are_listed_with_the_addresses_of_their_members(room) -> None:
    """A-case-display-name"""
    answer = room.ok("chat_list_channels")
    assert answer["channels"][:2] == [
        {
            "channel_id": "CH-1",
            "name": "team",
            "members": ["kim@orga.test", "bo@orga.test", "ana@orga.test"],
        },
        {"channel_id": "CH-2", "name": None, "members": ["bo@orga.test", "kim@orga.test"]},
    ]
    assert (answer["total"], answer["has_more"]) == (3, False)


def test_a_member_without_an_address_is_refused_when_the_task_is_made(make_desk) -> None:
    for records in (
        {"chat.channels": [{"members": ["Bo"]}]},
        {"chat.messages": [{"sender": "Bo"}]},
    ):
        with pytest.raises(TaskError, match="no mail address"):
            make_desk(records)


def test_messages_are_listed_newest_first_and_the_later_of_one_moment_before(room) -> None:
    answer = room.ok("chat_list_messages", channel_id="CH-1")
    assert texts(answer) == ["Yes", "Ship the plan", "Lunch?"]
    assert answer["messages"][1] == {
        "message_id": "CHM-2",
        "sender": "ana@orga.test",
        "text": "Ship the plan",
        "sent_at": "2026-03-25T08:00:00Z (2026-03-25 09:00 Europe/Berlin)",
    }
    assert texts(room.ok("chat_list_messages", channel_id="CH-3")) == []
    code, message = room.refused("chat_list_messages", channel_id="CH-9")
    assert (code, message) == ("not_found", "There is no channel 'CH-9'.")


def test_a_new_message_moves_no_page(room) -> None:
    """A-cursor-unordered"""
    first = room.ok("chat_list_messages", channel_id="CH-1", limit=1)
    room.ok("chat_send_message", channel_id="CH-1", text="New")
    second = room.ok("chat_list_messages", channel_id="CH-1", cursor=first["next"])
    assert texts(first) + texts(second) == ["Yes", "Ship the plan", "Lunch?"]
    for other in ({"channel_id": "CH-2"}, {"channel_id": "CH-3"}):
        refusal = room.refused("chat_list_messages", cursor=first["next"], **other)
        assert refusal[0] == "stale_cursor"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("plan THE", ["CHM-2", "CHM-4"]),
        ("ana@ plan", ["CHM-2"]),
        ("yes plan", []),
        ("", ["CHM-3", "CHM-2", "CHM-1", "CHM-4"]),
    ],
)
def test_a_search_finds_messages_of_all_channels(room, query: str, expected: list) -> None:
    answer = room.ok("chat_search_messages", query=query)
    assert [row["message_id"] for row in answer["messages"]] == expected
    assert {row["channel_id"] for row in answer["messages"]} <= {"CH-1", "CH-2"}
    cursor = room.ok("chat_search_messages", query="", limit=1)["next"]
    assert room.refused("chat_search_messages", query="yes", cursor=cursor)[0] == "stale_cursor"


def test_a_message_is_signed_and_stamped(room) -> None:
    answer = room.ok("chat_send_message", channel_id="CH-3", text="Hi 你好")
    assert answer["status"] == "sent"
    assert room.record("chat.messages", answer["message"]["message_id"]) == {
        "message_id": "CHM-5",
        "channel_id": "CH-3",
        "sender": "kim@orga.test",
        "text": "Hi 你好",
        "sent_at": "2026-03-25T09:00:00Z",
    }
    assert room.refused("chat_send_message", channel_id="CH-9", text="Hi")[0] == "not_found"


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_message_is_refused(room, text: str) -> None:
    for name, arguments in (
        ("chat_send_message", {"channel_id": "CH-1"}),
        ("chat_send_direct", {"to": "bo@orga.test"}),
        ("chat_send_direct", {"to": "lei@orga.test"}),
    ):
        assert room.refused(name, text=text, **arguments)[0] == "invalid_argument"
    assert len(room.rows("chat.channels")) == 3


@pytest.mark.parametrize("to", ["bo@orga.test", "Bo Lind <BO@Orga.test>"])
def test_a_direct_message_goes_into_the_channel_of_the_two(room, to: str) -> None:
    """A-case-display-name"""
    sent = room.ok("chat_send_direct", to=to, text="Hi")["message"]
    assert sent["channel_id"] == "CH-2"
    assert len(room.rows("chat.channels")) == 3


@pytest.mark.parametrize("to", ["lei@orga.test", "LEI@ORGA.test", "lei li"])
def test_a_direct_channel_is_opened_once_when_it_is_needed(room, to: str) -> None:
    for text in ("Hi", "There"):
        assert room.ok("chat_send_direct", to=to, text=text)["message"]["channel_id"] == "CH-4"
    assert room.rows("chat.channels")[3:] == [
        {"channel_id": "CH-4", "name": None, "members": ["kim@orga.test", "lei@orga.test"]}
    ]
    assert texts(room.ok("chat_list_messages", channel_id="CH-4")) == ["There", "Hi"]


def test_a_named_channel_of_two_is_not_private(room) -> None:
    sent = room.ok("chat_send_direct", to="ana@orga.test", text="Hi")["message"]
    assert sent["channel_id"] == "CH-4"


def test_a_person_may_write_to_themselves(room, make_desk) -> None:
    make_desk({}).ok("chat_send_direct", to="kim@orga.test", text="Remember")
    sent = room.ok("chat_send_direct", to="Kim@orga.test", text="Remember")["message"]
    assert room.record("chat.channels", sent["channel_id"])["members"] == ["kim@orga.test"]


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ("bo@0rga.test", "invalid_recipient"),
        ("ida@norte.test", "invalid_recipient"),
        ("max@orga.test", "invalid_recipient"),  # has left
        ("Lei", "invalid_recipient"),
        ("Front Desk", "invalid_recipient"),
        ("CT-1", "invalid_recipient"),
        ("bo@orga.test, ana@orga.test", "invalid_recipient"),
        ("", "invalid_recipient"),
        ("two faces", "ambiguous_recipient"),
    ],
)
def test_only_one_colleague_gets_a_direct_message(room, to: str, code: str) -> None:
    """A-ambiguous-name, A-substring-name, A-non-address-recipient"""
    assert room.refused("chat_send_direct", to=to, text="Hi")[0] == code


def test_a_refused_address_gets_the_nearest(room) -> None:
    _, message = room.refused("chat_send_direct", to="bo@0rga.test", text="Hi")
    assert message == (
        "Nobody with the address 'bo@0rga.test' uses the chat. Did you mean 'bo@orga.test'?"
    )


def test_direct_messages_in_another_order_leave_one_hash(room) -> None:
    twin = room.office.fork()
    for office, order in ((room.office, (0, 1)), (twin, (1, 0))):
        calls = [
            ("chat_send_direct", {"to": "lei@orga.test", "text": "Hi"}),
            ("chat_send_direct", {"to": "one@orga.test", "text": "Ho"}),
        ]
        for number in order:
            assert office.call(calls[number]).error is None
    assert room.office.world.changes_digest() == twin.world.changes_digest()
