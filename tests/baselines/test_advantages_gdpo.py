"""GDPO and conditioned rewards against numbers worked out by hand."""

import math

import numpy as np
import pytest

from baselines.advantages import (
    NEMO,
    TRL,
    VERL,
    GroupNorm,
    condition,
    gdpo,
    gdpo_components,
    grpo,
    informative,
)

ROOT = math.sqrt(0.5)
PAIRS = [[0, 0], [1, 0], [0, 0], [1, 1]]
NO_EPS = GroupNorm(eps=0)


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_totals_that_grpo_cannot_tell_apart_stay_apart():
    close(grpo(PAIRS, [0, 0, 1, 1], norm=NO_EPS), [-ROOT, ROOT, -ROOT, ROOT])
    sums = gdpo_components(PAIRS, [0, 0, 1, 1], NO_EPS).sum(1)
    close(sums, [-ROOT, ROOT, -2 * ROOT, 2 * ROOT])


def test_the_third_step_divides_by_the_std_of_the_batch():
    z = 0.5 / (ROOT + 1e-4)
    std = math.sqrt((2 * z**2 + 2 * (2 * z) ** 2) / 3)
    found = gdpo(PAIRS, [0, 0, 1, 1])
    close(found, np.array([-z, z, -2 * z, 2 * z]) / (std + 1e-4))


def test_weights_multiply_the_normalised_components():
    rewards = [[1, 0], [0, 100]]
    close(gdpo_components(rewards, [0, 0], NO_EPS), [[ROOT, -ROOT], [-ROOT, ROOT]])
    found = gdpo(rewards, [0, 0], weights=[1, 3], norm=NO_EPS)
    close(found, [-ROOT, ROOT])


def test_a_component_that_a_group_agrees_on_adds_nothing():
    rewards = np.array([[1, 1], [0, 1], [0, 1], [1, 1]])
    assert list(gdpo(rewards, [0] * 4)) == list(gdpo(rewards[:, :1], [0] * 4))
    assert not gdpo_components(rewards, [0] * 4)[:, 1].any()


def test_a_row_without_any_known_component_gets_exactly_nothing():
    rewards = [[1, None], [0, 1], [0, 0], [None, None]]
    found = gdpo(rewards, [0] * 4)
    first = np.array([2, -1, -1]) / 3 / (math.sqrt(1 / 3) + 1e-4)
    second = np.array([0, 0.5, -0.5]) / (ROOT + 1e-4)
    sums = first + second
    close(found[:3], sums / (sums.std(ddof=1) + 1e-4))
    assert found[3] == 0


def test_a_group_that_agrees_gets_nothing_where_all_others_sum_to_nothing():
    rewards = [[1, 0], [0, None], [0, 1], [2, 2], [2, 2], [2, 2]]
    found = gdpo(rewards, [0, 0, 0, 1, 1, 1])
    close(found[3:], [0, 0, 0])
    assert abs(found[:3]).min() > 0.1


def test_a_group_that_agrees_is_moved_by_the_length_of_others():
    rewards = [[1, 0], [0, 0], [2, 2], [2, 2]]
    found = gdpo(rewards, [0, 0, 1, 1], norm=VERL, lengths=[3, 1, 1, 1])
    assert found[2] == found[3] < -0.1  # the batch mean over tokens is above 0


def test_tokens_vote_in_the_third_step_where_lengths_are_given():
    sums = np.array([1, -1]) * 0.5 / (ROOT + 1e-6)
    tokens = np.repeat(sums, [3, 1])
    expected = (sums - tokens.mean()) / math.sqrt(tokens.var(ddof=1) + 1e-8)
    close(gdpo([[1], [0]], [0, 0], norm=VERL, lengths=[3, 1]), expected)
    close(gdpo([[1], [0]], [0, 0], norm=VERL, lengths=[1, 0]), [0, 0])


def test_the_third_step_over_tokens_has_a_floor_of_its_own():
    found = gdpo([[1], [0]], [0, 0], [1e-4], VERL, lengths=[1, 1])
    sums = 1e-4 * 0.5 / (ROOT + 1e-6)  # variance 2 sums^2, as large as the floor
    close(found[0], sums / math.sqrt(2 * sums**2 + 1e-8))


def test_nemo_compares_with_the_others_and_divides_by_the_bare_std():
    rewards = np.array([[1, 0], [0, 0], [0, 2], [4, 1], [1, 3], [1, 4]])
    group = np.array([0, 0, 0, 1, 1, 1])
    sums = np.zeros(6)
    for column in rewards.T:
        for row in range(6):
            others = column[(group == group[row]) & (np.arange(6) != row)]
            std = others.std(ddof=1)
            sums[row] += (column[row] - others.mean()) / (std + 1e-6 if std else 1)
    expected = (sums - sums.mean()) / sums.std(ddof=1)
    close(gdpo(rewards, group, norm=NEMO, batch_eps=0), expected)


def test_one_component_is_still_rescaled_by_the_batch():
    rewards = [[0], [1], [0], [0]]
    found = gdpo(rewards, [0, 0, 1, 1])
    assert not np.allclose(found, grpo(rewards, [0, 0, 1, 1]))
    close(found.std(ddof=1), 1, 1e-3)


def test_a_dead_batch_gives_nothing():
    assert not gdpo(np.full((4, 2), 0.1), [0, 0, 1, 1]).any()
    assert not gdpo([[None, None]] * 2, [0, 0]).any()
    assert gdpo(np.zeros((0, 2)), []).shape == (0,)


def test_the_only_row_of_a_group_warns_once():
    with pytest.warns(UserWarning) as caught:
        found = gdpo([[1, 2], [0, 1], [3, 4]], [0, 0, 1])
    assert len(caught) == 1
    close(found[2], 0)
    raw = gdpo_components([[3, 4]], [0], VERL)
    close(raw, np.array([[3, 4]]) / (1 + 1e-6))


def test_an_easy_component_counts_only_beside_the_hard_one():
    rewards = np.array([[1, 0.0], [0, 1], [1, 1]])
    close(condition(rewards, dep=1, on=0, threshold=1), [[1, 0], [0, 0], [1, 1]])
    close(condition(rewards, 1, 0, 1, otherwise=-1)[1], [0, -1])
    close(rewards[1], [0, 1])  # a new array


def test_a_condition_that_is_unknown_makes_the_component_unknown():
    found = condition([[None, 1], [0, None], [1, None]], dep=1, on=0, threshold=1)
    np.testing.assert_array_equal(found[:, 1], [np.nan, 0, np.nan])


def test_a_filter_on_totals_would_drop_what_components_tell():
    """A-variance-filter-gdpo"""
    rewards = [[1, 0], [0, 1], [1, 1], [1, 1]]
    group = ["told apart", "told apart", "constant", "constant"]
    assert list(informative(rewards, group)) == [False] * 4
    assert list(informative(rewards, group, per_component=True)) == [True, True, False, False]
    assert not informative(rewards, group, weights=[0, 0], per_component=True).any()
    assert informative(rewards, group, weights=[2, 1])[:2].all()
    assert gdpo_components(rewards, group, TRL)[:2].any()
