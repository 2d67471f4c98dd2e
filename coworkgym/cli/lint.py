"""`coworkgym lint`: what can be seen in task files, ours or a checkout's, without playing them."""

from pathlib import Path
from typing import Annotated

import typer

from coworkgym.cli.check import print_reports
from coworkgym.cli.fooled import is_checkout
from coworkgym.cli.options import JsonOption
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
    print_reports([_report(path) for path in paths], as_json=as_json)


def _report(path: Path) -> Report:
    if not is_checkout(path):
        return lint_path(path)
    from coworkgym.integrations.claw_eval.lint import lint_checkout

    return lint_checkout(path)
