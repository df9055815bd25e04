"""The inner loop of a NumPy gufunc, which calls a block for W samples at a time; and small parts of emitted code."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.on_demand import DATA, KNOWN, MADE, MAKER
from sixd.ir import Port, ShapedPort

__all__ = [
    "ALIGNMENT",
    "BOOL",
    "BYTE",
    "DOUBLE",
    "FLOAT",
    "I64",
    "NULL",
    "aligned",
    "allocate",
    "core_strides",
    "counted",
    "declare_loop",
    "emit_loop",
    "emit_stub",
    "finish_stream",
    "forget_exceptions",
    "library",
    "release",
    "reserve",
    "streams",
]

BOOL, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
BYTE = ir.IntType(8).as_pointer()
NULL = ir.Constant(BYTE, None)
DOUBLE, FLOAT = ir.DoubleType(), ir.FloatType()
#: Buffers of more bytes than this are not on the stack, which is small in some threads.
STACK = 1 << 16
#: If a call writes more bytes than this, which caches do not hold, it writes them past the caches.
STREAMED = 1 << 24
#: Memory for vectors starts at a multiple of this many bytes.
ALIGNMENT = 64


def declare_loop(module: ir.Module, name: str) -> ir.Function:
    """void name(args, dims, steps, data): an inner loop of a gufunc, without code."""
    kinds = [BYTE.as_pointer(), I64.as_pointer(), I64.as_pointer(), BYTE]
    return ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), name)


def emit_loop(
    module: ir.Module, inputs: Sequence[Port], outputs: Sequence[Port], block: ir.Function, lanes: Lanes
) -> None:
    """Emit ``loop``. It calls the block on the arrays themselves if they are contiguous, else on copies in buffers.

    The last samples, fewer than W, always go through buffers.
    """
    ports, number, size, width = (*inputs, *outputs), lanes.real, lanes.size, lanes.width
    function = declare_loop(module, "loop")
    b = ir.IRBuilder(function.append_basic_block())
    args, dims, steps, data = function.args
    bases = [b.load(b.gep(args, [I64(k)])) for k in range(len(ports))]
    strides = [b.load(b.gep(steps, [I64(k)])) for k in range(len(ports))]
    cores = core_strides(b, ports, steps)
    count = b.load(dims)
    contiguous = BOOL(1)
    stream = streams(b, count, [I64(port.size * size) for port in outputs])
    for port, core in zip(ports, cores, strict=True):
        for stride, wanted in zip(core, _c_strides(port, size), strict=True):
            contiguous = b.and_(contiguous, b.icmp_signed("==", stride, I64(wanted)))
    whole = b.select(contiguous, b.sub(count, b.srem(count, I64(width))), I64(0))

    with counted(b, I64(0), whole, width) as i:
        places = [b.gep(base, [b.mul(i, stride)]) for base, stride in zip(bases, strides, strict=True)]
        b.call(block, [*(x for pair in zip(places, strides, strict=True) for x in pair), data, stream])
    buffers, memory = _buffers(b, [port.size * size * width for port in ports], b.icmp_signed("<", whole, count))
    columns = list(zip(ports, bases, strides, cores, buffers, strict=True))
    flat = [x for port, buffer in zip(ports, buffers, strict=True) for x in (buffer, I64(port.size * size))]
    with counted(b, whole, count, width) as i:

        def move(some: slice, inward: bool) -> None:
            """Copy some ports of all lanes into the buffers, or out of them."""
            with counted(b, I64(0), I64(width), 1) as lane:
                # Lanes beyond the last sample repeat it: its results are written more than once.
                k, last = b.add(i, lane), b.sub(count, I64(1))
                sample = b.select(b.icmp_signed("<", k, count), k, last)
                for port, base, stride, core, buffer in columns[some]:
                    outside = b.gep(base, [b.mul(sample, stride)]), core
                    inside = b.gep(buffer, [b.mul(lane, I64(port.size * size))]), _c_consts(port, size)
                    _copy(b, port, number, *((outside, inside) if inward else (inside, outside)))

        move(slice(len(inputs)), inward=True)
        b.call(block, [*flat, data, BOOL(0)])
        move(slice(len(inputs), None), inward=False)
    finish_stream(b, stream)
    release(b, memory)
    forget_exceptions(module, b)
    b.ret_void()


def streams(b: ir.IRBuilder, count: Any, sizes: Sequence[Any]) -> Any:
    """Whether the results of ``count`` samples, with outputs of these sizes in bytes, are written past the caches.

    A store to memory that is not in a cache reads it first, which is in vain if all of it is overwritten. A store past
    the caches does not. It is worth it only for results that are not in a cache anyway when they are used.
    """
    total: Any = I64(0)
    for size in sizes:
        total = b.add(total, size)
    return b.icmp_unsigned(">", b.mul(count, total), I64(STREAMED))


def finish_stream(b: ir.IRBuilder, stream: Any) -> None:
    """Wait for stores past the caches, which other threads may see late."""
    with b.if_then(stream, likely=False):
        b.fence("seq_cst")


def emit_stub(module: ir.Module, name: str) -> None:
    """Emit a stub: it runs the loop that an `on_demand.Later` makes. ``data`` points to the words of that object."""
    function = declare_loop(module, name)
    b = ir.IRBuilder(function.append_basic_block())
    *arguments, data = function.args
    words = b.bitcast(data, I64.as_pointer())
    known, made, given, maker = (b.gep(words, [I64(k)]) for k in (KNOWN, MADE, DATA, MAKER))
    with b.if_then(b.icmp_unsigned("==", b.load_atomic(known, "acquire", 8), I64(0)), likely=False):
        # NumPy can run the loop many times in one call. Once an exception is set, the stub returns at once.
        held = b.call(library(module, "PyGILState_Ensure", I32, []), [])
        failed = b.icmp_unsigned("!=", b.call(library(module, "PyErr_Occurred", BYTE, []), []), NULL)
        with b.if_then(b.not_(failed)):
            result = b.call(library(module, "PyObject_CallNoArgs", BYTE, [BYTE]), [b.inttoptr(b.load(maker), BYTE)])
            with b.if_then(b.icmp_unsigned("!=", result, NULL)):
                b.call(library(module, "Py_DecRef", ir.VoidType(), [BYTE]), [result])
        b.call(library(module, "PyGILState_Release", ir.VoidType(), [I32]), [held])
        address = b.select(failed, I64(0), b.load(made))
        with b.if_then(b.icmp_unsigned("==", address, I64(0))):
            forget_exceptions(module, b)
            b.ret_void()
        b.store_atomic(address, known, "release", 8)  # now other threads use it, and see MADE and DATA
    loop = b.inttoptr(b.load(made), function.type)
    b.call(loop, [*arguments, b.inttoptr(b.load(given), BYTE)], tail=True)
    b.ret_void()


def forget_exceptions(module: ir.Module, b: ir.IRBuilder) -> None:
    """Clear the CPU's floating-point flags, so that NumPy does not warn: an infinity or NaN in a result says enough."""
    is_x86 = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
    all_exceptions = 0x3D if is_x86 else 0x1F  # FE_ALL_EXCEPT
    b.call(library(module, "feclearexcept", I32, [I32]), [I32(all_exceptions)])


