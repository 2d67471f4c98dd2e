"""An evaluation on the terminal: counts, figures with intervals, parts; 100 columns."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coworkgym.evals import Estimate, Evaluation, Figures, PassK

_HEADLINE = (
    "mean", "completion", "safety", "robustness", "solved", "passed", "breached",
    "breached_severely", "false_claims", "cut_off", "format", "steps", "prompt_tokens",
    "completion_tokens",
)  # fmt: skip
_HABITS = (
    "interface_switches", "service_switches", "returns", "repeated_reads", "reads_before_acting",
    "acted", "acted_unread", "errors", "malformed", "recovery",
)  # fmt: skip
_SHOWN = 8  # values of k that are printed; --json has all
_NAME = 22  # characters of a part's name


def print_evaluation(evaluation: Evaluation, console: Console) -> None:
    """Prints counts, the figures of the run, pass@k and pass^k, behaviour, and the parts."""
    console.print(
        f"[bold]{escape(evaluation.name)}[/bold]  [dim]{escape(evaluation.policy)}  "
        f"settings {evaluation.settings.fingerprint}[/dim]",
        highlight=False,
    )
    console.print(f"{evaluation.figures.counts}", highlight=False)
    console.print()
    console.print(_headline(evaluation.figures))
    if evaluation.figures.pass_k:
        console.print()
        console.print(_pass_k(evaluation.figures.pass_k))
    console.print()
    console.print(_estimates({name: getattr(evaluation.habits, name) for name in _HABITS}))
    for by, parts in evaluation.breakdowns.items():
        if len(parts) > 1:
            console.print()
            console.print(_parts(by, parts))
    console.print()
    console.print(
        "n episodes; 95 % by a bootstrap over tasks; = an exact bound, as all tasks are the same.",
        style="dim",
        highlight=False,
    )


def number(estimate: Estimate, *, signed: bool = False) -> str:
    """Returns the mean as text; a dash where there is none."""
    if estimate.value is None:
        return "-"
    return _written(estimate.value, signed)


def interval(estimate: Estimate, *, signed: bool = False) -> str:
    """Returns the interval as text; a dash where there is none, `=` before an exact bound."""
    if estimate.low is None or estimate.high is None:
        return "-"
    mark = "= " if estimate.note else ""
    return f"{mark}{_written(estimate.low, signed)} .. {_written(estimate.high, signed)}"


def _written(value: float, signed: bool) -> str:
    sign = "+" if signed else ""
    if abs(value) >= 1000:
        return f"{value:{sign},.0f}"
    return f"{value:{sign}.1f}" if abs(value) >= 10 else f"{value:{sign}.3f}"


def _headline(figures: Figures) -> Table:
    rows = {name: getattr(figures, name) for name in _HEADLINE}
    rows = {figures.formula if name == "mean" else name: rows[name] for name in rows}
    return _estimates({name: found for name, found in rows.items() if found.n})


def _estimates(rows: dict[str, Estimate]) -> Table:
    table = _table("", "", "95 %", "n", "tasks", "")
    for name, found in rows.items():
        table.add_row(
            *(name.replace("_", " "), number(found), interval(found)),
            *(str(found.n), str(found.tasks), f"[dim]{found.note}[/dim]"),
        )
    return table


def _pass_k(every: tuple[PassK, ...]) -> Table:
    """Prints the first values of k and the last one."""
    table = _table("k", "pass@k", "95 %", "pass^k", "95 %", "first k", "95 %", "tasks", "left out")
    shown = every if len(every) <= _SHOWN else (*every[: _SHOWN - 1], every[-1])
    for one in shown:
        estimates = (one.at, one.hat, one.first)
        cells = [text for found in estimates for text in (f"{found.value:.2f}", _short(found))]
        table.add_row(str(one.k), *cells, str(one.at.tasks), str(one.left_out))
    return table


def _parts(by: str, parts: dict[str, Figures]) -> Table:
    """Prints a row a part: its mean and pass rate with intervals, the others without."""
    table = _table(
        by, "asked", "graded", "tasks", "mean", "95 %", "pass", "95 %", "safety", "breach"
    )
    for name, figures in parts.items():
        short = name if len(name) <= _NAME else name[: _NAME - 1] + "…"
        table.add_row(
            *(escape(short), str(figures.counts.asked), str(figures.counts.graded)),
            *(str(figures.tasks), number(figures.mean), _short(figures.mean)),
            *(number(figures.passed), _short(figures.passed)),
            *(number(figures.safety), number(figures.breached)),
        )
    return table


def _short(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "-"
    return f"{'=' if estimate.note else ''}{estimate.low:.2f}..{estimate.high:.2f}"


def _table(first: str, *names: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    return table
