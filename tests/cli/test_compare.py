"""`coworkgym compare`: what it prints and with which exit status."""

import io
import json
import sys

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from coworkgym.cli.compare import compare
from coworkgym.policies import get_policy
from coworkgym.rollouts import collect, settings_of
from coworkgym.tasks import get_package

SEEDS = 8


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders of real runs: reference and null alike, another one with a limit and another seed."""
    folder = tmp_path_factory.mktemp("runs")
    package = get_package("escalation")
    items = [package.item(seed=seed, level="warmup") for seed in range(SEEDS)]
    for name, policy, given in (
        ("reference", "reference", {}),
        ("null", "null", {}),
        ("short", "reference", {"max_steps": 2, "seed": 5}),
    ):
        settings = settings_of(get_policy(policy), **given)
        list(collect(items, policy, settings=settings, store=folder / name))
    return folder


@pytest.fixture(scope="module")
def command():
    """Runs the command; returns its result."""
    app = typer.Typer()
    app.command()(compare)
    runner = CliRunner()
    return lambda *given: runner.invoke(app, [str(one) for one in given])


def test_two_runs_are_compared(runs, command):
    result = command(runs / "reference", runs / "null", "--json")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["contrasts"][0]["verdict"] == "A above B"
    assert data["tasks"] == SEEDS


def test_the_table_names_runs_counts_and_verdicts(runs, command, monkeypatch):
    monkeypatch.setattr(sys.modules[compare.__module__], "out", printed := Recorder())
    result = command(runs / "reference", runs / "null")
    assert result.exit_code == 0
    assert "8 asked, 8 finished, 8 graded" in printed.text
    assert "A above B" in printed.text
    assert "not told apart" in printed.text
    assert max(len(line.rstrip()) for line in printed.text.splitlines()) <= 100


def test_other_settings_end_with_status_1_and_are_named(runs, command):
    result = command(runs / "reference", runs / "short", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)["differences"]
    assert [(one["name"], one["a"], one["b"]) for one in found] == [
        ("limits", None, 2),
        ("seed", 0, 5),
    ]


def test_differences_can_be_allowed_one_by_one(runs, command, monkeypatch):
    given = (runs / "reference", runs / "short", "--allow", "limits")
    assert command(*given).exit_code == 1
    monkeypatch.setattr(sys.modules[compare.__module__], "out", printed := Recorder())
    assert command(*given, "--allow", "seed").exit_code == 0
    assert "allowed: max_steps: None against 2" in printed.text


class Recorder:
    """A console of 100 columns that keeps what is printed."""

    def __init__(self):
        self._console = Console(file=io.StringIO(), width=100)

    def print(self, *args, **kwargs):
        self._console.print(*args, **kwargs)

    @property
    def text(self):
        return self._console.file.getvalue()
