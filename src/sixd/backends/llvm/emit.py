"""Straight-line programs as LLVM assembly: blocks for W samples at once and for one sample.

In arrays the entries of one sample lie side by side. A block needs a vector over the samples for each entry, so it
transposes what it loads and stores. ``rows`` are, for each port, the addresses of the W samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.arctangent import arctan2
from sixd.backends.llvm.branches import Jumping
from sixd.backends.llvm.elementary import Lanes, sincos, sincos_together
from sixd.backends.llvm.entries import declare_block, emit_entries
from sixd.backends.llvm.finite import bad_rows, checked, doubt, overwrite, overwrite_vectors
from sixd.backends.llvm.gufunc_loop import BYTE, DOUBLE, FLOAT, I64, counted, emit_loop, library
from sixd.backends.llvm.pick import pick
from sixd.ir import Port, Program
from sixd.ir.passes.branches import with_branches
from sixd.ir.passes.cut import angle_groups
from sixd.ir.program import reachable

__all__ = [
    "RULES",
    "arrays_of",
    "emit",
    "emit_batches",
    "emit_block",
    "emit_first",
    "emit_float32",
    "load_rows",
    "outputs_of",
    "overwrite_arrays",
    "read",
    "rows_of",
    "store_rows",
    "write",
]

I32 = ir.IntType(32)
#: Outputs with at least so many entries are buffered with equal entries once. Others fit in the first cache anyway.
SHARED = 256
#: How many angles of a single sample share a vector. Wider vectors slow down the scalar code around them.
TOGETHER = 4


def emit(program: Program, width: int, make_block: Callable[..., ir.Function] | None = None) -> str:
    """LLVM assembly with the functions of `emit_entries`; the gufunc works on ``width`` samples at once.

    ``make_block`` replaces the function that makes blocks: `pieces` has its own, whose blocks may run out of memory.
    """
    module, lanes = ir.Module(), Lanes(width, DOUBLE)
    block = (make_block or emit_block)(module, program, lanes, "block")
    return _with_entries(module, program, lanes, block, make_block)


def emit_first(program: Program, width: int, make_block: Callable[..., ir.Function] | None = None) -> str:
    """The same with a stub in place of the gufunc's loop. `emit_batches` makes the loop when the first batch comes."""
    return _with_entries(ir.Module(), program, Lanes(width, DOUBLE), None, make_block)


def _with_entries(
    module: ir.Module,
    program: Program,
    lanes: Lanes,
    block: ir.Function | None,
    make_block: Callable[..., ir.Function] | None,
) -> str:
    """Add the block for one sample and the entries to a module; its text."""
    together = min(lanes.width, TOGETHER)
    single = (make_block or emit_block)(module, program, Lanes(1, DOUBLE), "single", together=together)
    emit_entries(module, program.inputs, program.outputs, block, single, lanes)
    return str(module)


def emit_batches(program: Program, width: int, make_block: Callable[..., ir.Function] | None = None) -> str:
    """LLVM assembly with ``loop`` alone, for arrays of float64."""
    return _emit_loop_alone(program, Lanes(width, DOUBLE), make_block)


def emit_float32(program: Program, width: int, make_block: Callable[..., ir.Function] | None = None) -> str:
    """LLVM assembly with ``loop`` alone, for arrays of float32, computed in single precision."""
    return _emit_loop_alone(program, Lanes(width, FLOAT), make_block)


def _emit_loop_alone(program: Program, lanes: Lanes, make_block: Callable[..., ir.Function] | None) -> str:
    module = ir.Module()
    block = (make_block or emit_block)(module, program, lanes, "block")
    emit_loop(module, program.inputs, program.outputs, block, lanes)
    return str(module)


