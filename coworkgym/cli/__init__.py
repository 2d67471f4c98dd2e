"""Command line: `coworkgym VERB`. One file a verb."""

import sys

import typer

from coworkgym.cli.audit import audit
from coworkgym.cli.calibrate import calibrate
from coworkgym.cli.catalogue import list_packages
from coworkgym.cli.check import check
from coworkgym.cli.compare import compare
from coworkgym.cli.conformance import conformance
from coworkgym.cli.evaluate import evaluate_policies
from coworkgym.cli.export import export
from coworkgym.cli.lint import lint
from coworkgym.cli.options import err
from coworkgym.cli.play import play
from coworkgym.cli.report import report
from coworkgym.cli.run import run
from coworkgym.cli.show import show
from coworkgym.cli.view import view
from coworkgym.errors import CoworkError, InfrastructureError

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
app.command("eval")(evaluate_policies)
app.command()(compare)
app.command()(calibrate)
app.command()(report)
app.command()(view)
app.command()(export)
app.command()(check)
app.command()(lint)
app.command()(audit)
app.command()(conformance)


def main() -> None:
    """Runs the command line; exit 0 fine, 1 checks failed, 2 usage."""
    try:
        app()
    except CoworkError as error:
        err.print(f"coworkgym: {error}", style="red", markup=False, highlight=False)
        sys.exit(1 if isinstance(error, InfrastructureError) else 2)


__all__ = ["app", "main"]
