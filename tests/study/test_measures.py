"""Measures: which record an episode acted on, and how often chance would be right."""

import pytest
from study.control import RandomRecordPolicy, swaps
from study.measures import ACTS, is_right, measured, reference

from coworkgym import get_package
from coworkgym.rollouts import collect


def items(name, count=12, level="warmup"):
    package = get_package(name)
    return [package.item(seed=seed, level=level, split="test") for seed in range(count)]


@pytest.mark.parametrize("name", ACTS)
@pytest.mark.parametrize("level", ["warmup", "easy"])
def test_the_solution_is_always_right(name, level):
    for rollout in collect(items(name, 6, level), "reference"):
        assert is_right(rollout)
        assert measured(rollout)[:4] == (1.0, 1.0, 1.0, 0.0)


@pytest.mark.parametrize("name", ACTS)
def test_doing_nothing_is_right_where_the_solution_leaves_all_alone(name):
    for rollout in collect(items(name), "null"):
        assert is_right(rollout) == (not reference(rollout.item).right)
        assert ACTS[name].or_none or not is_right(rollout)


@pytest.mark.parametrize("name", ["escalation", "month_close", "meeting_scheduling"])
def test_chance_is_one_of_the_records_that_were_read(name):
    for item in items(name):
        found = reference(item)
        assert found.right and len(found.alike) >= 2
        assert found.chance == pytest.approx(len(found.right) / len(found.alike))


@pytest.mark.parametrize("name", ["escalation", "month_close", "expense_audit"])
def test_a_random_record_is_right_as_often_as_chance(name):
    played = list(collect(items(name, 120), RandomRecordPolicy()))
    share = sum(map(is_right, played)) / len(played)
    chance = sum(reference(one.item).chance for one in played) / len(played)
    assert share == pytest.approx(chance, abs=0.15)
    assert sum(one.score.value for one in played) < 0.9 * len(played)


@pytest.mark.parametrize("name", ["escalation", "month_close"])
def test_a_control_that_draws_the_right_record_plays_the_solution(name):
    for rollout in collect(items(name, 40), RandomRecordPolicy()):
        if all(old == new for old, new in swaps(rollout.item).items()):
            assert rollout.score.value == 1
            break
    else:
        pytest.fail("none of 40 draws was the identity")


def test_a_package_without_an_act_is_never_right():
    [rollout] = collect(items("inbox_triage", 1), "reference")
    assert not is_right(rollout)
