"""Results of algorithms as arrays: their names, shapes and numbers."""

from __future__ import annotations

from math import nan, prod
from typing import Any

import numpy as np

from sixd.errors import ShapeError
from sixd.model.model_tree import Slots
from sixd.spatial import ArticulatedInertia, Inertia, Transform

__all__ = ["as_array", "flat", "parts"]


def as_array(result: Any) -> Any:
    """A spatial quantity as an array (a pose 4x4, an inertia 6x6, vectors as they are); anything else unchanged."""
    if isinstance(result, Transform):
        return result.pose()
    if isinstance(result, Inertia | ArticulatedInertia):
        return result.matrix().array()
    if isinstance(result, np.ndarray) or not hasattr(result, "array"):
        return result
    return result.array()


def flat(result: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of a result, and its numbers in C order. A pose is a 4x4 matrix, an inertia 6x6.

    Values by body follow one another, the base first; a body without a value has NaN.
    """
    if isinstance(result, Slots):
        result = list(result.values)
    if isinstance(result, list) and any(value is None or _is_quantity(value) for value in result):
        return _one_after_the_other(result)
    result = as_array(result)
    if isinstance(result, list):
        result = np.array(result, dtype=object)
    if isinstance(result, np.ndarray):
        return result.shape, result.ravel().tolist()
    return (), [result]


def _is_quantity(value: Any) -> bool:
    """Whether a value is a spatial quantity or a result by joint, not a number or an array."""
    return hasattr(value, "components") or hasattr(value, "array")


def _one_after_the_other(values: list[Any]) -> tuple[tuple[int, ...], list[Any]]:
    """Values of one kind, one after the other; None stands for a value that is missing: NaN."""
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
