"""Tables: the results of a study, for a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table


def show(found: Mapping[str, Any], console: Console | None = None) -> None:
    """Prints a row an arm and package, and a row a comparison."""
    out = console or Console()
    arms = Table("arm", "package", "score", "solved", "right", "1/k", "breach", "calls", "seeds")
    for name, arm in found["arms"].items():
        for package, of in arm["packages"].items():
            chance = of["right"].get("chance")
            arms.add_row(
                name, package, interval(of["score"]), f"{of['solved']['value']:.2f}",
                interval(of["right"]), "" if chance is None else f"{chance:.2f}",
                f"{of['breach']['value']:.2f}", f"{of['calls']['value']:.1f}",
                str(len(arm["seeds"])),
            )  # fmt: skip
    out.print(arms)
    rows = Table("question", "ours - theirs", "package", "measure", "difference", "p")
    for row in found["comparisons"]:
        rows.add_row(
            row["question"], f"{row['ours']} - {row['theirs']}", row["package"], row["measure"],
            interval(row, "+"), f"{row['p']:.3f}",
        )  # fmt: skip
    out.print(rows)


def interval(effect: Mapping[str, Any], sign: str = "") -> str:
    """Returns an effect as text, such as 0.41 [0.35, 0.47]."""
    return "{value:{0}.2f} [{low:{0}.2f}, {high:{0}.2f}]".format(sign, **effect)
