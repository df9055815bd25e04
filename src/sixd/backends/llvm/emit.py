"""Straight-line programs as LLVM assembly: blocks of code for W samples at once and for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from llvmlite import ir

from sixd.backends.llvm.elementary import Lanes, sincos, sincos_together
from sixd.backends.llvm.entries import declare_block, emit_entries
from sixd.backends.llvm.loop import DOUBLE, I64, counted
from sixd.ir import Port, Program
from sixd.ir.program import reachable

__all__ = ["RULES", "emit", "read", "rows_of", "write"]

#: How many angles of a single sample share a vector. Wider vectors slow down the scalar code around them.
TOGETHER = 4
#: Programs with more nodes have no block of their own for a single sample: it would double the time to compile them.
LARGE = 10_000


def emit(program: Program, width: int) -> str:
    """LLVM assembly with the functions of `emit_entries`; the gufunc works on ``width`` samples at once."""
    module = ir.Module(name=program.name)
    block = _emit_block(module, program, Lanes(width, DOUBLE), "block")
    single = block
    if len(program.nodes) <= LARGE:
        single = _emit_block(module, program, Lanes(1, DOUBLE), "single", together=min(width, TOGETHER))
    emit_entries(module, program.inputs, program.outputs, block, single, width)
    return str(module)


def _emit_block(module: ir.Module, program: Program, lanes: Lanes, name: str, together: int = 1) -> ir.Function:
    """A block; angles of one sample that are known at the same time are turned into sines and cosines together."""
    function = declare_block(module, (*program.inputs, *program.outputs), name)
    b = lanes.builder = ir.IRBuilder(function.append_basic_block())
    rows = rows_of(lanes, function)
    used = {node.attr for node in program.nodes if node.op == "input"}
    entries = read(lanes, program.inputs, rows, used)
    values: dict[int, Any] = {}
    trigonometry: dict[int, tuple[Any, Any]] = {}

    def emit_node(k: int) -> None:
        node = program.nodes[k]
        if k in values:
            return
        if node.op == "const":
            values[k] = lanes.constant(node.attr)
        elif node.op == "input":
            values[k] = entries[node.attr]
        elif node.op in ("sin", "cos"):
            (angle,) = node.args
            if angle not in trigonometry:
                trigonometry[angle] = sincos(lanes, values[angle])
            values[k] = trigonometry[angle][node.op == "cos"]
        else:
            values[k] = RULES[node.op](lanes, *(values[a] for a in node.args))

    for angles in _angles(program, together):
        for k in reachable(program.nodes, angles):
            emit_node(k)
        trigonometry.update(zip(angles, sincos_together(lanes, [values[k] for k in angles]), strict=True))
    for k in range(len(program.nodes)):
        emit_node(k)
    for port_rows, results in zip(rows[len(program.inputs) :], program.results, strict=True):
        write(lanes, [values[r] for r in results], port_rows)
    b.ret_void()
    return function


def _angles(program: Program, most: int) -> Iterator[list[int]]:
    """The angles of sines and cosines, in groups that do not depend on each other; none if groups are of one."""
    depth: list[int] = []
    levels: dict[int, dict[int, None]] = {}
    for node in program.nodes:
        level = max((depth[a] for a in node.args), default=0)
        if node.op in ("sin", "cos"):
            levels.setdefault(level, {})[node.args[0]] = None
            level += 1
        depth.append(level)
    for level in sorted(levels) if most > 1 else ():
        angles = list(levels[level])
        yield from (angles[start : start + most] for start in range(0, len(angles), most))


def rows_of(lanes: Lanes, function: ir.Function) -> list[list[Any]]:
    """Where each sample of each port of a block starts."""
    b, (*ports, _, _) = lanes.builder, function.args
    return [
        [b.gep(pointer, [b.mul(stride, I64(lane))]) for lane in range(lanes.width)]
        for pointer, stride in zip(ports[::2], ports[1::2], strict=True)
    ]


def _entry(lanes: Lanes, row: Any, k: int) -> Any:
    b = lanes.builder
    return b.bitcast(b.gep(row, [I64(k * lanes.size)]), lanes.real.as_pointer())


def read(
    lanes: Lanes, inputs: Sequence[Port], rows: list[list[Any]], used: set[tuple[int, int]]
) -> dict[tuple[int, int], Any]:
    """The entries (port, entry) of inputs that are used, one vector each.

    They are loaded side by side and transposed, the last few singly.
    """
    found: dict[tuple[int, int], Any] = {}
    for p, port in enumerate(inputs):
        for start, count in _pieces(0, port.size, lanes.width):
            group = [(p, start + k) for k in range(count)]
            if used.intersection(group):
                places = [_entry(lanes, row, start) for row in rows[p]]
                vectors = lanes.load_columns(places, count) if count > 1 else [lanes.gather(places)]
                found.update(zip(group, vectors, strict=True))
    return found


def _pieces(start: int, stop: int, largest: int) -> list[tuple[int, int]]:
    """A range cut into powers of two, the largest first: (start, count)."""
    found = []
    while start < stop:
        while start + largest > stop:
            largest //= 2
        found.append((start, largest))
        start += largest
    return found


#: Outputs larger than this many vectors are transposed in a loop, so that the code does not grow with them.
UNROLLED = 1


def write(lanes: Lanes, values: list[Any], rows: list[Any]) -> None:
    """The entries of an output, one vector each, to the rows of their samples: transposed, the last few singly."""
    w = lanes.width
    whole = len(values) - len(values) % w if w > 1 and len(values) >= (UNROLLED + 1) * w else 0
    if whole:
        b = lanes.builder
        with b.goto_entry_block():
            scratch = b.alloca(lanes.type, whole)
        scratch.align = w * lanes.size
        for k, value in enumerate(values[:whole]):
            b.store(value, b.gep(scratch, [I64(k)]))
        with counted(b, I64(0), I64(whole), w) as start:
            vectors = [b.load(b.gep(scratch, [b.add(start, I64(k))])) for k in range(w)]
            lanes.store_columns(vectors, [b.gep(row, [b.mul(start, I64(lanes.size))]) for row in rows])
    for start, count in _pieces(whole, len(values), w):
        places = [_entry(lanes, row, start) for row in rows]
        if count > 1:
            lanes.store_columns(values[start : start + count], places)
        else:
            lanes.scatter(values[start], places)


#: What each primitive is in LLVM, lane by lane. No flag changes a NaN, an infinity or the order of operations.
RULES: dict[str, Callable[..., Any]] = {
    "add": lambda v, x, y: v.builder.fadd(x, y),
    "sub": lambda v, x, y: v.builder.fsub(x, y),
    "mul": lambda v, x, y: v.builder.fmul(x, y),
    "div": lambda v, x, y: v.builder.fdiv(x, y),
    "neg": lambda v, x: v.builder.fneg(x),
    "fma": lambda v, x, y, z: v.call("llvm.fma", x, y, z),
    "abs": lambda v, x: v.call("llvm.fabs", x),
    "sqrt": lambda v, x: v.call("llvm.sqrt", x),
    "arctan2": lambda v, y, x: v.each("atan2", y, x),
    "less": lambda v, x, y: v.builder.fcmp_ordered("<", x, y),
    "select": lambda v, c, x, y: v.builder.select(c, x, y),
}
