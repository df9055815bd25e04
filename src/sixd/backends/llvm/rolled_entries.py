"""The entries of loop programs: the inner loops of a gufunc, and the call for one state.

Inputs are transposed into arrays of vectors over the lanes before the body runs, outputs back after it. These arrays
and the workspace lie in one piece of memory.
"""

from __future__ import annotations

from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.call import emit_one_state
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.emit import load_rows, store_rows
from sixd.backends.llvm.finite import bad_rows, doubt_of_arrays, overwrite, overwrite_vectors
from sixd.backends.llvm.gufunc_loop import (
    ALIGNMENT,
    BOOL,
    BYTE,
    DOUBLE,
    FLOAT,
    I64,
    aligned,
    allocate,
    core_strides,
    counted,
    declare_loop,
    emit_stub,
    finish_stream,
    forget_exceptions,
    library,
    streams,
)
from sixd.backends.llvm.rolled_body import Words, emit_body
from sixd.ir.loops import Loop, LoopProgram
from sixd.ir.passes import record_sizes

__all__ = ["emit_loops", "emit_loops_float32"]


def emit_loops(program: LoopProgram, width: int) -> str:
    """LLVM assembly with ``loop``, an inner loop of a gufunc, ``loop32``, a stub, and ``one_state``.

    ``loop`` and ``one_state`` give the same bits for the same sample.
    """
    module, lanes = ir.Module(), Lanes(width, DOUBLE)
    _Entry(module, program, lanes).emit(emit_body(module, program, lanes, "body"))
    emit_stub(module, "loop32")
    single = _emit_single(module, program, emit_body(module, program, Lanes(1, DOUBLE), "body1"))
    emit_one_state(module, len(program.inputs) + len(program.outputs), single)
    return str(module)


def emit_loops_float32(program: LoopProgram, width: int) -> str:
    """LLVM assembly with ``loop`` alone, for arrays of float32 and a table of floats, computed in single precision."""
    module, lanes = ir.Module(), Lanes(width, FLOAT)
    _Entry(module, program, lanes).emit(emit_body(module, program, lanes, "body"))
    return str(module)


def _complete(program: LoopProgram, port: int) -> bool:
    """Whether every entry of an output is sure to be written, so that it need not be cleared first."""
    shape = program.outputs[port].shape
    nodes = program.nodes
    added = any(nodes[k].op == "accumulate" and nodes[k].attr[0] == port for k in program.body.nodes())
    if added:
        return False
    if all(isinstance(n, int) for n in shape) or shape[0] == "bodies":
        return True

    def writes(loop: Loop) -> bool:
        cases = ([k for k in case.items if not isinstance(k, Loop)] for case in loop.cases)
        return all(any(nodes[k].op == "write" and nodes[k].attr[0] == port for k in case) for case in cases)

    loops = [item for item in program.body.items if isinstance(item, Loop) and item.over == "rows"]
    return len(shape) == 1 and any(writes(loop) for loop in loops)


