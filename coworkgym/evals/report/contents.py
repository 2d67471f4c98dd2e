"""Contents: what the page of a report is filled with, section by section."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from coworkgym.evals.quoted import Quoted
from coworkgym.evals.report import plots, tables
from coworkgym.evals.report.cells import Cell, Table, became, cell_of
from coworkgym.evals.report.column import Column
from coworkgym.evals.report.cost import Prices, cost_table
from coworkgym.evals.report.episodes import gate_rows, longest, slowest
from coworkgym.evals.report.versus import all_versus
from coworkgym.rewards import PASS_MARK

GLYPHS = "●■▲◆▼✚"
"""Marks of the runs as text; those of the plots."""


FORMULAS = {
    "score": "completion × safety",
    "dense": "completion × safety",
    "claw_eval": "safety × (0.8 completion + 0.2 robustness), as in Claw-Eval",
    "wild_awm": "all checks and gates, plus a tenth of the checks, as in WildAWM",
}
"""The reward formulas in words."""


class Key(NamedTuple):
    """How a run is told from others: number of its colour, and its mark."""

    name: str
    colour: int
    glyph: str


class Hero(NamedTuple):
    """A run at a glance."""

    key: Key
    policy: str
    became: str
    score: Cell
    solved: Cell
    breached: Cell


class Drawn(NamedTuple):
    """A section with a plot and the numbers in it."""

    name: str
    title: str
    lead: str
    plot: Markup
    table: Table


def contents(
    columns: Sequence[Column], formula: str | None, prices: Prices, quoted: Sequence[Quoted]
) -> dict[str, Any]:
    """Returns the variables of the template."""
    formulas = dict.fromkeys(column.evaluation.figures.formula for column in columns)
    keys = [_key(column) for column in columns]
    pairs = list(zip(keys, columns, strict=True))
    return {
        "title": _title(columns),
        "keys": keys,
        "heroes": [_hero(*pair) for pair in pairs],
        "formulas": [FORMULAS[formula] for formula in formulas],
        "pass_mark": PASS_MARK,
        "counts": tables.counts_table(columns),
        "settings": tables.settings_table(columns),
        "headline": tables.headline_table(columns),
        "versus": all_versus(columns, formula),
        "drawn": _drawn(columns),
        "gates": gate_rows(columns),
        "habits": tables.habits_table(columns),
        "cost": cost_table(columns, prices),
        "prices": prices,
        "extremes": [
            (key, longest(one), slowest(one)) for key, one in zip(keys, columns, strict=True)
        ],
        "linked": any(column.link for column in columns),
        "folders": [column.run.name for column in columns],
        "quoted": quoted,
    }


def _title(columns: Sequence[Column]) -> str:
    names = [column.name for column in columns]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _key(column: Column) -> Key:
    place = (column.number - 1) % len(GLYPHS)
    return Key(column.name, place + 1, GLYPHS[place])


def _hero(key: Key, column: Column) -> Hero:
    figures = column.evaluation.figures
    cells = [cell_of(one) for one in (figures.mean, figures.solved, figures.breached)]
    return Hero(key, column.evaluation.policy, became(figures.counts), *cells)


def _drawn(columns: Sequence[Column]) -> list[Drawn]:
    """The sections with plots, in the order of the page."""
    return [
        Drawn(
            "kinds",
            "Score by package and level",
            "A dot is the mean of the graded episodes, the line its 95 % interval.",
            Markup(plots.kinds_plot(columns)),
            tables.kinds_table(columns),
        ),
        Drawn(
            "passing",
            "Passing in k trials",
            "pass@k (line): at least one of k trials of a task passes. pass^k (broken line): all "
            "of k do. Both are means over tasks, over every choice of k of its graded trials.",
            Markup(plots.pass_k_plot(columns)),
            tables.pass_k_table(columns),
        ),
        Drawn(
            "budget",
            "Score within a number of calls",
            "What the mean score would be if every episode that took more calls earned 0.",
            Markup(plots.budget_plot(columns)),
            tables.budget_table(columns),
        ),
        Drawn(
            "difficulty",
            "Score by difficulty",
            "Tasks in four parts by the number of calls of their reference solution.",
            Markup(plots.difficulty_plot(columns)),
            tables.difficulty_table(columns),
        ),
    ]
