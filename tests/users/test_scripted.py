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
