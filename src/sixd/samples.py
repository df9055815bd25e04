"""Arrays of samples, one number of each state of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Samples", "as_samples"]


_BOOL = np.dtype(bool)


class Samples(np.ndarray):
    """Numbers of several states. Comparisons are the numbers 0.0 and 1.0, so that they are added as those of one state.

    NumPy's own arrays of truth values have other rules: True + True is True there, and -True is an error. So numbers
    are samples inside an algorithm that runs on arrays, and nowhere else: what it returns are NumPy's own arrays.
    """

    def __array_wrap__(self, array: NDArray[Any], context: Any = None, return_scalar: bool = False) -> Any:
        return (array.astype(float) if array.dtype is _BOOL else array).view(Samples)

    def __and__(self, other: Any) -> Any:
        return np.logical_and(self, other)

    def __or__(self, other: Any) -> Any:
        return np.logical_or(self, other)

    def __xor__(self, other: Any) -> Any:
        return np.logical_xor(self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


def as_samples(value: Any) -> Any:
    """Arrays, alone or in lists, as an algorithm works with them. All others stay what they are."""
    if type(value) in (list, tuple):
        return [as_samples(x) for x in value]
    return value.view(Samples) if type(value) is np.ndarray and value.dtype.kind in "biuf" else value
