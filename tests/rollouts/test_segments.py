"""Segments: every sampled token is trained on once, and no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_players import Scripted

from coworkgym.policies import Tokens
from coworkgym.rollouts import run_episode
from coworkgym.rollouts.segments import SegmentJoiner

IDS = st.lists(st.integers(0, 5), max_size=5).map(tuple)


def turn(prompt, completion, version="v1"):
    logprobs = tuple(-float(token) - 0.5 for token in completion)
    return Tokens(tuple(prompt), tuple(completion), logprobs, version)


def joined(turns):
    joiner = SegmentJoiner()
    for one in turns:
        joiner.add(one)
    return joiner.segments()


@given(IDS, st.lists(st.tuples(IDS, IDS), min_size=1, max_size=5))
def test_an_append_only_chat_is_one_segment(first, turns):
    read, made = first, []
    for between, completion in turns:
        made.append(turn(read, completion))
        read = (*read, *completion, *between)
    (segment,) = joined(made)
    assert segment.prompt_ids == first
    assert (
        segment.prompt_ids + segment.completion_ids == made[-1].prompt_ids + made[-1].completion_ids
    )
    check([segment], made)


@given(st.lists(st.tuples(IDS, IDS, st.sampled_from(["v1", "v2"])), max_size=6))
def test_whatever_the_template_does_the_mask_counts_what_was_sampled(turns):
    """A-tool-tokens-in-loss, A-last-turn-only-loss, A-masked-logprob, A-template-split"""
    made = [turn(*one) for one in turns]
    check(joined(made), made)


def check(segments, turns):
    """The sampled tokens with their log-probabilities, in order, each once; the rest masked."""
    sampled = []
    for segment in segments:
        assert len(segment.completion_ids) == len(segment.mask) == len(segment.logprobs)
        for token, logprob, mask in zip(
            segment.completion_ids, segment.logprobs, segment.mask, strict=True
        ):
            assert mask in (0, 1)
            if mask:
                sampled.append((token, logprob, segment.policy_version))
            else:
                assert logprob == 0
    expected = [
        (token, logprob, one.policy_version)
        for one in turns
        for token, logprob in zip(one.completion_ids, one.logprobs, strict=True)
    ]
    assert sampled == expected


def test_tokens_of_tools_are_read_and_not_trained_on():
    (segment,) = joined([turn([1, 2], [3, 4]), turn([1, 2, 3, 4, 9, 9], [5])])
    assert segment.completion_ids == (3, 4, 9, 9, 5)
    assert segment.mask == (1, 1, 0, 0, 1)
    assert segment.logprobs == (-3.5, -4.5, 0.0, 0.0, -5.5)


@pytest.mark.parametrize(
    "second",
    [
        turn([1, 2, 3, 9], [5]),  # reasoning stripped
        turn([1, 2, 3], [5]),  # cut off
        turn([7, 2, 3, 4, 9], [5]),  # another system text
        turn([1, 2, 3, 4, 9], [5], "v2"),  # other weights
        turn([], [5]),
    ],
)
def test_another_history_or_other_weights_begin_a_segment(second):
    first = turn([1, 2], [3, 4])
    segments = joined([first, second])
    assert [segment.prompt_ids for segment in segments] == [first.prompt_ids, second.prompt_ids]


def test_a_segment_goes_on_from_the_newest_only():
    first = turn([1], [2])
    segments = joined([first, turn([7], [8]), turn([1, 2], [3])])
    assert len(segments) == 3


def test_a_token_without_its_probability_is_refused():
    with pytest.raises(ValueError, match="1 log-probabilities for 2 tokens"):
        SegmentJoiner().add(Tokens((1,), (2, 3), (-0.5,), "v1"))


def test_no_turns_make_no_segment():
    assert joined([]) == ()


def test_an_episode_keeps_the_segments_of_its_turns(task):
    messages = [{"content": "", "tool_calls": [{"name": "helpdesk_list_tickets"}]}] * 2
    tokens = [
        turn([1], [2]),
        turn([1, 2, 8, 8], [3]),
        turn([1, 2, 8, 8, 3, 8], [4]),
        *[turn([0], [1])] * 9,
    ]
    rollout = run_episode(task, Scripted(messages, tokens))
    assert rollout.segments[0].mask == (1, 0, 0, 1, 0, 1)
