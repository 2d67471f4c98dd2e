"""Effects: means and differences over training seeds and tasks, with intervals that hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from study import effects
from study.effects import Effect, corrected, difference, mean, share_above_chance

TABLES = arrays(
    np.float64, st.tuples(st.integers(1, 4), st.integers(2, 12)), elements=st.floats(0, 1)
)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(effects, "DRAWS", 500)


@given(TABLES)
def test_an_interval_holds_its_mean_and_an_effect_its_sizes(table):
    effect = mean(table)
    assert effect.value == pytest.approx(table.mean())
    assert effect.low - 1e-9 <= effect.value <= effect.high + 1e-9
    assert (effect.seeds, effect.tasks) == table.shape
    assert 0 < effect.p <= 1


@given(TABLES, st.floats(0.1, 1))
def test_a_shift_of_all_scores_is_the_difference_exactly(table, shift):
    effect = difference(table + shift, table)
    assert effect.value == pytest.approx(shift)
    assert effect.low == pytest.approx(shift) and effect.high == pytest.approx(shift)


@given(TABLES)
def test_the_difference_of_an_arm_and_itself_is_none(table):
    assert difference(table, table)[:3] == (0, 0, 0)
    assert difference(table, table).p == 1


def test_seeds_that_disagree_widen_the_interval():
    rng = np.random.default_rng(0)
    tasks = rng.random((1, 200))
    alike = mean(np.repeat(tasks, 3, axis=0))
    apart = mean(tasks + np.array([[-0.2], [0.0], [0.2]]))
    assert apart.value == pytest.approx(alike.value)
    assert apart.high - apart.low > 3 * (alike.high - alike.low)


@pytest.mark.parametrize(("seeds", "between"), [(3, 0.03), (3, 0.1), (5, 0.03), (1, 0.0)])
def test_intervals_hold_about_as_often_as_they_say(seeds, between):
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        chance = 0.5 + rng.normal(0, between, (seeds, 1)) + rng.normal(0, 0.2, (1, 100))
        effect = mean((rng.random((seeds, 100)) < chance).astype(float))
        held += effect.low <= 0.5 <= effect.high
    assert held / 200 > 0.9


def test_hits_are_compared_with_the_chance_of_each_task():
    hits = np.array([[1, 0, 1, 1], [1, 1, 1, 1]])
    effect = share_above_chance(hits, [0.5, 0.5, 0.25, 0.25])
    assert effect.value == pytest.approx(7 / 8 - 3 / 8)


def test_a_share_of_none_or_all_has_the_exact_bound():
    none, every = (mean(np.full((3, 64), value), share=True) for value in (0.0, 1.0))
    assert (none.value, none.low, every.high) == (0, 0, 1)
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 64)) == 1 - every.low


def test_ps_are_corrected_for_their_number_in_their_order():
    found = corrected([Effect(0, 0, 0, p, 1, 1) for p in (0.04, 0.01, 0.03)])
    assert [effect.p for effect in found] == pytest.approx([0.06, 0.03, 0.06])


@pytest.mark.parametrize(
    ("table", "told"),
    [([0.5, 1.0], "a row a seed"), ([[]], "a row a seed"), ([[0.5, np.nan]], "1 of 2 scores")],
)
def test_a_table_that_is_none_is_refused(table, told):
    with pytest.raises(ValueError, match=told):
        mean(table)


def test_tables_of_other_tasks_or_seeds_do_not_pair():
    with pytest.raises(ValueError, match="do not pair"):
        difference(np.ones((3, 4)), np.ones((3, 5)))
    with pytest.raises(ValueError, match="do not pair"):
        difference(np.ones((3, 4)), np.ones((2, 4)))
