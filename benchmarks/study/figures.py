"""Figures: the results of a study as plots."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

SCALING = (("base", 0), ("sft_20", 20), ("sft_50", 50), ("sft_100", 100))
METHODS = ("grpo", "dr_grpo", "gdpo", "gigpo")
_GREY, _BLUE, _RED = "tab:gray", "tab:blue", "tab:red"


def draw(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draws what the results hold and returns the files.

    Args:
        found: As of `study.results.results`.
        folder: Where they go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, plot in (("scaling", scaling), ("rl", rl), ("effects", effects)):
        figure = plot(found)
        if figure is not None:
            path = folder / f"learning_{found['study']}_{name}.png"
            figure.savefig(path, dpi=110)
            made.append(path)
    return made


def scaling(found: Mapping[str, Any]) -> Figure | None:
    """Score and share of right records by share of the demonstrations, a panel a package."""
    there = [(name, share) for name, share in SCALING if name in found["arms"]]
    if len(there) < 2:
        return None
    packages = found["size"]["packages"]
    figure = Figure(figsize=(3.2 * len(packages), 3.2), layout="constrained")
    for place, package in enumerate(packages):
        axes = figure.add_subplot(1, len(packages), place + 1)
        shares = [share for _, share in there]
        for measure, colour in (("score", _BLUE), ("right", _RED)):
            rows = [found["arms"][name]["packages"][package][measure] for name, _ in there]
            label = {"score": "score", "right": "right record"}[measure]
            _band(axes, shares, rows, colour, label)
        chance = found["arms"][there[0][0]]["packages"][package]["right"].get("chance")
        if chance is not None:
            axes.axhline(chance, color=_RED, linestyle=":", linewidth=1, label="1/k")
        axes.set(title=package, xlabel="demonstrations, %", ylim=(-0.03, 1.03), xticks=shares)
        axes.grid(alpha=0.3)
        if not place:
            axes.legend(fontsize=8)
    return figure


def _band(
    axes: Axes, xs: Sequence[float], rows: Sequence[Mapping[str, float]], colour: str, label: str
) -> None:
    values = np.array([[row["value"], row["low"], row["high"]] for row in rows]).T
    axes.plot(xs, values[0], marker="o", color=colour, label=label)
    axes.fill_between(xs, values[1], values[2], color=colour, alpha=0.18, linewidth=0)


def rl(found: Mapping[str, Any]) -> Figure | None:
    """Reward, breaches, groups without a signal and entropy by step, a line a method."""
    curves = {name: found["curves"].get(name) for name in METHODS}
    there = {name: of for name, of in curves.items() if of}
    if not there:
        return None
    panels = {
        "reward": "reward", "office/breach_rate": "breach rate",
        "office/dead_groups": "groups without a signal", "entropy": "entropy",
    }  # fmt: skip
    figure = Figure(figsize=(9, 5.2), layout="constrained")
    for place, (key, title) in enumerate(panels.items()):
        axes = figure.add_subplot(2, 2, place + 1)
        for number, (name, of) in enumerate(there.items()):
            length = min(len(line) for line in of[key])
            lines = np.array([line[:length] for line in of[key]])
            steps, colour = np.arange(1, length + 1), f"C{number}"
            axes.plot(steps, _smooth(lines.mean(0)), color=colour, label=name)
            for line in lines:
                axes.plot(steps, _smooth(line), color=colour, alpha=0.2, linewidth=0.8)
        axes.set(title=title, xlabel="step")
        axes.grid(alpha=0.3)
        if not place:
            axes.legend(fontsize=8)
    return figure


def _smooth(values: Any, width: int = 5) -> Any:
    """The mean of each value and the up to four before it."""
    return np.array([np.mean(values[max(0, n - width + 1) : n + 1]) for n in range(len(values))])


def effects(found: Mapping[str, Any]) -> Figure | None:
    """All differences with their intervals, a row each."""
    rows = found["comparisons"]
    if not rows:
        return None
    figure = Figure(figsize=(9, 0.6 + 0.24 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    for place, row in enumerate(rows):
        sure = row["low"] > 0 or row["high"] < 0
        colour = _GREY if not sure else _BLUE if row["value"] > 0 else _RED
        axes.plot([row["low"], row["high"]], [place, place], color=colour)
        axes.plot([row["value"]], [place], marker="o", color=colour, markersize=4)
    labels = [
        f"{row['ours']} - {row['theirs']}, {row['package']}"
        + ("" if row["measure"] == "score" else f", {row['measure']}")
        for row in rows
    ]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.grid(alpha=0.3, axis="x")
    axes.set_xlabel("difference, with its 95 % interval")
    return figure
