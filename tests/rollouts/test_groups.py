"""Groups: as many rollouts as were asked for, each with a reward."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_items import mixed

from coworkgym.errors import SettingsError
from coworkgym.policies import RandomPolicy
from coworkgym.rollouts import collect, groups, is_scorable

PLAYED = []


def played():
    """Three items, four samples each; played once."""
    if not PLAYED:
        PLAYED.extend(collect(mixed(3), RandomPolicy(), samples=4))
    return PLAYED


def ungraded(rollout):
    score = replace(rollout.score, status="ungraded", completion=math.nan)
    return rollout._replace(score=score)


@given(st.permutations(range(12)), st.sets(st.integers(0, 11)), st.integers(1, 5))
def test_groups_are_complete_and_of_one_item(order, without, size):
    """A-partial-batch"""
    all_of_them = [ungraded(r) if n in without else r for n, r in enumerate(played())]
    found = list(groups((all_of_them[place] for place in order), size))
    for item, rollouts in found:
        assert len(rollouts) == len({r.sample for r in rollouts}) == size
        assert {rollout.item for rollout in rollouts} == {item}
        assert [r.sample for r in rollouts] == sorted(r.sample for r in rollouts)
        assert all(map(is_scorable, rollouts))
    scorable = [r.item for r in all_of_them if is_scorable(r)]
    assert len(found) == sum(scorable.count(item) // size for item in set(scorable))


def test_groups_come_as_soon_as_they_are_complete():
    def watched():
        for rollout in sorted(played()):
            taken.append(rollout)
            yield rollout

    taken = []
    next(groups(watched(), 4))
    assert len(taken) == 4


def test_a_size_below_one_is_refused():
    with pytest.raises(SettingsError, match="at least 1, got 0"):
        next(groups([], 0))
