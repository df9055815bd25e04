"""Numbers looked up in tables, in LLVM."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes
from sixd.ops import Tabulated

__all__ = ["look_up", "pick"]

I32, I64 = ir.IntType(32), ir.IntType(64)


def pick(lanes: Lanes, table: Tabulated, place: Any) -> Any:
    """The number of a table at the place in each lane. The table is data in the module, once."""
    last = lanes.constant(table.array.size - 1.0)
    return look_up(lanes, lanes.module.once((table, lanes.real), lambda: _data(lanes, table)), last, place)


def look_up(lanes: Lanes, numbers: Any, last: Any, place: Any) -> Any:
    """The number at the place in each lane, rounded down, from 0 to ``last``; NaN where the place is NaN.

    Each lane loads its own number: instructions that load for all lanes at once are not faster.
    """
    b = lanes.builder
    inside = lanes.call("llvm.minnum", lanes.call("llvm.maxnum", place, lanes.constant(0.0)), last)
    whole = b.fptosi(inside, ir.VectorType(I32, lanes.width))
    found = lanes.type(ir.Undefined)
    for lane in range(lanes.width):
        k = b.zext(b.extract_element(whole, I32(lane)), I64)
        found = b.insert_element(found, b.load(b.gep(numbers, [k])), I32(lane))
    return b.select(b.fcmp_unordered("uno", place, place), place, found)


def _data(lanes: Lanes, table: Tabulated) -> Any:
    with np.errstate(all="ignore"):  # numbers beyond the range of float32 are infinite
        numbers = table.array.astype(np.float64 if lanes.double else np.float32)
    return lanes.module.constant_data(lanes.real, numbers.tobytes())