def emit_block(
    module: ir.Module, program: Program, lanes: Lanes, name: str, together: int = 1, packed: bool = False
) -> ir.Function:
    """A block. Sines and cosines come first, in groups of angles known at the same time.

    In a block for one sample, ``together`` angles share a vector. The ports of a ``packed`` block are arrays of vectors
    over the lanes, as the steps of a rollout hand them on; those of any other block are the samples themselves.
    """
    function = declare_block(module, (*program.inputs, *program.outputs), name)
    b = lanes.builder = ir.IRBuilder(function.append_basic_block())
    rows = rows_of(lanes, function)
    used = {node.attr for node in program.nodes if node.op == "input"}
    must_be = [(p, k) for p, port in enumerate(program.inputs) if port.finite for k in range(port.size)]
    if packed:
        arrays = arrays_of(lanes, function)
        entries = {(p, k): b.load(b.gep(arrays[p], [I64(k)])) for p, k in sorted(used.union(must_be))}
        bad = doubt(lanes, [entries[place] for place in must_be])
    elif lanes.width > 1:
        entries = read(lanes, program.inputs, rows, used.union(must_be))
        bad = doubt(lanes, [entries[place] for place in must_be])
    else:
        entries = read(lanes, program.inputs, rows, used)
        bad = bad_rows(lanes, [checked(program.inputs, [row for (row,) in rows])])
    values: dict[int, Any] = {}
    trigonometry: dict[int, tuple[Any, Any]] = {}

    def emit_node(k: int, made: Any = None) -> None:
        node = program.nodes[k]
        if k in values:
            return
        if made is not None:
            values[k] = made
        elif node.op == "const":
            values[k] = lanes.constant(node.attr)
        elif node.op == "input":
            values[k] = entries[node.attr]
        elif node.op in ("sin", "cos"):
            sine, cosine = trigonometry[node.args[0]]
            value = cosine if node.op == "cos" else sine
            values[k] = b.load(value) if lanes.width > 1 else value
        else:
            values[k] = RULES[node.op](lanes, *node.tables, *(values[a] for a in node.args))

    for angles in angle_groups(program):
        for k in reachable(program.nodes, angles):
            emit_node(k)
        numbers = [values[k] for k in angles]
        if lanes.width > 1:
            pairs = _sincos_in_a_loop(lanes, numbers)
        else:
            groups = (numbers[k : k + together] for k in range(0, len(numbers), together))
            pairs = [pair for group in groups for pair in sincos_together(lanes, group)]
        trigonometry.update(zip(angles, pairs, strict=True))
    rest = [k for k in range(len(program.nodes)) if k not in values]
    items = with_branches(program.nodes, rest, (k for entries in program.results for k in entries))
    Jumping(lanes, program.nodes, values, values.__getitem__, emit_node).emit_items(items)
    first = len(program.inputs)
    if packed:
        for array, results in zip(arrays[first:], program.results, strict=True):
            for k, r in enumerate(results):
                b.store(values[r], b.gep(array, [I64(k)]))
        overwrite_arrays(lanes, bad, program, arrays[first:])
    else:
        for port_rows, results in zip(rows[first:], program.results, strict=True):
            write(lanes, [values[r] for r in results], port_rows, function.args[-1])
        overwrite(lanes, bad, outputs_of(program, function))
    b.ret_void()
    return function


def arrays_of(lanes: Lanes, function: ir.Function) -> list[Any]:
    """The address of each port of a packed block, an array of vectors over the lanes."""
    return [lanes.builder.bitcast(pointer, lanes.type.as_pointer()) for pointer in function.args[:-2:2]]


def overwrite_arrays(lanes: Lanes, bad: Any, program: Program, arrays: Sequence[Any]) -> None:
    """Write NaN to all outputs of a packed block in lanes where ``bad``, a result of `doubt`, is NaN."""
    overwrite_vectors(lanes, bad, [(a, I64(p.size)) for a, p in zip(arrays, program.outputs, strict=True)])


def outputs_of(program: Program, function: ir.Function) -> list[tuple[Any, Any, int]]:
    """For each output of a block: the address of lane 0, the stride between lanes, the number of entries."""
    first = 2 * len(program.inputs)
    places, strides = function.args[first:-2:2], function.args[first + 1 : -2 : 2]
    return [(place, stride, p.size) for place, stride, p in zip(places, strides, program.outputs, strict=True)]


