"""The table as the machine code of a loop program reads it: an array of 64-bit words.

In this order: the address of the table's numbers, the address of its indices, the number of the last row, two words for
workspaces that are used again (`SPARE`); then, in the program's order, the extents, the address and length of each
sequence, and the named indices.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any
from weakref import finalize

import numpy as np

from sixd.ir import LoopProgram, Table

__all__ = ["FIRST", "SPARE", "words_of"]

#: The words with the address of a workspace that is not in use (or 0): for the loops, and for the single call.
SPARE = {"loop": 3, "call": 4}
#: The word at which the extents begin.
FIRST = 5


def words_of(program: LoopProgram, table: Table, numbers: Any = None) -> Any:
    """The words for a table, which must live as long as they do. Workspaces that calls leave are freed with the words.

    ``numbers``: the numbers of the table in another precision, to be used instead.
    """
    sequences = [word for rows in table.sequences for word in (rows.ctypes.data, len(rows))]
    extents = [table.extents[name] for name in program.extents]
    numbers = table.numbers if numbers is None else numbers
    first = [numbers.ctypes.data, table.indices.ctypes.data, table.rows, *[0] * len(SPARE)]
    words = np.array([*first, *extents, *sequences, *table.names], dtype=np.int64)
    finalize(words, _free, words.ctypes.data, sorted(SPARE.values())).atexit = False
    return words


def _free(words: int, places: Sequence[int]) -> None:
    """Free the workspaces that were left for a next call."""
    release = ctypes.pythonapi.PyMem_RawFree
    release.argtypes, release.restype = [ctypes.c_void_p], None
    for place in places:
        release(ctypes.c_void_p.from_address(words + 8 * place).value)
