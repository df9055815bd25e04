"""The single call: a C function for Python that takes the arrays of one state and returns new ones.

It is the quick way for exactly what most calls have: contiguous arrays of float64 of the right shape. Everything else
(batches, lists, other numbers, keywords, mistakes) goes to the ``__call__`` of the object with the same arguments.

The flags of floating-point exceptions are left as they fall: NumPy clears them before it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.vectorcall import ARRAY, BASE, OBJECT_TYPE, SLOTS

__all__ = ["emit_call"]

I32, I64 = ir.IntType(32), ir.IntType(64)
POINTER = ir.IntType(8).as_pointer()
NULL = ir.Constant(POINTER, None)
#: NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED.
FLAGS = 0x0001 | 0x0100
#: The number of arguments without PY_VECTORCALL_ARGUMENTS_OFFSET, a mark in its highest bit.
COUNT = (1 << 63) - 1
Shape = tuple[int | str, ...]


def _constant(builder: ir.IRBuilder, data: Any, n: int | str) -> Any:
    return I64(n)


def emit_call(
    module: ir.Module,
    inputs: Sequence[Shape],
    outputs: Sequence[Shape],
    single: ir.Function,
    extent: Callable[[ir.IRBuilder, Any, int | str], Any] = _constant,
    may_fail: bool = False,
) -> None:
    """PyObject *call(PyObject *self, PyObject *const *args, size_t number, PyObject *keywords), around a block of one.

    ``self`` is an object that `vectorcall.attach` was given. ``inputs`` and ``outputs`` are the shapes of the arrays;
    ``extent(builder, data, n)`` is the code for one of their numbers, where it is not n itself. ``may_fail``: the block
    can set an exception.
    """
    kind = ir.FunctionType(POINTER, [POINTER, POINTER.as_pointer(), I64, POINTER])
    code = _Call(ir.Function(module, kind, "call"))
    b, (_, args, number, keywords) = code.b, code.function.args
    data = code.slot("data")

    def extents(shape: Shape) -> list[Any]:
        return [extent(b, data, n) for n in shape]

    code.need(b.icmp_unsigned("==", keywords, NULL))
    code.need(b.icmp_unsigned("==", b.and_(number, I64(COUNT)), I64(len(inputs))))
    places = [code.entries(b.load(b.gep(args, [I64(k)])), extents(shape)) for k, shape in enumerate(inputs)]
    arrays: list[Any] = []
    for shape in outputs:
        if shape:
            arrays.append(code.new(code.array(extents(shape)), arrays))
            places.append(code.field(arrays[-1], ARRAY["data"], POINTER))
        else:
            places.append(code.memory(ir.DoubleType()))
    b.call(single, [x for place in places for x in (place, I64(0))] + [data, NULL])
    if may_fail:
        code.stop_if(b.icmp_unsigned("!=", code.ask("PyErr_Occurred", POINTER), NULL), arrays)
    results: list[Any] = []
    for shape, place in zip(outputs, places[len(inputs) :], strict=True):
        results.append(arrays.pop(0) if shape else code.new(code.number(place), [*results, *arrays]))
    b.ret(results[0] if len(results) == 1 else code.tuple(results))
    code.finish()


class _Call:
    """The function while it is written: what it reads of objects, what it asks of Python and NumPy, its ways out."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.b = ir.IRBuilder(function.append_basic_block())
        self.slow = function.append_basic_block("slow")

    def field(self, thing: Any, offset: int, kind: Any) -> Any:
        """What an object holds at an offset."""
        return self.b.load(self.b.bitcast(self.b.gep(thing, [I64(offset)]), kind.as_pointer()))

    def slot(self, name: str) -> Any:
        return self.field(self.function.args[0], BASE + 8 * SLOTS.index(name), POINTER)

    def ask(self, name: str, result: Any, *arguments: Any) -> Any:
        """Call a function of Python or NumPy."""
        kind = ir.FunctionType(result, [a.type for a in arguments]).as_pointer()
        return self.b.call(self.b.bitcast(self.slot(name), kind), arguments)

    def need(self, condition: Any) -> None:
        """Go on where this holds, else the slow way."""
        further = self.function.append_basic_block()
        self.b.cbranch(condition, further, self.slow)
        self.b.position_at_end(further)

    def memory(self, kind: Any) -> Any:
        """A place on the stack."""
        with self.b.goto_entry_block():
            return self.b.bitcast(self.b.alloca(kind), POINTER)

    def entries(self, thing: Any, extents: list[Any]) -> Any:
        """The entries of an argument, which must be an array as the block expects it."""
        b = self.b
        self.need(b.icmp_unsigned("==", self.field(thing, OBJECT_TYPE, POINTER), self.slot("ndarray")))
        self.need(b.icmp_signed("==", self.field(thing, ARRAY["nd"], I32), I32(len(extents))))
        right = b.icmp_unsigned("==", self.field(thing, ARRAY["descr"], POINTER), self.slot("float64"))
        flags = b.and_(self.field(thing, ARRAY["flags"], I32), I32(FLAGS))
        right = b.and_(right, b.icmp_signed("==", flags, I32(FLAGS)))
        for axis, extent in enumerate(extents):
            found = self.field(self.field(thing, ARRAY["dimensions"], POINTER), 8 * axis, I64)
            right = b.and_(right, b.icmp_signed("==", found, extent))
        self.need(right)
        return self.field(thing, ARRAY["data"], POINTER)

    def array(self, extents: list[Any]) -> Any:
        """A new array."""
        b, shape = self.b, self.memory(ir.ArrayType(I64, len(extents)))
        for axis, extent in enumerate(extents):
            b.store(extent, b.bitcast(b.gep(shape, [I64(8 * axis)]), I64.as_pointer()))
        descr = self.slot("float64")
        self.ask("Py_IncRef", ir.VoidType(), descr)  # the array takes over one reference
        arguments = (self.slot("ndarray"), descr, I32(len(extents)), shape, NULL, NULL, I32(0), NULL)
        return self.ask("PyArray_NewFromDescr", POINTER, *arguments)

    def number(self, place: Any) -> Any:
        """A NumPy float64 with the number at this place, as a gufunc returns for an output without axes."""
        return self.ask("PyArray_Scalar", POINTER, place, self.slot("float64"), NULL)

    def tuple(self, items: list[Any]) -> Any:
        """A tuple that takes over its items."""
        made = self.new(self.ask("PyTuple_New", POINTER, I64(len(items))), items)
        for k, item in enumerate(items):
            self.ask("PyTuple_SetItem", I32, made, I64(k), item)
        return made

    def new(self, thing: Any, earlier: list[Any]) -> Any:
        """A new object, if there is one."""
        self.stop_if(self.b.icmp_unsigned("==", thing, NULL), earlier)
        return thing

    def stop_if(self, failed: Any, made: list[Any]) -> None:
        """Give up what was made and return NULL, for an exception is set."""
        stop, further = (self.function.append_basic_block() for _ in range(2))
        self.b.cbranch(failed, stop, further)
        self.b.position_at_end(stop)
        for thing in made:
            self.ask("Py_DecRef", ir.VoidType(), thing)
        self.b.ret(NULL)
        self.b.position_at_end(further)

    def finish(self) -> None:
        """The slow way: the Python function ``slow``, as a method of the object, with the same arguments."""
        self.b.position_at_end(self.slow)
        owner, args, number, keywords = self.function.args
        method = self.new(self.ask("PyMethod_New", POINTER, self.slot("slow"), owner), [])
        result = self.ask("PyObject_Vectorcall", POINTER, method, args, number, keywords)
        self.ask("Py_DecRef", ir.VoidType(), method)
        self.b.ret(result)
