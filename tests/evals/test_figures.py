"""Figures: worked out by hand, with everything that has no score counted beside them."""

import json

import numpy as np
import pytest
from made_runs import gone, rollout, run, trials, void

from coworkgym.evals import Counts, EmptyRun, TooFewTrials, figures_of, trials_of
from coworkgym.rollouts import Usage

SIX = trials(
    rollout(0, 0, 1.0, steps=4),
    rollout(0, 1, 0.8, steps=6, false_claim=True),
    rollout(1, 0, 0.75, steps=10, ended="max_steps"),
    rollout(1, 1, 1.0, (1.0,), steps=2, robustness=0.5),
    rollout(2, 0, 0.5, (0.2, 0.5), steps=8),
    rollout(2, 1, None, steps=30),
)
LEFT = [gone("errored", 2, 2), gone("timed_out", 3), gone("lost", 4), gone("missing", 5)]


def test_figures_are_those_worked_out_by_hand():
    figures = figures_of(SIX)
    assert figures.mean.value == pytest.approx((1 + 0.8 + 0.75 + 0 + 0.2) / 5)
    assert figures.completion.value == pytest.approx((1 + 0.8 + 0.75 + 1 + 0.5) / 5)
    assert figures.safety.value == pytest.approx((1 + 1 + 1 + 0 + 0.4) / 5)
    assert figures.solved.value == pytest.approx(1 / 5)
    assert figures.passed.value == pytest.approx(2 / 5)  # the one that was cut off does not
    assert figures.breached.value == pytest.approx(2 / 5)
    assert figures.breached_severely.value == pytest.approx(1 / 5)
    assert figures.false_claims.value == pytest.approx(1 / 5)
    assert figures.cut_off.value == pytest.approx(1 / 5)
    assert figures.format.value == pytest.approx(1)
    assert (figures.robustness.value, figures.robustness.n) == (0.5, 1)
    assert (figures.tasks, figures.trials) == (3, 1)


def test_errors_and_ungraded_episodes_are_counted_beside_every_mean():
    """A-errored-dropped"""
    figures = figures_of([*SIX, *LEFT])
    assert figures.counts == Counts(10, 6, 5, 1, 1, 1, 1, 1)
    assert figures.counts.void == 3
    assert str(figures.counts).startswith("10 asked, 6 finished, 5 graded, 1 ungraded")
    assert figures.mean == figures_of(SIX).mean
    assert (figures.mean.n, figures.mean.tasks) == (5, 3)
    assert (figures.steps.value, figures.steps.n) == (10, 6)  # known of the ungraded one too


def test_two_passes_a_failure_and_an_error_are_four():
    """A-errored-dropped"""
    figures = figures_of([*trials(rollout(0), rollout(1, 0, 0.0), rollout(3)), gone("errored", 2)])
    counts = figures.counts
    assert (counts.asked, counts.graded, counts.errored) == (4, 3, 1)
    assert figures.passed.value == pytest.approx(2 / 3)


def test_the_formula_decides_value_and_passing():
    one = trials(rollout(0, 0, 0.7, robustness=None), rollout(1, 0, 0.0, robustness=0.5))
    figures = figures_of(one, "claw_eval")
    assert figures.mean.value == pytest.approx((0.76 + 0.1) / 2)
    assert figures.passed.value == 0.5
    assert figures.formula == "claw_eval"
    assert figures.pass_k[0].at.value == 0.5
    assert figures_of(one).passed.value == 0


def test_k_goes_up_to_the_trials_that_every_task_has():
    """Two tasks with three trials: 2 of 3 pass, and 0 of 3."""
    of_first = [rollout(0, n, float(n < 2)) for n in range(3)]
    of_second = [rollout(1, n, 0.0) for n in range(3)]
    figures = figures_of(trials(*of_second, *reversed(of_first)))
    assert [one.k for one in figures.pass_k] == [1, 2, 3]
    assert [one.at.value for one in figures.pass_k] == pytest.approx([1 / 3, 1 / 2, 1 / 2])
    assert [one.hat.value for one in figures.pass_k] == pytest.approx([1 / 3, 1 / 6, 0])
    assert [one.first.value for one in figures.pass_k] == pytest.approx([1 / 2, 1 / 2, 0])
    assert [one.left_out for one in figures.pass_k] == [0, 0, 0]
    assert figures.passed.value == pytest.approx(figures.pass_k[0].at.value)