class _Entry:
    """The inner loop of a gufunc for numbers of one precision."""

    def __init__(self, module: ir.Module, program: LoopProgram, lanes: Lanes) -> None:
        self.module, self.program, self.width, self.size = module, program, lanes.width, lanes.size
        self.function = declare_loop(module, "loop")
        self.lanes = Lanes(lanes.width, lanes.real)
        self.b = self.lanes.builder = ir.IRBuilder(self.function.append_basic_block())
        self.ports = (*program.inputs, *program.outputs)

    def emit(self, body: ir.Function) -> None:
        b, w = self.b, self.width
        args, dims, steps, data = self.function.args
        words = Words(self.program, b, data)
        shapes = [[words.extent(n) for n in port.shape] for port in self.ports]
        sizes = [_product(b, shape) for shape in shapes]
        bases = [b.load(b.gep(args, [I64(k)])) for k in range(len(self.ports))]
        strides = [b.load(b.gep(steps, [I64(k)])) for k in range(len(self.ports))]
        cores = core_strides(b, self.ports, steps)
        count = b.load(dims)
        memory, places, work = _workspace(self.module, b, self.program, words, sizes, w * self.size, "loop")
        contiguous = [self._contiguous(s, c) for s, c in zip(shapes, cores, strict=True)]
        n_in = len(self.program.inputs)
        stream = streams(b, count, [b.mul(size, I64(self.size)) for size in sizes[n_in:]])
        with counted(b, I64(0), count, w) as start:
            last = b.sub(count, I64(1))
            # Lanes beyond the last sample repeat it: its results are written more than once.
            lanes = [b.add(start, I64(lane)) for lane in range(w)]
            samples = [b.select(b.icmp_signed("<", k, count), k, last) for k in lanes]
            rows = [[b.gep(base, [b.mul(s, st)]) for s in samples] for base, st in zip(bases, strides, strict=True)]
            for k in range(n_in):
                self._move(rows[k], places[k], sizes[k], shapes[k], cores[k], contiguous[k])
            finite = [k for k, port in enumerate(self.program.inputs) if port.finite]
            bad = doubt_of_arrays(self.lanes, [(self._vectors(places[k]), sizes[k]) for k in finite])
            for k in range(n_in, len(self.ports)):
                if not _complete(self.program, k - n_in):
                    _clear(self.module, b, places[k], b.mul(sizes[k], I64(self.size * w)))
            vectors = [self._vectors(place) for place in (*places, work)]
            numbers = words.numbers(self.lanes.real)
            b.call(body, [*vectors[:-1], numbers, words.indices(), data, vectors[-1]])
            overwrite_vectors(self.lanes, bad, list(zip(vectors[n_in:-1], sizes[n_in:], strict=True)))
            for k in range(n_in, len(self.ports)):
                self._move(rows[k], places[k], sizes[k], shapes[k], cores[k], contiguous[k], stream)
        finish_stream(b, stream)
        _give_back(self.module, b, words.spare("loop"), memory)
        forget_exceptions(self.module, b)
        b.ret_void()

    def _vectors(self, place: Any) -> Any:
        return self.b.bitcast(place, self.lanes.type.as_pointer())

    def _contiguous(self, shape: list[Any], core: list[Any]) -> Any:
        """Whether the entries of a state lie side by side."""
        b = self.b
        result: Any = ir.IntType(1)(1)
        wanted: Any = I64(self.size)
        for extent, stride in zip(reversed(shape), reversed(core), strict=True):
            result = b.and_(result, b.icmp_signed("==", stride, wanted))
            wanted = b.mul(wanted, extent)
        return result

    def _move(
        self,
        rows: list[Any],
        place: Any,
        size: Any,
        shape: list[Any],
        core: list[Any],
        contiguous: Any,
        stream: Any = None,
    ) -> None:
        """Copy an input from the samples at ``rows`` to an array of vectors over the lanes, or an output back.

        An output is a port with a value for ``stream``: whether to write past the caches.
        """
        with self.b.if_else(contiguous) as (then, otherwise):
            with then:
                self._transpose(rows, place, size, stream)
            with otherwise:
                self._copy(rows, place, shape, core, inward=stream is None)

    def _transpose(self, rows: list[Any], place: Any, size: Any, stream: Any) -> None:
        if stream is None:
            load_rows(self.lanes, self._vectors(place), size, rows)
        else:
            store_rows(self.lanes, self._vectors(place), size, rows, stream)

    def _copy(self, rows: list[Any], place: Any, shape: list[Any], core: list[Any], inward: bool) -> None:
        """The same for any strides: entry by entry."""
        b, w, number = self.b, self.width, self.lanes.real.as_pointer()
        numbers = b.bitcast(place, number)

        def level(axis: int, here: Any, entry: Any) -> None:
            if axis < len(shape):
                with counted(b, I64(0), shape[axis], 1) as k:
                    on = b.add(here, b.mul(k, core[axis]))
                    level(axis + 1, on, b.add(b.mul(entry, shape[axis]), k))
                return
            for lane, row in enumerate(rows):
                outside = b.bitcast(b.gep(row, [here]), number)
                inside = b.gep(numbers, [b.add(b.mul(entry, I64(w)), I64(lane))])
                source, target = (outside, inside) if inward else (inside, outside)
                b.store(b.load(source), target)

        level(0, I64(0), I64(0))


