"""Comparison: paired by task, worked out by hand."""

import json
import sys
from functools import partial

import pytest
from made_runs import identity, pair_of, rollout, run, void

from coworkgym.evals import (
    Comparison,
    EmptyRun,
    NotComparable,
    Quoted,
    RunsDiffer,
    compare,
)
from coworkgym.rollouts import Run, collect
from coworkgym.tasks import packages


@pytest.fixture
def pair(tmp_path):
    return partial(pair_of, tmp_path)


def contrast(comparison, measure="mean"):
    return next(one for one in comparison.contrasts if one.measure == measure)


def test_policy_and_options_may_differ(pair):
    comparison = compare(*pair())
    found = contrast(comparison)
    assert (found.a, found.b, found.difference.value) == (1, 0, 1)
    assert found.difference.low == pytest.approx(2 * 0.025 ** (1 / 8) - 1)
    assert found.p == pytest.approx(2 / 2**8)
    assert found.verdict == "A above B"
    assert (comparison.tasks, comparison.allowed) == (8, ())
    assert (comparison.a.policy, comparison.b.policy) == ("good", "bad")


def test_the_order_of_the_runs_turns_the_verdict(pair):
    a, b = pair()
    assert contrast(compare(b, a)).verdict == "B above A"
    assert contrast(compare(b, a)).difference.value == -1


def test_p_is_corrected_for_five_measures(pair):
    """mean, solved and passed differ by 1 on each of 8 tasks, safety and breaches by nothing."""
    by_name = {one.measure: one for one in compare(*pair()).contrasts}
    assert list(by_name) == ["mean", "solved", "passed", "safety", "breached"]
    assert by_name["mean"].p_holm == pytest.approx(5 * 2 / 2**8)
    assert by_name["safety"].p == by_name["safety"].p_holm == 1
    assert by_name["safety"].verdict == "not told apart"


def test_a_run_is_not_told_apart_from_itself(pair):
    a, _ = pair(0.5)
    assert {one.verdict for one in compare(a, a).contrasts} == {"not told apart"}


def test_few_tasks_cannot_tell_apart_whatever_the_difference(tmp_path):
    a = run(tmp_path / "a", [rollout(n) for n in range(4)])
    b = run(tmp_path / "b", [rollout(n, 0, 0.0) for n in range(4)])
    found = contrast(compare(a, b))
    assert (found.p, found.verdict) == (pytest.approx(2 / 16), "not told apart")


def test_the_corrected_p_decides_and_not_the_plain_one(tmp_path):
    """7 tasks of 7: p = 2/128 is below 0.05, and 5 times that is not."""
    a = run(tmp_path / "a", [rollout(n) for n in range(7)])
    b = run(tmp_path / "b", [rollout(n, 0, 0.0) for n in range(7)])
    found = contrast(compare(a, b))
    assert (found.p, found.p_holm) == (pytest.approx(2 / 128), pytest.approx(10 / 128))
    assert found.difference.low > 0
    assert found.verdict == "not told apart"


def test_an_interval_that_holds_zero_tells_nothing_apart_either(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[Comparison.__module__], "sign_flip", lambda gaps: 0.0)
    a = run(tmp_path / "a", [rollout(n, 0, float(n < 5)) for n in range(8)])
    b = run(tmp_path / "b", [rollout(n, 0, float(n >= 4)) for n in range(8)])
    found = contrast(compare(a, b))
    assert found.difference.low < 0 < found.difference.value
    assert (found.p_holm, found.verdict) == (0, "not told apart")


def test_an_ungraded_trial_leaves_its_task_to_the_others(tmp_path):
    """A-errored-dropped"""
    a = run(tmp_path / "a", [rollout(0, 0, 0.5), rollout(0, 1, None), rollout(1), rollout(1, 1)])
    b = run(tmp_path / "b", [rollout(n, s, 0.0) for n in range(2) for s in range(2)])
    found = contrast(compare(a, b))
    assert (found.a, found.b) == (0.75, 0)


