"""Blocks whose values are in slots: vectors in memory that a block allocates, since a stack may be too small for them.

The block loads the inputs to slots, runs what it is made for, and stores the outputs from slots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.emit import (
    arrays_of,
    load_rows,
    outputs_of,
    overwrite_arrays,
    read,
    rows_of,
    store_rows,
    write,
)
from sixd.backends.llvm.entries import declare_block
from sixd.backends.llvm.finite import bad_rows, checked, doubt_of_arrays, overwrite
from sixd.backends.llvm.gufunc_loop import I64, counted, release, reserve
from sixd.ir import Port, Program

__all__ = ["Slotted", "copy_vectors", "emit_slotted", "read_port", "slot_at"]

#: Inputs with fewer entries are read without a loop.
UNROLLED = 256


class Slotted(Protocol):
    """Where the values of a program are: a `sixd.ir.passes.cut.Cut` or a `sixd.ir.passes.tape.Tape`."""

    @property
    def slots(self) -> int:
        """The number of slots."""

    @property
    def inputs(self) -> tuple[int | None, ...]:
        """The first slot of each input; None if it is not used."""

    @property
    def results(self) -> tuple[tuple[int, ...], ...]:
        """The slots of the entries of each output."""


def emit_slotted(
    module: ir.Module,
    program: Program,
    lanes: Lanes,
    name: str,
    packed: bool,
    where: Slotted,
    run: Callable[[Any], None],
) -> ir.Function:
    """A block: it allocates slots (or sets MemoryError), loads inputs to them, runs, stores outputs.

    ``run`` emits what is run, on the address of the slots. ``packed`` is that of `emit.emit_block`.
    """
    function = declare_block(module, (*program.inputs, *program.outputs), name)
    b = lanes.builder = ir.IRBuilder(function.append_basic_block())
    rows = rows_of(lanes, function)
    place, memory = reserve(b, where.slots * lanes.width * lanes.size)
    slots = b.bitcast(place, lanes.type.as_pointer())
    if packed:
        arrays = arrays_of(lanes, function)
        for port, first, array in zip(program.inputs, where.inputs, arrays, strict=False):
            if first is not None:
                copy_vectors(b, array, b.gep(slots, [I64(first)]), I64(port.size))
        finite = zip(program.inputs, arrays, strict=False)
        bad = doubt_of_arrays(lanes, [(array, I64(port.size)) for port, array in finite if port.finite])
    else:
        for port, first, places in zip(program.inputs, where.inputs, rows, strict=False):
            if first is not None:
                read_port(lanes, port, places, b.gep(slots, [I64(first)]))
        bad = bad_rows(lanes, [checked(program.inputs, sample) for sample in zip(*rows, strict=True)])
    run(slots)
    outputs = slice(len(program.inputs), None)
    if packed:
        for entries, array in zip(where.results, arrays[outputs], strict=True):
            _gather(lanes, slots, entries, array)
        overwrite_arrays(lanes, bad, program, arrays[outputs])
    else:
        for entries, places in zip(where.results, rows[outputs], strict=True):
            _write(lanes, slots, entries, places, function.args[-1])
        overwrite(lanes, bad, outputs_of(program, function))
    release(b, memory)
    b.ret_void()
    return function


def copy_vectors(b: ir.IRBuilder, source: Any, target: Any, number: Any) -> None:
    """Copy an array of vectors."""
    with counted(b, I64(0), number, 1) as k:
        b.store(b.load(b.gep(source, [k])), b.gep(target, [k]))


def _gather(lanes: Lanes, slots: Any, entries: Sequence[int], array: Any) -> None:
    """Copy the entries of an output from their slots to an array of vectors."""
    b, order = lanes.builder, lanes.module.constant_array(ir.IntType(32), entries)
    with counted(b, I64(0), I64(len(entries)), 1) as k:
        b.store(b.load(slot_at(b, slots, order, k)), b.gep(array, [k]))


def read_port(lanes: Lanes, port: Port, rows: list[Any], slots: Any) -> None:
    """Load the entries of an input from W samples to an array of vectors; large inputs in a loop."""
    b, w = lanes.builder, lanes.width
    if w > 1 and port.size < UNROLLED:
        for (_, k), vector in read(lanes, [port], [rows], {(0, k) for k in range(port.size)}).items():
            b.store(vector, b.gep(slots, [I64(k)]))
        return
    load_rows(lanes, slots, I64(port.size), rows)


def _write(lanes: Lanes, slots: Any, entries: Sequence[int], rows: list[Any], stream: Any) -> None:
    """Store the entries of an output from their slots to W samples."""
    b, w, size = lanes.builder, lanes.width, len(entries)
    if w > 1 and size < 2 * w:
        write(lanes, [b.load(b.gep(slots, [I64(slot)])) for slot in entries], rows, stream)
        return
    order = lanes.module.constant_array(ir.IntType(32), entries)
    if w > 1:
        store_rows(lanes, slots, I64(size), rows, stream, order)
        return
    with counted(b, I64(0), I64(size), 1) as k:
        place = b.gep(rows[0], [b.mul(k, I64(lanes.size))])
        b.store(b.load(slot_at(b, slots, order, k)), b.bitcast(place, slots.type))


def slot_at(b: ir.IRBuilder, slots: Any, order: Any, k: Any) -> Any:
    """The address of the slot whose number is entry k of a constant array."""
    return b.gep(slots, [b.zext(b.load(b.gep(order, [k])), I64)])
