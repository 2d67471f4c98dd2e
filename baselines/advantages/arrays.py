"""Arrays: how numpy arrays, torch tensors and lists enter the estimators and leave them again.

Advantages carry no gradient, so they are computed in numpy float64 and handed back as the kind,
dtype and device of the rewards. Torch is never imported here, only recognised.
"""

import sys
from collections.abc import Hashable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = Any
"""A numpy array, a torch tensor or a (nested) list; None in a list is an unknown number."""

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


def is_tensor(values: Array) -> bool:
    """Says whether the values are a torch tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def namespace(values: Array) -> Any:
    """Returns the module whose functions take these values: torch or numpy."""
    return sys.modules["torch"] if is_tensor(values) else np


def as_floats(values: Array) -> Floats:
    """Returns the values as a new float64 array in which None is NaN.

    Raises:
        ValueError: A value is infinite; NaN means unknown, infinity means a fault upstream.
    """
    if is_tensor(values):
        values = values.detach().cpu().double().numpy()
    floats = np.array(values, dtype=np.float64)
    if np.isinf(floats).any():
        raise ValueError(f"Rewards are finite, or NaN where unknown; got infinity in {floats}")
    return floats


def as_bools(values: Array) -> Bools:
    """Returns a mask of 0/1 or booleans as a boolean array."""
    if is_tensor(values):
        values = values.detach().cpu().bool().numpy()
    return np.asarray(values).astype(np.bool_)


def like(result: NDArray[Any], template: Array) -> Array:
    """Returns the result as the kind of array the template is.

    A floating template gives its dtype to numbers; integers and lists give the default dtype.
    Booleans stay booleans.
    """
    if is_tensor(template):
        torch = namespace(template)
        kept = template.dtype if template.dtype.is_floating_point else torch.get_default_dtype()
        dtype = torch.bool if result.dtype == np.bool_ else kept
        return torch.as_tensor(result, dtype=dtype, device=template.device)
    if isinstance(template, np.ndarray) and template.dtype.kind == result.dtype.kind == "f":
        return result.astype(template.dtype)
    return result


def ids_of(ids: Array, rows: int) -> list[Hashable]:
    """Returns one hashable id a row, with numbers of numpy and torch made plain.

    Raises:
        ValueError: There are more or fewer ids than rows.
    """
    plain = ids.tolist() if hasattr(ids, "tolist") else list(ids)
    if len(plain) != rows:
        raise ValueError(f"Every row needs one id: {rows} rows, {len(plain)} ids")
    return [one.tolist() if hasattr(one, "tolist") else one for one in plain]


def numbered(ids: Iterable[Hashable]) -> Ints:
    """Returns the number of each row's group, counted in order of appearance: (B,)."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(one, len(numbers)) for one in ids], dtype=np.int64)
