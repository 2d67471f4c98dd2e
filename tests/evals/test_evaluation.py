"""Evaluation: everything about one run, as JSON and on the terminal."""

import io
import json
import subprocess
import sys

import pytest
from made_runs import identity, rollout, run, void
from rich.console import Console

from coworkgym.errors import UnknownNameError
from coworkgym.evals import DIMENSIONS, EmptyRun, TooFewTrials, evaluate
from coworkgym.rollouts import Run, collect
from coworkgym.tasks import packages


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A real run of random calls, two samples of each task."""
    folder = tmp_path_factory.mktemp("runs") / "random"
    items = [package.item(level="warmup", seed=n) for package in packages() for n in (0, 1)]
    list(collect(items, "random", samples=2, store=folder))
    return Run(folder)


def test_a_run_is_evaluated_whole(played):
    evaluation = evaluate(played)
    assert (evaluation.name, evaluation.policy) == ("random", "random")
    assert evaluation.figures.counts.asked == len(played.asked)
    assert [one.k for one in evaluation.figures.pass_k] == [1, 2]
    assert set(evaluation.breakdowns) == set(DIMENSIONS)
    assert evaluation.habits.errors.n == evaluation.figures.counts.graded


def test_the_evaluation_is_the_same_every_time(played):
    assert evaluate(played) == evaluate(Run(played.path))


def test_an_evaluation_is_plain_json(played):
    """A-numpy-json"""
    data = json.loads(json.dumps(evaluate(played).as_dict(), allow_nan=False))
    assert data["settings"]["fingerprint"] == played.settings.fingerprint
    assert data["breakdowns"]["level"]["warmup"]["mean"]["n"] == len(played.asked)
    assert data["figures"]["prompt_tokens"]["value"] is None
    assert data["habits"]["within"][-1]["value"]["value"] == pytest.approx(
        data["figures"]["mean"]["value"]
    )


def test_formula_and_k_can_be_chosen(played):
    assert evaluate(played).figures.formula == "score"
    evaluation = evaluate(played, "claw_eval", [2])
    assert evaluation.figures.formula == "claw_eval"
    assert [one.k for one in evaluation.figures.pass_k] == [2]
    with pytest.raises(TooFewTrials, match=r"k = 3"):
        evaluate(played, ks=[3])
    with pytest.raises(UnknownNameError, match="Did you mean 'claw_eval'"):
        evaluate(played, "claweval")


def test_an_empty_run_is_refused(tmp_path):
    with pytest.raises(EmptyRun, match=r"nothing has no finished episode \(0 asked\)"):
        evaluate(run(tmp_path / "nothing", []))
    with pytest.raises(EmptyRun, match=r"2 asked, 1 errored, 1 missing"):
        evaluate(run(tmp_path / "void", [void(0)], [identity(1)]))


def test_what_is_printed_fits_100_columns_and_counts_what_has_no_score(tmp_path):
    """A-errored-dropped"""
    print_evaluation = pytest.importorskip("coworkgym.cli.evaluation").print_evaluation
    some = [rollout(n, s, n / 20, level=level) for n in range(12) for s in range(10)
            for level in ("warmup", "hard")]  # fmt: skip
    more = [rollout(50, package="x" * 40, facts={"tags": ("y" * 40,)}), rollout(51, 0, None)]
    console = Console(file=io.StringIO(), width=100)
    print_evaluation(evaluate(run(tmp_path / "run", [*some, *more, void(52)])), console)
    text = console.file.getvalue()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 100
    assert "243 asked, 242 finished, 241 graded, 1 ungraded, 1 errored" in text
    assert "warmup" in text
    assert "\nlanguage" not in text  # one language: nothing to break down


def test_the_core_does_not_need_scipy():
    code = "import coworkgym, coworkgym.evals, sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
