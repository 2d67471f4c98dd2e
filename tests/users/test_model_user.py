"""The model user: the model chooses words, the script decides; faults are caught and kept."""

import json
import math
import pickle
from dataclasses import replace

import gymnasium as gym
import pytest

from coworkgym import CoworkEnv, Episode
from coworkgym.chat import ChatError, Completion
from coworkgym.errors import UnknownNameError
from coworkgym.rewards import FORMULAS
from coworkgym.tasks import Stage
from coworkgym.users import Correction, Fact, ScriptedUser, Turn, UserScript
from coworkgym.users.model_user import ModelUser, read_answer

OPENING = "Please book a meeting about INV-2041 with Ana (ana@orga.test) on 26 March at 9:00."
SCRIPT = UserScript(
    facts=(
        Fact(says="Room B12 suits me.", asked_by=("room", "where")),
        Fact(says="It takes 45 minutes.", asked_by=("how long",)),
        Fact(says="By the way, Bo comes too.", volunteered=True),
    ),
    corrections=(Correction(phrases=("Friday",), says="No, not on Friday."),),
    change_of_mind="Sorry, please make it ten o'clock instead.",
    settled_by=("booked",),
    patience=3,
)
PLAIN = UserScript(facts=SCRIPT.facts[:2], settled_by=("booked",), patience=3)
THANKS = Turn("Thank you, that settles it.", True)


