"""Groups: the mean and the scale that a row is compared with, which all estimators share."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from baselines.advantages.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class GroupNorm:
    """How a row is compared with its group: A = (R - mean) / (std + eps).

    The papers write a bare "std"; every public code divides by n - 1, and only eps differs.

    Attributes:
        scale: What divides: the std of the `group`, of the whole `batch` of rewards, or `none`.
        eps: Added to the std. TRL 1e-4; verl, slime, NeMo-RL and GiGPO 1e-6; oat 1e-8.
        ddof: 1 divides squares by n - 1 as every public code does, 0 by n as none does.
        leave_one_out: Whether a row stays out of its own mean and std (NeMo-RL). Without scale
            this is n / (n - 1) times the usual centring.
        lone: What the only row of a group gets: `zero` (TRL, NeMo-RL), with a warning, or `raw`,
            its reward, compared with mean 0 and std 1 (verl, Trinity-RFT, GiGPO's episodes).
    """

    scale: Literal["group", "batch", "none"] = "group"
    eps: float = 1e-4
    ddof: Literal[0, 1] = 1
    leave_one_out: bool = False
    lone: Literal["zero", "raw"] = "zero"

    def __post_init__(self) -> None:
        """Refuses words that mean nothing, which would otherwise silently mean another norm.

        Raises:
            ValueError: `scale` or `lone` is none of the words above.
        """
        for name, allowed in (("scale", ("group", "batch", "none")), ("lone", ("zero", "raw"))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is one of {allowed}, not {getattr(self, name)!r}")


TRL = GroupNorm()
"""TRL 1.16, the default here."""

VERL = GroupNorm(eps=1e-6, lone="raw")
"""verl 0.9.1 `grpo`; slime but for its lone rows, which get 0."""

OAT = GroupNorm(eps=1e-8)
"""oat, whose own lone rows become NaN."""

NEMO = GroupNorm(eps=1e-6, leave_one_out=True)
"""NeMo-RL by default: a row is compared with the others of its group only."""


class Moments(NamedTuple):
    """What each row is compared with: (B,) each; NaN where there is nothing to compare with."""

    mean: Floats
    scale: Floats


def mean_and_std(values: Floats, ddof: int) -> Moments:
    """Returns mean and std over the last axis.

    Equal values give exactly themselves and exactly 0: in floating point the mean of three times
    0.1 is not 0.1, and the remainder divided by a small eps would be an advantage.
    """
    low = values.min(axis=-1)
    mean = np.where(low == values.max(axis=-1), low, values.mean(axis=-1))
    squares = ((values - mean[..., None]) ** 2).sum(axis=-1)
    return Moments(mean, np.sqrt(squares / max(values.shape[-1] - ddof, 1)))


def members(index: Ints) -> Iterator[Ints]:
    """Yields the rows of each group, in order."""
    order = np.argsort(index, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(index[order])) + 1):
        if len(rows):
            yield rows


def moments(values: Floats, index: Ints, norm: GroupNorm) -> Moments:
    """Returns mean and scale that each row is compared with; NaN in groups of fewer than two.

    Args:
        values: (B,) numbers; NaN is unknown and counts nowhere.
        index: (B,) number of each row's group.
        norm: Which mean and which scale. Where a std is 0 the scale is 1, so that a row is only
            centred: that matters with `leave_one_out` alone, where centring can leave something.
    """
    mean, scale = np.full(len(values), np.nan), np.full(len(values), np.nan)
    known = ~np.isnan(values)
    batch = mean_and_std(values[known], norm.ddof).scale if known.any() else np.float64(0)
    for rows in members(index):
        scorable = rows[known[rows]]
        if len(rows) == 1 and norm.lone == "raw":
            mean[rows], std = 0.0, np.ones(1)
        elif len(scorable) > 1:
            mean[rows], std = _of_group(values[scorable], rows, known, norm)
        else:
            continue
        chosen = {"group": std, "batch": batch, "none": 0.0}[norm.scale]
        scale[rows] = np.where(np.equal(chosen, 0), 1.0, chosen + norm.eps)
    return Moments(mean, scale)


def _of_group(values: Floats, rows: Ints, known: np.ndarray, norm: GroupNorm) -> Moments:
    if not norm.leave_one_out:
        return mean_and_std(values, norm.ddof)
    n = len(values)
    others = np.broadcast_to(values, (n, n))[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    found = mean_and_std(others, norm.ddof)
    mean, std = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    mean[known[rows]], std[known[rows]] = found
    return Moments(mean, std)


def compare(values: Floats, index: Ints, norm: GroupNorm) -> Floats:
    """Returns (value - mean) / scale of each row; 0 where there is nothing to compare: (B,)."""
    mean, scale = moments(values, index, norm)
    return np.nan_to_num((values - mean) / scale, nan=0.0)


def warn_of_lone_rows(index: Ints, norm: GroupNorm) -> None:
    """Warns when a group has one row only, which `lone="zero"` leaves without advantage."""
    lone = int((np.bincount(index) == 1).sum())
    if lone and norm.lone == "zero":
        warnings.warn(f"{lone} groups have one row and get advantage 0", stacklevel=3)