def _emit_single(module: ir.Module, program: LoopProgram, body: ir.Function) -> ir.Function:
    """void single(in_0, stride_0, ..., out_0, stride_0, ..., data, stream): a block for one state (see `entries`)."""
    ports = (*program.inputs, *program.outputs)
    kinds = [BYTE, I64] * len(ports) + [BYTE, BOOL]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), "single")
    b = ir.IRBuilder(function.append_basic_block())
    data = function.args[-2]
    words = Words(program, b, data)
    memory, _, work = _workspace(module, b, program, words, [], 8, "call")
    pointers = list(function.args[: 2 * len(ports) : 2])
    sizes = [_product(b, [words.extent(n) for n in port.shape]) for port in ports]
    n_in = len(program.inputs)
    lanes = Lanes(1, DOUBLE)
    lanes.builder = b
    bad = bad_rows(lanes, [[(pointers[k], sizes[k]) for k, port in enumerate(program.inputs) if port.finite]])
    for k in range(n_in, len(ports)):
        if not _complete(program, k - n_in):
            _clear(module, b, pointers[k], b.mul(sizes[k], I64(8)))
    vector = ir.VectorType(DOUBLE, 1).as_pointer()
    vectors = [b.bitcast(p, vector) for p in (*pointers, work)]
    b.call(body, [*vectors[:-1], words.numbers(DOUBLE), words.indices(), data, vectors[-1]])
    overwrite(lanes, bad, [(pointers[k], I64(0), sizes[k]) for k in range(n_in, len(ports))])
    _give_back(module, b, words.spare("call"), memory)
    b.ret_void()
    return function


def _workspace(
    module: ir.Module, b: ir.IRBuilder, program: LoopProgram, words: Words, sizes: list[Any], length: int, kind: str
) -> tuple[Any, list[Any], Any]:
    """Memory for arrays of these sizes and for the records: what to give back, the address of each array, the records.

    Sizes are in vectors of ``length`` bytes. The memory of the last call is used again, unless another call uses it:
    new pages cost more than the work on them. If there is no memory, Python's MemoryError is set and the function that
    is being emitted returns.
    """
    vector = I64(length)
    rows: Any = I64(0)
    for per, size in record_sizes(program).items():
        rows = b.add(rows, b.mul(words.count(per), I64(size)))
    lengths = [b.mul(size, vector) for size in (*sizes, rows)]
    total: Any = I64(ALIGNMENT)
    for bytes_needed in lengths:
        total = b.add(total, bytes_needed)
    found = b.inttoptr(b.atomic_rmw("xchg", words.spare(kind), I64(0), "acq_rel"), BYTE)
    before = b.block
    with b.if_then(b.icmp_unsigned("==", found, BYTE(None))):
        new = allocate(b, total)
        made = b.block
    memory = b.phi(BYTE)
    memory.add_incoming(found, before)
    memory.add_incoming(new, made)
    start = aligned(b, memory)
    places = []
    for bytes_needed in lengths:
        places.append(b.inttoptr(start, BYTE))
        start = b.add(start, bytes_needed)
    return memory, places[:-1], places[-1]


def _give_back(module: ir.Module, b: ir.IRBuilder, spare: Any, memory: Any) -> None:
    """Leave the memory for the next call. If another call has left some meanwhile, that is freed."""
    other = b.inttoptr(b.atomic_rmw("xchg", spare, b.ptrtoint(memory, I64), "acq_rel"), BYTE)
    with b.if_then(b.icmp_unsigned("!=", other, BYTE(None)), likely=False):
        b.call(library(module, "PyMem_RawFree", ir.VoidType(), [BYTE]), [other])


def _clear(module: ir.Module, b: ir.IRBuilder, pointer: Any, length: Any) -> None:
    set_to = library(module, "memset", BYTE, [BYTE, ir.IntType(32), I64])
    b.call(set_to, [pointer, ir.IntType(32)(0), length])


def _product(b: ir.IRBuilder, factors: list[Any]) -> Any:
    result: Any = I64(1)
    for factor in factors:
        result = b.mul(result, factor)
    return result
