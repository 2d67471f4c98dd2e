"""Figures as plain JSON: named tuples become objects, numbers that are not finite null."""

import math
from typing import Any


def as_json(value: Any) -> Any:
    """Returns figures as what `json.dumps` writes; keys become texts."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
