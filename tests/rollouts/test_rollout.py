"""Rollouts: what is written is read back, whatever the agent wrote."""

import json
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_players import Scripted

from coworkgym import get_package
from coworkgym.frozen import json_text
from coworkgym.policies import NullPolicy, ReferencePolicy, Tokens
from coworkgym.rewards import Score
from coworkgym.rollouts import Rollout, Segment, Void, episode_id, item_of, run_episode, settings_of
from coworkgym.rollouts.store import line_of
from coworkgym.tasks import Item

TEXTS = st.text(max_size=30) | st.sampled_from(
    [
        "\u2028\u2029\x85",
        "\x00\x1f\x7f",
        "🚀 Zoë 张伟",
        "\ud83d",
        '{"a": 1}',
        "[1]",
        "null",
        "\\",
        "[" * 9,
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["helpdesk_list_tickets", "helpdesk_escalate_ticket", "reply", "no_such_tool", ""]
)
CALLS = st.fixed_dictionaries({"name": NAMES | TEXTS, "arguments": VALUES | TEXTS})
MESSAGES = st.fixed_dictionaries(
    {"content": TEXTS | st.none(), "tool_calls": st.lists(CALLS | VALUES, max_size=3)}
)
TOKENS = st.integers(0, 9).flatmap(
    lambda size: st.builds(
        Tokens,
        st.lists(st.integers(0, 2**31), max_size=9).map(tuple),
        st.lists(st.integers(0, 2**31), min_size=size, max_size=size).map(tuple),
        st.lists(st.floats(-50, 0), min_size=size, max_size=size).map(tuple),
        TEXTS.map(lambda text: text.encode("utf-8", "replace").decode()),
    )
)


def read_back(rollout):
    return Rollout.from_dict(json.loads(json_text(rollout.as_dict())))


@given(st.lists(MESSAGES, max_size=4), st.lists(TOKENS, min_size=12, max_size=12))
def test_a_rollout_that_is_written_and_read_back_is_equal(messages, tokens):
    """A-surrogates, A-args-dict-or-string, A-truncated-args"""
    package = get_package("escalation")
    task = package.build(package.item(level="warmup", seed=1))
    policy = Scripted(messages, tokens)
    rollout = run_episode(task, policy)
    assert read_back(rollout) == rollout
    assert read_back(rollout).as_dict() == rollout.as_dict()
    line = line_of(rollout, settings_of(policy))
    assert b"\n" not in line
    line.decode("utf-8")


def test_numbers_that_json_does_not_know_stand_inside_a_text(task):
    """A-numpy-json: a line is strict JSON, whatever the arguments are."""
    odd = {"name": "helpdesk_list_tickets", "arguments": {"limit": math.nan, "x": -math.inf}}
    rollout = run_episode(task, Scripted([{"content": "", "tool_calls": [odd]}]))

    def refuse(constant):
        raise AssertionError(constant)

    data = json.loads(json_text(rollout.as_dict()), parse_constant=refuse)
    assert json_text(Rollout.from_dict(data).as_dict()) == json_text(rollout.as_dict())


def test_an_ungraded_score_is_none_in_json_and_not_a_number_again(task):
    nan = math.nan
    score = Score("ungraded", nan, nan, None, (), (), False, nan, nan, "user_fault: x")
    rollout = run_episode(task, NullPolicy())._replace(score=score)
    data = json.loads(json_text(rollout.as_dict()))
    assert data["score"]["value"] is None
    assert math.isnan(Rollout.from_dict(data).score.completion)
    assert read_back(rollout) == rollout


def test_segments_are_read_back(task):
    segment = Segment((1, 2), (3, 4, 5), (-0.5, 0.0, -1e-12), (1, 0, 1), "step-3")
    rollout = run_episode(task, ReferencePolicy())._replace(segments=(segment, segment))
    assert read_back(rollout) == rollout


def test_rollouts_and_voids_are_pickled(task):
    """A-unpicklable-lock"""
    rollout = run_episode(task, ReferencePolicy())
    assert pickle.loads(pickle.dumps(rollout)) == rollout
    void = Void("x", task.item, 0, "errored", "Zoë", 3)
    assert Void.from_dict(json.loads(json_text(void.as_dict()))) == void


def test_what_a_rollout_keeps_of_its_episode(task):
    rollout = run_episode(task, ReferencePolicy())
    assert rollout.steps == len(task.solution) == rollout.usage.answers == len(rollout.deeds)
    assert [deed.name for deed in rollout.deeds] == [call.name for call in task.solution]
    assert (rollout.ended, rollout.truncated) == ("user", False)
    assert rollout.task.tools == tuple(task.tools)
    changed = [change for deed in rollout.deeds for change in json.loads(deed.changes)]
    assert changed and all(len(change) == 4 for change in changed)


@given(
    st.builds(
        Item,
        st.sampled_from(["escalation", "a_b2"]),
        st.integers(0, 12),
        st.sampled_from(["train", "test"]),
        st.integers(0, 10**8),
        st.sampled_from(["warmup", "hard"]),
        st.sampled_from(["en", "zh"]),
    ),
    st.integers(0, 10**4),
    st.sampled_from(["", "0123456789abcdef"]),
)
def test_an_id_tells_its_item(item, sample, digest):
    assert item_of(episode_id(item, sample, digest)) == item


@pytest.mark.parametrize("text", ["", "escalation", "escalation-v0/train/easy/en/000001"])
def test_what_is_no_id_is_refused(text):
    with pytest.raises(ValueError, match="not the id"):
        item_of(text)


def test_ids_sort_by_item():
    ids = [episode_id(Item("escalation", seed=n), 0) for n in range(0, 200, 9)]
    assert sorted(ids) == ids