def _sincos_in_a_loop(lanes: Lanes, angles: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Compute sines and cosines of angles in a loop; their addresses.

    The code of a sine has a rare branch that calls the C library, for very large angles. In the midst of other code
    this branch costs more than the sine itself, because all values in registers must be saved around the call.
    """
    b = lanes.builder
    with b.goto_entry_block():
        arrays = [b.alloca(lanes.type, len(angles)) for _ in range(3)]
    for k, angle in enumerate(angles):
        b.store(angle, b.gep(arrays[0], [I64(k)]))
    with counted(b, I64(0), I64(len(angles)), 1) as k:
        for value, array in zip(sincos(lanes, b.load(b.gep(arrays[0], [k]))), arrays[1:], strict=True):
            b.store(value, b.gep(array, [k]))
    return [(b.gep(arrays[1], [I64(k)]), b.gep(arrays[2], [I64(k)])) for k in range(len(angles))]


def rows_of(lanes: Lanes, function: ir.Function) -> list[list[Any]]:
    """The address of each sample of each port of a block: ``rows[port][lane]``."""
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
    """Load the entries of inputs that are used, as one vector over the lanes for each (port, entry).

    Neighbouring entries are loaded together and transposed, the last few in smaller pieces.
    """
    found: dict[tuple[int, int], Any] = {}
    for p, port in enumerate(inputs):
        for start, count in _pieces(0, port.size, lanes):
            group = [(p, start + k) for k in range(count)]
            if used.intersection(group):
                places = [_entry(lanes, row, start) for row in rows[p]]
                found.update(zip(group, lanes.load_columns(places, count), strict=True))
    return found


def _pieces(start: int, stop: int, lanes: Lanes) -> list[tuple[int, int]]:
    """A range cut into powers of two, the largest first: (start, count).

    In single precision, a rest that is one short of a power of two takes the entry before it again: 7 entries are cut
    into 4 + 4, which is faster than 4 + 2 + 1.
    """
    found: list[tuple[int, int]] = []
    largest = lanes.width
    while start < stop:
        while start + largest > stop:
            largest //= 2
        if lanes.size == 4 and found and 1 < largest < lanes.width and stop - start == 2 * largest - 1:
            return [*found, (start - 1, 2 * largest)]
        found.append((start, largest))
        start += largest
    return found


#: Outputs larger than this many vectors are transposed in a loop, so that the code does not grow with them.
UNROLLED = 1
#: How many transposes ahead the cache lines of an output are prefetched. From 6 to 12 made no difference.
AHEAD = 8


def write(lanes: Lanes, values: list[Any], rows: list[Any], stream: Any) -> None:
    """Store the entries of an output, one vector over the lanes each: transposed, the last few in smaller pieces."""
    b, w = lanes.builder, lanes.width
    if w == 1 and len(values) >= SHARED:
        _write_one(lanes, values, rows[0])
        return
    if w == 1 or len(values) < (UNROLLED + 1) * w:
        for first, count in _pieces(0, len(values), lanes):
            lanes.store_columns(values[first : first + count], [_entry(lanes, row, first) for row in rows])
        return
    # Equal entries of large outputs (zeros, halves of symmetric matrices) are buffered once: the buffer stays in cache.
    keys = [id(value) if len(values) >= SHARED else k for k, value in enumerate(values)]
    different = dict(zip(keys, values, strict=True))
    place = {key: k for k, key in enumerate(different)}
    with b.goto_entry_block():
        scratch = b.alloca(lanes.type, len(different), align=w * lanes.size)
    for k, value in enumerate(different.values()):
        b.store(value, b.gep(scratch, [I64(k)]))
    order = None
    if len(different) < len(values):
        order = lanes.module.constant_array(I32, [place[key] for key in keys])
    store_rows(lanes, scratch, I64(len(values)), rows, stream, order)


def _write_one(lanes: Lanes, values: list[Any], row: Any) -> None:
    """Store the entries of a large output of one sample.

    Zeros are written at once, the other entries after them: LLVM takes a minute for 30,000 stores of zero.
    """
    b, zero = lanes.builder, lanes.constant(0.0).text
    if sum(value.text == zero for value in values) > len(values) // 2:
        b.call(library(lanes.module, "memset", BYTE, [BYTE, I32, I64]), [row, I32(0), I64(len(values) * lanes.size)])
        others = [(k, value) for k, value in enumerate(values) if value.text != zero]
    else:
        others = list(enumerate(values))
    for k, value in others:
        lanes.store_columns([value], [_entry(lanes, row, k)])


def load_rows(lanes: Lanes, vectors: Any, size: Any, rows: list[Any]) -> None:
    """Load W samples into an array of vectors over the lanes, in a loop of transposes; the last entries one by one."""
    b, w = lanes.builder, lanes.width

    def load(start: Any, count: int) -> None:
        places = [b.gep(row, [b.mul(start, I64(lanes.size))]) for row in rows]
        for k, value in enumerate(lanes.load_columns(places, count)):
            b.store(value, b.gep(vectors, [b.add(start, I64(k))]))

    whole = b.sub(size, b.urem(size, I64(w)))
    with counted(b, I64(0), whole, w) as start:
        load(start, w)
    with counted(b, whole, size, 1) as k:
        load(k, 1)


def store_rows(lanes: Lanes, vectors: Any, size: Any, rows: list[Any], stream: Any, order: Any = None) -> None:
    """Store an array of vectors over the lanes to the samples at ``rows``, in a loop of transposes.

    ``order`` gives the number of the vector of each entry, if it is not simply the number of the entry. ``stream``: to
    write past the caches (`gufunc_loop.streams`), where the addresses of all samples allow it.

    Stores that cross cache lines cost twice as much. If the addresses of all samples have the same remainder when they
    are divided by the size of a vector, or of half a vector, then the first entries are stored in smaller pieces, up to
    the next multiple of that size. The last entries are stored in smaller pieces, too.
    """
    b, w = lanes.builder, lanes.width
    first, in_step = _until_boundary(lanes, rows, size)
    end = b.sub(size, b.urem(b.sub(size, first), I64(w)))

    def store(start: Any, count: int, past_caches: bool = False) -> None:
        places = [b.gep(row, [b.mul(start, I64(lanes.size))]) for row in rows]
        entries = [b.add(start, I64(k)) for k in range(count)]
        if order is not None:
            entries = [b.zext(b.load(b.gep(order, [entry])), I64) for entry in entries]
        store_vectors = lanes.stream_columns if past_caches else lanes.store_columns
        store_vectors([b.load(b.gep(vectors, [entry])) for entry in entries], places)

    def store_pieces(start: Any, length: Any, counts: Sequence[int], past_caches: bool = False) -> None:
        for count in counts:
            part = b.and_(length, I64(count))
            with b.if_then(b.icmp_unsigned("!=", part, I64(0))):
                store(start, count, past_caches)
            start = b.add(start, part)

    powers = [1 << k for k in range(w.bit_length() - 1)]
    with b.if_else(b.and_(stream, in_step)) as (past_caches, to_caches):
        with past_caches:
            with counted(b, first, end, w) as start:
                store(start, w, past_caches=True)
            # Last, because the end of one sample and the beginning of the next may share a cache line: written one
            # after the other, past the caches, they reach memory together.
            store_pieces(I64(0), first, powers, past_caches=True)
            store_pieces(end, b.sub(size, end), powers[::-1], past_caches=True)
        with to_caches:
            store_pieces(I64(0), first, powers)
            with counted(b, first, end, w) as start:
                store(start, w)
                _fetch_ahead(lanes, b.add(start, I64(AHEAD * w)), size, rows)
            store_pieces(end, b.sub(size, end), powers[::-1])


def _until_boundary(lanes: Lanes, rows: list[Any], size: Any) -> tuple[Any, Any]:
    """How many entries each sample has before the next multiple of a vector's bytes, or of half of them; and whether
    there is such a number, the same for all samples. All samples are the same number of bytes apart.
    """
    b, whole = lanes.builder, lanes.width * lanes.size
    start, second = (b.ptrtoint(row, I64) for row in rows[:2])
    apart = b.sub(second, start)
    unit = b.select(b.icmp_unsigned("==", b.urem(apart, I64(whole)), I64(0)), I64(whole), I64(whole // 2))
    past = b.urem(start, unit)
    same = b.icmp_unsigned("==", b.urem(apart, unit), I64(0))
    in_step = b.and_(same, b.icmp_unsigned("==", b.urem(past, I64(lanes.size)), I64(0)))
    first = b.udiv(b.urem(b.sub(unit, past), unit), I64(lanes.size))
    first = b.select(in_step, first, I64(0))
    return b.select(b.icmp_unsigned("<", first, size), first, size), in_step


def _fetch_ahead(lanes: Lanes, entry: Any, size: Any, rows: list[Any]) -> None:
    """Prefetch the cache lines that an entry of each sample will go to; after the last entry, those of later samples.

    Stores wait for lines that are not in the cache. Without this they took most of the time of large outputs.
    """
    b = lanes.builder
    stride = b.sub(b.ptrtoint(rows[1], I64), b.ptrtoint(rows[0], I64))
    place = b.mul(entry, I64(lanes.size))
    next_block = b.sub(b.mul(stride, I64(lanes.width)), b.mul(size, I64(lanes.size)))
    place = b.add(place, b.select(b.icmp_signed("<", entry, size), I64(0), next_block))
    fetch = library(lanes.module, "llvm.prefetch.p0", ir.VoidType(), [BYTE, I32, I32, I32])
    to_write, to_the_first_cache, data = I32(1), I32(3), I32(1)
    for row in rows:
        b.call(fetch, [b.gep(row, [place]), to_write, to_the_first_cache, data])


#: Each primitive in LLVM, on all lanes. No fast-math flag is set: NaN, infinities and the order of operations are kept.
RULES: dict[str, Callable[..., Any]] = {
    "add": lambda v, x, y: v.builder.fadd(x, y),
    "sub": lambda v, x, y: v.builder.fsub(x, y),
    "mul": lambda v, x, y: v.builder.fmul(x, y),
    "div": lambda v, x, y: v.builder.fdiv(x, y),
    "neg": lambda v, x: v.builder.fneg(x),
    "fma": lambda v, x, y, z: v.call("llvm.fma", x, y, z),
    "abs": lambda v, x: v.call("llvm.fabs", x),
    "sqrt": lambda v, x: v.call("llvm.sqrt", x),
    "floor": lambda v, x: v.call("llvm.floor", x),
    "arctan2": arctan2,
    "less": lambda v, x, y: v.builder.fcmp_ordered("<", x, y),
    "select": lambda v, c, x, y: v.builder.select(c, x, y),
    "pick": pick,
}
