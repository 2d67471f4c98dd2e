"""pass@k and pass^k: by hand, by brute force, and what is refused."""

from itertools import combinations
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_runs import rollout

from coworkgym.errors import CoworkError
from coworkgym.evals import TooFewTrials, all_of_first_k, pass_at_k, pass_hat_k
from coworkgym.rollouts import passed


@st.composite
def counts(draw, least=1):
    n = draw(st.integers(least, 12))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@pytest.mark.parametrize(
    ("n", "c", "k", "at", "hat"),
    [
        (5, 2, 2, 0.7, 0.1),  # 1 - C(3,2)/C(5,2) = 1 - 3/10; C(2,2)/C(5,2) = 1/10
        (4, 3, 2, 1.0, 0.5),  # 1 - 0/6; 3/6
        (4, 1, 3, 0.75, 0.0),  # 1 - C(3,3)/C(4,3) = 1 - 1/4; 0/4
        (3, 3, 3, 1.0, 1.0),
        (3, 0, 1, 0.0, 0.0),
        (8, 4, 4, 69 / 70, 1 / 70),
    ],
)
def test_values_worked_out_by_hand(n, c, k, at, hat):
    assert pass_at_k(n, c, k) == pytest.approx(at, abs=1e-15)
    assert pass_hat_k(n, c, k) == pytest.approx(hat, abs=1e-15)


@given(counts())
def test_they_are_means_over_all_choices_of_k_trials(counted):
    n, c, k = counted
    chosen = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@given(counts())
def test_they_are_probabilities_and_one_is_not_below_the_other(counted):
    n, c, k = counted
    assert 0 <= pass_hat_k(n, c, k) <= c / n + 1e-12
    assert c / n - 1e-12 <= pass_at_k(n, c, k) <= 1
    assert pass_at_k(n, c, 1) == pytest.approx(c / n)
    assert pass_hat_k(n, c, 1) == pytest.approx(c / n)


@given(counts(least=2))
def test_more_trials_help_one_and_hurt_the_other(counted):
    n, c, k = counted
    if k < n:
        assert pass_at_k(n, c, k + 1) >= pass_at_k(n, c, k)
        assert pass_hat_k(n, c, k + 1) <= pass_hat_k(n, c, k)
    if c < n:
        assert pass_at_k(n, c + 1, k) >= pass_at_k(n, c, k)
        assert pass_hat_k(n, c + 1, k) >= pass_hat_k(n, c, k)


@given(counts())
def test_one_fails_where_the_other_succeeds_for_failures(counted):
    """At least one of k passes unless all of k fail."""
    n, c, k = counted
    assert pass_at_k(n, c, k) == pytest.approx(1 - pass_hat_k(n, n - c, k))


def test_the_first_k_are_the_first_k():
    passes = [True, True, False, True]
    assert [all_of_first_k(passes, k) for k in (1, 2, 3, 4)] == [1.0, 1.0, 0.0, 0.0]
    assert pass_hat_k(4, 3, 2) == 0.5  # another number: half of all pairs


@given(st.permutations([True, True, True, False, False]), st.integers(1, 5))
def test_both_readings_of_pass_hat_k_agree_on_average(passes, k):
    orders = list(combinations(range(5), k))
    first = [all_of_first_k([passes[i] for i in order], k) for order in orders]
    assert sum(first) / len(first) == pytest.approx(pass_hat_k(5, 3, k))


@pytest.mark.parametrize("measure", [pass_at_k, pass_hat_k])
def test_a_k_above_n_is_refused_with_what_to_do(measure):
    with pytest.raises(TooFewTrials, match=r"k = 5 .* n = 3.*--samples 5") as caught:
        measure(3, 1, 5)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, CoworkError)
    with pytest.raises(TooFewTrials, match=r"k = 5 .* n = 1"):
        all_of_first_k([True], 5)


def test_numbers_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"k must be at least 1, got 0"):
        pass_at_k(3, 1, 0)
    with pytest.raises(ValueError, match=r"passes must be in \[0, 3\], got 4"):
        pass_hat_k(3, 4, 1)


def test_a_trial_passes_at_three_quarters_unless_cut_off_or_ungraded():
    """A-agent-stop-token"""
    assert passed(rollout(completion=0.75))
    assert not passed(rollout(completion=0.74))
    assert not passed(rollout(completion=1.0, severities=(0.5,)))
    assert not passed(rollout(ended="max_steps"))
    assert not passed(rollout(ended="context"))
    assert not passed(rollout(completion=None))
    broken = rollout()
    assert not passed(broken._replace(score=type(broken.score)(
        **{name: getattr(broken.score, name) for name in type(broken.score).__slots__}
        | {"completion": nan}
    )))  # fmt: skip


def test_a_trial_passes_by_the_formula_given():
    idle = rollout(completion=0.7, robustness=None)
    assert not passed(idle)
    assert passed(idle, "claw_eval")  # 0.8 x 0.7 + 0.2 = 0.76
