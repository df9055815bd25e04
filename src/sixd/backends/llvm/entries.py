"""What Python and NumPy call, made from blocks: the loops of a gufunc and the single call.

A block is the code for some samples, one in each lane:

    void block(in_0, stride_0, ..., out_0, stride_0, ..., data, work)

Lane l of a port starts at its pointer plus l strides, in bytes; its entries are doubles in C order. ``data`` is what
the gufunc and the single call were given. ``work`` is memory for the block: none yet, it is null.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from sixd.backends.llvm.call import emit_call
from sixd.backends.llvm.loop import BYTE, I64, emit_loop
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
    block: ir.Function,
    single: ir.Function,
    width: int,
    may_fail: bool = False,
) -> None:
    """The functions ``loop``, ``loop32`` and ``call``, from a block of ``width`` samples and one for a single sample.

    The loops are for `gufunc.make_gufunc`, in double and single precision, the call for `vectorcall.attach`. Loops work
    on ``width`` samples at a time, whatever their number, place or strides. Calls use ``single``: a block of one lane,
    or of more that are given the same sample. The two blocks must give the same bits, so that a result depends on its
    sample alone. ``may_fail``: they can set an exception of Python.
    """
    for name in ("loop", "loop32"):
        emit_loop(module, name, inputs, outputs, block, width)
    emit_call(module, [port.shape for port in inputs], [port.shape for port in outputs], single, may_fail=may_fail)
