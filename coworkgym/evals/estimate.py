"""Estimates: means over episodes, with intervals that know that episodes of a task are alike.

A mean is a ratio of sums, so that tasks with more episodes weigh more, as in a plain mean. Its 95 %
interval is a cluster bootstrap: whole tasks are drawn with replacement, 10,000 times, and the
quantiles of the ratios are read at levels a little wider than 2.5 % and 97.5 %, by as much as
Student's t is wider than the normal distribution (the expanded percentile interval: Hesterberg
2015, "What Teachers Should Know About the Bootstrap", section 4.1). The plain percentiles, and BCa,
are too narrow with few tasks; with 8 tasks of unequal size they held 89 % of the time in
simulation, and these 94 %.

Where every task has the same mean, at an end of the scale, a bootstrap has no width. There the
exact binomial bound stands in its place, with a task as one draw: of 20 tasks without a breach, the
breach rate is said to be in [0, 0.17]. It is the widest that values in the range allow.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coworkgym.errors import CoworkError

RESAMPLES = 10_000
SEED = 0
TAIL = 0.025
"""What lies beyond each end of an interval."""

Values = Sequence[float | None]
Range = tuple[float, float]
UNIT: Range = (0.0, 1.0)

_CELLS = 4_000_000  # draws held in memory at once
_SAME = 1e-12  # means that differ by less are one


class MissingExtra(CoworkError, ImportError):
    """A package that comes with an extra is not installed."""


class Estimate(NamedTuple):
    """A mean over episodes, and between what bounds the mean of more tasks lies, at 95 %.

    Attributes:
        value: The mean; None where there is nothing to average.
        low: Lower bound; None where there is no interval.
        high: Upper bound; None where there is no interval.
        n: Episodes that the mean is over.
        tasks: Tasks that these are of.
        note: Why there is no interval, or that it is an exact bound.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    tasks: int
    note: str = ""


def estimate(values: Values, tasks: Sequence[str], within: Range | None = UNIT) -> Estimate:
    """Returns the mean of values with its interval; see the module.

    Args:
        values: One an episode; None where it has none, and is left out.
        tasks: Which task each episode is of.
        within: The least and the greatest possible value, if there are such.

    Raises:
        MissingExtra: Where scipy is not installed.
    """
    return estimates({"": values}, tasks, {"": within})[""]


def estimates(
    columns: Mapping[str, Values],
    tasks: Sequence[str],
    within: Mapping[str, Range | None] | None = None,
) -> dict[str, Estimate]:
    """Returns the means of several columns, with intervals from the same draws of tasks.

    Args:
        columns: By name, one value an episode; None where it has none.
        tasks: Which task each episode is of.
        within: The least and the greatest possible value by name; [0, 1] where not given, None
            for a column without such.

    Raises:
        MissingExtra: Where scipy is not installed.
    """
    if not tasks or not columns:
        return {name: Estimate(None, None, None, 0, 0, "no episode") for name in columns}
    sums, counts = _by_task(list(columns.values()), tasks)
    ratios = _resampled(sums, counts)
    within = within or {}
    return {
        name: _estimate(sums[:, place], counts[:, place], ratios[:, place], within.get(name, UNIT))
        for place, name in enumerate(columns)
    }


Floats = NDArray[np.float64]


def _by_task(columns: Sequence[Values], tasks: Sequence[str]) -> tuple[Floats, Floats]:
    """Sums and numbers of values, a row a task in order of their names, a column a measure."""
    names = {name: place for place, name in enumerate(sorted(set(tasks)))}
    rows = [names[task] for task in tasks]
    table = np.array(columns, dtype=np.float64).T  # None becomes nan
    there = ~np.isnan(table)
    sums = np.zeros((len(names), len(columns)))
    counts = np.zeros_like(sums)
    np.add.at(sums, rows, np.where(there, table, 0.0))
    np.add.at(counts, rows, there.astype(np.float64))
    return sums, counts


def _resampled(sums: Floats, counts: Floats) -> Floats:
    """The ratios of RESAMPLES draws of tasks: shape (RESAMPLES, columns), nan for 0 / 0."""
    tasks = len(sums)
    size = max(1, min(RESAMPLES, _CELLS // tasks))
    starts = range(0, RESAMPLES, size)
    blocks = []
    for number, start in enumerate(starts):
        weights = _weights(tasks, min(size, RESAMPLES - start), number)
        with np.errstate(invalid="ignore"):
            blocks.append((weights @ sums) / (weights @ counts))
    return np.concatenate(blocks)


@lru_cache(maxsize=4)  # parts of a run have the same number of tasks again and again
def _weights(tasks: int, draws: int, block: int) -> Floats:
    """How often each task is in each draw: shape (draws, tasks)."""
    drawn = np.random.default_rng([SEED, block]).integers(tasks, size=(draws, tasks))
    drawn += np.arange(draws)[:, None] * tasks
    times = np.bincount(drawn.ravel(), minlength=draws * tasks)
    weights = times.reshape(draws, tasks).astype(np.float64)
    weights.setflags(write=False)
    return weights


def _estimate(sums: Floats, counts: Floats, ratios: Floats, within: Range | None) -> Estimate:
    there = counts > 0
    n, tasks = int(counts.sum()), int(there.sum())
    if tasks == 0:
        return Estimate(None, None, None, 0, 0, "no episode")
    value = float(sums.sum() / counts.sum())
    if tasks == 1:
        return Estimate(value, None, None, n, 1, "one task: no interval")
    if np.ptp(sums[there] / counts[there]) < _SAME:
        return _all_the_same(value, n, tasks, within)
    tail = _expanded(tasks)
    low, high = np.quantile(ratios[~np.isnan(ratios)], [tail, 1 - tail])
    return Estimate(value, float(low), float(high), n, tasks)


def _all_the_same(value: float, n: int, tasks: int, within: Range | None) -> Estimate:
    if within is not None:
        least, most = within
        reach = (most - least) * (1 - TAIL ** (1 / tasks))  # Clopper-Pearson with 0 or all hits
        if abs(value - least) < _SAME:
            return Estimate(value, least, least + reach, n, tasks, "exact bound")
        if abs(value - most) < _SAME:
            return Estimate(value, most - reach, most, n, tasks, "exact bound")
    return Estimate(value, None, None, n, tasks, "all tasks the same: no interval")


def _expanded(tasks: int) -> float:
    """The quantile to read in place of TAIL: nearer to 0, as t is wider than the normal."""
    special = _special()
    wider = (tasks / (tasks - 1)) ** 0.5 * special.stdtrit(tasks - 1, TAIL)
    return float(special.ndtr(wider))


def _special() -> Any:
    try:
        from scipy import special  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("evaluation needs scipy: pip install 'coworkgym[eval]'") from None
    return special
