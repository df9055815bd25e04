"""What Python and NumPy call, made from blocks: the loops of a gufunc and the single call.

A block is the code for some samples, one in each lane:

    void block(in_0, stride_0, ..., out_0, stride_0, ..., data, work)

Lane l of a port starts at its pointer plus l strides, in bytes; its entries are in C order, doubles or floats.
``data`` is what the gufunc and the single call were given. ``work`` is memory for the block: none yet, it is null.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.call import emit_one_state
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.gufunc_loop import BYTE, I64, emit_loop, emit_stub
from sixd.ir import Port

__all__ = ["declare_block", "emit_entries"]


def declare_block(module: ir.Module, ports: Sequence[Port], name: str) -> ir.Function:
    """A block that has no code yet; its arrays do not overlap."""
    kind = ir.FunctionType(ir.VoidType(), [*[BYTE, I64] * len(ports), BYTE, BYTE])
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
    """The functions ``loop``, ``loop32`` and ``one_state``, from a block of some lanes and one for a single sample.

    The loops are for `gufunc.make_gufunc`: the one in double precision, and a stub for float32 (`on_demand`).
    Without a block the one in double precision is a stub as well. ``one_state`` is for `vectorcall.attach`.

    Loops work on all lanes at a time, whatever the number, place or strides of samples. Calls use ``single``: a block
    of one lane, or of more that are given the same sample. The two blocks must give the same bits, so that a result
    depends on its sample alone.
    """
    if block is None:
        emit_stub(module, "loop")
    else:
        emit_loop(module, inputs, outputs, block, lanes)
    emit_stub(module, "loop32")
    emit_one_state(module, len(inputs) + len(outputs), single)
