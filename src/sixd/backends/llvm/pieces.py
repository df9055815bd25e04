"""Large straight-line programs as LLVM assembly: each piece is a function, and a block calls them one by one.

LLVM chooses schedules and registers for a function as a whole, and its time grows faster than the function. Pieces go
to modules of their own, so that LLVM's memory is bounded, too. Values that cross from one piece to another are in slots
(`sixd.ir.passes.cut`): vectors in memory that the block allocates, since a stack may be too small for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes, sincos
from sixd.backends.llvm.emit import (
    RULES,
    arrays_of,
    emit,
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
from sixd.ir.passes.cut import Angles, Cut, Piece, cut

__all__ = ["copy_vectors", "emit_modules", "number_of_pieces", "read_port"]

#: Programs with more nodes are cut. From this size on, code in pieces is not slower, and soon faster.
WHOLE = 4_000
#: Programs with more different results are cut, too: otherwise the results would be on the stack.
RESULTS = 768
#: The most nodes in a piece. Smaller pieces need more loads and stores; larger ones compile and run slower.
SIZE = 500
#: Pieces in a module.
TOGETHER = 16
#: Inputs with fewer entries are read without a loop.
UNROLLED = 256


def emit_modules(
    program: Program,
    width: int,
    emit: Callable[..., str] = emit,
    report: Callable[[float], None] = lambda done: None,
) -> Iterator[str]:
    """LLVM assembly of a program: what ``emit`` makes, then, if it is large, modules with its pieces.

    ``report`` is called before each of these, with the fraction that is done.
    """
    if _stays_whole(program):
        yield emit(program, width)
        return
    blocks = _Blocks(cut(program, SIZE))
    yield emit(program, width, blocks.emit)
    for done, text in blocks.pieces():
        report(done)
        yield text


def number_of_pieces(program: Program) -> int:
    """The number of pieces that a program is compiled in."""
    if _stays_whole(program):
        return 1
    return sum(isinstance(step, Piece) for step in cut(program, SIZE).steps)


def _stays_whole(program: Program) -> bool:
    return len(program.nodes) <= WHOLE and sum(len(set(entries)) for entries in program.results) <= RESULTS


class _Blocks:
    """The blocks of one program in pieces. `emit` writes a block that calls pieces, and `pieces`, later, the pieces."""

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        self.made: list[tuple[Lanes, str]] = []

    def emit(
        self, module: ir.Module, program: Program, lanes: Lanes, name: str, together: int = 1, packed: bool = False
    ) -> ir.Function:
        """A block: it allocates slots (or sets MemoryError), loads inputs to them, runs the steps, stores outputs.

        ``together`` and ``packed`` are those of `emit.emit_block`.
        """
        self.made.append((lanes, name))
        function = declare_block(module, (*program.inputs, *program.outputs), name)
        b = lanes.builder = ir.IRBuilder(function.append_basic_block())
        rows = rows_of(lanes, function)
        place, memory = reserve(b, self.cut.slots * lanes.width * lanes.size)
        slots = b.bitcast(place, lanes.type.as_pointer())
        if packed:
            arrays = arrays_of(lanes, function)
            for port, first, array in zip(program.inputs, self.cut.inputs, arrays, strict=False):
                if first is not None:
                    copy_vectors(b, array, b.gep(slots, [I64(first)]), I64(port.size))
            finite = zip(program.inputs, arrays, strict=False)
            bad = doubt_of_arrays(lanes, [(array, I64(port.size)) for port, array in finite if port.finite])
        else:
            for port, first, places in zip(program.inputs, self.cut.inputs, rows, strict=False):
                if first is not None:
                    read_port(lanes, port, places, b.gep(slots, [I64(first)]))
            bad = bad_rows(lanes, [checked(program.inputs, sample) for sample in zip(*rows, strict=True)])
        for number, step in enumerate(self.cut.steps):
            if isinstance(step, Angles):
                _sincos(lanes, slots, step, together)
            else:
                b.call(_declare_piece(module, lanes, f"{name}.{number}"), [slots])
        outputs = slice(len(program.inputs), None)
        if packed:
            for entries, array in zip(self.cut.results, arrays[outputs], strict=True):
                _gather(lanes, slots, entries, array)
            overwrite_arrays(lanes, bad, program, arrays[outputs])
        else:
            for entries, places in zip(self.cut.results, rows[outputs], strict=True):
                _write(lanes, slots, entries, places, function.args[-1])
            overwrite(lanes, bad, outputs_of(program, function))
        release(b, memory)
        b.ret_void()
        return function

    def pieces(self) -> Iterator[tuple[float, str]]:
        """The modules with the pieces of all emitted blocks, each with the fraction of the work done before it."""
        pieces = [(number, step) for number, step in enumerate(self.cut.steps) if isinstance(step, Piece)]
        groups = [pieces[k : k + TOGETHER] for k in range(0, len(pieces), TOGETHER)]
        for n, (lanes, name) in enumerate(self.made):
            for k, group in enumerate(groups):
                module = ir.Module()
                for number, piece in group:
                    self._piece(_declare_piece(module, lanes, f"{name}.{number}"), lanes, piece)
                yield (n + k / len(groups)) / len(self.made), str(module)

    def _piece(self, function: ir.Function, lanes: Lanes, piece: Piece) -> None:
        nodes, (slots,) = self.cut.program.nodes, function.args
        b = lanes.builder = ir.IRBuilder(function.append_basic_block())
        values: dict[int, Any] = {}

        def value(k: int) -> Any:
            if k not in values:
                values[k] = b.load(b.gep(slots, [I64(piece.loads[k])]))
            return values[k]

        for k in piece.nodes:
            node = nodes[k]
            if node.op == "const":
                values[k] = lanes.constant(node.attr)
            else:
                values[k] = RULES[node.op](lanes, *map(value, node.args))
            if k in piece.stores:
                b.store(values[k], b.gep(slots, [I64(piece.stores[k])]))
        b.ret_void()


def _declare_piece(module: ir.Module, lanes: Lanes, name: str) -> ir.Function:
    """void piece(slots): a piece without code."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [lanes.type.as_pointer()]), name)
    function.attributes.add("nounwind")
    return function


