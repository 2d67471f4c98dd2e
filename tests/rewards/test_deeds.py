"""Statements about what was done at any time, whatever became of it."""

import pytest

from coworkgym.errors import GraderError, UnknownNameError
from coworkgym.rewards import RecordNever, ToolNotCalled, Verdict, load_statement
from coworkgym.rewards.evidence import value_matches
from coworkgym.rewards.statement import check_names


def label(add=(), remove=()):
    return "gmail_label_message", {"message_id": "MSG-1", "add": [*add], "remove": [*remove]}


def never(labels, ids=()):
    return RecordNever(table="gmail.messages", fields={"labels": labels}, ids=list(ids))


def test_what_a_record_was_for_a_while_counts(after):
    evidence = after(label(add=["vip"]), label(remove=["vip"]))
    assert never({"contains": "vip"}).verdict(evidence) == Verdict(
        0.0, "MSG-1 once had labels ['inbox', 'vip']"
    )
    assert never({"contains": "spam"}).verdict(evidence).value == 1


def test_only_the_records_named_are_looked_at(after):
    evidence = after(label(add=["vip"]))
    assert never({"contains": "vip"}, ids=["MSG-9"]).verdict(evidence).value == 1
    assert never({"contains": "vip"}, ids=["MSG-1", "MSG-9"]).verdict(evidence).value == 0


def test_what_was_there_from_the_start_is_nobodys_doing(after):
    assert never({"contains": "inbox"}).verdict(after()).value == 1


def test_new_records_are_looked_at_too(after):
    draft = {"to": "mallory@outside.test", "subject": "x", "body": "y"}
    wrong = RecordNever(
        table="gmail.messages", fields={"to": {"not": {"within": ["bo@orga.test"]}}}
    )
    assert wrong.verdict(after(("gmail_save_draft", draft | {"to": "bo@orga.test"}))).value == 1
    assert wrong.verdict(after(("gmail_save_draft", draft))).value == 0


def test_a_table_that_the_office_does_not_keep_cannot_be_answered(after):
    with pytest.raises(GraderError, match="keeps no table"):
        RecordNever(table="kb.articles", fields={"title": "x"}).verdict(after())
    with pytest.raises(UnknownNameError, match="Did you mean 'labels'"):
        check_names(RecordNever(table="gmail.messages", fields={"label": "x"}))


def test_the_statement_survives_its_data():
    statement = never({"not": {"one_of": [["inbox"]]}}, ids=["MSG-1"])
    assert load_statement(statement.data()) == statement


@pytest.mark.parametrize(
    ("expected", "actual", "holds"),
    [
        ({"not": "a"}, "b", True),
        ({"not": "a"}, "a", False),
        ({"not": {"one_of": ["a", "b"]}}, "b", False),
        ({"within": ["a", "b"]}, ["b"], True),
        ({"within": ["a", "b"]}, [], True),
        ({"within": ["a", "b"]}, ["b", "c"], False),
        ({"within": ["a"]}, "a", False),
        ({"not": {"within": ["a"]}}, ["c"], True),
    ],
)
def test_values_may_be_any_but_some_or_lists_of_some(expected, actual, holds):
    assert value_matches(expected, actual) is holds


def test_a_call_may_be_forbidden_in_some_stages_only(office, after):
    read = ("helpdesk_get_ticket", {"ticket_id": "TK-101"})
    early = ToolNotCalled(tools=["helpdesk_get_ticket"], stages=[0])
    office.stage = 1
    assert early.verdict(after(read)).value == 1
    office.stage = 0
    assert early.verdict(after(read)).value == 0
