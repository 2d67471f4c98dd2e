"""GRPO and Dr.GRPO against numbers worked out by hand."""

import math

import numpy as np
import pytest

from baselines.advantages import NEMO, OAT, TRL, VERL, GroupNorm, dr_grpo, grpo, masked_return
from baselines.advantages.groups import mean_and_std

TWO_GROUPS = [1, 0, 0, 1, 0, 0.25, 0.5, 1]
GROUP = [0, 0, 0, 0, 1, 1, 1, 1]
HALF = 0.5 / (1 / math.sqrt(3) + 1e-4)  # of [1, 0, 0, 1]: mean 1/2, variance 1/3


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_a_row_is_compared_with_mean_and_std_of_its_group():
    std = math.sqrt(0.546875 / 3)  # squares of -.4375, -.1875, .0625, .5625
    second = [deviation / (std + 1e-4) for deviation in (-0.4375, -0.1875, 0.0625, 0.5625)]
    close(grpo(TWO_GROUPS, GROUP), [HALF, -HALF, -HALF, HALF, *second])


@pytest.mark.parametrize(("norm", "eps"), [(TRL, 1e-4), (VERL, 1e-6), (OAT, 1e-8)])
def test_each_code_has_its_eps(norm, eps):
    tiny = [0.5, 0.5, 0.5, 0.5001]  # mean .500025, std .00005
    close(grpo(tiny, [0] * 4, norm=norm)[3], 0.000075 / (0.00005 + eps), 1e-8)


def test_without_bessel_the_binary_example_gives_one():
    close(grpo([1, 0, 0, 1], [0] * 4, norm=GroupNorm(eps=0, ddof=0)), [1, -1, -1, 1])


def test_the_batch_may_scale_instead_of_the_group():
    std = math.sqrt((4 * 9 + 2 * 1) / 5)  # of [0, 6, 0, 6, 2, 4] around 3
    found = grpo([0, 6, 0, 6, 2, 4], [0, 0, 1, 1, 2, 2], norm=GroupNorm("batch", eps=0.5))
    close(found, np.array([-3, 3, -3, 3, -1, 1]) / (std + 0.5))


def test_a_row_left_out_of_its_own_baseline_is_compared_with_the_others():
    found = grpo([1, 0, 0, 1], [0] * 4, norm=NEMO)
    close(found[0], (1 - 1 / 3) / (1 / math.sqrt(3) + 1e-6))
    close(grpo([1, 0, 0, 0], [0] * 4, norm=NEMO)[0], 1.0)  # the others agree: centred only
    close(grpo([1, 3], [0, 0], norm=NEMO), [-2, 2])


def test_without_scale_leaving_out_is_a_constant_factor():
    usual = dr_grpo(TWO_GROUPS, GROUP)
    close(dr_grpo(TWO_GROUPS, GROUP, norm=NEMO), usual * 4 / 3)


def test_dr_grpo_divides_by_nothing():
    """A-drgrpo-constant"""
    close(dr_grpo(TWO_GROUPS, GROUP), [0.5, -0.5, -0.5, 0.5, -0.4375, -0.1875, 0.0625, 0.5625])


def test_an_unknown_reward_is_out_of_the_baseline():
    rewards = [1, None, 0, 1, None, None, None, None, None, 0.5, None, None]
    found = grpo(rewards, np.repeat([0, 1, 2], 4))
    unit = 1 / (math.sqrt(1 / 3) + 1e-4)  # of [1, 0, 1]
    close(found, [unit / 3, 0, -2 * unit / 3, unit / 3] + [0] * 8)
    assert list(grpo([math.nan, 1, 2], [0, 0, 0]) != 0) == [False, True, True]


def test_left_out_rows_are_not_among_the_others():
    close(grpo([1, None, 0, 0], [0] * 4, norm=NEMO)[:2], [1, 0])


def test_known_components_are_summed_with_their_weights():
    rewards = [[1, 0.5], [None, 1], [0, None], [None, None]]
    unit = 1 / (math.sqrt(4 / 3) + 1e-4)  # of the totals [2, 2, 0]
    found = grpo(rewards, [0] * 4, weights=[1, 2])
    close(found, [2 / 3 * unit, 2 / 3 * unit, -4 / 3 * unit, 0])


def test_the_only_row_of_a_group_gets_nothing_and_a_warning():
    with pytest.warns(UserWarning, match="1 groups have one row"):
        close(grpo([0.7, 1, 0], [0, 1, 1])[0], 0)
    with pytest.warns(UserWarning, match="one row"):
        close(dr_grpo([0.7], [0]), [0])


def test_the_only_row_keeps_its_reward_where_a_code_does():
    close(grpo([0.7, 1, 0], [0, 1, 1], norm=VERL)[0], 0.7 / (1 + 1e-6))
    close(dr_grpo([0.7], [0], norm=VERL), [0.7])
    close(grpo([None], [0], norm=VERL), [0])
    close(grpo([0.7, None], [0, 0], norm=VERL), [0, 0])  # not alone, but the only scorable one


@pytest.mark.parametrize("norm", [TRL, VERL, NEMO, GroupNorm(eps=0)])
def test_a_group_that_agrees_gets_exactly_nothing(norm):
    assert list(grpo([0.1, 0.1, 0.1, 0.3, 0.3, 0.3], [0, 0, 0, 1, 1, 1], norm=norm)) == [0] * 6


def test_equal_numbers_have_their_own_mean():
    mean, std = mean_and_std(np.array([0.1, 0.1, 0.1]), 1)
    assert (float(mean), float(std)) == (0.1, 0.0)


def test_groups_are_ids_and_may_be_ragged_and_mixed():
    rewards = [1, 5, 0, 6, 7]
    by_text = grpo(rewards, ["a", "b", "a", "b", "b"])
    assert list(by_text) == list(grpo(rewards, [("x", 1), 2, ("x", 1), 2, 2]))
    close(by_text[[0, 2]], grpo([1, 0], [0, 0]))
    close(by_text[[1, 3, 4]], grpo([5, 6, 7], [0, 0, 0]))


def test_a_batch_of_nothing_gives_nothing():
    assert grpo([], []).shape == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grpo([1, 2], [0]), "2 rows, 1 ids"),
        (lambda: grpo([[1, 2]], [0], weights=[1]), "2 reward components need 2 weights"),
        (lambda: grpo([[[1]]], [0]), r"\(B,\) or \(B, N\)"),
        (lambda: grpo([math.inf, 0], [0, 0]), "finite"),
        (lambda: GroupNorm(scale="groups"), "not 'groups'"),
        (lambda: GroupNorm(lone="keep"), "not 'keep'"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_reward_on_a_masked_token_feeds_neither_advantage_nor_baseline():
    """A-masked-reward-token"""
    token_rewards = np.array([[0, 0, 100.0], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    mask = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1], [0, 0, 0]])
    rewards = masked_return(token_rewards, mask)
    np.testing.assert_array_equal(rewards, [np.nan, 1, 0, np.nan])
    close(dr_grpo(rewards, [0] * 4), [0, 0.5, -0.5, 0])
