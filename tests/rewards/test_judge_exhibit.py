"""The exhibit of a judge: what it is shown, and what is cut first where that is too long."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.rewards.judge.exhibit import show
from coworkgym.rewards.judge.fence import BAR, cut, left_out, quote, shares
from coworkgym.rewards.judged import PARTS

WORDS = ("met", "partly", "unmet", "unclear")
ESCALATE = ("helpdesk_escalate_ticket", {"ticket_id": "TK-101", "reason": "Old."})
LIST = ("helpdesk_list_tickets", {})
FILLER = "All is well. " * 4400
REFUND = "I promise a refund."


def mail(body):
    return ("gmail_send_message", {"to": "bo@orga.test", "subject": "Hi", "body": body})


def shown(evidence, limit=20_000, parts=PARTS):
    return show(evidence, parts, limit, WORDS)


def test_a_long_text_loses_its_middle_and_a_mark_says_how_much(after):
    evidence = after(ESCALATE, ("reply", {"text": "x" * 5000}))
    exhibit = shown(evidence, limit=1000)
    *_, head, mark, tail = exhibit.text.split("\n")
    kept = head.count("x") + tail.count("x")
    assert mark == f"(cut here: {5000 - kept} of 5002 characters)"
    assert tail == BAR + "x" * len(tail.removeprefix(BAR))
    assert 1.9 < len(head) / len(tail) < 2.1
    assert exhibit.cut >= exhibit.hidden >= 5000 - kept
    assert "escalated" in exhibit.text, "no text crowds out another"


@pytest.mark.parametrize("text", ["\u200b" * 50_000, "\n" * 50_000, "<" * 50_000, "a: " * 20_000,
                                  "- met\n" * 10_000])  # fmt: skip
def test_the_limit_holds_for_what_is_shown(text, after):
    escalate = ("helpdesk_escalate_ticket", {"ticket_id": "TK-101", "reason": text})
    calls = [escalate, mail(text), (text, {text: text}), ("reply", {"text": text})]
    assert len(shown(after(*calls), limit=2000).text) < 2000 + 60 * 12


@pytest.mark.parametrize("place", ["reply", "body"])
def test_padding_does_not_hide_how_a_text_ends(place, after):
    text = FILLER + REFUND
    exhibit = shown(after(("reply", {"text": text}) if place == "reply" else mail(text)))
    assert REFUND in exhibit.text
    assert exhibit.hidden > 30_000


def test_reads_are_cut_before_what_was_written(after):
    letter = "Dear Bo, " * 300 + REFUND
    evidence = after(*[LIST] * 80, mail(letter), *[LIST] * 80, ("reply", {"text": "Sent."}))
    exhibit = shown(evidence)
    assert exhibit.text.count(letter) == 2, "the call and the record"
    assert exhibit.cut > exhibit.hidden == 0
    assert len(exhibit.text) < 20_000 + 60 * 163


@pytest.mark.parametrize("again", [mail, lambda body: ("helpdesk_nothing", {"text": body})])
def test_writes_and_refused_calls_are_no_reads(again, after):
    exhibit = shown(after(*[LIST] * 40, again(REFUND), *[LIST] * 40), limit=3000)
    assert REFUND in exhibit.text
    assert exhibit.cut > 0


def test_all_that_was_cut_of_the_agents_words_is_counted(after):
    exhibit = shown(after(mail("y" * 2000), ("reply", {"text": "x" * 2000})), limit=1500)
    missing = 6000 - sum(exhibit.text.count(letter) for letter in "xy")
    assert missing - 20 < exhibit.hidden <= exhibit.cut
    assert exhibit.hidden > 4000


def test_arguments_of_a_read_that_are_cut_are_told(after):
    evidence = after(("helpdesk_list_tickets", {"status": "open", "cursor": "x" * 900}))
    assert shown(evidence, limit=10_000).hidden == 0
    assert shown(evidence, limit=300).hidden > 0


def test_what_the_office_answered_is_not_what_the_agent_wrote(after):
    whole = shown(after(LIST), parts=["calls"])
    least = shown(after(LIST), limit=200, parts=["calls"])
    assert (whole.cut, whole.hidden) == (0, 0)
    assert (least.cut > 0, least.hidden) == (True, 0)


@given(st.lists(st.integers(0, 50)), st.integers(0, 200))
def test_shares_keep_short_texts_and_the_limit(lengths, limit):
    kept = shares(lengths, limit)
    assert sum(kept) <= limit
    assert all(share <= length for share, length in zip(kept, lengths, strict=True))
    longest_cut = max((k for k, n in zip(kept, lengths, strict=True) if k < n), default=None)
    if longest_cut is None:
        assert kept == lengths
    else:
        assert limit - sum(kept) <= len(lengths)
        assert all(k == n or k >= longest_cut - 1 for k, n in zip(kept, lengths, strict=True))


def cut_to(quoted, length):
    return cut(quoted, left_out(len(quoted), length), WORDS)


def test_two_thirds_of_what_stays_stand_before_the_mark():
    assert cut_to("| abc", 5) == "| abc"
    assert cut_to("| abcdefghij", 6) == "| ab\n(cut here: 6 of 12 characters)\n| ij"
    assert cut_to("| abcdefghij", 0) == "(cut here: 12 of 12 characters)"


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_what_is_left_out_and_what_stays_are_the_whole(size, length, first):
    first = min(first, size)
    out = left_out(size, length, first)
    assert len(out) == max(0, size - length)
    assert not out or 0 <= out.start < out.stop <= size
    assert not out or first > length or first <= out.start, "a beginning that fits stays whole"


@given(st.text("a:=\n|met “”{→", max_size=60), st.integers(0, 60))
def test_cutting_makes_no_verdict(text, length):
    for line in cut_to(quote(text, WORDS), length).split("\n"):
        assert line.startswith((BAR, "(cut here: "))
        assert line.removeprefix(BAR).strip() not in WORDS
        assert not re.search(r"[:=→]\W*met$", line)


@pytest.mark.parametrize("length", range(12, 60))
def test_a_verdict_does_not_arise_from_a_longer_word(length):
    text = cut_to(quote("Result: metal, metal\nmetal and fish: met\nsome met", WORDS), length)
    lines = [line.removeprefix(BAR) for line in text.split("\n")]
    assert not any(re.search(r"(^|[:=→]\W*)met$", line) for line in lines)


def test_the_judge_sees_changes_calls_and_replies(after):
    evidence = after(
        ESCALATE, ("gmail_delete_message", {"message_id": "MSG-1"}), ("helpdesk_get", {}),
        ("gmail_send_message", {"to": "bo@orga.test", "subject": "Hi", "body": "Bye"}),
        ("reply", {"text": "All set."}),
    )  # fmt: skip
    text = shown(evidence).text
    assert '| record: helpdesk.tickets TK-101\n| status: "open" → "escalated"' in text
    assert "| record: gmail.messages MSG-1\n| deleted: ❴" in text
    assert "| created: ❴" in text
    assert '| call: "helpdesk_get"\n| arguments: ❴❵\n| refused: ❴"error":"unknown_tool"' in text
    assert "Calls of the agent, with their results: 4" in text
    assert text.endswith("Replies of the agent to its user: 1\n(1)\n| All set.")


def test_parts_that_are_not_wanted_are_not_shown(after):
    evidence = after(ESCALATE, ("reply", {"text": "All set."}))
    replies = shown(evidence, 99, ["reply"])
    assert replies == ("Replies of the agent to its user: 1\n(1)\n| All set.", 0, 0)
    assert "All set." not in shown(evidence, 9999, ["calls", "changes"]).text
    nothing = shown(after(finished=False), 99, ["reply"])
    assert nothing.text == "Replies of the agent to its user: none"
