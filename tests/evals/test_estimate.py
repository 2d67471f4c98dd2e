"""Estimates: ratio of sums, clusters, exact bounds; against scipy, plain loops and simulation."""

import builtins
import random
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from coworkgym.errors import CoworkError
from coworkgym.evals import Estimate, MissingExtra, estimate, estimates

TASKS = ["a", "a", "b", "c", "c", "c", "d", "d", "e", "f", "g", "g"]
VALUES = [1, 0, 1, 0, 0, 1, 0.5, 0.25, 0, 1, 0.75, 1]


def tail(tasks):
    """What the expanded percentile reads in place of 2.5 %."""
    return stats.norm.cdf((tasks / (tasks - 1)) ** 0.5 * stats.t.ppf(0.025, tasks - 1))


def test_the_mean_is_the_ratio_of_sums():
    found = estimate([1, 0, 1, 0, 0, 0], ["a", "a", "b", "c", "c", "c"])
    assert found.value == pytest.approx(2 / 6)  # and not (1/2 + 1 + 0) / 3
    assert (found.n, found.tasks) == (6, 3)


def test_the_interval_is_that_of_scipy_over_whole_tasks():
    names = sorted(set(TASKS))
    sums = np.array([sum(v for v, t in zip(VALUES, TASKS, strict=True) if t == n) for n in names])
    counts = np.array([TASKS.count(name) for name in names])
    theirs = stats.bootstrap(
        (np.arange(len(names)),),
        lambda drawn, axis: sums[drawn].sum(axis) / counts[drawn].sum(axis),
        n_resamples=40_000,
        confidence_level=1 - 2 * tail(len(names)),
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(5),
    ).confidence_interval
    mine = estimate(VALUES, TASKS)
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=0.015)
    assert mine.note == ""


def test_the_interval_is_that_of_a_plain_loop():
    rng = random.Random(3)
    names = sorted(set(TASKS))
    ratios = []
    for _ in range(20_000):
        drawn = [rng.choice(names) for _ in names]
        values = [v for name in drawn for v, t in zip(VALUES, TASKS, strict=True) if t == name]
        ratios.append(sum(values) / len(values))
    low, high = np.quantile(ratios, [tail(len(names)), 1 - tail(len(names))])
    mine = estimate(VALUES, TASKS)
    assert (mine.low, mine.high) == pytest.approx((low, high), abs=0.015)


def test_episodes_of_a_task_stay_together():
    """The same values are less certain where they come from fewer tasks."""
    values = [1, 1, 1, 1, 0, 0, 0, 0] * 3
    alone = estimate(values, [str(n) for n in range(24)])
    together = estimate(values, [str(n // 4) for n in range(24)])
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_values_that_are_not_there_are_left_out_and_not_zero():
    found = estimate([1, None, 0.5, None], ["a", "a", "b", "c"])
    assert found.value == pytest.approx(0.75)
    assert (found.n, found.tasks) == (2, 2)


def test_nothing_to_average_is_none():
    for found in (estimate([], []), estimate([None, None], ["a", "b"])):
        assert found[:5] == (None, None, None, 0, 0)
        assert found.note == "no episode"


def test_one_task_has_no_interval_and_says_why():
    found = estimate([1, 0, 1], ["a", "a", "a"])
    assert found.value == pytest.approx(2 / 3)
    assert (found.low, found.high, found.tasks) == (None, None, 1)
    assert found.note == "one task: no interval"


@pytest.mark.parametrize(("hits", "tasks"), [(0, 20), (20, 20), (0, 3), (7, 7)])
def test_where_all_tasks_are_alike_the_exact_binomial_bound_stands(hits, tasks):
    exact = stats.binomtest(hits, tasks).proportion_ci(0.95, method="exact")
    found = estimate([float(hits > 0)] * tasks, [str(n) for n in range(tasks)])
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))
    assert found.note == "exact bound"
    again = [str(n) for n in range(tasks)] * 4  # four episodes of a task are one draw
    assert estimate([float(hits > 0)] * 4 * tasks, again)[:3] == found[:3]


def test_without_a_scale_equal_tasks_have_no_interval():
    found = estimate([6.0] * 8, [str(n) for n in range(8)], within=None)
    assert (found.value, found.low, found.high) == (6, None, None)
    assert "all tasks the same" in found.note
    assert estimate([0.5] * 8, [str(n) for n in range(8)]).low is None
    shifted = estimate([1.0] * 5, list("abcde"), within=(-1.0, 1.0))
    assert shifted.low == pytest.approx(2 * 0.025 ** (1 / 5) - 1)


def test_columns_share_their_draws_and_do_not_touch_each_other():
    both = estimates({"x": VALUES, "y": [1 - v for v in VALUES]}, TASKS)
    assert both["x"] == estimate(VALUES, TASKS)
    assert both["y"].low == pytest.approx(1 - both["x"].high, abs=0.01)


def test_the_order_of_the_episodes_does_not_matter():
    order = random.Random(1).sample(range(len(TASKS)), len(TASKS))
    mixed = estimate([VALUES[n] for n in order], [TASKS[n] for n in order])
    assert mixed == pytest.approx(estimate(VALUES, TASKS))


def test_draws_in_blocks_are_the_same_kind_of_draws(monkeypatch):
    whole = estimate(VALUES, TASKS)
    monkeypatch.setattr(sys.modules[Estimate.__module__], "_CELLS", 700)
    blocks = estimate(VALUES, TASKS)
    assert (blocks.low, blocks.high) == pytest.approx((whole.low, whole.high), abs=0.02)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1), st.booleans()), min_size=1, max_size=20)
)
def test_intervals_hold_the_mean_and_stay_on_the_scale(rows):
    values = [value if there else None for _, value, there in rows]
    found = estimate(values, [str(task) for task, _, _ in rows])
    if found.low is not None:
        assert -1e-12 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1 + 1e-12


@pytest.mark.parametrize("tasks", [8, 25])
def test_nominal_95_percent_is_about_95_percent(tasks):
    """400 sets of tasks of unequal difficulty, with 1 to 8 trials each; the true mean is 0.5."""
    rng = np.random.default_rng(tasks)
    held = 0
    for _ in range(400):
        trials = rng.integers(1, 9, tasks)
        chances = np.repeat(rng.beta(2, 2, tasks), trials)
        values = (rng.random(len(chances)) < chances).astype(float)
        names = [str(n) for n in np.repeat(np.arange(tasks), trials)]
        found = estimate(list(values), names)
        held += found.low <= 0.5 <= found.high
    assert 0.90 <= held / 400 <= 0.98


def test_taking_trials_for_tasks_would_not_hold():
    """The simulation can fail: trials of a task are alike, and that is far too sure of itself."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(60):
        chances = np.repeat(rng.beta(0.5, 0.5, 8), 8)
        values = (rng.random(len(chances)) < chances).astype(float)
        found = estimate(list(values), [str(n) for n in range(len(chances))])
        held += found.low <= 0.5 <= found.high
    assert held < 48


def test_without_scipy_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'coworkgym\[eval\]'") as caught:
        estimate([1, 0, 1], ["a", "b", "c"])
    assert isinstance(caught.value, CoworkError)
