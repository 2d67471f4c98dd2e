"""The chat: append-only, ids in order, and the same in the form that other programs use."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkgym.frozen import FrozenDict, FrozenList, freeze
from coworkgym.services import service
from coworkgym.transcript import Transcript, from_openai, to_openai, tools_to_openai

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
arguments = st.dictionaries(st.text(), json_values, max_size=4)


def is_no_object(text: str) -> bool:
    try:
        return not isinstance(json.loads(text), dict)
    except ValueError:
        return True


broken = st.one_of(
    st.text().filter(is_no_object),
    arguments.map(lambda mapping: json.dumps(mapping)[:-1]),
    st.sampled_from(["[1, 2]", '"x"', "null", "12", '{"a": "\\ud8', "{'a': 1}", "", " "]),
)
calls = st.lists(
    st.tuples(st.text(), arguments.map(freeze), st.none())
    | st.tuples(st.text(), st.just(FrozenDict()), broken),
    min_size=1,
    max_size=3,
)
turns = st.lists(
    st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text())
    | st.tuples(calls, st.text()),
    max_size=6,
)


def talk(drawn: list) -> Transcript:
    transcript = Transcript()
    for first, content in drawn:
        if isinstance(first, str):
            transcript.add_text(first, content)
        else:
            for call_id in transcript.add_calls(first, content):
                transcript.add_result(call_id, content)
    return transcript


@given(turns)
@settings(max_examples=60)
def test_the_openai_form_is_lossless(drawn: list) -> None:
    messages = talk(drawn).messages
    sent = json.loads(json.dumps(to_openai(messages)))
    assert from_openai(sent) == messages


@given(turns)
@settings(max_examples=60)
def test_ids_count_up_over_the_whole_episode(drawn: list) -> None:
    messages = talk(drawn).messages
    asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    answered = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert asked == answered == [f"call_{n}" for n in range(1, len(asked) + 1)]
    resumed = Transcript(messages)
    assert resumed.add_calls([("x", FrozenDict(), None)]) == [f"call_{len(asked) + 1}"]


@given(turns, turns, turns)
@settings(max_examples=30)
def test_forks_share_messages_and_go_their_own_ways(drawn: list, one: list, two: list) -> None:
    trunk = talk(drawn)
    fork, start = trunk.fork(), list(trunk.messages)
    trunk.add_text("user", "one")
    fork.add_calls([("x", FrozenDict(), None)])
    assert list(fork.messages)[:-1] == start == list(trunk.messages)[:-1]
    assert all(a is b for a, b in zip(fork.messages, start, strict=False))
    assert fork.last["tool_calls"][0]["name"] == "x"
    assert trunk.last == {"role": "user", "content": "one"}
    ids = [t.add_calls([("y", FrozenDict(), None)])[0] for t in (trunk, fork)]
    assert int(ids[1].removeprefix("call_")) == int(ids[0].removeprefix("call_")) + 1


def test_a_list_of_messages_is_read_only_and_does_not_grow() -> None:
    transcript = Transcript([{"role": "user", "content": "a"}])
    early = transcript.messages
    transcript.add_text("assistant", "b")
    assert type(early) is FrozenList
    assert [len(early), len(transcript)] == [1, 2]
    with pytest.raises(TypeError, match="read-only"):
        early[0]["content"] = "c"


@pytest.mark.parametrize("text", ['{"to": "bo@or', "{'to': 1}", "[1,\n2]", '"x"', "", "not json"])
def test_the_raw_text_of_broken_arguments_survives(text: str) -> None:
    """A-truncated-args: what the model wrote is what goes back to it."""
    transcript = Transcript()
    transcript.add_calls([("gmail_send_message", FrozenDict(), text)])
    (message,) = to_openai(transcript.messages)
    assert message["tool_calls"][0]["function"]["arguments"] == text
    assert from_openai([message])[0]["tool_calls"][0]["raw"] == text


def test_a_call_in_openai_form_carries_its_arguments_as_text() -> None:
    transcript = Transcript()
    transcript.add_calls([("x", freeze({"name": "李", "n": [1]}), None)], "beside")
    (message,) = to_openai(transcript.messages)
    assert message == {
        "role": "assistant",
        "content": "beside",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "x", "arguments": '{"name": "李", "n": [1]}'},
            }
        ],
    }


@pytest.mark.parametrize("text", ["9" * 5000, '{"a": ' + "9" * 5000 + "}", "[" * 100_000])
def test_hostile_arguments_are_kept_as_text(text: str) -> None:
    function = {"name": "x", "arguments": text}
    call = {"id": "call_1", "type": "function", "function": function}
    (message,) = from_openai([{"role": "assistant", "content": "", "tool_calls": [call]}])
    assert message["tool_calls"][0]["raw"] == text


def test_null_fields_of_an_answer_are_empty() -> None:
    answers = [{"role": "assistant", "content": None}, {"role": "assistant", "content": "a"}]
    assert from_openai(answers) == [{"role": "assistant", "content": ""}, answers[1]]
    with_null = {"role": "assistant", "content": "a", "tool_calls": None}
    assert not from_openai([with_null])[0].get("tool_calls")


def test_converting_leaves_the_messages_alone() -> None:
    transcript = Transcript()
    transcript.add_calls([("x", freeze({"a": {"b": 1}}), None)])
    before = json.dumps(transcript.messages)
    to_openai(transcript.messages)[0]["tool_calls"][0]["id"] = "changed"
    assert json.dumps(transcript.messages) == before


def test_tools_are_wrapped_as_chat_templates_expect_them() -> None:
    schemas = [tool.schema for tool in service("gmail").tools.values()]
    wrapped = tools_to_openai(schemas)
    assert [entry["type"] for entry in wrapped] == ["function"] * len(schemas)
    assert [entry["function"] for entry in wrapped] == schemas
    wrapped[0]["function"]["parameters"]["properties"]["new"] = {}
    assert "new" not in schemas[0]["parameters"]["properties"]
    json.dumps(wrapped)
