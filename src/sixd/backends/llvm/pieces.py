"""Large straight-line programs as LLVM assembly: each piece is a function, and a block calls them one by one.

LLVM chooses schedules and registers for a function as a whole, and its time grows faster than the function. Pieces go
to modules of their own, so that LLVM's memory is bounded, too. Values that cross from one piece to another are in slots
(`sixd.ir.passes.cut`): vectors in memory that the block allocates, since a stack may be too small for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.branches import Jumping
from sixd.backends.llvm.elementary import Lanes, sincos
from sixd.backends.llvm.emit import RULES, emit
from sixd.backends.llvm.gufunc_loop import I64, counted
from sixd.backends.llvm.slots import emit_slotted, slot_at
from sixd.ir import Program
from sixd.ir.passes.branches import with_branches
from sixd.ir.passes.cut import Angles, Cut, Piece, cut

__all__ = ["emit_modules", "number_of_pieces"]

#: Programs with more nodes are cut. From this size on, code in pieces is not slower, and soon faster.
WHOLE = 4_000
#: Programs with more different results are cut, too: otherwise the results would be on the stack.
RESULTS = 768
#: The most nodes in a piece. Smaller pieces need more loads and stores; larger ones compile and run slower.
SIZE = 500
#: Pieces in a module.
TOGETHER = 16


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
        """A block that runs the steps; ``together`` and ``packed`` are those of `emit.emit_block`."""
        self.made.append((lanes, name))

        def run(slots: Any) -> None:
            for number, step in enumerate(self.cut.steps):
                if isinstance(step, Angles):
                    _sincos(lanes, slots, step, together)
                else:
                    lanes.builder.call(_declare_piece(module, lanes, f"{name}.{number}"), [slots])

        return emit_slotted(module, program, lanes, name, packed, self.cut, run)

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

        def emit_node(k: int, made: Any = None) -> None:
            node = nodes[k]
            if made is not None:
                values[k] = made
            elif node.op == "const":
                values[k] = lanes.constant(node.attr)
            else:
                values[k] = RULES[node.op](lanes, *node.tables, *map(value, node.args))
            if k in piece.stores:
                b.store(values[k], b.gep(slots, [I64(piece.stores[k])]))

        items = with_branches(nodes, piece.nodes, piece.stores)
        Jumping(lanes, nodes, values, value, emit_node).emit_items(items)
        b.ret_void()


def _declare_piece(module: ir.Module, lanes: Lanes, name: str) -> ir.Function:
    """void piece(slots): a piece without code."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [lanes.type.as_pointer()]), name)
    function.attributes.add("nounwind")
    return function


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
        places = [slot_at(b, slots, order, b.add(start, I64(k))) for k in range(together)]
        if together == 1:
            return b.load(places[0]) if value is None else b.store(value, places[0])
        numbers = [b.bitcast(place, lanes.real.as_pointer()) for place in places]
        return wide.load_columns(numbers, 1)[0] if value is None else wide.store_columns([value], numbers)

    with counted(b, I64(0), I64(len(some)), together) as start:
        for value, order in zip(sincos(wide, move(angles, start)), results, strict=True):
            move(order, start, value)
