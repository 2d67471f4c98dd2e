"""Model text: what is a call in it and what is not, and the wrappers that lift the action."""

import json
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coworkgym import AssistantMessages, Episode, ModelText, Task
from coworkgym.envs import parse_model_text, render_message
from coworkgym.policies import get_policy
from coworkgym.services import MALFORMED

LISTING = {"name": "helpdesk_list_tickets", "arguments": {"status": "open"}}
BLOCK = f"<tool_call>\n{json.dumps(LISTING)}\n</tool_call>"


def calls_of(text: str) -> list[Any]:
    return list(parse_model_text(text).get("tool_calls", []))


def errors_of(text: str, task: Task) -> list[str | None]:
    """What an episode makes of the text: the error of each call."""
    return [result.error for result in Episode(task).say(parse_model_text(text))]


# What is a call ---------------------------------------------------------------------------------


def test_text_without_markup_is_the_reply() -> None:
    assert parse_model_text("TK-1 was overdue.\n\n| a |\n|---|") == {
        "role": "assistant",
        "content": "TK-1 was overdue.\n\n| a |\n|---|",
    }


def test_a_block_is_a_call_and_the_prose_around_it_is_the_content() -> None:
    message = parse_model_text(f"I look first.\n{BLOCK}")
    assert message == {"role": "assistant", "content": "I look first.", "tool_calls": [LISTING]}


def test_several_blocks_are_several_calls_in_order() -> None:
    """A-parallel-subset"""
    other = {"name": "reply", "arguments": {"text": "Done."}}
    text = f"{BLOCK}\n<tool_call>{json.dumps(other)}</tool_call>\n  {BLOCK}"
    assert calls_of(text) == [LISTING, other, LISTING]
    assert parse_model_text(text)["content"] == ""


def test_a_call_inside_a_thought_does_not_run() -> None:
    """A-call-in-think"""
    thought = f"<think>\nI could write\n{BLOCK}\nbut not yet.\n</think>"
    assert calls_of(thought) == []
    assert parse_model_text(thought)["content"] == ""
    assert calls_of(f"{thought}\n\n{BLOCK}") == [LISTING]
    assert parse_model_text(f"{thought}\nNow:\n{BLOCK}")["content"] == "Now:"


def test_a_thought_that_never_ends_holds_no_call() -> None:
    """A-call-in-think"""
    assert calls_of(f"<think>\nLet me see.\n{BLOCK}") == []


def test_a_thought_that_the_prompt_opened_holds_no_call() -> None:
    """A-call-in-think: templates that end the prompt with <think> leave only its closing tag."""
    text = f"I could write\n{BLOCK}\nbut not yet.\n</think>\n\n"
    assert calls_of(text) == []
    assert calls_of(text + BLOCK) == [LISTING]
    assert parse_model_text(text + "Done.")["content"] == "Done."


@pytest.mark.parametrize(
    "text",
    [
        "Write the call as <tool_call>{...}</tool_call> and wait.",
        'The log shows `<tool_call>{"name": "reply"}</tool_call>` twice.',
        "There is no tool_call here, and no </tool_call> either.",
        '{"name": "helpdesk_list_tickets", "arguments": {}}',
    ],
)
def test_prose_that_mentions_the_markup_is_no_call(text: str) -> None:
    """A-call-in-think"""
    assert parse_model_text(text) == {"role": "assistant", "content": text}


def test_a_call_that_lacks_only_its_last_brace_is_read(task: Task) -> None:
    """A-missing-brace"""
    block = f"<tool_call>\n{json.dumps(LISTING)[:-1]}\n</tool_call>"
    assert calls_of(block) == [LISTING]
    assert errors_of(block, task) == [None]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ('{"status": open}', "invalid_json"),
        ("{'status': 'open'}", "invalid_json"),
        ('{"status": "open",}', "invalid_json"),
        ('{"status": "op', "incomplete_json"),
        ('["open"]', "invalid_argument"),
        ('"open"', "invalid_json"),
    ],
)
def test_a_broken_call_is_answered_and_is_no_reply(arguments: str, error: str, task: Task) -> None:
    """A-missing-brace, A-misleading-error"""
    text = (
        f'<tool_call>\n{{"name": "helpdesk_list_tickets", "arguments": {arguments}}}\n</tool_call>'
    )
    if error == "incomplete_json":
        text = text[: text.index(arguments) + len(arguments)]
    episode = Episode(task)
    results = episode.say(parse_model_text(text))
    assert [result.error for result in results] == [error]
    assert not episode.over
    assert episode.transcript.last["role"] == "tool"


@pytest.mark.parametrize(
    "block", ["", "{}", "null", "[]", "5", '"reply"', "reply", "{", "}}}", '{"arguments": {}}']
)
def test_a_block_without_a_name_is_a_malformed_call(block: str, task: Task) -> None:
    (error,) = errors_of(f"<tool_call>\n{block}\n</tool_call>", task)
    assert error in MALFORMED


@given(cut=st.integers(0, len(BLOCK) - 1))
def test_a_cut_off_call_is_never_a_silent_reply(cut: int, task: Task) -> None:
    """A-missing-brace, A-truncated-args"""
    episode = Episode(task)
    episode.say(parse_model_text(BLOCK[:cut]))
    whole_tag = cut >= len("<tool_call>")
    assert (episode.evidence().replies == ()) or not whole_tag
    if whole_tag:
        assert episode.office.world.diff() == []
        assert not episode.over


