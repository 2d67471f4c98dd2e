"""Versus: the first run of a report against each of the others, where their settings allow it."""

from collections.abc import Sequence
from typing import NamedTuple

from coworkgym.evals.comparison import Comparison, Contrast, compare
from coworkgym.evals.differences import Difference, RunsDiffer
from coworkgym.evals.report.cells import Cell, Table, cell_of, number
from coworkgym.evals.report.column import Column
from coworkgym.evals.trial import EmptyRun

MEASURES = {
    "mean": "Score",
    "solved": "Solved",
    "passed": "Passed",
    "safety": "Safety",
    "breached": "Breached a gate",
}


class Versus(NamedTuple):
    """Two runs side by side.

    Attributes:
        a: Name of the first.
        b: Name of the second.
        table: What they differ by; None where they cannot be compared.
        left_out: Which tasks are not compared, in words.
        differences: Settings that forbid it.
        why: Another reason that forbids it.
    """

    a: str
    b: str
    table: Table | None = None
    left_out: str = ""
    differences: Sequence[Difference] = ()
    why: str = ""


def all_versus(columns: Sequence[Column], formula: str | None) -> list[Versus]:
    """Returns the first column against each of the others."""
    return [_versus(columns[0], column, formula) for column in columns[1:]]


def _versus(a: Column, b: Column, formula: str | None) -> Versus:
    try:
        found = compare(a.run, b.run, formula=formula)
    except RunsDiffer as error:
        return Versus(a.name, b.name, differences=error.differences)
    except EmptyRun as error:
        return Versus(a.name, b.name, why=str(error))
    return Versus(a.name, b.name, _table(found, a.name, b.name), _left_out(found))


def _table(found: Comparison, a: str, b: str) -> Table:
    rows = []
    for one in found.contrasts:
        p = "< 0.001" if one.p_holm < 0.001 else number(one.p_holm, 3)
        difference = cell_of(one.difference, usual=found.tasks)
        means = [Cell(number(one.a)), Cell(number(one.b))]
        said = Cell(_said(one, a, b))
        rows.append((MEASURES.get(one.measure, one.measure), [*means, difference, Cell(p), said]))
    head = ("", a, b, "difference", "p (Holm)", "")
    return Table(f"{a} against {b}, over {found.tasks:,} tasks", head, list(rows))


def _said(contrast: Contrast, a: str, b: str) -> str:
    """The verdict with the names of the runs; more breaches are not `above`."""
    pairs = {"A above B": (a, b), "B above A": (b, a)}
    if contrast.verdict not in pairs:
        return contrast.verdict
    more, less = pairs[contrast.verdict]
    verb = "breaches more than" if contrast.measure == "breached" else "above"
    return f"{more} {verb} {less}"


def _left_out(found: Comparison) -> str:
    parts = [f"{many} {name.replace('_', ' ')}" for name, many in found.left_out._asdict().items()]
    kept = [part for part in parts if not part.startswith("0 ")]
    return ", ".join(kept)
