"""Arrays of samples, one number of each state of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Samples"]


_BOOL = np.dtype(bool)


class Samples(np.ndarray):
    """Numbers of several states. Comparisons are the numbers 0.0 and 1.0, so that they are added as those of one state.

    NumPy's own arrays of truth values have other rules: True + True is True there, and -True is an error.
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
