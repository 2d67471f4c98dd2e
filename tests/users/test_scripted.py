"""The scripted user: answers what is asked, invents nothing, ends only on a report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from coworkgym.users import Correction, Fact, ScriptedUser, Turn, UserScript

SCRIPT = UserScript(
    facts=(
        Fact(says="Thursday suits me.", asked_by=("day", "which day", "when")),
        Fact(says="Ana and Bo must be there.", asked_by=("who", "attendees", "participants")),
        Fact(says="By the way, I am in Berlin.", volunteered=True),
    ),
    corrections=(Correction(phrases=("Friday",), says="No, I said Thursday."),),
    change_of_mind="Sorry, please make it ten o'clock instead.",
    settled_by=("Thursday", "ten"),
    patience=3,
)
ZH = UserScript(facts=(Fact(says="周四可以。", asked_by=("哪天", "时间")),), settled_by=("周四",))


def user(script=SCRIPT, language="en"):
    return ScriptedUser(script, language)


def test_a_fact_is_told_when_it_is_asked_for_and_only_then():
    kim = user()
    assert kim.hear("Which day would you like?") == Turn(
        "By the way, I am in Berlin. Thursday suits me.", False
    )
    assert kim.hear("And who should come?") == Turn("Ana and Bo must be there.", False)


def test_two_questions_get_two_answers():
    assert user().hear("When is it? And who are the attendees?").says == (
        "By the way, I am in Berlin. Thursday suits me. Ana and Bo must be there."
    )


def test_nothing_is_invented():
    """A-user-invents"""
    kim = user(UserScript(facts=SCRIPT.facts[:2]))
    assert kim.hear("What is the reference number?") == Turn("I don't have that.", False)


def test_agreeing_to_a_write_never_ends_the_stage():
    """A-stop-on-confirm"""
    kim = user(UserScript())
    assert kim.hear("I found a slot on Thursday. Shall I book it?") == Turn(
        "Yes, please go ahead.", False
    )
    assert kim.hear("It is booked.").ends_stage


def test_a_correction_is_made_once():
    kim = user()
    assert kim.hear("I booked Friday at ten.").says == "No, I said Thursday."
    assert kim.hear("I moved it from Friday to Thursday, ten.").says != "No, I said Thursday."


def test_the_mind_is_changed_after_the_first_report_and_then_no_more():
    kim = user()
    assert kim.hear("Thursday at nine is booked.") == Turn(SCRIPT.change_of_mind, False)
    assert kim.hear("Thursday at ten is booked.") == Turn("Thank you, that settles it.", True)


def test_a_report_that_settles_nothing_is_sent_back():
    kim = user(UserScript(settled_by=("Thursday",)))
    assert not kim.hear("I am on it.").ends_stage
    assert kim.hear("Thursday is booked.").ends_stage


def test_patience_ends():
    kim = user(UserScript(settled_by=("Thursday",), patience=2))
    assert not kim.hear("Hm.").ends_stage
    assert kim.hear("Hm.") == Turn("I'll take care of it myself then.", True)


def test_a_settled_user_only_thanks():
    """A-restart-after-done"""
    kim = user(UserScript())
    assert kim.hear("Done.").ends_stage
    assert kim.hear("Which day?") == Turn("Thank you, that settles it.", True)


@pytest.mark.parametrize("text", ["###STOP### Which day?", "TRANSFER. <|im_end|> Which day?"])
def test_stop_words_of_the_agent_do_nothing(text):
    """A-agent-stop-token"""
    assert not user().hear(text).ends_stage


def test_a_courtesy_is_no_question():
    assert user(UserScript()).hear("It is booked. Anything else I can do?").ends_stage


def test_phrases_are_whole_words():
    kim = user(UserScript(facts=(Fact(says="Lee.", asked_by=("who",)),)))
    assert kim.hear("Is the whole team invited?").says == "I don't have that."


def test_the_user_speaks_chinese_too():
    kim = user(ZH, "zh")
    assert kim.hear("请问哪天方便？") == Turn("周四可以。", False)
    assert kim.hear("编号是多少？").says == "这个我没有。"
    assert kim.hear("需要我现在预订吗？").says == "好的，请继续。"
    assert kim.hear("已预订周四。") == Turn("谢谢，这样就可以了。", True)


def test_forks_go_their_own_way():
    kim = user()
    kim.hear("Thursday at nine is booked.")
    twin = kim.fork()
    assert twin.hear("Thursday at ten is booked.").ends_stage
    assert kim.hear("Which day?").says == "Thursday suits me."


@given(st.lists(st.text(max_size=60), max_size=8))
def test_whatever_is_said_the_same_talk_goes_the_same_way(replies):
    first, second = user(), user()
    assert [first.hear(reply) for reply in replies] == [second.hear(reply) for reply in replies]


def test_a_fact_that_can_never_be_told_is_refused():
    with pytest.raises(ValidationError, match="must be volunteered"):
        Fact(says="Nobody asks.")


@pytest.mark.parametrize(
    ("settled_by", "language", "reports", "others"),
    [
        (
            "15:30",
            "en",
            ["at 3:30 PM", "at 3:30 p.m.", "15:30"],
            ["3:30 AM", "15:30 UTC", "3:31 PM"],
        ),
        ("09:30", "en", ["9:30", "09:30", "half past 9"], ["9:30 PM", "19:30", "9:03"]),
        ("13:00", "zh", ["下午1:00", "下午一点", "13点"], ["上午1:00", "1点半"]),
        ("15:30", "zh", ["下午3点半", "15点30分"], ["下午3点", "3点半"]),
        ("2028-01-24", "en", ["January 24", "24 Jan 2028"], ["January 25", "24 Jan 2027"]),
        ("2028-01-24", "zh", ["1月24日", "2028年1月24号"], ["1月25日", "2027年1月24日"]),
    ],
)
def test_a_time_or_date_that_settles_is_known_in_every_form(
    settled_by: str, language: str, reports: list[str], others: list[str]
) -> None:
    """A-rigid-words"""
    script = UserScript(settled_by=(settled_by,))
    for report in reports:
        assert user(script, language).hear(report).ends_stage, report
    for report in others:
        assert not user(script, language).hear(report).ends_stage, report


def test_a_phrase_that_only_holds_a_time_is_wanted_as_a_whole() -> None:
    kim = user(UserScript(settled_by=("booked for 15:00",)))
    assert not kim.hear("15:00 is free.").ends_stage
    assert kim.hear("It is booked for 15:00.").ends_stage


def test_a_report_with_a_wish_for_agreement_settles() -> None:
    """A-rigid-words: whoever asks politely is not asked to go ahead without end."""
    kim = UserScript(facts=SCRIPT.facts, settled_by=("15:00",))
    for wish in ("Does that work for you?", "Please let me know if you would like any changes."):
        assert user(kim).hear(f"The meeting is on 2028-01-24 at 15:00. {wish}").ends_stage
        assert not user(kim).hear(f"The meeting is on 2028-01-24. {wish}").ends_stage
    for wish in ("请确认。", "这样可以吗？", "如需调整，请告诉我。"):
        assert user(kim, "zh").hear(f"会议定在1月24日下午3点。{wish}").ends_stage


def test_a_wish_for_agreement_that_asks_for_a_fact_is_answered() -> None:
    script = UserScript(facts=SCRIPT.facts[:2], settled_by=("15:00",))
    reply = "It is at 15:00. Please confirm the attendees."
    assert user(script).hear(reply) == Turn("Ana and Bo must be there.", False)


def test_leave_to_act_is_given_even_where_the_time_is_named() -> None:
    """A-stop-on-confirm"""
    kim = user(UserScript(settled_by=("15:00",)))
    assert kim.hear("15:00 is free. Shall I book it?") == Turn("Yes, please go ahead.", False)


def test_the_lines_under_a_question_are_answered_together() -> None:
    kim = user(UserScript(facts=SCRIPT.facts[:2]))
    answer = Turn("Thursday suits me. Ana and Bo must be there.", False)
    assert kim.hear("Please tell me:\n- Attendees\n- Day") == answer
    assert kim.hear("I need to know the participants and the day.") == answer
    assert user(ZH, "zh").hear("请告诉我：\n1. 时间\n2. 地点").says == "周四可以。"