def test_every_task_counts_once_however_many_trials_it_has(tmp_path):
    """Task 0: 4 trials, 0.2 in A and 0.4 in B; task 1: 1 and 0. Means 0.6 and 0.2."""
    a = [*(rollout(0, n, 0.2) for n in range(4)), rollout(1, 0, 1.0)]
    b = [*(rollout(0, n, 0.4) for n in range(4)), rollout(1, 0, 0.0)]
    found = contrast(compare(run(tmp_path / "a", a), run(tmp_path / "b", b)))
    assert (found.a, found.b) == (pytest.approx(0.6), pytest.approx(0.2))
    assert found.difference.value == pytest.approx(0.4)
    assert found.difference.n == 2


def test_incomplete_runs_are_compared_on_what_both_have_and_the_rest_is_counted(tmp_path):
    """A-errored-dropped"""
    a = [rollout(0), rollout(1, 0, None), rollout(2), void(3), rollout(4)]
    b = [rollout(0, 0, 0.5), rollout(1), void(2, reason="lost"), rollout(3), rollout(4, 0, 0.0)]
    missing = [identity(5)]
    comparison = compare(run(tmp_path / "a", a, missing), run(tmp_path / "b", b, missing))
    assert comparison.tasks == 2
    assert comparison.left_out.without_score == 4
    found = contrast(comparison)
    assert (found.a, found.b) == (1, 0.25)
    counts = comparison.a.counts
    assert (counts.asked, counts.graded, counts.ungraded) == (6, 3, 1)
    assert (counts.errored, counts.missing) == (1, 1)
    assert comparison.b.counts.lost == 1


def test_the_formula_can_be_given_for_both(pair):
    a, b = pair(0.7, 0.0, formula="wild_awm")
    with pytest.raises(RunsDiffer, match="formula: 'score' against 'wild_awm'"):
        compare(a, b)
    comparison = compare(a, b, formula="claw_eval")
    assert comparison.formula == "claw_eval"
    assert contrast(comparison).a == pytest.approx(0.76)
    assert compare(a, b, allow=["formula"]).formula == "score"


def test_empty_runs_are_refused_with_what_became_of_them(tmp_path):
    full = run(tmp_path / "a", [rollout(0)])
    empty = run(tmp_path / "empty", [void(0)])
    with pytest.raises(EmptyRun, match=r"empty has no finished episode \(1 asked, 1 errored\)"):
        compare(full, empty)
    with pytest.raises(EmptyRun, match=r"A 1 asked, .*; B 1 asked, 1 finished, 1 ungraded"):
        compare(full, run(tmp_path / "c", [rollout(0, 0, None)]))


def test_numbers_from_papers_are_quoted_and_compared_with_nothing(pair):
    quoted = Quoted("Big Model", 0.62, "arXiv 0000.00000, table 2", "pass^3 on other tasks")
    a, _ = pair()
    refusals = (
        lambda: compare(a, quoted),
        lambda: compare(quoted, a),
        lambda: quoted < 0.5,
        lambda: 0.5 < quoted,
        lambda: quoted >= quoted,
        lambda: quoted <= 1,
        lambda: quoted - 0.1,
        lambda: 0.1 - quoted,
        lambda: float(quoted),
    )
    for refused in refusals:
        with pytest.raises(NotComparable, match=r"Big Model: 0.62 is quoted .*table 2"):
            refused()
    assert f"{quoted.name} {quoted.value:.2f}" == "Big Model 0.62"
    assert quoted == Quoted(*(getattr(quoted, name) for name in Quoted.__slots__))


def test_a_comparison_is_plain_json(pair):
    data = json.loads(json.dumps(compare(*pair()).as_dict(), allow_nan=False))
    assert data["contrasts"][0]["verdict"] == "A above B"
    assert data["a"]["counts"]["asked"] == 8


def test_real_runs_of_two_policies_are_told_apart(tmp_path):
    items = [package.item(level="warmup", seed=n) for package in packages() for n in (0, 1)]
    for policy in ("reference", "null"):
        assert len(list(collect(items, policy, store=tmp_path / policy))) == len(items)
    comparison = compare(Run(tmp_path / "reference"), Run(tmp_path / "null"))
    assert contrast(comparison).verdict == "A above B"
    assert contrast(comparison, "solved").difference.value == 1