def library(module: ir.Module, name: str, result: Any, arguments: list[Any]) -> Any:
    """A function from outside the module (of Python, of the C library, of LLVM), declared once."""
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, arguments), name)


def core_strides(b: ir.IRBuilder, ports: Sequence[Port | ShapedPort], steps: Any) -> list[list[Any]]:
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


def _buffers(b: ir.IRBuilder, sizes: list[int], needed: Any) -> tuple[list[Any], Any]:
    """Buffers of these sizes in bytes, and what to `release`. Large ones are allocated, and only if ``needed``."""
    if sum(sizes) <= STACK:
        return [reserve(b, max(size, 1))[0] for size in sizes], None
    rounded = [-(-size // ALIGNMENT) * ALIGNMENT for size in sizes]
    place, memory = reserve(b, sum(rounded), needed)
    return [b.gep(place, [I64(sum(rounded[:k]))]) for k in range(len(sizes))], memory


def reserve(b: ir.IRBuilder, size: int, needed: Any = None) -> tuple[Any, Any]:
    """Memory of ``size`` bytes, and what to `release`: None if it is on the stack.

    ``needed``, a condition known at run time: if it is false, the memory must not be used. If there is no memory,
    Python's MemoryError is set and the function that is being emitted returns.
    """
    if size <= STACK:
        return b.bitcast(b.alloca(ir.ArrayType(ir.IntType(8), size), align=ALIGNMENT), BYTE), None
    bytes_: Any = I64(size + ALIGNMENT)
    bytes_ = bytes_ if needed is None else b.select(needed, bytes_, I64(0))
    memory = allocate(b, bytes_)
    return b.inttoptr(aligned(b, memory), BYTE), memory


def allocate(b: ir.IRBuilder, size: Any) -> Any:
    """New memory. If there is none, Python's MemoryError is set and the function that is being emitted returns."""
    memory = b.call(library(b.module, "PyMem_RawMalloc", BYTE, [I64]), [size])
    with b.if_then(b.icmp_unsigned("==", memory, NULL), likely=False):
        state = b.call(library(b.module, "PyGILState_Ensure", I32, []), [])
        b.call(library(b.module, "PyErr_NoMemory", BYTE, []), [])
        b.call(library(b.module, "PyGILState_Release", ir.VoidType(), [I32]), [state])
        b.ret_void()
    return memory


def aligned(b: ir.IRBuilder, memory: Any) -> Any:
    """The first address of memory that is a multiple of `ALIGNMENT`, as a number."""
    return b.and_(b.add(b.ptrtoint(memory, I64), I64(ALIGNMENT - 1)), I64(-ALIGNMENT))


def release(b: ir.IRBuilder, memory: Any) -> None:
    """Free what `reserve` allocated; nothing if that was on the stack (None)."""
    if memory is not None:
        b.call(library(b.module, "PyMem_RawFree", ir.VoidType(), [BYTE]), [memory])


class counted:
    """Emits ``for i in range(start, stop, step)``. What is emitted inside the with statement is the loop's body."""

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


def _copy(b: ir.IRBuilder, port: Port, number: Any, source: tuple[Any, Any], target: tuple[Any, Any]) -> None:
    """Copy the entries of one sample of a port, axis by axis. Source and target are a pointer and its strides."""
    (source_pointer, source_strides), (target_pointer, target_strides) = source, target

    def level(axis: int, s: Any, t: Any) -> None:
        if axis == len(port.shape):
            b.store(b.load(b.bitcast(s, number.as_pointer())), b.bitcast(t, number.as_pointer()))
            return
        with counted(b, I64(0), I64(port.shape[axis]), 1) as k:
            level(axis + 1, b.gep(s, [b.mul(k, source_strides[axis])]), b.gep(t, [b.mul(k, target_strides[axis])]))

    level(0, source_pointer, target_pointer)