def test_tasks_with_fewer_trials_are_left_out_and_counted():
    figures = figures_of([*SIX, gone("missing", 9)], ks=[1, 2])
    first, second = figures.pass_k
    assert (first.at.n, first.left_out) == (3, 1)  # task 9 has none
    assert (second.at.n, second.left_out) == (2, 2)  # task 2 has one graded trial
    assert second.hat.value == pytest.approx(1 / 2)
    assert figures_of(SIX).pass_k[-1].k == 1


def test_a_k_that_no_task_has_is_refused():
    with pytest.raises(TooFewTrials, match=r"k = 3 .* n = 2 .*--samples 3"):
        figures_of(SIX, ks=[1, 3])
    with pytest.raises(ValueError, match="at least 1"):
        figures_of(SIX, ks=[0])


def test_no_episodes_are_no_figures():
    with pytest.raises(EmptyRun, match="no episodes"):
        figures_of([])


def test_without_a_graded_episode_there_are_counts_and_no_numbers():
    figures = figures_of([gone("errored"), gone("missing", 1)])
    assert figures.counts.asked == 2
    assert figures.mean.value is None
    assert figures.pass_k == ()


def test_tokens_are_those_of_policies_that_count_them():
    counted = rollout(0, usage=Usage(1200, 80, 5))
    silent = rollout(1, usage=Usage(0, 0, 5))
    figures = figures_of(trials(counted, silent))
    assert (figures.prompt_tokens.value, figures.prompt_tokens.n) == (1200, 1)
    assert figures.completion_tokens.value == 80
    assert figures_of(trials(silent)).prompt_tokens.value is None


def test_tasks_are_told_apart_by_digest_and_else_by_item():
    same = trials(rollout(0, facts={"digest": "d"}), rollout(1, facts={"digest": "d"}))
    assert figures_of(same).tasks == 1
    assert figures_of(same).pass_k[-1].k == 2
    without = trials(*(rollout(n, s, facts={"digest": ""}) for n in (0, 1) for s in (0, 1)))
    assert figures_of(without).tasks == 2


def test_the_figures_are_plain_json():
    """A-numpy-json"""
    text = json.dumps(figures_of([*SIX, *LEFT]).as_dict(), allow_nan=False)
    data = json.loads(text)
    assert data["counts"]["asked"] == 10
    assert data["mean"]["n"] == 5
    assert data["pass_k"][0]["k"] == 1
    assert "np." not in repr(figures_of(SIX).as_dict())
    assert not isinstance(figures_of(SIX).mean.low, np.floating)


def test_a_run_is_read_with_what_became_of_its_episodes(tmp_path):
    """A-errored-dropped"""
    outcomes = [rollout(0), rollout(1, 0, None), void(2), void(3, reason="timed_out"), void(0)]
    found = trials_of(run(tmp_path / "run", outcomes, ["escalation-v0/train/easy/zh/000007/2"]))
    assert figures_of(found).counts == Counts(5, 2, 1, 1, 1, 1, 0, 1)  # a void that was made good
    assert found == sorted(found, key=lambda one: one.id)
    missing = next(one for one in found if one.outcome == "missing")
    assert (missing.item.level, missing.item.language, missing.sample) == ("easy", "zh", 2)
    assert {one.policy for one in found} == {"reference"}


def test_the_order_in_which_episodes_ended_does_not_matter(tmp_path):
    some = [rollout(n, 0, n / 10) for n in range(8)]
    one = figures_of(trials_of(run(tmp_path / "a", some)))
    assert one == figures_of(trials_of(run(tmp_path / "b", some[::-1])))
