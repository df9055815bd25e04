"""The table of a loop program: the data of its rows, which it runs on together with a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table"]


@dataclass(frozen=True)
class Table:
    """Numbers and indices for each row. Row 0 is the base; it also holds numbers that exist once, such as gravity.

    ``numbers[row, column]`` and ``indices[row, lookup]`` are in the order of the program's ``columns`` and
    ``lookups``. ``sequences`` are lists of rows to loop over, ``names`` are single indices, ``extents`` are lengths of
    axes of ports and numbers of scratch records.
    """

    numbers: NDArray[np.float64]
    indices: NDArray[np.int64]
    sequences: tuple[NDArray[np.int64], ...]
    names: tuple[int, ...]
    extents: Mapping[str, int]

    @property
    def rows(self) -> int:
        """The number of the last row."""
        return len(self.indices) - 1

    def shape(self, shape: tuple[int | str, ...]) -> tuple[int, ...]:
        """The shape of a port, with numbers in place of the names of extents."""
        return tuple(self.extents[n] if isinstance(n, str) else n for n in shape)
