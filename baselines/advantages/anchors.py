"""Anchors: when two states of an environment count as the same for GiGPO."""

from collections.abc import Hashable, Mapping, Sequence, Set
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from baselines.advantages.arrays import Array, Ints, ids_of


def anchor_key(state: Any) -> Hashable:
    """Returns a key that is equal for equal states (GiGPO, arXiv 2505.10978, Eq. 6).

    Order of keys in mappings does not count and keys may be of mixed types; lists, tuples and
    arrays of the same content are equal; numbers are equal as in Python (1 and 1.0), but True is
    not 1, and NaN equals NaN. The reference code's `to_hashable` fails on None and on mixed keys,
    calls True and 1 the same, and forgets the shape of arrays.

    Whoever makes the state leaves the clock, ids of requests and the number of the step out of
    it: they differ in equal situations. `Episode.anchor()` is such a state.

    Args:
        state: None, bool, int, float, str, bytes, and lists, sets, mappings and arrays of these.

    Returns:
        A hashable; good within a process, not for storage.

    Raises:
        TypeError: The state holds something else.
    """
    if isinstance(state, bool):
        return ("bool", state)
    if isinstance(state, float) and state != state:
        return ("nan",)
    if state is None or isinstance(state, (int, float, str, bytes)):
        return state
    if isinstance(state, Mapping):
        return ("map", frozenset((anchor_key(k), anchor_key(v)) for k, v in state.items()))
    if isinstance(state, Set):
        return ("set", frozenset(anchor_key(one) for one in state))
    if isinstance(state, Sequence):
        return ("list", tuple(anchor_key(one) for one in state))
    plain = state.tolist() if hasattr(state, "tolist") else state
    if type(plain) is not type(state):
        return anchor_key(plain)
    raise TypeError(
        "An anchor is made of None, bool, int, float, str, bytes, lists, sets, mappings and "
        f"arrays, not of {type(state).__name__}: {state!r}"
    )


def similar_anchors(texts: Sequence[str | None], task: Array, threshold: float = 0.95) -> Ints:
    """Returns anchors under which similar texts of one task are the same state.

    Greedy as in GiGPO's code: a text joins the first cluster of its task whose *first* text has
    difflib ratio >= threshold with it. So the result depends on the order of the rows, and the
    work grows with rows x clusters x length^2.

    Args:
        texts: (B,) observations without history; None opens a cluster of its own.
        task: (B,) the task of each row; clusters never cross tasks.
        threshold: In the open interval (0, 1); 0.95 in GiGPO's configuration.

    Returns:
        (B,) numbers of clusters, to be passed to `gigpo` as anchors.

    Raises:
        ValueError: The threshold is out of range.
    """
    if not 0 < threshold < 1:
        raise ValueError(f"threshold lies between 0 and 1, both excluded; got {threshold}")
    firsts: list[tuple[Hashable, str | None]] = []
    clusters = []
    for text, place in zip(texts, ids_of(task, len(texts)), strict=True):
        found = (n for n, one in enumerate(firsts) if _alike(one, (place, text), threshold))
        clusters.append(next(found, len(firsts)))
        if clusters[-1] == len(firsts):
            firsts.append((place, text))
    return np.array(clusters, dtype=np.int64)


def _alike(
    first: tuple[Hashable, str | None], second: tuple[Hashable, str | None], threshold: float
) -> bool:
    (place, text), (other_place, other) = first, second
    if place != other_place or text is None or other is None:
        return False
    return SequenceMatcher(None, other, text).ratio() >= threshold
