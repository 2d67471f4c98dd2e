"""`coworkgym run`: tables, JSON, runs that are kept and go on, models on a server."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from coworkgym import packages
from coworkgym.rollouts import Run

WARMUP = ("--level", "warmup")


def test_run_prints_a_table_and_exits_with_zero(command):
    status, out, _ = command("run", "escalation", "--policy", "null", "--episodes", "2")
    assert status == 0
    assert out.split("\n")[1].split() == [
        "escalation", "easy", "en", "null", "2", "0.00", "0.00", "1.00", "0.00",
    ]  # fmt: skip


def test_run_json_has_the_promised_keys(command):
    _, out, err = command("run", "--episodes", "1", "--level", "all", "--language", "all", "--json")
    rows = json.loads(out)["packages"]
    assert err == ""
    assert len(rows) == 8 * len(list(packages()))
    assert list(rows[0]) == [
        "name", "level", "language", "split", "policy", "episodes", "mean_score", "completion",
        "safety", "solved", "pass_rate", "ungraded", "void",
    ]  # fmt: skip
    assert all(row["mean_score"] == 1 for row in rows)


def test_run_keeps_the_episodes_in_a_store(command, tmp_path):
    status, out, _ = command(
        "run", "escalation", "--episodes", "3", "--out", str(tmp_path / "kept")
    )
    assert status == 0
    assert f"coworkgym view {tmp_path / 'kept'}" in out
    run = Run(tmp_path / "kept")
    assert sorted(rollout.item.seed for rollout in run.rollouts()) == [0, 1, 2]
    assert len(run.asked) == 3
    assert run.settings.policy == "reference"


def test_each_of_several_policies_has_a_run_of_its_own(command, tmp_path):
    given = ("--policy", "null", "--policy", "random", "--episodes", "2")
    command("run", "escalation", *WARMUP, *given, "--out", str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["null", "random"]
    assert {rollout.policy for rollout in Run(tmp_path / "random").rollouts()} == {"random"}


def test_the_same_command_plays_only_what_is_missing(command, tmp_path):
    given = ("run", "escalation", *WARMUP, "--policy", "random", "--json", "--out", str(tmp_path))
    command(*given, "--episodes", "2")
    before = (tmp_path / "episodes.jsonl").read_bytes()
    _, out, _ = command(*given, "--episodes", "4", "--samples", "2")
    assert (tmp_path / "episodes.jsonl").read_bytes().startswith(before)
    assert json.loads(out)["packages"][0]["episodes"] == 8
    assert len(list(Run(tmp_path).rollouts())) == 8
    _, fresh, _ = command(*given[:-2], "--episodes", "4", "--samples", "2")
    assert out == fresh


def test_a_run_of_other_settings_is_refused_and_named(command, tmp_path):
    given = ("run", "escalation", *WARMUP, "--episodes", "1", "--out", str(tmp_path))
    command(*given)
    status, _, err = command(*given, "--faults", "0.5")
    assert status == 2
    assert "faults None, now 0.5" in " ".join(err.split())
    assert len(list(Run(tmp_path).rollouts())) == 1


@pytest.mark.parametrize("executor", ["inline", "processes"])
def test_executors_print_the_same(command, executor, tmp_path):
    given = ("run", "escalation", "payment_change", *WARMUP, "--policy", "random", "--json")
    _, plain, _ = command(*given)
    more = ("--workers", "2") if executor == "processes" else ()
    assert command(*given, "--executor", executor, *more)[1] == plain


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--executor", "process"], "Did you mean 'processes'?"),
        (["--policy", "chat:small@ftp://x"], "http"),
        (["--policy", "reference", "--temperature", "1"], "temperature"),
        (["--timeout", "0"], "timeout must be above 0"),
        (["--faults", "2"], "faults must be in [0, 1]"),
        (["--workers", "2"], "inline"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_played(command, arguments, complaint, tmp_path):
    status, _, err = command("run", "escalation", *arguments, "--out", str(tmp_path / "run"))
    assert status == 2
    assert complaint in " ".join(err.split())
    assert not (tmp_path / "run").exists()


# A model on a server ----------------------------------------------------------------------------


@pytest.fixture
def spec(model):
    """The chat server as a policy."""
    return f"chat:small@http://127.0.0.1:{model.server_port}/v1"


def called(name, **arguments):
    call = {"id": "x", "function": {"name": name, "arguments": json.dumps(arguments)}}
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage}


def test_a_model_on_a_server_plays_through_busy_moments(command, model, spec, tmp_path):
    busy = (429, {"error": "busy"}, {"Retry-After": "0"})
    model.answers = [busy, b"not json", called("helpdesk_list_tickets"), busy, "I am done."]
    status, out, _ = command(
        "run", "escalation", *WARMUP, "--policy", spec, "--episodes", "1", "--json",
        "--out", str(tmp_path), "--concurrency", "1",
    )  # fmt: skip
    assert status == 0
    assert json.loads(out)["packages"][0]["policy"] == "chat:small"
    (rollout,) = Run(tmp_path).rollouts()
    assert rollout.steps == 2
    assert rollout.usage == (100, 10, 2)
    assert "127.0.0.1" in Run(tmp_path).settings.options["url"]


def test_a_server_that_is_down_leaves_void_episodes_and_one(command, tmp_path, monkeypatch):
    monkeypatch.setattr("asyncio.sleep", nothing)
    given = ("run", "escalation", *WARMUP, "--policy", "chat:small@http://127.0.0.1:9/v1")
    status, out, err = command(*given, "--episodes", "2", "--out", str(tmp_path), "--json")
    assert status == 1
    assert "2 episodes are void; the same command tries them again" in " ".join(err.split())
    row = json.loads(out)["packages"][0]
    assert (row["episodes"], row["void"], row["mean_score"]) == (2, 2, None)
    assert [void.reason for void in Run(tmp_path).voids()] == ["errored", "errored"]


async def nothing(_seconds):
    pass


def test_a_server_that_refuses_stops_the_run_at_once(command, model, spec):
    model.answers = [(401, {"error": "no key"}, {})]
    status, _, err = command("run", "escalation", "--policy", spec)
    assert status == 1
    assert "401" in err
    assert len(model.seen) <= 8


# Leaving in the middle --------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_run_says_what_it_kept_and_goes_on(command, tmp_path):
    given = ["run", "escalation", "--level", "hard", "--episodes", "400", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "coworkgym", *given], stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "episodes.jsonl").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "of 400 episodes are in" in " ".join(err.split())
    kept = len(list(Run(tmp_path).rollouts()))
    assert 0 < kept < 400
    assert len(Run(tmp_path).asked) == 400
