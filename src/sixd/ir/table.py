"""What a program with loops is run on beside a state: the table of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ir.loops import LoopProgram

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

    def fits(self, program: LoopProgram) -> bool:
        """Whether the table has what the program asks for."""
        widths = self.numbers.shape[1], self.indices.shape[1], len(self.sequences), len(self.names)
        asked: tuple[Any, ...] = (program.columns, program.lookups, program.sequences, program.names)
        return widths == tuple(map(len, asked)) and set(program.extents) <= set(self.extents)
