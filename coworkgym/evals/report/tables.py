"""Tables: every figure of a report, a column a run."""

from collections.abc import Sequence

from coworkgym.evals.estimate import Estimate
from coworkgym.evals.report.cells import NOTHING, Cell, Table, became, cell_of
from coworkgym.evals.report.column import Column, Share, kind_order
from coworkgym.frozen import Json, json_text

FIGURES = {
    "mean": "Score",
    "completion": "Completion",
    "safety": "Safety",
    "solved": "Solved: every check, every gate",
    "passed": "Passed: score at least 0.75, not cut off",
    "breached": "Breached a gate",
    "breached_severely": "Breached a gate of severity 1",
    "false_claims": "Claims a change without one",
    "cut_off": "Cut off by a limit",
    "robustness": "Robustness, where a call failed",
    "format": "Well-formed calls",
}
"""Headline figures, all in [0, 1], and their names."""

HABITS = {
    "acted": ("Changed anything", 2),
    "reads_before_acting": ("Different reads before the first change", 1),
    "acted_unread": ("Acted without reading, of those that acted", 2),
    "repeated_reads": ("Reads of what was known already", 1),
    "service_switches": ("Calls that go to another service", 2),
    "returns": ("Returns to a service left before", 1),
    "errors": ("Calls that failed", 2),
    "malformed": ("Calls that never reached a tool", 2),
    "recovery": ("Failed tools that succeeded later", 2),
}
"""Figures of behaviour, their names and digits."""


Rows = list[tuple[str, list[Cell]]]


def _table(caption: str, columns: Sequence[Column], rows: Rows, *, counted: bool = False) -> Table:
    """A table with a column a run, and with what became of their episodes where that counts."""
    below = [became(column.evaluation.figures.counts) for column in columns] if counted else ()
    return Table(caption, ("", *(column.name for column in columns)), list(rows), tuple(below))


def _graded(column: Column) -> int:
    return column.evaluation.figures.counts.graded


def counts_table(columns: Sequence[Column]) -> Table:
    """Returns what became of the episodes asked for, a row a run."""
    names = ("asked", "graded", "ungraded", "void", "missing")
    rows: Rows = []
    for column in columns:
        figures = column.evaluation.figures
        numbers = [getattr(figures.counts, name) for name in names] + [
            figures.tasks,
            figures.trials,
        ]
        cells = [Cell(column.evaluation.policy), *(Cell(f"{one:,}") for one in numbers)]
        rows.append((column.name, cells))
    head = ("run", "policy", *names, "tasks", "fewest trials")
    return Table("Episodes", head, list(rows))


def settings_table(columns: Sequence[Column]) -> Table:
    """Returns settings and versions; what is left at nothing in every run is left out."""
    settings = [
        {"fingerprint": c.run.settings.fingerprint, **c.run.settings.as_dict()} for c in columns
    ]
    versions = [column.run.versions for column in columns]
    rows = [*_pairs(settings, ""), *_pairs(versions, "version of ")]
    return _table("Settings and versions", columns, rows)


def _pairs(facts: Sequence[dict[str, Json]], before: str) -> list[tuple[str, list[Cell]]]:
    rows = []
    for name in dict.fromkeys(name for one in facts for name in one):
        values = [one.get(name) for one in facts]
        if any(value not in (None, {}) for value in values):
            label = before + name.replace("_", " ")
            rows.append((label, [Cell(_text(value)) for value in values]))
    return rows


def _text(value: Json) -> str:
    if value in (None, {}):
        return NOTHING
    return value if isinstance(value, str) else json_text(value)


def headline_table(columns: Sequence[Column]) -> Table:
    """Returns the headline figures; a mean says over how many episodes where it is not all."""
    rows: Rows = [
        (label, [_figure(column, name, strip=True) for column in columns])
        for name, label in FIGURES.items()
    ]
    rows.append(("Steps", [_figure(column, "steps", 1) for column in columns]))
    return _table("Headline figures", columns, rows, counted=True)


def _figure(column: Column, name: str, digits: int = 2, *, strip: bool = False) -> Cell:
    figure = getattr(column.evaluation.figures, name)
    return cell_of(figure, digits, strip=strip, usual=_graded(column))


def kinds_table(columns: Sequence[Column]) -> Table:
    """Returns the score by package and level, with what became of the episodes."""
    kinds = sorted({kind for column in columns for kind in column.kinds}, key=kind_order)
    rows: Rows = [
        (f"{kind[0]}, {kind[1]}", [_share(column.kinds.get(kind)) for column in columns])
        for kind in kinds
    ]
    return _table("Score by package and level", columns, rows)


def _share(share: Share | None) -> Cell:
    if share is None:
        return Cell(NOTHING)
    return cell_of(share.mean)._replace(note=became(share.counts))


def pass_k_table(columns: Sequence[Column]) -> Table:
    """Returns pass@k and pass^k."""
    pairs = [
        ("at", "pass@{}: one of {} passes"),
        ("hat", "pass^{}: all of {} pass"),
        ("first", "pass^{}: all of the first {} pass"),
    ]
    found = [{one.k: one for one in column.evaluation.figures.pass_k} for column in columns]
    rows = []
    for name, label in pairs:
        for k in sorted({k for one in found for k in one}):
            cells = [
                _of_tasks(getattr(one[k], name), one[k].left_out) if k in one else Cell(NOTHING)
                for one in found
            ]
            rows.append((label.format(k, k), cells))
    return _table("Passing in k trials", columns, rows)


def _of_tasks(estimate: Estimate, left_out: int) -> Cell:
    note = f"{estimate.n:,} tasks" + (f", {left_out:,} left out" if left_out else "")
    return cell_of(estimate)._replace(note=note)


def budget_table(columns: Sequence[Column]) -> Table:
    """Returns the score where episodes that took more calls count as 0."""
    found = [{one.calls: one.value for one in c.evaluation.habits.within} for c in columns]
    pairs = list(zip(columns, found, strict=True))
    rows: Rows = []
    for calls in sorted({calls for one in found for calls in one}):
        cells = [
            cell_of(one[calls], usual=_graded(column)) if calls in one else Cell(NOTHING)
            for column, one in pairs
        ]
        rows.append((f"{calls} calls", cells))
    return _table("Score within a number of calls", columns, rows, counted=True)


def difficulty_table(columns: Sequence[Column]) -> Table:
    """Returns the score by quartile of the calls of the reference solution."""
    found = [c.evaluation.breakdowns["difficulty"] for c in columns]
    rows = []
    for name in sorted({name for one in found for name in one}):
        cells = [
            cell_of(one[name].mean)._replace(note=became(one[name].counts))
            if name in one
            else Cell(NOTHING)
            for one in found
        ]
        rows.append((name, cells))
    return _table("Score by difficulty", columns, rows)


def habits_table(columns: Sequence[Column]) -> Table:
    """Returns the figures of behaviour."""
    rows: Rows = [
        (label, [_habit(column, name, digits) for column in columns])
        for name, (label, digits) in HABITS.items()
    ]
    return _table("Behaviour", columns, rows, counted=True)


def _habit(column: Column, name: str, digits: int) -> Cell:
    return cell_of(getattr(column.evaluation.habits, name), digits, usual=_graded(column))
