"""Paired tests: against every sign by brute force, scipy, and Holm's own example of steps."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from coworkgym.evals.paired import holm, sign_flip


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1.0], 1.0),  # 1 and -1 are as far from 0
        ([1.0, 1.0, 1.0], 2 / 8),
        ([1.0, 1.0, 1.0, 0.0, 0.0], 2 / 8),  # what is equal says nothing
        ([0.0, 0.0], 1.0),
        ([3.0, -1.0], 4 / 4),
        ([3.0, 1.0, -1.0], 6 / 8),  # 5, 3, 3, -3, -3, -5 of eight sums reach 3
        ([0.1, 0.2, -0.3], 1.0),  # the sum is 0 but for rounding
    ],
)
def test_values_worked_out_by_hand(differences, p):
    assert sign_flip(differences) == pytest.approx(p)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=9))
def test_all_signs_are_tried_and_rounding_breaks_no_tie(differences):
    observed = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    tenths = [difference / 10 for difference in differences]
    assert sign_flip(tenths) == pytest.approx(np.mean([s >= observed for s in sums]))


@pytest.mark.parametrize("number", [10, 40])
def test_scipy_finds_the_same(number):
    rng = np.random.default_rng(number)
    differences = np.round(rng.normal(0.15, 0.5, number), 2)
    theirs = stats.permutation_test(
        (differences,),
        lambda x, axis: x.mean(axis),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(1),
    )
    assert sign_flip(differences) == pytest.approx(theirs.pvalue, abs=0.012)


def test_a_drawn_p_is_never_zero():
    assert sign_flip([1.0] * 60) == pytest.approx(1 / 10_001)
    assert sign_flip([1.0, -1.0] * 30) == pytest.approx(1)


def test_no_difference_cannot_be_tested():
    with pytest.raises(ValueError, match="at least one"):
        sign_flip([])


def test_holm_steps_down():
    """0.01 x 4, 0.03 x 3, 0.04 x 2 below it, so 0.09; 0.2 x 1."""
    assert holm([0.04, 0.01, 0.2, 0.03]) == pytest.approx([0.09, 0.04, 0.2, 0.09])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
