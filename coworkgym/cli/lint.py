"""`coworkgym lint`: what can be seen in task files, ours or a checkout's, without playing them."""

from pathlib import Path
from typing import Annotated

import typer

from coworkgym.cli.check import facts, print_report
from coworkgym.cli.options import JsonOption, print_json
from coworkgym.quality import Report, lint_path


def lint(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Task files, folders of them, or a checkout of Claw-Eval (it holds tasks/).",
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Look at task files without playing them, and print what is wrong; 1 if anything is."""
    reports = [_report(path) for path in paths]
    passed = all(report.passed for report in reports)
    if as_json:
        print_json({"passed": passed, "reports": [facts(report) for report in reports]})
    else:
        for report in reports:
            print_report(report)
    if not passed:
        raise typer.Exit(1)


def _report(path: Path) -> Report:
    if not any(path.glob("tasks/*/task.yaml")):
        return lint_path(path)
    from coworkgym.integrations.claw_eval.lint import lint_checkout

    return lint_checkout(path)
