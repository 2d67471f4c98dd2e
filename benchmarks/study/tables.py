"""Tables: the results of a study, for a terminal of 80 columns."""

from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


def show(found: Mapping[str, Any], console: Console | None = None) -> None:
    """Prints a table a package, a row an arm; and one a question, a row a comparison."""
    out = console or Console()
    played = [(name, arm["packages"]) for name, arm in found["arms"].items()]
    for package in dict.fromkeys(package for _, of in played for package in of):
        chances = [of[package]["right"].get("chance") for _, of in played if package in of]
        chance = "" if chances[0] is None else f", 1/k {chances[0]:.2f}"
        table = _table(f"{package}{chance}", "arm", "score", "right", "breach", "calls")
        for name, of in played:
            if package in of:
                row = of[package]
                breach, calls = row["breach"]["value"], row["calls"]["value"]
                shown = interval(row["score"]), interval(row["right"])
                table.add_row(name, *shown, f"{breach:.2f}", f"{calls:.1f}")
        out.print(table)
    rows = found["comparisons"]
    for question, measure in dict.fromkeys((row["question"], row["measure"]) for row in rows):
        table = _table(f"{question} ({measure})", "arms", "package", "difference", "p")
        for row in rows:
            if (row["question"], row["measure"]) == (question, measure):
                arms = f"{row['ours']} - {row['theirs']}"
                table.add_row(arms, row["package"], interval(row, "+"), f"{row['p']:.3f}")
        out.print(table)


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for place, head in enumerate(heads):
        table.add_column(head, no_wrap=place > 0)
    return table


def interval(effect: Mapping[str, Any], sign: str = "") -> str:
    """Returns an effect as text, such as 0.41 [0.35, 0.47]."""
    return "{value:{0}.2f} [{low:{0}.2f}, {high:{0}.2f}]".format(sign, **effect)
