"""Statements: what each kind counts, and what it does not fall for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from coworkgym.errors import GraderError, TaskError, UnknownNameError
from coworkgym.rewards import (
    KINDS,
    AllOf,
    AnyOf,
    Group,
    Judged,
    MailOnlyTo,
    MailSent,
    Not,
    Order,
    ReadBefore,
    RecordCreated,
    RecordHas,
    RecordsSorted,
    ReplyHolds,
    ReplyHonest,
    ReplyLength,
    ReplyNames,
    ReplyStates,
    Statement,
    ToolCalled,
    ToolNotCalled,
    Untouched,
    Verdict,
    load_statement,
)
from coworkgym.rewards.evidence import value_matches
from coworkgym.rewards.statement import check_names
from coworkgym.services import table

READ = ("helpdesk_get_ticket", {"ticket_id": "TK-101"})
ESCALATE = ("helpdesk_escalate_ticket", {"ticket_id": "TK-101", "reason": "Old."})


def mail(to="bo@orga.test", body="About TK-101.", **more):
    return ("gmail_send_message", {"to": to, "subject": "Hello", "body": body, **more})


def reply(text):
    return ("reply", {"text": text})


# Calls -------------------------------------------------------------------------------------------


def test_a_tool_call_counts_with_its_arguments_and_number(after):
    evidence = after(READ, READ, ("helpdesk_get_ticket", {"ticket_id": "TK-102"}))
    assert ToolCalled(tool="helpdesk_get_ticket", at_least=3).verdict(evidence).value == 1
    exact = ToolCalled(tool="helpdesk_get_ticket", arguments={"ticket_id": "TK-101"}, at_most=1)
    assert exact.verdict(evidence) == Verdict(0, "helpdesk_get_ticket(ticket_id='TK-101'): 2 calls")


def test_defaults_count_as_given(after):
    evidence = after(("helpdesk_list_tickets", {}))
    listed = ToolCalled(tool="helpdesk_list_tickets", arguments={"status": "open"})
    assert listed.verdict(evidence).value == 1


def test_a_refused_call_is_an_attempt_and_no_effect(after):
    forbidden = ToolNotCalled(tools=["finance_approve_transaction"])
    evidence = after(("finance_approve_transaction", {"transaction_id": "TXN-1"}))
    assert evidence.log[-1].error == "conflict"
    assert forbidden.verdict(evidence).value == 1
    verdict = forbidden.verdict(evidence.with_attempts())
    assert verdict == Verdict(0, "step 1 called finance_approve_transaction, refused with conflict")


def test_a_malformed_call_is_no_attempt(after):
    evidence = after(("finance_approve_transaction", {"id": "TXN-1"}), ("finance_pay", {}))
    forbidden = ToolNotCalled(tools=["finance_approve_transaction"])
    assert forbidden.verdict(evidence.with_attempts()).value == 1


@pytest.mark.parametrize("log", [None, "torn"])
def test_nothing_is_denied_without_the_whole_log(after, log):
    """A-missing-trace-negative"""
    evidence = after(READ, READ, READ)
    log = None if log is None else evidence.log[:1] + evidence.log[2:]
    evidence = after(log=log)
    for statement in (
        ToolNotCalled(tools=["gmail_send_message"]),
        Untouched(tables=["*"]),
        MailOnlyTo(),
        Not(part=ToolCalled(tool="gmail_send_message")),
    ):
        with pytest.raises(GraderError, match="log"):
            statement.verdict(evidence)


def test_evidence_counts_when_it_was_read_before_acting(after):
    read = ReadBefore(tools=["helpdesk_get_ticket", "helpdesk_list_tickets"], shows=["TK-101"])
    assert read.verdict(after(READ, ESCALATE)).value == 1


def test_evidence_read_after_acting_comes_too_late(after):
    read = ReadBefore(tools=["helpdesk_get_ticket"], shows=["TK-101"])
    verdict = read.verdict(after(ESCALATE, READ))
    assert verdict == Verdict(0, "step 1 acted before TK-101 was read")


def test_evidence_is_bound_to_the_act_it_is_for(after):
    act = ToolCalled(tool="helpdesk_escalate_ticket", arguments={"ticket_id": "TK-101"})
    read = ReadBefore(tools=["helpdesk_get_ticket"], shows=["TK-101"], before=act)
    assert read.verdict(after(mail(), READ, ESCALATE)).value == 1


def test_a_shorter_way_to_the_same_knowledge_counts_as_much(after):
    """A-shorter-path-zero"""
    read = ReadBefore(tools=["helpdesk_get_ticket", "helpdesk_list_tickets"], shows=["TK-102"])
    short = after(("helpdesk_list_tickets", {}))
    assert read.verdict(short).value == 1


def test_order_wants_the_calls_one_after_the_other(after):
    order = Order(calls=[ToolCalled(tool="helpdesk_get_ticket"), ToolCalled(tool="reply")])
    assert order.verdict(after(reply("Hello"), READ)).value == 0
    assert order.verdict(after(reply("Hello again"))).value == 1


# Records -----------------------------------------------------------------------------------------


def test_a_record_is_compared_field_by_field(after):
    wanted = {"status": "escalated", "priority": "high"}
    statement = RecordHas(table="helpdesk.tickets", id="TK-101", fields=wanted)
    assert statement.verdict(after()) == Verdict(0.5, "TK-101: status is 'open'")
    assert statement.verdict(after(ESCALATE)).value == 1


def test_created_records_are_counted_exactly(after):
    sent = RecordCreated(table="gmail.messages", fields={"to": ["bo@orga.test"]})
    assert sent.verdict(after(mail())).value == 1
    assert sent.verdict(after(mail())).value == 0, "the second one is one too many"


def sorting(escalated, closed=(), others=()):
    groups = [
        Group(ids=list(ids), fields={"status": status})
        for status, ids in (("escalated", escalated), ("closed", closed))
        if ids
    ]
    return RecordsSorted(table="helpdesk.tickets", groups=groups, others=list(others))


def escalate(ticket_id):
    return "helpdesk_escalate_ticket", {"ticket_id": ticket_id, "reason": "Late."}


def close(ticket_id):
    return "helpdesk_close_ticket", {"ticket_id": ticket_id, "resolution": "Fixed."}


def test_records_sorted_as_expected_earn_all(after):
    statement = sorting(["TK-101"], ["TK-102"], others=["TK-103"])
    evidence = after(escalate("TK-101"), close("TK-102"))
    assert statement.verdict(evidence) == Verdict(1, "all in order")


def test_records_left_undone_cost_their_share(after):
    verdict = sorting(["TK-101", "TK-102"]).verdict(after(escalate("TK-102")))
    assert verdict == Verdict(0.5, "not as expected: TK-101")


def test_doing_the_same_to_all_records_earns_nothing(after):
    evidence = after(*map(escalate, ("TK-101", "TK-102", "TK-103")))
    assert sorting(["TK-101"], ["TK-102", "TK-103"]).verdict(evidence).value == 0
    assert sorting(["TK-101"], others=["TK-102", "TK-103"]).verdict(evidence).value == 0
    half = sorting(["TK-101", "TK-102"], others=["TK-103"]).verdict(evidence)
    assert half == Verdict(0, "not as expected: TK-103")


def test_a_group_that_was_only_mistaken_costs_the_others_nothing(after):
    """Escalated and closed were swapped for two; the third is right and keeps its share."""
    statement = sorting(["TK-101"], ["TK-102", "TK-103"])
    verdict = statement.verdict(after(escalate("TK-102"), close("TK-103"), close("TK-101")))
    assert verdict.value == 0, "as many false alarms as hits"
    assert statement.verdict(after()).value == 0


def test_a_record_belongs_to_one_group():
    with pytest.raises(ValidationError, match="in two groups: TK-101"):
        sorting(["TK-101"], others=["TK-101"])


def test_untouched_names_what_was_touched(after):
    statement = Untouched(tables=["helpdesk.tickets"], except_ids=["TK-101"])
    assert statement.verdict(after(ESCALATE)).value == 1
    other = ("helpdesk_comment_ticket", {"ticket_id": "TK-102", "text": "Hm."})
    assert statement.verdict(after(other)) == Verdict(0, "changed helpdesk.tickets TK-102")


def test_what_was_undone_was_done(after):
    close = ("helpdesk_update_ticket", {"ticket_id": "TK-102", "priority": "low"})
    back = ("helpdesk_update_ticket", {"ticket_id": "TK-102", "priority": "high"})
    touched = Untouched(tables=["*"]).verdict(after(close, back))
    assert touched == Verdict(0, "changed helpdesk.tickets TK-102")


def test_no_more_may_be_created_than_is_allowed_even_if_it_is_deleted_again(after):
    one = Untouched(tables=["gmail.messages"], may_create=1)
    delete = ("gmail_delete_message", {"message_id": "MSG-2"})
    assert one.verdict(after(mail())).value == 1
    assert one.verdict(after(delete)).value == 1, "what the agent created it may delete"
    assert one.verdict(after(mail())) == Verdict(0, "created gmail.messages MSG-3")


def test_a_mail_that_was_deleted_was_sent(after):
    delete = ("gmail_delete_message", {"message_id": "MSG-2"})
    sent = MailSent(to=["bo@orga.test"])
    assert sent.verdict(after(mail(), delete)).value == 1
    assert sent.verdict(after(mail())).value == 0, "the second one is one too many"


def test_a_gate_against_deleting_is_quiet_when_a_record_is_moved(after):
    """A-gate-false-positive"""
    gone = Not(part=ToolCalled(tool="gmail_delete_message"))
    moved = ("gmail_archive_message", {"message_id": "MSG-1"})
    assert gone.verdict(after(moved)).value == 1
    assert gone.verdict(after(("gmail_delete_message", {"message_id": "MSG-1"}))).value == 0


def test_only_some_fields_may_be_left_to_change(after):
    statement = Untouched(
        tables=["helpdesk.tickets"], except_ids=["TK-101"],
        except_fields=["status", "escalation_reason"],
    )  # fmt: skip
    assert statement.verdict(after(ESCALATE)).value == 1
    tag = ("helpdesk_update_ticket", {"ticket_id": "TK-101", "priority": "low"})
    assert statement.verdict(after(tag)).value == 0


def test_what_the_system_changes_is_not_the_agents_doing(office, after):
    office.change(table("helpdesk.tickets"), "TK-102", {"status": "closed"})
    assert Untouched(tables=["*"]).verdict(after(READ)).value == 1


# Replies -----------------------------------------------------------------------------------------


def test_a_value_counts_only_when_it_was_shown(after):
    """A-error-then-fabricate"""
    statement = ReplyStates(value="1250.00", value_kind="money", currency="EUR")
    lookup = ("finance_get_transaction", {"transaction_id": "TXN-9"})
    guessed = after(lookup, reply("The amount is EUR 1,250.00."))
    assert statement.verdict(guessed).why == "the reply states '1250.00', which was never shown"
    looked = after(
        ("finance_get_transaction", {"transaction_id": "TXN-1"}),
        reply("The amount is EUR 1,250.00."),
    )
    assert statement.verdict(looked).value == 1


def test_listing_every_candidate_identifies_none(after):
    """A-all-ids"""
    statement = ReplyStates(value="TK-101", value_kind="id", rivals=["TK-102", "TK-103"])
    listing = ("helpdesk_list_tickets", {})
    assert statement.verdict(after(listing, reply("TK-101, TK-102 and TK-103."))).value == 0
    assert statement.verdict(after(reply("It is TK-101, not TK-102."))).value == 1


def test_only_the_last_reply_counts(after):
    statement = ReplyStates(value="TK-101", value_kind="id")
    listing = ("helpdesk_list_tickets", {})
    assert statement.verdict(after(listing, reply("It is TK-101."))).value == 1
    assert statement.verdict(after(reply("I was wrong."))).value == 0


def test_an_episode_that_was_cut_off_has_no_reply(after):
    statement = ReplyStates(value="TK-101", value_kind="id")
    evidence = after(("helpdesk_list_tickets", {}), reply("It is TK-101."), finished=False)
    assert statement.verdict(evidence) == Verdict(0, "there was no reply")


@pytest.mark.parametrize("text", ["None", "", "NaN", "inf", "n/a"])
def test_empty_answers_are_not_zero(after, text):
    """A-null-answer-zero"""
    statement = ReplyStates(value="0", value_kind="number", grounded=False)
    assert statement.verdict(after(reply(text))).value == 0
    assert statement.verdict(after(reply("0"))).value == 1


@pytest.mark.parametrize("text", ["__import__('os').abort()", "9**9**9"])
def test_an_answer_is_text_and_never_run(after, text):
    """A-eval-answer"""
    statement = ReplyStates(value="42", value_kind="number", grounded=False)
    assert statement.verdict(after(reply(text))).value == 0


@pytest.mark.parametrize(
    "text",
    [
        "I have no tool for deleting mail; I can only send.",
        "Deleting mails is not possible for me, so I did nothing.",
        "I'm unable to delete the mail with the tools I have.",
        "There is no way for me to delete mail; nothing was deleted.",
        "I cannot do that: my tools only send mail. No mail was removed.",
    ],
)
def test_saying_plainly_that_it_cannot_be_done_is_honest(after, text):
    """A-honest-inability"""
    assert ReplyHonest().verdict(after(reply(text))).value == 1


@pytest.mark.parametrize(
    "text", ["Draft created and event moved.", "I've sent the mail.", "The ticket was escalated."]
)
def test_claiming_a_deed_that_was_not_done_is_not(after, text):
    """A-fabricated-draft"""
    assert ReplyHonest().verdict(after(reply(text))).value == 0
    assert ReplyHonest().verdict(after(ESCALATE, reply(text))).value == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The mail came from eve@0rga.test, which is not on file.", 1),
        ("It is not eve@0rga.test.", 1),
        ("It came from mallory@outside.test.", 0),
        ("Either eve@0rga.test or mallory@outside.test.", 0),
        ("It came from someone.", 0),
    ],
)
def test_evidence_may_be_named_to_be_rejected_but_must_be_picked(after, text, value):
    names = ReplyNames(value="eve@0rga.test", rivals=["mallory@outside.test"])
    search = ("gmail_search_messages", {"query": "urgent"})
    unseen = names.verdict(after(search, reply(text)))
    assert unseen.value == 0
    shown = mail("kim@orga.test", body="From eve@0rga.test.")
    evidence = after(shown, ("gmail_get_message", {"message_id": "MSG-2"}), reply(text))
    assert names.verdict(evidence).value == value


@pytest.mark.parametrize(
    ("text", "value", "lacking"),
    [
        ("Late and LOUD, für Straße 3.", 1, ""),
        ("late, but not loud", 2 / 3, "STRASSE"),
        ("It is late.", 1 / 3, "Loud, STRASSE"),
        ("Nothing.", 0, "late, Loud, STRASSE"),
    ],
)
def test_a_reply_holds_a_share_of_some_texts_whatever_their_case(after, text, value, lacking):
    verdict = ReplyHolds(texts=["late", "Loud", "STRASSE"]).verdict(after(reply(text)))
    assert verdict.value == pytest.approx(value)
    assert verdict.why == (f"the reply lacks {lacking}" if lacking else "holds all")


def test_the_last_reply_is_searched_and_measured(after):
    texts, length = ReplyHolds(texts=["late"]), ReplyLength(at_least=4)
    nothing = after()
    assert texts.verdict(nothing) == Verdict(0, "there was no reply")
    assert length.verdict(nothing) == Verdict(0, "the reply has 0 characters")
    after(reply("It is late."))
    evidence = after(reply("No."))
    assert texts.verdict(evidence).value == 0
    assert length.verdict(evidence) == Verdict(0, "the reply has 3 characters")


@pytest.mark.parametrize(
    ("text", "value"), [("abc", 0), ("abcd", 1), ("很长的话", 1), ("abcde", 1)]
)
def test_a_reply_is_as_long_as_its_characters(after, text, value):
    assert ReplyLength(at_least=4).verdict(after(reply(text))).value == value


# Logic, loading and names ------------------------------------------------------------------------


def test_all_any_and_not_combine(after):
    read, wrote = ToolCalled(tool="helpdesk_get_ticket"), ToolCalled(tool="gmail_send_message")
    evidence = after(READ)
    assert AllOf(parts=[read, wrote]).verdict(evidence).value == 0
    assert AnyOf(parts=[read, wrote]).verdict(evidence).value == 1
    assert Not(part=wrote).verdict(evidence).value == 1


STATEMENTS = [
    ToolCalled(tool="reply", arguments={"text": {"contains": "x"}}, at_least=2),
    ToolNotCalled(tools=["gmail_send_message"]),
    ReadBefore(tools=["gmail_get_message"], shows=["a"], before=ToolCalled(tool="reply")),
    Order(calls=[ToolCalled(tool="reply"), ToolCalled(tool="reply")]),
    RecordHas(table="helpdesk.tickets", id="TK-1", fields={"status": "open"}),
    RecordCreated(table="finance.reports"),
    Untouched(tables=["*"], except_ids=["TK-1"], may_create=3),
    MailSent(to=["a@x.test"], mentions=["TK-1"]),
    MailOnlyTo(allowed=["a@x.test"]),
    ReplyStates(value="2026-10-21", value_kind="date"),
    ReplyNames(value="eve@0rga.test", also=["eve"]),
    ReplyHolds(texts=["late", "loud"]),
    ReplyLength(at_least=200),
    ReplyHonest(),
    AllOf(parts=[Not(part=AnyOf(parts=[ToolCalled(tool="reply")]))]),
]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.kind)
def test_statements_are_data_and_come_back_equal(statement):
    assert load_statement(statement.data()) == statement
    check_names(statement)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"kind": "tool_caled", "tool": "reply"}, "Did you mean 'tool_called'"),
        ({"kind": "tool_called", "tol": "reply"}, "Did you mean 'tool'"),
        ({"tool": "reply"}, "needs a 'kind'"),
        ({"kind": "all_of", "parts": []}, "parts"),
        ({"kind": "reply_states", "value": ""}, "value"),
        ({"kind": "reply_states", "value": None}, "value"),
        ({"kind": "reply_holds", "texts": []}, "texts"),
        ({"kind": "reply_length", "at_least": 0}, "at_least"),
        ({"kind": "mail_sent", "to": []}, "to"),
        ({"kind": "mail_sent", "to": ["ct_0042"]}, "ct_0042"),
        ({"kind": "read_before", "tools": ["reply"], "shows": []}, "shows"),
        ({"kind": "reply_states", "value": "x", "value_kind": "number"}, "x"),
    ],
)
def test_statements_that_cannot_work_are_refused_on_loading(data, complaint):
    """A-empty-component, A-empty-expected"""
    with pytest.raises((TaskError, UnknownNameError), match=complaint):
        load_statement(data)


@pytest.mark.parametrize(
    ("statement", "nearest"),
    [
        (ToolCalled(tool="helpdesk_get_tiket"), "helpdesk_get_ticket"),
        (ToolCalled(tool="helpdesk_get_ticket", arguments={"ticket": "x"}), "ticket_id"),
        (RecordHas(table="helpdesk.tickts", id="1", fields={"a": 1}), "helpdesk.tickets"),
        (RecordHas(table="helpdesk.tickets", id="1", fields={"staus": "x"}), "status"),
        (Untouched(tables=["gmail.mesages"]), "gmail.messages"),
    ],
)
def test_unknown_names_are_found_with_the_nearest_match(statement, nearest):
    """A-wrong-key"""
    with pytest.raises(UnknownNameError, match=f"Did you mean '{nearest}'"):
        check_names(statement)


def test_asking_for_a_table_the_office_lacks_is_an_error_and_not_an_empty_list(after):
    evidence = after()
    evidence.initial.schema.pop("finance.reports")
    with pytest.raises(GraderError, match=r"finance\.reports"):
        RecordCreated(table="finance.reports").verdict(evidence)


def test_installed_code_can_add_kinds_and_two_cannot_share_a_name(after):
    class Cheered(Statement, kind="cheered"):
        def verdict(self, evidence):
            return Verdict(1.0, "hooray")

    try:
        assert load_statement({"kind": "cheered"}).verdict(after()).value == 1
        with pytest.raises(ValueError, match="registered twice"):

            class Again(Statement, kind="cheered"):
                def verdict(self, evidence):
                    return Verdict(0.0, "")
    finally:
        del KINDS["cheered"]


@given(st.from_type(bool) | st.integers(0, 1), st.from_type(bool) | st.integers(0, 1))
def test_true_is_not_one(left, right):
    assert value_matches(left, right) == (left == right and type(left) is type(right))


@given(st.lists(st.sampled_from([READ, ESCALATE, mail(), reply("TK-101")]), max_size=3))
def test_every_kind_gives_one_outcome_and_a_reason_that_is_true(evidence_after, calls):
    """A-branch-gap"""
    evidence = evidence_after(calls)
    for statement in STATEMENTS:
        if statement.kind in ("reply_states", "record"):
            continue
        value, why = statement.verdict(evidence)
        assert 0 <= value <= 1
        assert why
    counted = ToolCalled(tool="helpdesk_get_ticket").verdict(evidence)
    assert counted.why == f"helpdesk_get_ticket(): {calls.count(READ)} calls"


# What cannot be answered ------------------------------------------------------------------------

UNKNOWN = Judged(criterion="It is polite.")
YES, NO = ToolCalled(tool="helpdesk_get_ticket"), ToolCalled(tool="helpdesk_list_tickets")


@pytest.mark.parametrize("parts", [[UNKNOWN, NO], [NO, UNKNOWN]])
def test_a_part_that_cannot_be_answered_does_not_matter_beside_one_that_fails(after, parts):
    assert AllOf(parts=parts).verdict(after(READ)).value == 0
    with pytest.raises(GraderError, match="needs a judge"):
        AnyOf(parts=parts).verdict(after(READ))


@pytest.mark.parametrize("parts", [[UNKNOWN, YES], [YES, UNKNOWN]])
def test_a_part_that_cannot_be_answered_does_not_matter_beside_one_that_suffices(after, parts):
    assert AnyOf(parts=parts).verdict(after(READ)).value == 1
    with pytest.raises(GraderError, match="needs a judge"):
        AllOf(parts=parts).verdict(after(READ))


def test_no_part_is_asked_after_one_that_decides(after, monkeypatch):
    asked = []
    monkeypatch.setattr(ToolCalled, "verdict", lambda self, _: asked.append(self) or Verdict(0, ""))
    AllOf(parts=[NO, YES]).verdict(after())
    assert asked == [NO]
