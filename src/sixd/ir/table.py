"""What a program with loops is run on beside a state: the table of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table"]


@dataclass(frozen=True)
class Table:
    """Numbers and indices for each row; row 0 is the base, where single numbers are too.

    ``numbers[row, column]`` and ``indices[row, lookup]`` are in the order of the program's ``columns`` and
    ``lookups``.
    """

    numbers: NDArray[np.float64]
    indices: NDArray[np.int64]
    sequences: tuple[NDArray[np.int64], ...]
    names: tuple[int, ...]
    extents: Mapping[str, int]

    @property
    def rows(self) -> int:
        """The last row."""
        return len(self.indices) - 1

    def shape(self, shape: tuple[int | str, ...]) -> tuple[int, ...]:
        """The shape of a port in numbers."""
        return tuple(self.extents[n] if isinstance(n, str) else n for n in shape)
