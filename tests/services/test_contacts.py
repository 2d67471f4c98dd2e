"""Contacts: people are found by part of a name and told apart by id."""

import pytest


@pytest.fixture
def people(make_desk):
    """Two people called Ana Roe, and Lee after Ashlee."""
    contacts = [
        {"name": "Ashlee Kim", "email": "ashlee@orga.test", "department": "Sales"},
        {"name": "Ana Roe", "email": "ana@orga.test", "department": "Sales"},
        {"name": "Lee", "email": "lee@orga.test", "department": "IT Support"},
        {"name": "Ana Roe", "email": "ana.roe@orga.test", "department": "IT"},
        {"name": "李雷", "email": "lei.li@orga.test", "department": "财务部", "status": "left"},
    ]
    return make_desk({"contacts.contacts": contacts})


def found(desk, **arguments: object) -> list[str]:
    return [row["contact_id"] for row in desk.ok("contacts_search", **arguments)["contacts"]]


def test_both_of_one_name_are_found_in_a_fixed_order(people) -> None:
    """A-ambiguous-name"""
    assert found(people, query="Ana Roe") == found(people, query="ana roe ") == ["CT-2", "CT-4"]


def test_the_exact_name_comes_first(people) -> None:
    """A-substring-name"""
    assert found(people, query="lee") == ["CT-3", "CT-1"]
    assert found(people, query="Stef") == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["CT-1", "CT-2", "CT-3", "CT-4", "CT-5"]),
        ("ANA.ROE@", ["CT-4"]),
        ("ct-3", ["CT-3"]),
        ("李", ["CT-5"]),
    ],
)
def test_a_query_is_part_of_a_name_an_address_or_an_id(people, query: str, expected: list) -> None:
    """A-case-display-name"""
    assert found(people, query=query) == expected


def test_the_department_narrows_the_search(people) -> None:
    assert found(people, query="ana", department="it") == ["CT-4"]
    assert found(people, department="it") == ["CT-3", "CT-4"]
    assert found(people, department="财务") == ["CT-5"]


def test_a_list_tells_who_has_left(people) -> None:
    (row,) = people.ok("contacts_search", query="李雷")["contacts"]
    assert row["status"] == "left"
    assert "phone" not in row


def test_an_entry_is_read_in_full(people) -> None:
    entry = people.ok("contacts_get", contact_id="CT-2")
    assert (entry["phone"], entry["title"]) == ("100", "Manager")
    code, message = people.refused("contacts_get", contact_id="ct-2")
    assert (code, message) == ("not_found", "There is no contact 'ct-2'.")


def test_only_what_is_given_is_changed(people) -> None:
    before = people.record("contacts.contacts", "CT-2")
    answer = people.ok("contacts_update", contact_id="CT-2", title="Head", notes="", phone=None)
    assert answer["status"] == "updated"
    assert people.record("contacts.contacts", "CT-2") == before | {"title": "Head"}
    for field in ("department", "email", "phone", "notes"):
        people.ok("contacts_update", contact_id="CT-2", **{field: "x@y.test"})
        assert people.record("contacts.contacts", "CT-2")[field] == "x@y.test"
    assert people.record("contacts.contacts", "CT-4")["title"] == "Manager"
    assert people.refused("contacts_update", contact_id="CT-9", title="x")[0] == "not_found"


def test_a_message_goes_to_the_person_of_the_id(people) -> None:
    """A-ambiguous-name"""
    answer = people.ok("contacts_send_message", contact_id="CT-4", message="Hi")
    assert answer["status"] == "sent"
    assert answer["record"]["contact_id"] == "CT-4"
    (kept,) = people.rows("contacts.messages")
    assert (kept["contact_id"], kept["message"]) == ("CT-4", "Hi")
    for wrong in ("CT-9", "Ana Roe", "ana@orga.test"):
        code, _ = people.refused("contacts_send_message", contact_id=wrong, message="Hi")
        assert code == "not_found"
