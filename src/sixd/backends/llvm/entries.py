"""The functions that Python and NumPy call: the loops of a gufunc, and the single call. They call blocks.

A block is the code for some samples, one in each lane:

    void block(in_0, stride_0, ..., out_0, stride_0, ..., data, stream)

Lane l of a port starts at its pointer plus l strides, in bytes; its entries are in C order, doubles or floats.
``data`` is the pointer that the gufunc or the single call was made with. ``stream`` tells whether
outputs are written past the caches.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.call import emit_one_state
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.gufunc_loop import BOOL, BYTE, I64, emit_loop, emit_stub
from sixd.ir import Port

__all__ = ["declare_block", "emit_entries"]


def declare_block(module: ir.Module, ports: Sequence[Port], name: str) -> ir.Function:
    """A block without code. Its arrays must not overlap."""
    kind = ir.FunctionType(ir.VoidType(), [*[BYTE, I64] * len(ports), BYTE, BOOL])
    function = ir.Function(module, kind, name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    for pointer in function.args[: 2 * len(ports) : 2]:
        pointer.add_attribute("noalias")
    return function


def emit_entries(
    module: ir.Module,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    block: ir.Function | None,
    single: ir.Function,
    lanes: Lanes,
) -> None:
    """Emit ``loop``, ``loop32`` and ``one_state``, which call ``block`` (for batches) and ``single`` (for one sample).

    The loops are for `gufunc.make_gufunc`. ``loop`` is in double precision; it is a stub (`on_demand`) if there is no
    ``block``. ``loop32``, in single precision, is always a stub. ``one_state`` is for `vectorcall.attach`.

    ``single`` has one lane. It must give the same bits as ``block``, so that a result depends on its sample alone, not
    on the batch.
    """
    if block is None:
        emit_stub(module, "loop")
    else:
        emit_loop(module, inputs, outputs, block, lanes)
    emit_stub(module, "loop32")
    emit_one_state(module, len(inputs) + len(outputs), single)
