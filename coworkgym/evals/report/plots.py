"""Plots of a report: dots with intervals, and curves with bands; a colour and a mark a run."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coworkgym.evals.estimate import Estimate
from coworkgym.evals.report.column import Column
from coworkgym.evals.report.svg import LINE, SERIES, STYLE, svg_of
from coworkgym.tasks import LEVELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = ("o", "s", "^", "D", "v", "P")

Point = tuple[float, Estimate]


def kinds_plot(columns: Sequence[Column]) -> str:
    """Draws the score by package, a panel a level."""
    shares = [column.kinds for column in columns]
    packages = sorted({package for one in shares for package, _ in one})
    levels = [level for level in LEVELS if any(kind[1] == level for one in shares for kind in one)]
    height = 0.9 + len(packages) * (0.3 + 0.12 * len(columns))
    with rc_context(STYLE):
        figure = Figure(figsize=(10, height), layout="constrained")
        panels = figure.subplots(1, len(levels), sharey=True, squeeze=False)[0]
        for panel, level in zip(panels, levels, strict=True):
            panel.set_title(level)
            for column, found in zip(columns, shares, strict=True):
                pairs = [(place, (package, level)) for place, package in enumerate(packages)]
                points = [(at, found[kind].mean) for at, kind in pairs if kind in found]
                _dots(panel, points, column.number, len(columns))
            _rows(panel, packages)
    said = "Mean score and 95 % interval of each package, a panel for each level."
    return svg_of(figure, "kinds", "Score by package and level", said)


def difficulty_plot(columns: Sequence[Column]) -> str:
    """Draws the score by quartile of difficulty."""
    found = [column.evaluation.breakdowns["difficulty"] for column in columns]
    names = sorted({name for one in found for name in one})
    parts = list(dict.fromkeys(map(_quartile, names)))
    alike = len(parts) == len(names)
    with rc_context(STYLE):
        height = 0.7 + len(parts) * (0.28 + 0.14 * len(columns))
        figure = Figure(figsize=(10, height), layout="constrained")
        panel = figure.subplots()
        for column, one in zip(columns, found, strict=True):
            points = [(float(parts.index(_quartile(name))), one[name].mean) for name in one]
            _dots(panel, points, column.number, len(columns))
        _rows(panel, names if alike else parts)
    said = "Mean score and 95 % interval by the number of calls of the reference solution."
    return svg_of(figure, "difficulty", "Score by difficulty", said)


def pass_k_plot(columns: Sequence[Column]) -> str:
    """Draws pass@k as a line and pass^k as a broken one."""
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        panel = figure.subplots()
        for column in columns:
            found = column.evaluation.figures.pass_k
            _curve(panel, [(one.k, one.at) for one in found], column.number, "-")
            _curve(panel, [(one.k, one.hat) for one in found], column.number, (0, (4, 3)))
        panel.set_xlabel("k, trials of a task")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        _share_axis(panel)
    said = "Share of tasks that one of k trials passes (line), and all of k pass (broken line)."
    return svg_of(figure, "passing", "pass@k and pass^k", said)


def budget_plot(columns: Sequence[Column]) -> str:
    """Draws the score within a number of calls."""
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        panel = figure.subplots()
        for column in columns:
            found = column.evaluation.habits.within
            points = [(float(one.calls), one.value) for one in found]
            _curve(panel, points, column.number, "-", marks=len(points) < 2)
        panel.set_xlabel("calls")
        panel.set_xlim(left=0)
        _share_axis(panel)
    said = "Mean score where episodes that took more calls than that count as 0."
    return svg_of(figure, "budget", "Score within a number of calls", said)


def _dots(panel: "Axes", points: Iterable[Point], number: int, runs: int) -> None:
    """Dots with intervals, one below the other where there are several runs."""
    colour, mark = SERIES[(number - 1) % len(SERIES)], MARKS[(number - 1) % len(MARKS)]
    shift = (number - (runs + 1) / 2) * min(0.22, 0.7 / runs)
    for place, estimate in points:
        if estimate.value is None:
            continue
        if estimate.low is not None and estimate.high is not None:
            across = (estimate.low, estimate.high)
            panel.plot(across, [place + shift] * 2, color=colour, lw=1.6, solid_capstyle="butt")
        panel.plot([estimate.value], [place + shift], mark, color=colour, ms=5.5, clip_on=False)


def _rows(panel: "Axes", names: Sequence[str]) -> None:
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.45, -0.55)
    panel.set_xlim(0, 1)
    panel.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    panel.grid(axis="x")
    for between in range(1, len(names)):
        panel.axhline(between - 0.5, color=LINE, lw=0.6)


def _curve(
    panel: "Axes", points: Iterable[Point], number: int, line: object, *, marks: bool = True
) -> None:
    """A line through the means, and the intervals as a band."""
    colour, mark = SERIES[(number - 1) % len(SERIES)], MARKS[(number - 1) % len(MARKS)]
    known = [(at, one.value) for at, one in points if one.value is not None]
    banded = [(at, one.low, one.high) for at, one in points if one.low is not None]
    if banded:
        across, low, high = zip(*banded, strict=True)
        panel.fill_between(across, low, high, color=colour, alpha=0.13, lw=0)
    style: Any = {"marker": mark if marks else None, "ms": 5, "lw": 1.8, "clip_on": False}
    panel.plot(*zip(*known, strict=True), color=colour, linestyle=line, **style)


def _share_axis(panel: "Axes") -> None:
    panel.set_ylim(0, 1)
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    panel.grid(axis="y")


def _quartile(name: str) -> str:
    """What quartiles of two runs have in common, whose numbers of calls may differ."""
    return name.partition(":")[0]
