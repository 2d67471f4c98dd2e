"""Breakdowns: every episode in its part, none lost."""

import pytest
from made_runs import gone, rollout, trials

from coworkgym.errors import UnknownNameError
from coworkgym.evals import DIMENSIONS, breakdown


def asked(parts):
    return {name: figures.counts.asked for name, figures in parts.items()}


EVERY = [
    *trials(
        rollout(0, 0, 1.0, level="hard"),
        rollout(0, 1, 0.0, level="hard"),
        rollout(1, 0, 1.0, level="easy", language="zh"),
        rollout(2, 0, 0.5, package="payment_change", facts={"tags": ("twins",)}),
    ),
    gone("errored", 3, level="warmup"),
]


@pytest.mark.parametrize(
    ("by", "numbers"),
    [
        ("package", {"escalation": 4, "payment_change": 1}),
        ("level", {"warmup": 2, "easy": 1, "hard": 2}),
        ("language", {"en": 4, "zh": 1}),
        ("split", {"train": 5}),
        ("tag", {"cross_service": 3, "threshold": 3, "twins": 1, "unknown": 1}),
        ("profession", {"accounts_payable": 1, "customer_support": 4}),
        ("turns", {"single-turn": 4, "unknown": 1}),
        ("policy", {"reference": 5}),
    ],
)
def test_episodes_fall_into_parts(by, numbers):
    assert asked(breakdown(EVERY, by)) == numbers


def test_levels_stand_in_their_order():
    assert list(breakdown(EVERY, "level")) == ["warmup", "easy", "hard"]


def test_means_are_those_of_the_part():
    hard = breakdown(EVERY, "level")["hard"]
    assert hard.mean.value == 0.5
    assert hard.mean.low is None
    warmup = breakdown(EVERY, "level")["warmup"]
    assert (warmup.counts.errored, warmup.mean.n) == (1, 1)


@pytest.mark.parametrize("by", sorted(set(DIMENSIONS) - {"tag"}))
def test_no_episode_is_lost_or_counted_twice(by):
    assert sum(asked(breakdown(EVERY, by)).values()) == len(EVERY)


def test_difficulty_is_cut_at_the_quartiles_of_the_tasks():
    calls = [2, 3, 4, 5, 6, 7, 8, 9]
    some = trials(*(rollout(n, facts={"reference_calls": c}) for n, c in enumerate(calls)))
    assert asked(breakdown(some, "difficulty")) == {
        "Q1: 2-3 calls": 2, "Q2: 4-5 calls": 2, "Q3: 6-7 calls": 2, "Q4: 8-9 calls": 2,
    }  # fmt: skip


def test_a_quartile_is_a_number_of_calls_that_a_task_has():
    """Of 1 to 6 calls: 2, 3 and 5, the least that a quarter, a half, three quarters stay within."""
    some = trials(*(rollout(n, facts={"reference_calls": n}) for n in range(1, 7)))
    assert list(asked(breakdown(some, "difficulty")).values()) == [2, 1, 2, 1]


def test_equal_difficulties_stay_together():
    calls = [4, 4, 4, 4, 4, 9]
    some = trials(*(rollout(n, facts={"reference_calls": c}) for n, c in enumerate(calls)))
    parts = breakdown([*some, gone("missing", 77)], "difficulty")
    assert asked(parts) == {"Q1: 4 calls": 5, "Q4: 9 calls": 1, "unknown": 1}


def test_a_task_counts_once_for_the_quartiles_however_often_it_was_tried():
    often = [rollout(0, n, facts={"reference_calls": 2}) for n in range(9)]
    others = [rollout(n, facts={"reference_calls": 2 + n}) for n in (1, 2, 3)]
    parts = breakdown(trials(*often, *others), "difficulty")
    assert list(parts) == ["Q1: 2 calls", "Q2: 3 calls", "Q3: 4 calls", "Q4: 5 calls"]


def test_tasks_with_a_talking_user_or_several_days_are_multi_turn():
    some = trials(rollout(0, facts={"talks": True}), rollout(1, facts={"stages": 2}), rollout(2))
    assert asked(breakdown(some, "turns")) == {"multi-turn": 2, "single-turn": 1}


def test_an_unknown_dimension_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'level'"):
        breakdown(EVERY, "levels")


def test_a_package_that_is_not_installed_has_no_profession():
    some = trials(rollout(0, package="gone_away"))
    assert asked(breakdown(some, "profession")) == {"unknown": 1}


def test_several_policies_are_told_apart():
    some = trials(rollout(0, policy="null"), rollout(0, policy="random"))
    assert asked(breakdown(some, "policy")) == {"null": 1, "random": 1}
