"""GiGPO: anchors, step returns and both levels against numbers worked out by hand."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from baselines.advantages import (
    PAPER,
    VERL_AGENT,
    GigpoSettings,
    anchor_key,
    discounted_returns,
    gigpo,
    grpo,
    similar_anchors,
)

TASK = ["A"] * 7 + ["B"] * 3
EPISODE = ["a1", "a1", "a1", "a2", "a2", "a3", "a3", "b1", "b1", "b2"]
ANCHOR = ["s0", "s1", "s2", "s0", "s1", "s0", "s3", "s0", "s1", "s0"]
REWARDS = [0, 0, 1, 0, 0, 0, 1, 0, 0, 1]
THIRD = 1 / 3


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_the_worked_example_of_two_tasks():
    found = gigpo(REWARDS, TASK, EPISODE, ANCHOR)
    close(found.episode, [THIRD] * 3 + [-2 * THIRD] * 2 + [THIRD] * 2 + [-0.5, -0.5, 0.5])
    close(found.step, [0.285, 0.475, 0, -0.6175, -0.475, 0.3325, 0, -0.5, 0, 0.5])
    close(found.total, found.episode + found.step)
    weighed = gigpo(REWARDS, TASK, EPISODE, ANCHOR, settings=replace(PAPER, omega=0.5))
    close(weighed.total, found.episode + 0.5 * found.step)


def test_the_reference_code_counts_an_episode_once_a_step():
    found = gigpo(REWARDS, TASK, EPISODE, ANCHOR, settings=VERL_AGENT)
    close(found.episode[:7] * 7, [2, 2, 2, -5, -5, 2, 2])


def test_with_std_both_levels_are_divided_by_their_own():
    settings = replace(PAPER, mode="mean_std_norm", eps=1e-6)
    found = gigpo(REWARDS, TASK, EPISODE, ANCHOR, settings=settings)
    close(found.episode[0], THIRD / (np.std([1, 0, 1], ddof=1) + 1e-6))
    close(found.step[0], 0.285 / (np.std([0.9025, 0, 0.95], ddof=1) + 1e-6))


def test_returns_run_backwards_through_each_episode():
    close(discounted_returns([0, 0, 1], ["x"] * 3, 0.5), [0.25, 0.5, 1])
    close(discounted_returns([1, 10, 2, 20], ["x", "y", "x", "y"], 0.5), [2, 20, 2, 20])
    np.testing.assert_array_equal(
        discounted_returns([1, None, 1, 2], ["x", "x", "x", "y"]), [np.nan] * 3 + [2]
    )


def test_an_anchor_group_of_one_gives_no_step_advantage():
    """A-gigpo-singleton"""
    for settings in (PAPER, replace(VERL_AGENT, mode="mean_std_norm")):
        found = gigpo([0, 1, 0, 0], ["A"] * 4, list("xxyy"), list("pqrt"), settings=settings)
        assert list(found.step) == [0] * 4
        assert list(found.total) == list(found.episode)
    close(gigpo([0, 1, 0, 0], ["A"] * 4, list("xxyy"), list("pqrt")).total, [0.5, 0.5, -0.5, -0.5])


def test_a_state_met_twice_in_one_episode_counts_twice():
    """A-gigpo-singleton"""
    settings = GigpoSettings(gamma=0.5, lone="raw")
    found = gigpo([0, 0, 0, 1], ["A"] * 4, ["x"] * 4, list("pqpq"), settings=settings)
    close(found.step, [-0.1875, -0.375, 0.1875, 0.375])
    close(found.episode, [1] * 4)


def test_the_only_episode_of_a_task_gets_nothing_and_a_warning():
    with pytest.warns(UserWarning, match="one row"):
        found = gigpo([0, 1], ["A", "A"], ["x", "x"], ["p", "q"])
    assert not found.total.any()


def test_groups_never_cross_tasks():
    found = gigpo([1, 0, 5, 3], ["A", "A", "B", "B"], [1, 2, 1, 2], ["s"] * 4)
    close(found.total, [1, -1, 2, -2])


def test_a_penalty_lowers_its_own_row_only():
    taken = [0, 0.1, 0, 0, 0, 0, 0, 0, 0.1, 0]
    plain, found = (gigpo(REWARDS, TASK, EPISODE, ANCHOR, one) for one in (None, taken))
    close(found.episode - plain.episode, -np.array(taken))
    close(found.step - plain.step, [0, -0.05, 0, 0, 0.05, 0, 0, 0, 0, 0])
    reference = gigpo(REWARDS, TASK, EPISODE, ANCHOR, taken, VERL_AGENT)
    close(reference.episode[:3], np.array([1, 0.9, 1]) - 4.9 / 7)


def test_a_penalty_where_all_episodes_agree_is_not_blown_up():
    settings = replace(PAPER, mode="mean_std_norm")
    found = gigpo([1, 1], ["A", "A"], ["x", "y"], ["p", "q"], [0.1, 0], settings)
    close(found.episode, [-0.1, 0])


def test_an_episode_with_an_unknown_reward_counts_nowhere():
    rewards, task = [0, None, 0, 1, 0, 0], ["A"] * 6
    found = gigpo(rewards, task, list("xxyyzz"), list("pqpqpq"))
    rest = gigpo(rewards[2:], task[2:], list("yyzz"), list("pqpq"))
    assert list(found.total[:2]) == [0, 0]
    close(found.total[2:], rest.total)


def test_no_anchor_means_no_step_advantage():
    found = gigpo([1, 0, 1, 0], ["A"] * 4, [1, 2, 3, 4], [None, None, "s", "s"])
    close(found.step, [0, 0, 0.5, -0.5])


def test_a_key_is_equal_for_equal_states():
    """A-gigpo-hash"""
    assert anchor_key({"a": None, "b": np.int64(1)}) == anchor_key({"b": 1, "a": None})
    nested = {"rows": [{"id": 1, "tags": ("x", "y")}, None], 7: {"deep": [[1.5]]}, None: b"raw"}
    same = {
        None: b"raw",
        7: {"deep": np.array([[1.5]])},
        "rows": (dict(id=1, tags=["x", "y"]), None),
    }
    assert anchor_key(nested) == anchor_key(same)
    assert hash(anchor_key(nested)) == hash(anchor_key(same))
    assert anchor_key(np.float32(2)) == anchor_key(2) == anchor_key(np.array(2))
    assert anchor_key({1, 2}) == anchor_key(frozenset([2, 1]))
    assert anchor_key(float("nan")) == anchor_key(np.nan)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        (None, "None"),
        (1, "1"),
        ("a", b"a"),
        ([1, 2], [2, 1]),
        ([[1, 2], [3, 4]], [1, 2, 3, 4]),
        ({"a": 1}, {"a": 2}),
        ({1: "a"}, {"1": "a"}),
        ({}, []),
        (["bool", True], True),
    ],
)
def test_a_key_differs_for_different_states(one, other):
    """A-gigpo-hash"""
    assert anchor_key(one) != anchor_key(other)


@pytest.mark.parametrize("state", [date(2026, 3, 25), {"a": object()}, [lambda: 0], 1j])
def test_what_makes_no_key_is_named(state):
    """A-gigpo-hash"""
    with pytest.raises(TypeError, match="An anchor is made of"):
        anchor_key(state)


def test_anchors_of_mixed_types_make_groups():
    anchors = [{"a": np.int64(1), "b": None}, {"b": None, "a": 1}, 1, True]
    close(gigpo([1, 0, 1, 0], ["A"] * 4, [1, 2, 3, 4], anchors).step, [0.5, -0.5, 0, 0])
    table = np.array([[1, 2], [1, 2], [3, 4], [4, 3]])
    close(gigpo([1, 0, 1, 0], ["A"] * 4, [1, 2, 3, 4], table).step, [0.5, -0.5, 0, 0])


def test_similar_texts_of_one_task_share_an_anchor():
    texts = ["inbox: 10 mails", "inbox: 11 mails", "calendar", "inbox: 10 mails", None, None]
    found = similar_anchors(texts, ["A", "A", "A", "B", "A", "A"], 0.9)
    assert list(found) == [0, 0, 1, 2, 3, 4]


def test_a_text_is_compared_with_the_first_of_a_cluster():
    chain = ["aaaa", "aaab", "aabb"]  # neighbours alike by 0.75, ends by 0.5
    assert list(similar_anchors(chain, ["A"] * 3, 0.7)) == [0, 0, 1]
    assert list(similar_anchors([chain[1], chain[0], chain[2]], ["A"] * 3, 0.7)) == [0, 0, 0]


@pytest.mark.parametrize("threshold", [0, 1, 1.5])
def test_a_similarity_outside_the_open_interval_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold"):
        similar_anchors(["a"], ["A"], threshold)


def test_settings_and_lengths_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="mode"):
        GigpoSettings(mode="norm")
    with pytest.raises(ValueError, match="episode_stats"):
        GigpoSettings(episode_stats="trajectory")
    with pytest.raises(ValueError, match="2 rows, 1 anchors"):
        gigpo([1, 2], ["A", "A"], [1, 2], ["s"])


def test_one_step_an_episode_is_grpo_without_std():
    found = gigpo([1, 0, 3, 2], ["A"] * 4, [1, 2, 3, 4], list("pqrs"))
    std = np.std([1, 0, 3, 2], ddof=1)
    close(found.total, grpo([1, 0, 3, 2], [0] * 4) * (std + 1e-4))
