"""Metrics: what several trials of one task say together.

Three numbers are in use for k trials. `pass_at_k` is the chance that at least one of k passes,
`pass_hat_k` the chance that all of k do, both as means over every choice of k trials among the n
that were played. `all_of_first_k` looks at one choice only, the first k.
"""

from collections.abc import Sequence
from math import comb

from coworkgym.errors import CoworkError


class TooFewTrials(CoworkError, ValueError):
    """More trials asked about than a task has."""


def pass_at_k(n: int, c: int, k: int) -> float:
    """Returns pass@k, the chance that at least one of k trials passes; unbiased.

    1 - C(n - c, k) / C(n, k), Chen et al. 2021 (arXiv 2107.03374), equation 1.

    Args:
        n: Trials of the task.
        c: How many of them passed, in [0, n].
        k: Trials looked at, in [1, n].

    Raises:
        TooFewTrials: For a k above n.
        ValueError: For a c or k out of its range.
    """
    _require(n, c, k)
    return 1 - comb(n - c, k) / comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Returns pass^k, the chance that all of k trials pass; unbiased.

    C(c, k) / C(n, k): tau-bench (Yao et al. 2024, arXiv 2406.12045), over every choice of k trials.
    `all_of_first_k` goes by the same name elsewhere.

    Args:
        n: Trials of the task.
        c: How many of them passed, in [0, n].
        k: Trials looked at, in [1, n].

    Raises:
        TooFewTrials: For a k above n.
        ValueError: For a c or k out of its range.
    """
    _require(n, c, k)
    return comb(c, k) / comb(n, k)


def all_of_first_k(passes: Sequence[bool], k: int) -> float:
    """Returns 1 if all of the first k trials passed, else 0.

    The pass^k of Claw-Eval, there with k = 3. Its mean over tasks estimates what `pass_hat_k`
    does, from the first k trials alone, and so with more noise where more were played.

    Args:
        passes: Whether each trial passed, in the order of their samples.
        k: Trials looked at, in [1, number of trials].

    Raises:
        TooFewTrials: For a k above the number of trials.
        ValueError: For a k below 1.
    """
    _require(len(passes), 0, k)
    return float(all(passes[:k]))


def _require(n: int, c: int, k: int) -> None:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k!r}")
    if not 0 <= c <= n:
        raise ValueError(f"passes must be in [0, {n}], got {c!r}")
    if k > n:
        raise TooFewTrials(
            f"k = {k} needs {k} graded trials of a task, and it has n = {n}: ask for a smaller k, "
            f"or play more with --samples {k}"
        )
