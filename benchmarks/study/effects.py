"""Effects: means over training seeds and held-out tasks, and their 95 % intervals.

Scores are a table with a row a training seed and a column a task. Both are samples: another run
would have other seeds and other tasks. So both are drawn with replacement, each draw of seeds with
one of tasks (the pigeonhole bootstrap: Owen 2007, "The pigeonhole bootstrap", arXiv 0712.1111), and
the deviations of seeds and of tasks are widened by sqrt(n / (n - 1)), since a bootstrap of three
seeds shows two thirds of their variance. Simulated coverage with three seeds is in
tests/study/test_effects.py. Differences are of tables over the same tasks, task by task; of
the same seeds they are paired by seed, too. Where the rows of both tables come from one seed each
(a control that is not trained), only tasks are drawn.

Source of the correction for many comparisons: Holm (1979), on p-values that are the share of draws
on the wrong side of 0, doubled.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coworkgym.evals.paired import holm

DRAWS = 10_000
SEED = 0
TAIL = 0.025

Table = NDArray[np.float64]


class Effect(NamedTuple):
    """A mean, or a difference of two, with its interval.

    Attributes:
        value: The mean.
        low: Lower end of the 95 % interval.
        high: Upper end.
        p: Two-sided, of being 0.
        seeds: Training seeds.
        tasks: Held-out tasks.
    """

    value: float
    low: float
    high: float
    p: float
    seeds: int
    tasks: int


def mean(scores: ArrayLike, *, share: bool = False) -> Effect:
    """Returns the mean of a table.

    Args:
        scores: Shape (seeds, tasks), without gaps.
        share: Whether they lie in [0, 1]. Where all are 0, or all are 1, a bootstrap has no width,
            and the exact binomial bound stands in its place, a task being one draw.

    Raises:
        ValueError: For a table of another shape, an empty one, or one with gaps.
    """
    table = _table(scores)
    seeds, tasks = table.shape
    total = float(table.mean())
    by_seed = table.mean(1) - total
    by_task = table.mean(0) - total
    rest = table - total - by_seed[:, None] - by_task[None, :]
    seed_weights, task_weights = _weights(seeds, 0), _weights(tasks, 1)
    drawn = (
        total
        + _wider(seeds) * (seed_weights @ by_seed)
        + _wider(tasks) * (task_weights @ by_task)
        + np.einsum("ds,ds->d", seed_weights, task_weights @ rest.T)
    )
    low, high = np.quantile(drawn, [TAIL, 1 - TAIL])
    if share and np.ptp(table) == 0 and total in (0, 1):
        reach = 1 - TAIL ** (1 / tasks)
        low, high = (0.0, reach) if total == 0 else (1 - reach, 1.0)
    below, above = int((drawn <= 0).sum()), int((drawn >= 0).sum())
    p = min(1.0, 2 * (min(below, above) + 1) / (DRAWS + 1))
    return Effect(total, float(low), float(high), p, seeds, tasks)


def difference(ours: ArrayLike, theirs: ArrayLike) -> Effect:
    """Returns the mean difference of two tables over the same tasks.

    Args:
        ours: Shape (seeds, tasks).
        theirs: The same shape, paired by seed, or (1, tasks): what all seeds started from, or what
            is not trained.

    Raises:
        ValueError: For tables that do not pair.
    """
    one, other = _table(ours), _table(theirs)
    if one.shape[1] != other.shape[1] or other.shape[0] not in (1, one.shape[0]):
        raise ValueError(f"tables of {one.shape} and {other.shape} do not pair")
    return mean(one - other)


def share_above_chance(hits: ArrayLike, chances: ArrayLike) -> Effect:
    """Returns by how much the share of hits exceeds what chance gives on the same tasks.

    Args:
        hits: Shape (seeds, tasks), 0 or 1.
        chances: Shape (tasks,): 1/k of each task.

    Raises:
        ValueError: For tables that do not pair.
    """
    return difference(hits, np.asarray(chances, dtype=np.float64)[None, :])


def corrected(effects: Sequence[Effect]) -> list[Effect]:
    """Returns the effects with p-values corrected for their number (Holm 1979)."""
    ps = holm([effect.p for effect in effects])
    return [effect._replace(p=p) for effect, p in zip(effects, ps, strict=True)]


def _table(scores: ArrayLike) -> Table:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"a table has a row a seed and a column a task, not shape {table.shape}")
    if np.isnan(table).any():
        raise ValueError(f"{int(np.isnan(table).sum())} of {table.size} scores are missing")
    return table


def _wider(count: int) -> float:
    return float((count / (count - 1)) ** 0.5) if count > 1 else 1.0


def _weights(count: int, stream: int) -> Table:
    """What share each has in each draw: shape (DRAWS, count); rows sum to 1."""
    rng = np.random.default_rng([SEED, stream])
    return rng.multinomial(count, [1 / count] * count, size=DRAWS) / count
