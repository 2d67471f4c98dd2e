"""Rollouts: results that hide nothing, summaries that count everything."""

import json
import math
from dataclasses import replace

import pytest

from coworkgym.policies import NullPolicy, ReferencePolicy
from coworkgym.rollouts import Store, collect, run_episode, settings_of, summarise
from coworkgym.rollouts.rollout import Ended


@pytest.fixture
def tasks(build):
    return lambda count: [build(seed=seed) for seed in range(count)]


def test_every_task_comes_back_whatever_the_batch(tasks):
    finished = list(collect(iter(tasks(7)), ReferencePolicy(), concurrency=3))
    assert sorted(episode.item.seed for episode in finished) == list(range(7))


def test_errors_and_ungraded_episodes_are_counted_beside_the_mean(tasks):
    """A-errored-dropped"""
    passed, other = (run_episode(task, ReferencePolicy()) for task in tasks(2))
    failed = run_episode(tasks(1)[0], NullPolicy())
    broken = other._replace(score=ungraded(other.score))
    summary = summarise([passed, failed, broken, passed], items=[task.item for task in tasks(5)])
    assert (summary.episodes, summary.ungraded, summary.void) == (5, 1, 1)
    assert summary.mean_score == pytest.approx(2 / 3)
    assert summary.pass_rate == pytest.approx(2 / 3)


def test_an_episode_that_was_cut_off_never_passes(tasks):
    """A-agent-stop-token"""
    finished = run_episode(tasks(1)[0], ReferencePolicy())
    for ending in ("max_steps", "context"):
        assert summarise([finished, finished._replace(ended=ending)]).pass_rate == 0.5


def ungraded(score):
    return replace(score, status="ungraded", completion=math.nan)


def test_a_mean_over_nothing_is_not_a_number(tasks):
    episode = run_episode(tasks(1)[0], NullPolicy())
    summary = summarise([episode._replace(score=ungraded(episode.score))])
    assert math.isnan(summary.mean_score)


def test_saved_episodes_are_read_back_line_by_line(tasks, tmp_path):
    folder = tmp_path / "deep" / "run"
    list(collect(tasks(3), ReferencePolicy(), store=folder))
    lines = (folder / "episodes.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["score"]["value"] for line in lines] == [1, 1, 1]


def test_a_failing_policy_leaves_whole_lines(tasks, tmp_path):
    def broken():
        yield tasks(1)[0]
        raise RuntimeError("the policy's server is gone")

    settings = settings_of(NullPolicy())
    with Store(tmp_path / "run", settings) as store:
        store.add(_ended(run_episode(tasks(1)[0], NullPolicy())))
        with pytest.raises(RuntimeError):
            list(collect(broken(), NullPolicy(), store=store))
    (line,) = (tmp_path / "run" / "episodes.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["policy"] == "null"


def _ended(rollout):
    return Ended(rollout, 0.0, 1)