class FakeClient:
    """Gives the answers it was told to, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def complete(self, messages):
        self.asked.append(messages)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Completion({"role": "assistant", "content": text}, "stop", 1, 1)


def says(words, settled=False):
    return {"says": words, "settled": settled}


def user(*answers, script=PLAIN, language="en", opening=OPENING):
    return ModelUser(script, FakeClient(*answers), language, opening)


def kinds(kim):
    return [(fault.turn, fault.kind) for fault in kim.faults]


# What the model may say --------------------------------------------------------------------------


def test_the_models_words_are_used_while_they_agree_with_the_script():
    kim = user(
        says("Hm, room B12 suits me. Thanks for asking!"),
        says("Sure, do it."),
        says("Perfect, thank you!", settled=True),
    )
    assert kim.hear("Which room?") == Turn("Hm, room B12 suits me. Thanks for asking!", False)
    assert kim.hear("Shall I go on?") == Turn("Sure, do it.", False)
    assert kim.hear("It is booked.") == Turn("Perfect, thank you!", True)
    assert kim.faults == ()


def test_a_question_that_the_script_does_not_read_can_be_answered():
    kim = user(says("Three quarters of an hour: 45 minutes."))
    assert kim.hear("What duration do you want?").says == "Three quarters of an hour: 45 minutes."
    assert kim.faults == ()


@pytest.mark.parametrize(
    "words",
    [
        "Yes, 26 March, 09:00, for INV-2041.",
        "On March 26th at 9 am, with ana@orga.test.",
        "The 26th; invoice 2041; 3/26 slides are none of it.",
        "At 10:30 on Tuesday then, as you offer, for 1,200 euros.",
    ],
)
def test_values_that_have_been_said_may_be_said_otherwise(words):
    kim = user(says(words))
    kim.hear("Is 3/26 right? I can offer Tuesday, half an hour past 10 (10:30), for EUR 1200.00?")
    assert kim.faults == ()


@pytest.mark.parametrize(
    "written",
    [
        '```json\n{"says": "Yes.", "settled": false}\n```',
        'I would say {"yes"}: {"says": "Yes.", "settled": false} So be it.',
        '<think>{"says": "No.", "settled": true}</think>\n{"settled": false, "says": "Yes."}',
        '{"answer": {"says": "Yes.", "settled": false}}',
    ],
)
def test_an_answer_is_found_in_fences_and_prose(written):
    assert read_answer(written) == Turn("Yes.", False)


@pytest.mark.parametrize(
    "written",
    ["", "Yes.", "{}", '{"says": "Yes."}', '{"says": " ", "settled": true}', "[" * 9000,
     '{"says": "Yes.", "settled": "no"}', '{"says": 1, "settled": false}', '{"a":' * 3000],
)  # fmt: skip
def test_what_is_no_answer_is_a_fault(written):
    kim = user(written)
    assert kim.hear("Which room?") == Turn("Room B12 suits me.", False)
    assert kinds(kim) == [(1, "no_json")]


def test_the_model_is_told_the_script_and_sees_the_talk():
    kim = user(says("Room B12 suits me. By the way, Bo comes too."), says("?"), script=SCRIPT)
    kim.hear("Which room?")
    kim.hear("Thanks.")
    system, *talk = kim._client.asked[1]
    told = [OPENING, "'room' / 'where'", "'Friday'", "'booked'", SCRIPT.change_of_mind]
    told += [fact.says for fact in SCRIPT.facts] + [SCRIPT.corrections[0].says]
    assert [words for words in told if words not in system["content"]] == []
    assert [(one["role"], one["content"]) for one in talk] == [
        ("user", "Which room?"),
        ("assistant", '{"says":"Room B12 suits me. By the way, Bo comes too.","settled":false}'),
        ("user", "Thanks."),
    ]


# The script decides ------------------------------------------------------------------------------


def test_what_the_script_tells_in_a_turn_is_told_in_its_words():
    silent = [says("Well, let me see.")] * 2
    kim = user(*silent, says("What day?"), says("Great, thanks a lot."), script=SCRIPT)
    assert kim.hear("Where?").says == "By the way, Bo comes too. Room B12 suits me."
    assert kim.hear("How long?").says == "It takes 45 minutes."
    assert kim.hear("It is booked on Friday.").says == "No, not on Friday."
    assert kim.hear("It is booked.").says == SCRIPT.change_of_mind
    assert kim.faults == ()


def test_a_change_of_mind_in_the_scripts_words_may_have_more_around_it():
    words = f"Great! {SCRIPT.change_of_mind} Would that work?"
    kim = user(says(words), says("Thanks!", settled=True), script=SCRIPT)
    assert kim.hear("It is booked.") == Turn(words, False)
    assert kim.hear("It is booked for ten.") == Turn("Thanks!", True)


def test_the_talk_ends_when_the_script_ends_it():
    kim = user(says("And what about the agenda?"))
    assert kim.hear("It is booked.") == THANKS
    assert kim.faults == ()


def test_patience_ends_without_asking_the_model():
    kim = user(*[says("I don't know.")] * 2)
    assert [kim.hear("What colour?").ends_stage for _ in range(2)] == [False, False]
    assert kim.hear("What colour?") == Turn("I'll take care of it myself then.", True)
    assert kim.faults == ()


@pytest.mark.parametrize(
    "answer", [says("Well."), says("Bye!", settled=True), "?", says("Box 77.")]
)
def test_patience_change_of_mind_and_end_agree_with_the_scripted_user(answer):
    replies = ["Where?", "Hm.", "Friday is booked.", "booked", "Shall I?", "Why?", "booked", "No."]
    kim = user(*[answer] * len(replies), script=SCRIPT)
    scripted = ScriptedUser(SCRIPT, "en")
    for reply in replies:
        assert kim.hear(reply).ends_stage == scripted.hear(reply).ends_stage


# Faults ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply", ["Shall I book it?", "The slot is free. Would you like me to take it?"]
)
def test_agreeing_and_ending_in_one_turn_is_a_fault(reply):
    """A-stop-on-confirm"""
    kim = user(says("Yes, please. That's all!", settled=True), says("Thanks!", settled=True))
    assert kim.hear(reply) == Turn("Yes, please go ahead.", False)
    assert kinds(kim) == [(1, "ends_on_agreement")]
    assert kim.hear("It is booked.") == Turn("Thanks!", True)


@pytest.mark.parametrize("reply", ["Which room?", "I am on it.", "It is booked on Friday."])
def test_ending_before_the_matter_is_settled_is_a_fault(reply):
    kim = user(says("Thanks!", settled=True), script=SCRIPT)
    assert not kim.hear(reply).ends_stage
    assert kinds(kim) == [(1, "ends_early")]


def test_ending_before_the_change_of_mind_is_a_fault():
    kim = user(says("Thanks!", settled=True), script=SCRIPT)
    assert kim.hear("It is booked.") == Turn(SCRIPT.change_of_mind, False)
    assert kinds(kim) == [(1, "ends_early")]


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize(
    "words", [OPENING, f"Hi! {OPENING}", OPENING.replace("Please", "please do")]
)
def test_repeating_the_request_once_it_is_settled_is_a_fault(words, settled):
    """A-restart-after-done"""
    kim = user(says(words, settled))
    assert kim.hear("It is booked.") == THANKS
    assert kinds(kim) == [(1, "restarts")]


def test_going_on_after_the_end_is_a_fault():
    """A-restart-after-done"""
    kim = user(says("Thanks!", settled=True), says("Bye!", settled=True), says("Now the agenda."))
    assert [kim.hear("It is booked.").says, kim.hear("My pleasure.").says] == ["Thanks!", "Bye!"]
    assert kim.faults == ()
    assert kim.hear("See you.") == THANKS
    assert kinds(kim) == [(3, "restarts")]


def test_the_request_may_be_repeated_while_it_is_open():
    kim = user(says(OPENING))
    assert kim.hear("Sorry, what was it?").says == OPENING
    assert kim.faults == ()


@pytest.mark.parametrize(
    "words",
    [
        "It is REF-2231.",
        "The number is 774.",
        "Take INV-12.",
        "On 27 March.",
        "On March 26, 2027.",
        "At 9:15, please.",
        "At six o'clock.",
        "On Thursday.",
        "Write to bo@orga.test.",
        "It costs $1,200.50.",
        "Call 030/1234567.",
        "5 Main Street.",
    ],
)
def test_a_value_that_nobody_has_said_is_an_invention(words):
    """A-user-invents"""
    kim = user(says(words))
    assert kim.hear("What is the reference number?") == Turn("I don't have that.", False)
    assert kinds(kim) == [(1, "invents")]
    assert words in kim.faults[0].text


def test_only_the_agents_replies_and_the_script_make_a_value_known():
    answers = [says("Yes, 774."), says("774 it was."), says("775 it was.")]
    kim = user(*answers, script=UserScript())
    for reply in ("Is it 774?", "What was it again?", "And again?"):
        kim.hear(reply)
    assert kinds(kim) == [(3, "invents")]


@pytest.mark.parametrize(
    "words", ["Fine. Room B12 suits me.", "B12, please.", "45 minutes will do."]
)
def test_a_fact_that_nobody_asked_for_is_given_away(words):
    """A-user-invents"""
    kim = user(says(words))
    assert not kim.hear("I am on it.").ends_stage
    assert kinds(kim) == [(1, "gives_away")]
    told = user(says(words))
    told.hear("I need the room, and how long it takes.")
    assert told.faults == ()


def test_a_fact_without_values_can_be_given_away_too():
    script = UserScript(
        facts=(Fact(says="Bo must come.", asked_by=("who",)),), settled_by=("done",)
    )
    kim = user(says("Fine. Bo must come."), script=script)
    kim.hear("I am on it.")
    assert kinds(kim) == [(1, "gives_away")]


def test_of_a_very_long_reply_the_beginning_counts():
    kim = user(says("Yes, 774."), says("Yes, 774."))
    kim.hear("x" * 30_000 + " is it 774?")
    kim.hear("Is it 774?")
    assert kinds(kim) == [(1, "invents")]
    assert len(kim._client.asked[0][-1]["content"]) == 20_000


def test_the_change_of_mind_is_not_told_before_its_time():
    kim = user(says("By the way, Bo comes too. At ten o'clock."), script=SCRIPT)
    kim.hear("What time?")
    assert kinds(kim) == [(1, "gives_away")]


def test_a_fact_that_has_been_told_may_be_told_again():
    kim = user(says("Room B12 suits me."), says("B12, as I said."))
    kim.hear("Which room?")
    kim.hear("I am on it.")
    assert kim.faults == ()


def test_a_failing_server_is_the_users_fault():
    kim = user(ChatError("url: refused (status 503)", 503))
    assert kim.hear("Which room?").says == "Room B12 suits me."
    assert kim.faults == ((1, "no_answer", "url: refused (status 503)"),)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_client_without_access_is_no_fault_of_anybody_in_the_talk(status):
    kim = user(ChatError("refused", status), says("Room B12 suits me."))
    with pytest.raises(ChatError):
        kim.hear("Which room?")
    assert kim.hear("Which room?").says == "Room B12 suits me."
    assert kim.faults == ()


def test_any_text_of_the_model_can_be_kept_and_exported():
    kim = user('{"says": "a\\ud83d", "settled": false}', "\ud83d" * 2000)
    assert kim.hear("Well?").says == "a\ufffd"
    kim.hear("Well?")
    assert kim.faults[0].text == "\ufffd" * 500


# Chinese -----------------------------------------------------------------------------------------

ZH = UserScript(
    facts=(Fact(says="周四下午三点可以。", asked_by=("哪天", "时间")),), settled_by=("已预订",)
)
ZH_OPENING = "请帮我预订3月26日的会议室，编号是B-12。"


def test_the_user_speaks_chinese_too():
    kim = user(
        says("周四下午三点可以。谢谢！"),
        says("好的，请预订吧。"),
        says("太好了，谢谢。", settled=True),
        script=ZH,
        language="zh",
        opening=ZH_OPENING,
    )
    assert kim.hear("请问哪天方便？") == Turn("周四下午三点可以。谢谢！", False)
    assert kim.hear("需要我现在预订吗？") == Turn("好的，请预订吧。", False)
    assert kim.hear("会议室已预订。") == Turn("太好了，谢谢。", True)
    assert kim.faults == ()
    system = kim._client.asked[0][0]["content"]
    assert all(words in system for words in (ZH_OPENING, ZH.facts[0].says, "'哪天' / '时间'"))


@pytest.mark.parametrize(
    "words", ["26号，3月26日。", "B-12，周四15:00不行，3:00可以。", "下午3点。"]
)
def test_known_values_may_be_said_otherwise_in_chinese(words):
    kim = user(says(words), script=ZH, language="zh", opening=ZH_OPENING)
    kim.hear("请问是几号？几点？")
    assert kim.faults == ()


@pytest.mark.parametrize(
    "words", ["编号是REF-2231。", "3月27日。", "周五可以。", "下午四点。", "一共500元。", "5万。"]
)
def test_inventions_are_found_in_chinese(words):
    """A-user-invents"""
    kim = user(says(words), script=ZH, language="zh", opening=ZH_OPENING)
    assert kim.hear("编号是多少？").says == "这个我没有。"
    assert kinds(kim) == [(1, "invents")]


def test_faults_of_the_end_are_found_in_chinese():
    """A-stop-on-confirm, A-restart-after-done"""
    answers = [says("好的。", settled=True), says(ZH_OPENING, settled=True)]
    kim = user(*answers, script=ZH, language="zh", opening=ZH_OPENING)
    assert kim.hear("我现在预订，可以吗？") == Turn("好的，请继续。", False)
    assert kim.hear("已预订。") == Turn("谢谢，这样就可以了。", True)
    assert kinds(kim) == [(1, "ends_on_agreement"), (2, "restarts")]


# Forks and episodes ------------------------------------------------------------------------------


def test_forks_go_their_own_way():
    kim = user(says("Well."), says("Great!", settled=True), "?", says("Thanks!", settled=True))
    kim.hear("Hm.")
    twin = kim.fork()
    assert twin.hear("It is booked.").ends_stage
    assert not kim.hear("What colour?").ends_stage
    assert (kinds(kim), kinds(twin)) == ([(2, "no_json")], [])
    assert kim.hear("It is booked.").says == "Thanks!"
    assert len(kim._client.asked[-1]) == 6


def test_a_user_can_be_pickled_in_mid_talk():
    kim = pickle.loads(pickle.dumps(user(says("Well."), "?")))
    kim.hear("Hm.")
    assert kinds(pickle.loads(pickle.dumps(kim))) == []


def talk(task, *later):
    """The task, whose users follow the plain script."""
    stages = (task.stages[0]._replace(user=PLAIN), *later)
    return replace(task, stages=stages, max_steps=100)


def made_of(*answers):
    client = FakeClient(*answers)
    return lambda stage, language: ModelUser(stage.user, client, language, stage.request)


def reply(text):
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.filterwarnings("ignore:reward='claw_eval'")
def test_a_fault_of_the_user_is_no_failure_of_the_agent(formula, task):
    """A-user-fault-attribution, A-stop-on-confirm"""
    make_user = made_of(says("Yes!", settled=True), says("Thanks!", settled=True))
    env = CoworkEnv(task.item.package, task=talk(task), reward=formula, user=make_user)
    env.reset(seed=0)
    env.step(reply("Shall I book it?"))
    _, reward, terminated, _, info = env.step(reply("It is booked."))
    assert terminated
    assert math.isnan(reward)
    assert info["score"]["status"] == "ungraded"
    assert info["score"]["value"] is None
    assert not info["score"]["solved"]
    assert info["score"]["reason"].startswith("user_fault: ends_on_agreement in turn 1: ")


def test_the_reference_solution_is_solved_with_a_model_user_as_with_the_scripted_one(task):
    """A-user-fault-attribution"""
    scripted = Episode(talk(task))
    spoken = Episode(talk(task), make_user=made_of(says("Thanks, Kim!", settled=True)))
    for episode in (scripted, spoken):
        for one in task.solution[:-1]:
            episode.act(one)
        episode.say(reply(f"It is booked. {task.solution[-1].arguments['text']}"))
    assert spoken.score() == scripted.score()
    assert spoken.score().status == "graded"
    assert (scripted.user_faults, spoken.user_faults) == ((), ())
    assert spoken.transcript.last["content"] == "Thanks, Kim!"


def test_faults_of_all_stages_and_of_forks_are_kept(task):
    later = (Stage("And today?", user=PLAIN), Stage("And now?"))
    episode = Episode(talk(task, *later), make_user=made_of("?", "?", "!", says("Box 77.")))
    twin = episode.fork()
    episode.say(reply("It is booked."))
    twin.say(reply("It is booked."))
    assert twin.office.stage == episode.office.stage == 1
    twin = twin.fork()
    twin.say(reply("It is booked."))
    episode.say(reply("Which box?"))
    assert [fault.kind for fault in twin.user_faults] == ["no_json", "no_json"]
    assert [fault.kind for fault in episode.user_faults] == ["no_json", "invents"]
    twin.say(reply("Done."))
    assert twin.terminated
    assert len(twin.user_faults) == 2


def test_a_user_of_all_stages_has_each_fault_once(task):
    kim = user("?", "!", script=UserScript())
    episode = Episode(talk(task, Stage("And today?")), user=kim)
    episode.say(reply("Done."))
    episode.say(reply("Done."))
    assert kinds(kim) == [(1, "no_json"), (2, "no_json")]
    assert episode.user_faults == kim.faults


def test_a_stage_without_a_script_keeps_its_own_user(task):
    env = gym.make("cowork/escalation-v0", task=task, user=made_of())
    env.reset(seed=0)
    assert env.unwrapped.fork().step(reply("Done."))[2]


def test_an_unknown_user_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"user 'script'. Did you mean 'scripted'"):
        CoworkEnv("escalation", user="script")
