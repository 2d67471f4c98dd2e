"""`coworkgym eval`, `calibrate`, `list --facts` and `export`: figures of runs, kept or played."""

import json
import os

import pytest

from coworkgym.rollouts import Run

PLAN = ("--level", "warmup", "--episodes", "3")


@pytest.fixture
def run(command, tmp_path):
    """The folder of a small run."""
    folder = tmp_path / "run"
    command(
        "run", "escalation", *PLAN, "--samples", "2", "--policy", "random", "--out", str(folder)
    )
    return folder


def test_eval_plays_three_samples_of_each_test_task_and_prints_intervals(command, tmp_path):
    status, out, _ = command("eval", "escalation", *PLAN, "--policy", "reference")
    assert status == 0
    assert "9 asked, 9 finished, 9 graded" in out
    assert "pass^k" in out
    assert "95 %" in out


def test_eval_of_a_run_plays_nothing_and_says_the_same_again(command, run):
    before = (run / "episodes.jsonl").read_bytes()
    first, second = (command("eval", str(run), "--json")[1] for _ in range(2))
    assert first == second
    assert (run / "episodes.jsonl").read_bytes() == before
    (evaluation,) = json.loads(first)["runs"]
    assert evaluation["figures"]["counts"]["asked"] == 6
    assert set(evaluation["breakdowns"]) >= {"package", "level", "tag", "profession"}


def test_runs_and_packages_are_not_mixed(command, run):
    status, _, err = command("eval", str(run), "escalation")
    assert status == 2
    assert "runs and packages in one command" in " ".join(err.split())


def test_an_empty_run_has_no_figures(command, run):
    (run / "episodes.jsonl").write_bytes(b"")
    status, _, err = command("eval", str(run))
    assert status == 2
    assert "no finished episode" in " ".join(err.split()) or "no episode" in err


def test_calibration_is_noted_with_the_day_of_the_run_and_listed(command, run, tmp_path):
    os.utime(run / "episodes.jsonl", (1_700_000_000, 1_700_000_000))
    facts = tmp_path / "facts.json"
    status, out, _ = command("calibrate", str(run), "--into", str(facts))
    assert status == 0
    assert "escalation" in out
    command("calibrate", str(run), "--into", str(facts))  # the same fact again
    _, listed, _ = command("list", "--facts", str(facts), "--json")
    (package,) = [p for p in json.loads(listed)["packages"] if p["name"] == "escalation"]
    (fact,) = package["facts"]
    assert (fact["date"], fact["policy"], fact["asked"]) == ("2023-11-14", "random", 6)
    assert "warmup  en train  random: passes 0.00" in command("list", "--facts", str(facts))[1]


def test_export_writes_rows_for_training(command, run, tmp_path):
    status, _, err = command("export", str(run), "-o", str(tmp_path / "rows.jsonl"))
    assert status == 0
    assert "6 rows" in err
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["id"] for line in lines} == Run(run).ids()
    command("export", str(run), "-o", str(tmp_path / "solved.jsonl"), "--solved")
    assert (tmp_path / "solved.jsonl").read_text(encoding="utf-8") == ""