@given(st.text(st.characters(exclude_categories=()), max_size=60))
@example("<tool_call>" * 50)
@example("<think>" * 50 + "</think>")
@example("<tool_call>\n" + "[" * 100_000 + "\n</tool_call>")
@example(
    "<tool_call>\n" + '{"name": "reply", "arguments": {"n": ' + "1" * 5000 + "}}\n</tool_call>"
)
@example('<tool_call>\n{"name": 5, "arguments": 5}\n</tool_call>')
def test_any_text_stands_for_some_message(text: str) -> None:
    message = parse_model_text(text)
    assert message["role"] == "assistant"
    assert isinstance(message["content"], str)


# Round trip -------------------------------------------------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
prose = st.text(st.characters(codec="utf-8", exclude_characters="<"), max_size=40).map(str.strip)
calls = st.fixed_dictionaries(
    {"name": st.text(max_size=10), "arguments": st.dictionaries(st.text(max_size=5), values)}
)
messages = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": prose},
    optional={"tool_calls": st.lists(calls, min_size=1)},
)


@given(messages)
def test_a_rendered_message_is_read_as_the_same_message(message: dict[str, Any]) -> None:
    assert parse_model_text(render_message(message)) == message


@pytest.mark.parametrize(
    "text", ["</tool_call>", "<think>", "<think>x</think>", "<tool_call>\n{}", BLOCK, "</think>"]
)
def test_arguments_may_mention_the_markup(text: str) -> None:
    message = {
        "role": "assistant",
        "content": "I answer.",
        "tool_calls": [{"name": "reply", "arguments": {"text": text}}, LISTING],
    }
    assert parse_model_text(render_message(message)) == message


def test_a_reference_episode_survives_being_written_as_text(task: Task) -> None:
    episode = Episode(task)
    policy = get_policy("reference")
    policy.begin(task)
    while not episode.over:
        message = policy.act([episode.transcript.messages], [task.tool_schemas])[0]
        episode.say(parse_model_text(render_message(message)))
    straight = Episode(task)
    for call in task.solution:
        straight.act(call)
    assert episode.transcript.messages == straight.transcript.messages
    assert episode.score() == straight.score()


# Wrappers ---------------------------------------------------------------------------------------


def test_assistant_messages_run_all_their_calls(task: Task) -> None:
    """A-parallel-subset, A-msg-plus-tools"""
    env = AssistantMessages(gym.make("cowork/escalation-v0", task=task))
    env.reset(seed=0)
    calls = [call._asdict() for call in task.solution]
    message = {"role": "assistant", "content": "All at once.", "tool_calls": calls}
    assert message in env.action_space
    obs, reward, terminated, truncated, info = env.step(message)
    assert (terminated, truncated) == (True, False)
    assert reward == pytest.approx(1)
    assert info["step"] == len(calls)
    assert [one["role"] for one in obs] == ["system", "user", "assistant"] + ["tool"] * len(calls)


def test_the_role_of_an_assistant_message_may_be_left_out(task: Task) -> None:
    env = AssistantMessages(gym.make("cowork/escalation-v0", task=task))
    env.reset(seed=0)
    _, _, terminated, _, _ = env.step({"content": "Finished."})
    assert terminated


@pytest.mark.parametrize(
    "action", [None, 5, "Finished.", [], {}, {"content": ""}, {"role": "user"}]
)
def test_what_is_no_message_counts_as_an_empty_one(action: Any, task: Task) -> None:
    env = AssistantMessages(gym.make("cowork/escalation-v0", task=task))
    env.reset(seed=0)
    assert action not in env.action_space
    obs, reward, terminated, _, _ = env.step(action)
    assert (reward, terminated) == (0.0, False)
    assert "empty" in obs[-1]["content"]


def test_model_text_is_parsed_and_taken(task: Task) -> None:
    env = ModelText(gym.make("cowork/escalation-v0", task=task))
    env.reset(seed=0)
    obs, *_ = env.step(f"<think>First a look.</think>\n{BLOCK}")
    assert obs[2] == {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "call_1", **LISTING}],
    }
    obs, _, terminated, _, _ = env.step("It was TK-1.")
    assert obs[-1]["content"] == "It was TK-1."
    assert terminated


@pytest.mark.parametrize("action", ["", None, 5, b"x", ["x"], "\ud800", "<think>", "<tool_call>"])
def test_any_text_action_is_answered(action: Any, task: Task) -> None:
    """A-surrogates"""
    env = ModelText(gym.make("cowork/escalation-v0", task=task))
    obs, _ = env.reset(seed=0)
    before = len(obs)
    obs, *_ = env.step(action)
    assert len(obs) > before
    assert obs in env.observation_space
    json.dumps(obs, ensure_ascii=False).encode()


def test_a_huge_number_in_model_text_is_answered(task: Task) -> None:
    """A-truncated-args"""
    env = ModelText(gym.make("cowork/escalation-v0", task=task))
    env.reset(seed=0)
    digits = "1" * 5000
    call = f'{{"name": "helpdesk_list_tickets", "arguments": {{"limit": {digits}}}}}'
    obs, _, terminated, _, _ = env.step(f"<tool_call>\n{call}\n</tool_call>")
    assert not terminated
    assert json.loads(obs[-1]["content"])["error"] in ("invalid_json", "invalid_argument")


def test_the_lifted_action_spaces_contain_their_samples(task: Task) -> None:
    """A-text-charset"""
    for wrapper in (AssistantMessages, ModelText):
        env = wrapper(gym.make("cowork/escalation-v0", task=task))
        for seed in range(300):
            env.action_space.seed(seed)
            action = env.action_space.sample()
            assert action in env.action_space
            if seed % 20 == 0:
                env.reset(seed=0)
                obs, *_ = env.step(action)
                assert obs[2]["role"] == "assistant"
                assert obs[2]["tool_calls"]
