"""Mail addresses: the same mailbox is the same text, whatever shape it came in."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.services.addresses import canonical, domain, recipients, split_recipients

_words = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8)
addresses = st.builds("{}{}@{}.test".format, _words, st.sampled_from(["", "+hr", ".x"]), _words)


def test_case_and_display_name_do_not_make_another_mailbox() -> None:
    """A-case-display-name"""
    assert canonical("Bo Lind <BO@Orga.test>") == canonical("bo@orga.test") == "bo@orga.test"
    assert canonical("bo@0rga.test") != canonical("bo@orga.test")


def test_a_plus_address_is_another_mailbox() -> None:
    """A-plus-address"""
    assert canonical("Bo+HR@orga.test") == "bo+hr@orga.test" != canonical("bo@orga.test")


@given(addresses, st.text(string.ascii_letters + " .()（）李", max_size=12))
def test_the_canonical_form_is_a_fixed_point(address: str, name: str) -> None:
    """A-case-display-name"""
    assert canonical(address) == address
    assert canonical(f"{name} <{address.upper()}>") == address
    assert canonical(f'"{name}, a; b" <{address}>') == address


@pytest.mark.parametrize(
    "text",
    [
        "ct_0042",
        "",
        " ",
        "a@b@c",
        "a@b@c.test",
        "Ana Roe",
        "@orga.test",
        "bo@",
        "bo@orga",
        "bo@orga..test",
        "bo@-orga.test",
        "bo.@orga.test",
        "bo lind@orga.test",
        "bo@orga.test\n",
        "bo\x00@orga.test",
        "Bo\r\nBcc: x <bo@orga.test>",
        "bo@orga.test, ana@orga.test",
        "Lind, Bo <bo@orga.test>",
        "<a@x.test> <b@x.test>",
        "bo@оrga.test",
        "<bo@orga.test",
        '"bo@orga.test',
    ],
)
def test_what_is_no_address_is_refused_by_name(text: str) -> None:
    """A-non-address-recipient"""
    with pytest.raises(ValueError) as refusal:
        canonical(text)
    assert str(refusal.value).startswith(repr(text))


@pytest.mark.parametrize(
    "value",
    [
        "a@x.test, b@x.test",
        "a@x.test;b@x.test",
        ["a@x.test", "b@x.test"],
        ("B@x.test", "a@x.test"),
        '["a@x.test", "b@x.test"]',
        '"Lind, Bo; sales" <a@x.test>, Ana <b@x.test>,',
        ["a@x.test, b@x.test"],
        ["a@x.test", "A@X.test", "b@x.test", ""],
    ],
)
def test_every_shape_of_a_list_names_the_same_recipients(value: str | list[str]) -> None:
    """A-recipient-list-shape"""
    assert recipients(value) == {"a@x.test", "b@x.test"}


@given(st.lists(addresses), st.sampled_from([", ", ";", " ,", ";; "]))
def test_shape_never_changes_the_recipients(entries: list[str], separator: str) -> None:
    """A-recipient-list-shape"""
    expected = list(dict.fromkeys(entries))
    assert split_recipients(entries) == expected
    assert split_recipients(separator.join(entries)) == expected
    assert split_recipients(json.dumps(entries)) == expected
    assert recipients(entries) == set(entries)


def test_entries_stay_as_written_in_order_and_once() -> None:
    value = 'ct_0042; "Lind, Bo" <BO@x.test>, bo@x.test, ct_0042 , Ana Roe'
    assert split_recipients(value) == ["ct_0042", '"Lind, Bo" <BO@x.test>', "Ana Roe"]


def test_one_bad_entry_refuses_the_whole_list() -> None:
    """A-non-address-recipient"""
    with pytest.raises(ValueError, match="'ct_0042'"):
        recipients(["a@x.test", "ct_0042"])


@pytest.mark.parametrize("text", ["[1, 2]", "[", "[" * 200_000, '[["a@x.test"]]', "[null]"])
def test_json_that_is_no_list_of_strings_is_read_as_text(text: str) -> None:
    """A-recipient-list-shape"""
    with pytest.raises(ValueError):
        recipients(text)


def test_a_list_of_nothing_is_empty() -> None:
    assert recipients("") == recipients([]) == recipients("[]") == recipients(" ; ,") == frozenset()


def test_the_domain_is_canonical() -> None:
    """A-case-display-name"""
    assert domain("Bo <BO@Mail.Orga.TEST>") == "mail.orga.test"


@given(st.text())
def test_any_text_is_split_without_failing(text: str) -> None:
    assert all(entry == entry.strip() != "" for entry in split_recipients(text))


@pytest.mark.parametrize("piece", ['"', '"\\', "a", "a.", "a@", "<", "a,", "\\", "a-", '"a'])
def test_long_hostile_input_is_answered(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    split_recipients(text)
    with pytest.raises(ValueError):
        canonical(text)
    with pytest.raises(ValueError):
        canonical("a@" + text + "\\")
