"""Rollouts: results in order, summaries that hide nothing, files that are whole."""

import json
import math

import pytest

from coworkgym import get_package
from coworkgym.policies import NullPolicy, ReferencePolicy
from coworkgym.rollouts import play, run_episodes, save_episodes, summarise


def tasks(count):
    package = get_package("escalation")
    return [package.build(package.item(seed=seed, level="warmup")) for seed in range(count)]


def test_episodes_come_in_the_order_of_the_tasks_whatever_the_batch():
    finished = list(run_episodes(iter(tasks(7)), ReferencePolicy(), batch=3))
    assert [episode.item.seed for episode in finished] == list(range(7))


def test_errors_and_ungraded_episodes_are_counted_beside_the_mean():
    """A-errored-dropped"""
    passed, other = (play(task, ReferencePolicy()) for task in tasks(2))
    failed = play(tasks(1)[0], NullPolicy())
    broken = other._replace(score=ungraded(other.score))
    summary = summarise([passed, failed, broken, passed], asked=5)
    assert (summary.episodes, summary.ungraded, summary.void) == (5, 1, 1)
    assert summary.mean_score == pytest.approx(2 / 3)
    assert summary.pass_rate == pytest.approx(2 / 3)


def test_an_episode_that_was_cut_off_never_passes():
    """A-agent-stop-token"""
    finished = play(tasks(1)[0], ReferencePolicy())
    assert summarise([finished, finished._replace(truncated=True)]).pass_rate == 0.5


def ungraded(score):
    fields = {name: getattr(score, name) for name in type(score).__slots__}
    return type(score)(**fields | {"status": "ungraded", "completion": math.nan})


def test_a_mean_over_nothing_is_not_a_number():
    episode = play(tasks(1)[0], NullPolicy())
    summary = summarise([episode._replace(score=ungraded(episode.score))])
    assert math.isnan(summary.mean_score)


def test_saved_episodes_are_read_back_line_by_line(tmp_path):
    finished = list(run_episodes(tasks(3), ReferencePolicy()))
    save_episodes(finished, tmp_path / "deep" / "run.jsonl")
    lines = (tmp_path / "deep" / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["score"]["value"] for line in lines] == [1, 1, 1]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["run.jsonl"]


def test_a_failing_writer_leaves_no_half_file(tmp_path):
    def broken():
        yield play(tasks(1)[0], NullPolicy())
        raise RuntimeError("the policy's server is gone")

    with pytest.raises(RuntimeError):
        save_episodes(broken(), tmp_path / "run.jsonl")
    assert not (tmp_path / "run.jsonl").exists()
