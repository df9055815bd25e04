"""What the machine code of a program with loops is given of a table: an array of 64-bit words.

The addresses of the table of numbers and of the table of indices, the last row, two words for memory that is used again
(`SPARE`), then the extents, the sequences (address, length) and the named rows, in the program's order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any
from weakref import finalize

import numpy as np

from sixd.ir import LoopProgram, Table

__all__ = ["FIRST", "SPARE", "words_of"]

#: Where the addresses of workspaces that are not in use are: of the loops and of the single call.
SPARE = {"loop": 3, "call": 4}
#: Where the extents begin.
FIRST = 5


def words_of(program: LoopProgram, table: Table, numbers: Any = None) -> Any:
    """The words for a table; it must live as long as they do. Memory that calls leave is freed with them.

    ``numbers`` are the table's in another precision, if they are to be used instead.
    """
    sequences = [word for rows in table.sequences for word in (rows.ctypes.data, len(rows))]
    extents = [table.extents[name] for name in program.extents]
    numbers = table.numbers if numbers is None else numbers
    first = [numbers.ctypes.data, table.indices.ctypes.data, table.rows, *[0] * len(SPARE)]
    words = np.array([*first, *extents, *sequences, *table.names], dtype=np.int64)
    finalize(words, _free, words.ctypes.data, sorted(SPARE.values())).atexit = False
    return words


def _free(words: int, places: Sequence[int]) -> None:
    """Free the memory that was left for a next call, when there will be none."""
    release = ctypes.pythonapi.PyMem_RawFree
    release.argtypes, release.restype = [ctypes.c_void_p], None
    for place in places:
        release(ctypes.c_void_p.from_address(words + 8 * place).value)
