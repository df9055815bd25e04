"""Programs as LLVM assembly: one block of code for W samples at once, and the loop of a NumPy gufunc around it."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

from llvmlite import ir

from sixd.backends.llvm.elementary import Lanes, sincos
from sixd.ir import Port, Program

__all__ = ["emit"]

I64 = ir.IntType(64)
BYTE = ir.IntType(8).as_pointer()
DOUBLE = ir.DoubleType()


def emit(program: Program, width: int) -> str:
    """LLVM assembly with the functions ``loop`` and ``loop32``, inner loops of a gufunc: (args, dims, steps, data).

    Samples are worked on ``width`` at a time by ``block``, whatever their number, place or strides, so that the bits of
    a result depend on its sample alone. What is not contiguous, the last few samples, and single precision (``loop32``)
    go through a buffer: all arithmetic is in double precision.
    """
    module = ir.Module(name=program.name)
    block = _emit_block(module, program, Lanes(width, DOUBLE))
    for name, number in (("loop", DOUBLE), ("loop32", ir.FloatType())):
        _emit_loop(module, program, block, width, number, name)
    return str(module)


def _emit_block(module: ir.Module, program: Program, lanes: Lanes) -> ir.Function:
    """void block(in_0, stride_0, ..., out_0, stride_0, ...): lane l of a port starts at its pointer plus l strides."""
    ports = (*program.inputs, *program.outputs)
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [BYTE, I64] * len(ports)), "block")
    function.linkage = "internal"
    function.attributes.add("noinline")
    for pointer in function.args[::2]:
        pointer.add_attribute("noalias")
    b = lanes.builder = ir.IRBuilder(function.append_basic_block())
    rows = [
        [b.gep(pointer, [b.mul(stride, I64(lane))]) for lane in range(lanes.width)]
        for pointer, stride in zip(function.args[::2], function.args[1::2], strict=True)
    ]
    entries = _read(program, lanes, rows)
    values: list[Any] = []
    trigonometry: dict[int, tuple[Any, Any]] = {}
    for node in program.nodes:
        if node.op == "const":
            values.append(lanes.constant(node.attr))
        elif node.op == "input":
            values.append(entries[node.attr])
        elif node.op in ("sin", "cos"):
            (angle,) = node.args
            if angle not in trigonometry:
                trigonometry[angle] = sincos(lanes, values[angle])
            values.append(trigonometry[angle][node.op == "cos"])
        else:
            values.append(RULES[node.op](lanes, *(values[a] for a in node.args)))
    for port_rows, results in zip(rows[len(program.inputs) :], program.results, strict=True):
        _write(lanes, [values[r] for r in results], port_rows)
    b.ret_void()
    return function


def _entry(lanes: Lanes, row: Any, k: int) -> Any:
    b = lanes.builder
    return b.bitcast(b.gep(row, [I64(k * lanes.size)]), lanes.real.as_pointer())


def _read(program: Program, lanes: Lanes, rows: list[list[Any]]) -> dict[tuple[int, int], Any]:
    """The entries of inputs that are used, one vector each: loaded side by side and transposed, the last few singly."""
    used = {node.attr for node in program.nodes if node.op == "input"}
    found: dict[tuple[int, int], Any] = {}
    for p, port in enumerate(program.inputs):
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


def _write(lanes: Lanes, values: list[Any], rows: list[Any]) -> None:
    """The entries of an output, one vector each, to the rows of their samples: transposed, the last few singly."""
    w = lanes.width
    whole = len(values) - len(values) % w
    if whole > UNROLLED * w:
        b = lanes.builder
        with b.goto_entry_block():
            scratch = b.alloca(lanes.type, whole)
        scratch.align = w * lanes.size
        for k, value in enumerate(values[:whole]):
            b.store(value, b.gep(scratch, [I64(k)]))
        with _counted(b, I64(0), I64(whole), w) as start:
            vectors = [b.load(b.gep(scratch, [b.add(start, I64(k))])) for k in range(w)]
            lanes.store_columns(vectors, [b.gep(row, [b.mul(start, I64(lanes.size))]) for row in rows])
    for start, count in _pieces(whole if whole > UNROLLED * w else 0, len(values), w):
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


def _emit_loop(module: ir.Module, program: Program, block: ir.Function, width: int, number: Any, name: str) -> None:
    """The inner loop of the gufunc: blocks straight from arrays where they are contiguous, else through a buffer."""
    outside, size = (8 if number is DOUBLE else 4), 8
    ports = (*program.inputs, *program.outputs)
    pointers = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), I64.as_pointer(), I64.as_pointer(), BYTE])
    function = ir.Function(module, pointers, name)
    b = ir.IRBuilder(function.append_basic_block())
    args, dims, steps, _ = function.args
    bases = [b.load(b.gep(args, [I64(k)])) for k in range(len(ports))]
    strides = [b.load(b.gep(steps, [I64(k)])) for k in range(len(ports))]
    cores = _core_strides(b, ports, steps)
    count = b.load(dims)
    contiguous = ir.IntType(1)(number is DOUBLE)
    for port, core in zip(ports, cores, strict=True):
        for stride, wanted in zip(core, _c_strides(port, outside), strict=True):
            contiguous = b.and_(contiguous, b.icmp_signed("==", stride, I64(wanted)))
    whole = b.select(contiguous, b.sub(count, b.srem(count, I64(width))), I64(0))

    with _counted(b, I64(0), whole, width) as i:
        places = [b.gep(base, [b.mul(i, stride)]) for base, stride in zip(bases, strides, strict=True)]
        b.call(block, [x for pair in zip(places, strides, strict=True) for x in pair])
    buffers = [_buffer(b, port.size * size * width) for port in ports]
    with _counted(b, whole, count, width) as i:
        # Lanes beyond the end repeat the last sample: the same numbers, written twice.
        last = b.sub(count, I64(1))
        steps_on = [b.add(i, I64(lane)) for lane in range(width)]
        samples = [b.select(b.icmp_signed("<", k, count), k, last) for k in steps_on]
        for lane, sample in enumerate(samples):
            for port, base, stride, core, buffer in _inputs(program, ports, bases, strides, cores, buffers):
                place = b.gep(base, [b.mul(sample, stride)])
                inside = b.gep(buffer, [I64(lane * port.size * size)])
                _copy(b, port, (place, core, number), (inside, _c_consts(port, size), DOUBLE))
        flat = [x for port, buffer in zip(ports, buffers, strict=True) for x in (buffer, I64(port.size * size))]
        b.call(block, flat)
        for lane, sample in enumerate(samples):
            for port, base, stride, core, buffer in _outputs(program, ports, bases, strides, cores, buffers):
                place = b.gep(base, [b.mul(sample, stride)])
                inside = b.gep(buffer, [I64(lane * port.size * size)])
                _copy(b, port, (inside, _c_consts(port, size), DOUBLE), (place, core, number))
    _forget_exceptions(module, b)
    b.ret_void()


def _forget_exceptions(module: ir.Module, b: ir.IRBuilder) -> None:
    """Clear the exception flags, so that NumPy does not warn: an infinity or NaN in a result says enough."""
    every, integer = 0x3D if platform.machine().lower() in ("x86_64", "amd64", "i386", "i686") else 0x1F, ir.IntType(32)
    name = "feclearexcept"
    clear = module.globals.get(name) or ir.Function(module, ir.FunctionType(integer, [integer]), name)
    b.call(clear, [integer(every)])


def _inputs(program: Program, *columns: Any) -> list[Any]:
    return list(zip(*(c[: len(program.inputs)] for c in columns), strict=True))


def _outputs(program: Program, *columns: Any) -> list[Any]:
    return list(zip(*(c[len(program.inputs) :] for c in columns), strict=True))


def _core_strides(b: ir.IRBuilder, ports: tuple[Port, ...], steps: Any) -> list[list[Any]]:
    """The strides of each port's own axes; NumPy lists them after the outer strides."""
    found, k = [], len(ports)
    for port in ports:
        found.append([b.load(b.gep(steps, [I64(k + axis)])) for axis in range(len(port.shape))])
        k += len(port.shape)
    return found


