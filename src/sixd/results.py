"""Results of algorithms as arrays: their names, shapes and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["as_array", "flat", "parts"]


def as_array(result: Any) -> Any:
    """A spatial quantity as an array: a pose as 4x4 matrix, an inertia as 6x6, a vector; anything else as it is."""
    for view in ("pose", "array", "matrix"):
        if not isinstance(result, np.ndarray) and hasattr(result, view):
            return as_array(getattr(result, view)())
    return result


def flat(result: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of a result, and its numbers in C order: a pose as 4x4 matrix, an inertia as 6x6, a vector as it is."""
    result = as_array(result)
    if isinstance(result, list):
        result = np.array(result, dtype=object)
    if isinstance(result, np.ndarray):
        return result.shape, result.ravel().tolist()
    return (), [result]


def parts(result: Any) -> list[tuple[str, Any]]:
    """The results of a function, each with its name."""
    if not isinstance(result, tuple):
        return [("out", result)]
    names = getattr(result, "_fields", None) or [f"out{k}" for k in range(len(result))]
    return list(zip(names, result, strict=True))
