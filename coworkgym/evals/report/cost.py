"""Cost: the tokens of runs, and what they come to in money."""

from collections.abc import Sequence
from typing import NamedTuple

from coworkgym.evals.report.cells import NOTHING, Cell, Table, cell_of, number
from coworkgym.evals.report.column import Column

_NOT_COUNTED = Cell(NOTHING, note="not counted")


class Prices(NamedTuple):
    """What a million tokens cost, read and written; None where it is not known."""

    read: float | None = None
    written: float | None = None


def cost_table(columns: Sequence[Column], prices: Prices) -> Table:
    """Returns tokens, and money where prices are known."""
    cells = [_tokens(column) | _money(column, prices) for column in columns]
    rows = [(name, [one[name] for one in cells]) for name in cells[0]]
    return Table("Cost", ("", *(column.name for column in columns)), list(rows))


def _tokens(column: Column) -> dict[str, Cell]:
    figures = column.evaluation.figures
    finished = figures.counts.finished
    read, written = _sums(column)
    cells = {
        "Tokens read": Cell(number(read, 0)),
        "Tokens written": Cell(number(written, 0)),
        "Read, an episode": cell_of(figures.prompt_tokens, 0, usual=finished),
        "Written, an episode": cell_of(figures.completion_tokens, 0, usual=finished),
    }
    return cells if column.counts_tokens else dict.fromkeys(cells, _NOT_COUNTED)


def _money(column: Column, prices: Prices) -> dict[str, Cell]:
    if prices == Prices():
        return {}
    read, written = _sums(column)
    total = (read * (prices.read or 0.0) + written * (prices.written or 0.0)) / 1e6
    solved = sum(rollout.score.solved for rollout in column.rollouts)
    cells = {
        "Money, all episodes": Cell(number(total, 2)),
        "Money, an episode": Cell(number(total / len(column.rollouts), 4)),
        "Money, a solved episode": Cell(number(total / solved, 4) if solved else NOTHING),
    }
    return cells if column.counts_tokens else dict.fromkeys(cells, _NOT_COUNTED)


def _sums(column: Column) -> tuple[int, int]:
    """Tokens read and written in all finished episodes."""
    usages = [rollout.usage for rollout in column.rollouts]
    return sum(one.prompt_tokens for one in usages), sum(one.completion_tokens for one in usages)
