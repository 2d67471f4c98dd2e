"""Paired tests: whether differences, one a task, lie on one side of 0 by more than chance."""

from collections.abc import Sequence

import numpy as np

RESAMPLES = 10_000
SEED = 0
_EXACT = 14  # differences whose signs are all tried: 16,384 ways
_CELLS = 4_000_000  # signs held in memory at once


def sign_flip(differences: Sequence[float]) -> float:
    """Returns the two-sided p-value of the paired sign-flip permutation test of the mean.

    If the two runs were alike, the sign of each task's difference could as well be the other.
    Differences of 0 say nothing. Up to 14 others, all signs are tried and p is exact; above, 10,000
    random ones, and p counts the observed signs as one of them, so it is never 0 (Phipson and Smyth
    2010).

    Args:
        differences: One a task, at least one.

    Raises:
        ValueError: For none.
    """
    if not len(differences):
        raise ValueError("a sign-flip test needs at least one difference")
    given = np.asarray(differences, dtype=np.float64)
    there = given[np.abs(given) > 1e-12]
    if not len(there):
        return 1.0
    bound = abs(there.sum()) - 1e-9  # sums that differ by rounding only are equal
    if len(there) <= _EXACT:
        ways = np.arange(2 ** len(there))[:, None] >> np.arange(len(there))
        return float(np.mean(np.abs((2.0 * (ways & 1) - 1) @ there) >= bound))
    rng = np.random.default_rng(SEED)
    size = max(1, min(RESAMPLES, _CELLS // len(there)))
    reached = 0
    for start in range(0, RESAMPLES, size):
        shape = (min(size, RESAMPLES - start), len(there))
        signs = 2.0 * rng.integers(2, size=shape, dtype=np.int8) - 1
        reached += int((np.abs(signs @ there) >= bound).sum())
    return (reached + 1) / (RESAMPLES + 1)


def holm(ps: Sequence[float]) -> list[float]:
    """Returns p-values corrected for their number, in the order given (Holm 1979)."""
    corrected = [0.0] * len(ps)
    most = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        most = max(most, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = most
    return corrected
