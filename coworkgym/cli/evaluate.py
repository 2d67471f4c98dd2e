"""`coworkgym eval`: what policies score, with intervals; of runs that are there, or played now."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from coworkgym.cli.evaluation import print_evaluation
from coworkgym.cli.options import JsonOption, out, print_json
from coworkgym.cli.plan import PlanOptions, takes_plan
from coworkgym.cli.played import open_runs, play_plan
from coworkgym.cli.run import tell_void
from coworkgym.evals import evaluate
from coworkgym.rollouts import Run


@takes_plan(samples=3, split="test")
def evaluate_policies(options: PlanOptions, as_json: JsonOption = False) -> None:
    """Play tasks, or take runs that are there, and print figures with intervals."""
    with runs_of(options) as runs:
        evaluations = [evaluate(run) for run in runs]
    if as_json:
        print_json({"runs": [evaluation.as_dict() for evaluation in evaluations]})
        return
    for evaluation in evaluations:
        print_evaluation(evaluation, out)


@contextmanager
def runs_of(options: PlanOptions) -> Iterator[list[Run]]:
    """Yields the runs that the names mean, or else plays; what is not kept goes afterwards."""
    runs = open_runs(options.names)
    if runs:
        yield runs
        return
    with tempfile.TemporaryDirectory(prefix="coworkgym-") as folder:
        plan = options if options.out else replace(options, out=Path(folder) / "run")
        everyone = list(play_plan(plan))
        yield [Run(played.path) for played in everyone if played.path]
        tell_void(everyone)
