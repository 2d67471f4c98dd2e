"""The recipe around the estimators: reward, floor, filters, oversampling, overlong rollouts."""

import json
import math

import numpy as np
import pytest

from baselines.advantages import (
    GroupNorm,
    RolloutMultiplier,
    first_scorable,
    floor,
    gdpo,
    grpo,
    informative,
    soft_overlong,
    wild_reward,
)


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("solved", "checks", "expected"),
    [
        (1, [1, 1, 1, 1], 1),
        (1, [1, 0, 1, 1], 1),
        (0, [1, 1, 0, 1], 0.075),
        (0, [0, 0], 0),
        (0, [], 0),
        (0.95, [1, 1], 1),
    ],
)
def test_the_bonus_ranks_failures_only(solved, checks, expected):
    assert wild_reward(solved, checks) == pytest.approx(expected)


def test_a_format_error_costs_one_and_nothing_else_is_looked_at():
    assert wild_reward(None, None, format_error=True) == wild_reward(1, [1], True) == -1
    with pytest.raises(ValueError, match="unscorable"):
        wild_reward(None)


@pytest.mark.parametrize("k", [2, 4, 8, 16])
def test_a_group_of_format_errors_alone_has_length_one(k):
    rewards, group = [-1.0] * k, [0] * k
    found = floor(grpo(rewards, group), rewards, group, [True] * k)
    close(found, [-1 / math.sqrt(k)] * k)
    close((found**2).sum(), 1)


def test_a_format_error_among_others_is_an_ordinary_reward():
    rewards, group = [-1, 0.075, 1, 0], [0] * 4
    plain = grpo(rewards, group)
    assert list(floor(plain, rewards, group, [1, 0, 0, 0])) == list(plain)


def test_the_floor_counts_scorable_rows_and_each_group_by_itself():
    rewards = [-1, None, -1, 0, -1, None]
    found = floor([7, 0, 7, 7, 7, 0], rewards, [0, 0, 0, 1, 1, 2], [1, 0, 1, 0, 1, 1])
    close(found, [-math.sqrt(0.5), 0, -math.sqrt(0.5), 7, 7, 0])


def test_the_floor_comes_after_the_batch_step_of_gdpo():
    rewards, group = [[-1, 0], [-1, 0], [1, 0], [0, 1]], [0, 0, 1, 1]
    found = floor(gdpo(rewards, group, weights=[1, 2]), rewards, group, [1, 1, 0, 0])
    close(found[:2], [-math.sqrt(0.5)] * 2)
    assert found[2] < 0 < found[3]


def test_the_only_row_of_a_group_may_fall_to_the_floor():
    with pytest.warns(UserWarning, match="one row"):
        assert list(floor(grpo([-1], [0]), [-1], [0], [True])) == [-1]


def test_groups_without_a_signal_are_filtered_but_floor_groups_are_not():
    rewards = [1, 1, 0, 1, -1, -1, None, 1, None, None, -1]
    group = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    errors = [0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1]
    plain = [False] * 2 + [True] * 2 + [False] * 7
    assert list(informative(rewards, group)) == plain
    kept = informative(rewards, group, format_errors=errors)
    assert list(kept) == [*plain[:4], True, True, *plain[6:10], True]


def test_the_filter_has_a_threshold():
    assert not informative([0, 1e-6], [0, 0]).any()
    assert informative([0, 1.6e-6], [0, 0]).all()  # std 1.13e-6; 0.8e-6 without Bessel
    assert informative([0, 1e-6], [0, 0], threshold=0).all()
    assert not informative([0.1, 0.1, 0.1], [0] * 3, threshold=0).any()


def test_the_first_scorable_rows_of_a_group_are_kept_in_order():
    rewards, group = [None, 1, 2, 3, 4, 5], [0, 0, 0, 0, 1, 1]
    assert list(first_scorable(rewards, group, 2)) == [False, True, True, False, True, True]
    assert list(first_scorable([[None, 1], [None, None]], [0, 0], 1)) == [True, False]


def test_a_task_whose_groups_tell_nothing_is_given_more_rollouts():
    multiplier = RolloutMultiplier()
    assert multiplier.multiplier("new") == 1
    rates, found = [], []
    for seen in (True, False, False, True, False):
        multiplier.update("t", seen)
        rates.append(multiplier.rate("t"))
        found.append(multiplier.multiplier("t"))
    close(rates, [1, 0.8, 0.64, 0.712, 0.5696])
    close(found, [1, 1.25, 1.5625, 1.4044943820, 1.7556179775])
    assert multiplier.count("t", 8) == 15  # 14.04
    assert multiplier.count("new", 8) == 8
    for _ in range(50):
        multiplier.update("t", False)
    assert multiplier.multiplier("t") == 4


def test_a_whole_count_is_not_rounded_up():
    multiplier = RolloutMultiplier(alpha=0.5)
    multiplier.update("t", False)
    assert multiplier.count("t", 5) == 10
    third = RolloutMultiplier(alpha=1 - 1 / 3)
    third.update("t", False)
    assert third.count("t", 4) == 12


def test_a_rate_of_nothing_is_held_by_the_upper_bound():
    multiplier = RolloutMultiplier(alpha=1)
    multiplier.update("t", False)
    assert (multiplier.rate("t"), multiplier.multiplier("t")) == (0, 4)


def test_the_multiplier_survives_a_checkpoint():
    before = RolloutMultiplier(alpha=0.5, low=0.5, high=3)
    before.update("t", False)
    before.update(7, True)
    after = RolloutMultiplier()
    after.load_state_dict(json.loads(json.dumps(before.state_dict())))
    assert after.state_dict() == before.state_dict()
    assert (after.rate("t"), after.high) == (0.5, 3)


@pytest.mark.parametrize("constants", [{"alpha": 0}, {"alpha": 1.5}, {"low": 5}, {"low": 0}])
def test_a_multiplier_out_of_bounds_is_refused(constants):
    with pytest.raises(ValueError, match="alpha"):
        RolloutMultiplier(**constants)


def test_the_overlong_punishment_grows_in_a_straight_line():
    close(soft_overlong([10, 80, 85, 90, 100, 120], 100, 20), [0, 0, -0.25, -0.5, -1, -1])
    with pytest.raises(ValueError, match="cache"):
        soft_overlong([1], 10, 0)


def test_a_dropped_group_changes_no_other():
    rewards, group = np.array([1, 1, 0, 1.0]), np.array([0, 0, 1, 1])
    kept = informative(rewards, group)
    norm = GroupNorm()
    close(grpo(rewards, group, norm=norm)[kept], grpo(rewards[kept], group[kept], norm=norm))
