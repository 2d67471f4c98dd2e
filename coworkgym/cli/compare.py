"""`coworkgym compare`: two runs of the same tasks, by what their policies earn."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coworkgym.cli.evaluation import interval
from coworkgym.cli.options import JsonOption, err, out, print_json
from coworkgym.evals import ALLOWABLE, Comparison, RunsDiffer
from coworkgym.evals import compare as compare_runs
from coworkgym.rollouts import Run

_COLOURS = {"A above B": "green", "B above A": "green", "not told apart": "dim"}


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="The folder of a run.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The folder of another run.")],
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            help=f"Put up with a difference: {', '.join(ALLOWABLE)}; may be repeated.",
        ),
    ] = None,
    reward: Annotated[
        str | None, typer.Option("--reward", help="Formula for both runs; theirs if not given.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two runs that differ in nothing but the policy; exit 1 and say why if they do."""
    try:
        comparison = compare_runs(Run(a), Run(b), allow=allow or (), formula=reward)
    except RunsDiffer as differ:
        if as_json:
            print_json({"differences": [one._asdict() for one in differ.differences]})
        err.print(f"coworkgym: {differ}", style="red", markup=False, highlight=False)
        raise typer.Exit(1) from None
    if as_json:
        print_json(comparison.as_dict())
    else:
        print_comparison(comparison, out)


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Prints a comparison: the two runs, what is left out or allowed, a row a measure."""
    for letter, side in (("A", comparison.a), ("B", comparison.b)):
        console.print(
            f"[bold]{letter}[/bold]  {escape(side.name)}  [dim]{escape(side.policy)}[/dim]  "
            f"{side.counts}",
            highlight=False,
        )
    left_out = [
        f"{number} {name.replace('_', ' ')}"
        for name, number in comparison.left_out._asdict().items()
        if number
    ]
    without = f"; left out: {', '.join(left_out)}" if left_out else ""
    console.print(f"{comparison.tasks} tasks compared{without}", highlight=False)
    for difference in comparison.allowed:
        line = f"allowed: {difference.what}: {difference.a!r} against {difference.b!r}"
        console.print(line, style="yellow", markup=False, highlight=False)
    console.print(_contrasts(comparison))
    console.print(
        "A - B by task, 95 % bootstrap over tasks; p of a sign-flip test, corrected (Holm).",
        style="dim",
        highlight=False,
    )


def _contrasts(comparison: Comparison) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in ("A", "B", "A - B", "95 %", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in comparison.contrasts:
        name = comparison.formula if one.measure == "mean" else one.measure
        colour = _COLOURS[one.verdict]
        table.add_row(
            *(name, f"{one.a:.3f}", f"{one.b:.3f}", f"{one.difference.value:+.3f}"),
            *(interval(one.difference, signed=True), f"{one.p_holm:.4f}"),
            f"[{colour}]{one.verdict}[/{colour}]",
        )
    return table