def copy_vectors(b: ir.IRBuilder, source: Any, target: Any, number: Any) -> None:
    """Copy an array of vectors."""
    with counted(b, I64(0), number, 1) as k:
        b.store(b.load(b.gep(source, [k])), b.gep(target, [k]))


def _gather(lanes: Lanes, slots: Any, entries: Sequence[int], array: Any) -> None:
    """Copy the entries of an output from their slots to an array of vectors."""
    b, order = lanes.builder, lanes.module.constant_array(ir.IntType(32), entries)
    with counted(b, I64(0), I64(len(entries)), 1) as k:
        b.store(b.load(_slot(b, slots, order, k)), b.gep(array, [k]))


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
        b.store(b.load(_slot(b, slots, order, k)), b.bitcast(place, slots.type))


def _slot(b: ir.IRBuilder, slots: Any, order: Any, k: Any) -> Any:
    """The address of the slot whose number is entry k of a constant array."""
    return b.gep(slots, [b.zext(b.load(b.gep(order, [k])), I64)])


def _sincos(lanes: Lanes, slots: Any, step: Angles, together: int) -> None:
    """Compute sines and cosines in a loop. In a block for one sample, ``together`` angles share a vector."""
    b = lanes.builder
    missing = -len(step.slots) % together  # repeat the last angle, up to a multiple of ``together``
    some = [*step.slots, *[step.slots[-1]] * missing]
    angles, *results = (lanes.module.constant_array(ir.IntType(32), places) for places in zip(*some, strict=True))
    wide = Lanes(lanes.width * together, lanes.real)
    wide.builder = b

    def move(order: Any, start: Any, value: Any = None) -> Any:
        """Load ``together`` slots as one vector, or store a vector to them."""
        places = [_slot(b, slots, order, b.add(start, I64(k))) for k in range(together)]
        if together == 1:
            return b.load(places[0]) if value is None else b.store(value, places[0])
        numbers = [b.bitcast(place, lanes.real.as_pointer()) for place in places]
        return wide.load_columns(numbers, 1)[0] if value is None else wide.store_columns([value], numbers)

    with counted(b, I64(0), I64(len(some)), together) as start:
        for value, order in zip(sincos(wide, move(angles, start)), results, strict=True):
            move(order, start, value)
