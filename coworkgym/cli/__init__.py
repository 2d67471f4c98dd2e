"""Command line: `coworkgym list`, `show`, `play`, `run`, `check`, `audit`. One file a verb."""

import sys

import typer

from coworkgym.cli.audit import audit
from coworkgym.cli.catalogue import list_packages
from coworkgym.cli.check import check
from coworkgym.cli.options import err
from coworkgym.cli.play import play
from coworkgym.cli.run import run
from coworkgym.cli.show import show
from coworkgym.errors import CoworkError

app = typer.Typer(
    help="Executable office work for language-model agents, as Gymnasium environments.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("list")(list_packages)
app.command()(show)
app.command()(play)
app.command()(run)
app.command()(check)
app.command()(audit)


def main() -> None:
    """Runs the command line; exit 0 fine, 1 checks failed, 2 usage."""
    try:
        app()
    except CoworkError as error:
        err.print(f"coworkgym: {error}", style="red", markup=False, highlight=False)
        sys.exit(2)


__all__ = ["app", "main"]
