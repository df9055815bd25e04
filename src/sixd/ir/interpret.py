"""The interpreter of programs: it defines what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ShapeError
from sixd.ir.primitives import PRIMITIVES
from sixd.ir.program import Program

__all__ = ["interpret"]


def interpret(program: Program, *arrays: Any) -> tuple[NDArray[Any], ...]:
    """Run a program on arrays (..., *shape), one for each input: its outputs, (..., *shape) each.

    Every node is computed on all samples at once. A result without axes is a NumPy scalar, as with NumPy's own
    functions. Compiled code is compared with this.
    """
    values: list[Any] = []
    flat = []
    for port, array in zip(program.inputs, arrays, strict=True):
        array = np.asarray(array, dtype=float)
        lead = array.shape[: array.ndim - len(port.shape)]
        if array.shape[len(lead) :] != port.shape:
            needed = ", ".join(["...", *map(str, port.shape)])
            raise ShapeError(f"{port.name} has shape {array.shape}, but ({needed}) is needed")
        flat.append(array.reshape(*lead, port.size))
    for node in program.nodes:
        if node.op == "const":
            values.append(node.attr)
        elif node.op == "input":
            port_number, entry = node.attr
            values.append(flat[port_number][..., entry])
        else:
            values.append(PRIMITIVES[node.op].evaluate(*node.tables, *(values[a] for a in node.args)))
    lead = np.broadcast_shapes(*(a.shape[:-1] for a in flat)) if flat else ()
    known = [np.isfinite(a).all(axis=-1) for a, port in zip(flat, program.inputs, strict=True) if port.finite]
    outputs = []
    for port, entries in zip(program.outputs, program.results, strict=True):
        out = np.empty((*lead, port.size))
        for k, node_number in enumerate(entries):
            out[..., k] = values[node_number]
        for finite in known:
            out[~np.broadcast_to(finite, lead)] = np.nan
        outputs.append(out.reshape((*lead, *port.shape))[()])
    return tuple(outputs)
