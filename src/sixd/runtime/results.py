"""Results of algorithms as arrays: their names, shapes and numbers."""

from __future__ import annotations

from math import nan, prod
from typing import Any

import numpy as np

from sixd.errors import ShapeError
from sixd.model.model_tree import Slots

__all__ = ["as_array", "flat", "parts"]


def as_array(result: Any) -> Any:
    """A spatial quantity as an array: a pose as 4x4 matrix, an inertia as 6x6, a vector; anything else as it is."""
    for view in ("pose", "array", "matrix"):
        if not isinstance(result, np.ndarray) and hasattr(result, view):
            return as_array(getattr(result, view)())
    return result


def flat(result: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of a result, and its numbers in C order: a pose as 4x4 matrix, an inertia as 6x6, a vector as it is.

    Values by body follow one another, the base first; where a body has no value its numbers are NaN.
    """
    if isinstance(result, Slots):
        result = list(result.values)
    if isinstance(result, list) and any(value is None or hasattr(value, "components") for value in result):
        return _one_after_the_other(result)
    result = as_array(result)
    if isinstance(result, list):
        result = np.array(result, dtype=object)
    if isinstance(result, np.ndarray):
        return result.shape, result.ravel().tolist()
    return (), [result]


def _one_after_the_other(values: list[Any]) -> tuple[tuple[int, ...], list[Any]]:
    """Values of one kind, some of which may be None, as one array of numbers."""
    each = [None if value is None else flat(value) for value in values]
    shapes = {found[0] for found in each if found is not None}
    if len(shapes) != 1:
        raise ShapeError(f"a list of results needs values of one shape, not of {sorted(shapes) or 'none'}")
    (shape,) = shapes
    nothing = [nan] * prod(shape)
    return (len(each), *shape), [x for found in each for x in (nothing if found is None else found[1])]


def parts(result: Any) -> list[tuple[str, Any]]:
    """The results of a function, each with its name."""
    if not isinstance(result, tuple):
        return [("out", result)]
    names = getattr(result, "_fields", None) or [f"out{k}" for k in range(len(result))]
    return list(zip(names, result, strict=True))
