"""The call that takes back what another call has changed."""

import pytest

from coworkgym.envs import Episode
from coworkgym.quality.mutations.undo import undoing_call
from coworkgym.tasks.lines import call


def taken_back(task, made):
    """The name of the undoing call, which must restore the records."""
    ready = Episode(task)
    undoing = undoing_call(ready, made)
    assert ready.steps == 0
    if undoing is None:
        return None
    ready.act(made)
    assert ready.office.world.diff()
    assert ready.act(undoing).error is None
    for table, _, before, after in ready.office.world.diff():
        lasting = task.base.schema[table].lasting
        assert lasting(before) == lasting(after)
    return undoing.name


def first(task, table, **fields):
    """The first record of a table that has these values."""
    rows = task.base.tables[table].values()
    return next(row for row in rows if all(row[name] == value for name, value in fields.items()))


@pytest.fixture
def tickets(build):
    return build(level="easy")


def test_a_field_is_set_back(tickets):
    customer = first(tickets, "crm.customers", tier="enterprise")
    made = call("crm_update_customer", customer_id=customer["customer_id"], tier="standard")
    assert taken_back(tickets, made) == "crm_update_customer"


def test_labels_that_were_added_or_moved_are_set_back(tickets):
    message_id = first(tickets, "gmail.messages", labels=["inbox"])["message_id"]
    for made in (
        call("gmail_label_message", message_id=message_id, add=["later"]),
        call("gmail_label_message", message_id=message_id, remove=["inbox"]),
        call("gmail_archive_message", message_id=message_id),
    ):
        assert taken_back(tickets, made) == "gmail_label_message"


def test_what_was_created_is_deleted(tickets, build):
    mail = call("gmail_send_message", to=tickets.owner.email, subject="Hello", body="Hello.")
    assert taken_back(tickets, mail) == "gmail_delete_message"
    meeting = build("meeting_scheduling")
    booked = call(
        "calendar_create_event", title="Round", start_time="2030-01-07T09:00",
        end_time="2030-01-07T10:00",
    )  # fmt: skip
    assert taken_back(meeting, booked) == "calendar_delete_event"


@pytest.mark.parametrize(
    ("name", "more", "undoing"),
    [
        ("files_append", {"content": "More."}, "files_write"),
        ("files_write", {"content": "Other.", "overwrite": True}, "files_write"),
        ("files_move", {"new_path": "/elsewhere.txt"}, "files_move"),
    ],
)
def test_files_are_put_back(build, name, more, undoing):
    task = build("month_close", level="easy")
    path = first(task, "files.documents")["path"]
    assert taken_back(task, call(name, path=path, **more)) == undoing


def test_a_deed_that_nothing_restores_and_one_without_effect_have_no_undoing_call(tickets):
    message_id = first(tickets, "gmail.messages")["message_id"]
    assert taken_back(tickets, call("gmail_delete_message", message_id=message_id)) is None
    assert taken_back(tickets, call("gmail_delete_message", message_id="MSG-0")) is None
    assert taken_back(tickets, tickets.solution[0]) is None