def _c_strides(port: Port, size: int) -> list[int]:
    strides = []
    for extent in reversed(port.shape):
        strides.append(size)
        size *= extent
    return strides[::-1]


def _c_consts(port: Port, size: int) -> list[Any]:
    return [I64(s) for s in _c_strides(port, size)]


def _buffer(b: ir.IRBuilder, size: int) -> Any:
    buffer = b.alloca(ir.ArrayType(ir.IntType(8), max(size, 1)))
    buffer.align = 64
    return b.bitcast(buffer, BYTE)


class _counted:
    """for i in range(start, stop, step): code emitted inside the with block."""

    def __init__(self, b: ir.IRBuilder, start: Any, stop: Any, step: int) -> None:
        self.b, self.start, self.stop, self.step = b, start, stop, step

    def __enter__(self) -> Any:
        b = self.b
        before = b.block
        self.head, self.body, self.done = (b.append_basic_block() for _ in range(3))
        b.branch(self.head)
        b.position_at_end(self.head)
        self.i = b.phi(I64)
        self.i.add_incoming(self.start, before)
        b.cbranch(b.icmp_signed("<", self.i, self.stop), self.body, self.done)
        b.position_at_end(self.body)
        return self.i

    def __exit__(self, *_: Any) -> None:
        b = self.b
        self.i.add_incoming(b.add(self.i, I64(self.step)), b.block)
        b.branch(self.head)
        b.position_at_end(self.done)


def _copy(b: ir.IRBuilder, port: Port, source: tuple[Any, Any, Any], target: tuple[Any, Any, Any]) -> None:
    """Copy the entries of one sample of a port, axis by axis; each side is a pointer, its strides and its numbers."""
    (source_pointer, source_strides, have), (target_pointer, target_strides, want) = source, target

    def level(axis: int, s: Any, t: Any) -> None:
        if axis == len(port.shape):
            value = b.load(b.bitcast(s, have.as_pointer()))
            if have is not want:
                value = b.fpext(value, want) if want is DOUBLE else b.fptrunc(value, want)
            b.store(value, b.bitcast(t, want.as_pointer()))
            return
        with _counted(b, I64(0), I64(port.shape[axis]), 1) as k:
            level(axis + 1, b.gep(s, [b.mul(k, source_strides[axis])]), b.gep(t, [b.mul(k, target_strides[axis])]))

    level(0, source_pointer, target_pointer)
