"""The single call: a C function that Python calls with the arrays of one state. It returns new arrays or fills ``out``.

It is fast, and takes what most calls have: contiguous arrays of float64 of the right shape, by position or by name, and
perhaps ``out=``. Everything else (batches, lists, other numbers, mistakes) goes *the slow way*: to the ``__call__`` of
the object, with the same arguments.

One function serves all kernels. What differs between them is in the slots of the object that is called (see
`vectorcall.SLOTS`). The slot ``plan`` points to 64-bit words:

    number of inputs, number of outputs,
    the addresses of the names of the inputs, and of "out",
    for each port: number of axes, size in bytes, extents

The slot ``nonzero`` is null, or points to words as well. They describe groups of entries that must not all be zero,
such as a quaternion: the number of groups, then for each the input, the first entry and the number of entries. A state
with a group of zeros goes the slow way, where the mistake is explained.

The CPU's floating-point flags are not cleared: NumPy does so before it computes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.cache import Cache, default_directory
from sixd.backends.llvm.gufunc_loop import counted
from sixd.backends.llvm.target import Module, compile_module
from sixd.backends.llvm.vectorcall import ARRAY, BASE, DTYPE, FLOAT64, NATIVE, OBJECT_TYPE, SLOTS

__all__ = ["call_module", "emit_one_state"]

BOOL, BYTE, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
DOUBLE, POINTER = ir.DoubleType(), BYTE.as_pointer()
NULL = ir.Constant(POINTER, None)
#: NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED; arrays that are written to also need NPY_ARRAY_WRITEABLE.
READ = 0x0001 | 0x0100
WRITE = READ | 0x0400
#: Clears PY_VECTORCALL_ARGUMENTS_OFFSET, a flag in the highest bit of the number of arguments.
COUNT = (1 << 63) - 1


def emit_one_state(module: ir.Module, ports: int, block: ir.Function) -> None:
    """void one_state(void **places, void *data): calls a block for one state, with the addresses of its ports."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER.as_pointer(), POINTER]), "one_state")
    b = ir.IRBuilder(function.append_basic_block())
    places = [b.load(b.gep(function.args[0], [I64(k)])) for k in range(ports)]
    b.call(block, [x for place in places for x in (place, I64(0))] + [function.args[1], BOOL(0)])
    b.ret_void()


@cache
def call_module() -> Module:
    """The machine code of the function ``call``, for `vectorcall.attach`."""
    return compile_module(_emit, "single call", Cache(default_directory()), {"title": "the single call of all kernels"})


def _emit() -> str:
    module = ir.Module()
    kind = ir.FunctionType(POINTER, [POINTER, POINTER.as_pointer(), I64, POINTER])
    _Call(ir.Function(module, kind, "call")).emit()
    return str(module)


class _Call:
    """Emits PyObject *call(PyObject *self, PyObject *const *args, size_t number, PyObject *keywords)."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.b = b = ir.IRBuilder(function.append_basic_block())
        self.slow, self.stop = (function.append_basic_block(name) for name in ("slow", "stop"))
        self.plan = b.bitcast(self.slot("plan"), I64.as_pointer())
        self.inputs, self.outputs = (b.load(b.gep(self.plan, [I64(k)])) for k in range(2))
        self.ports = b.gep(self.plan, [b.add(self.inputs, I64(3))])
        total = b.add(self.inputs, self.outputs)
        #: For each input its array, then ``out``; for each port the address and bytes of its entries; for each output
        #: its object, and room for a number.
        self.given = b.alloca(POINTER, b.add(self.inputs, I64(1)))
        self.places, self.sizes = b.alloca(POINTER, total), b.alloca(I64, total)
        self.made, self.numbers = b.alloca(POINTER, self.outputs), b.alloca(DOUBLE, self.outputs)
        #: The next port in the plan, and results of searches.
        self.cursor, self.found, self.any = b.alloca(I64.as_pointer()), b.alloca(I64), b.alloca(BOOL)

    def emit(self) -> None:
        b = self.b
        with self.each(self.outputs) as k:
            self.put(self.made, k, NULL)
        b.store(self.ports, self.cursor)
        arrays, out = self.arguments()
        with self.each(self.inputs) as k:
            self.put(self.places, k, self.entries(self.item(arrays, k), READ))
            self.next_port(k)
        self.need_nonzero()
        with self.each(self.outputs) as k:
            self.output(k, out)
        kind = ir.FunctionType(ir.VoidType(), [POINTER.as_pointer(), POINTER]).as_pointer()
        b.call(b.bitcast(self.slot("single"), kind), [self.places, self.slot("data")])
        self.stop_if(b.icmp_unsigned("!=", self.ask("PyErr_Occurred", POINTER), NULL))
        with self.each(self.outputs) as k, b.if_then(self.is_null(self.item(self.made, k))):
            self.put(self.made, k, self.number(b.gep(self.numbers, [k])))
            self.stop_if(self.is_null(self.item(self.made, k)))
        with b.if_then(b.icmp_signed("==", self.outputs, I64(1))):
            b.ret(self.item(self.made, I64(0)))
        self.return_tuple()
        self.finish()

    # ---- the arguments

    def arguments(self) -> tuple[Any, Any]:
        """The arrays of the inputs in their order, and ``out``, which is null if it is not given."""
        b, (_, args, number, keywords) = self.b, self.function.args
        number = b.and_(number, I64(COUNT))
        self.put(self.given, self.inputs, NULL)
        with b.if_else(self.is_null(keywords)) as (by_position, by_name):
            with by_position:
                self.need(b.icmp_signed("==", number, self.inputs))
                first = b.block
            with by_name:
                self.by_name(args, number, keywords)
                second = b.block
        arrays = b.phi(POINTER.as_pointer())
        arrays.add_incoming(args, first)
        arrays.add_incoming(self.given, second)
        out = self.item(self.given, self.inputs)
        # ``out`` with several outputs goes the slow way.
        self.need(b.or_(self.is_null(out), b.icmp_signed("==", self.outputs, I64(1))))
        return arrays, out

    def by_name(self, args: Any, number: Any, keywords: Any) -> None:
        """Sort arguments by name. Names are compared by address, since Python keeps each name once (it is interned).

        If a name is not found that way, or an argument is given twice or missing, go the slow way.
        """
        b = self.b
        names = b.bitcast(b.gep(self.plan, [I64(2)]), POINTER.as_pointer())
        count = self.ask("PyTuple_Size", I64, keywords)
        self.need(b.icmp_signed("<=", number, self.inputs))
        with self.each(self.inputs) as k:
            self.put(self.given, k, NULL)
        with self.each(number) as k:
            self.put(self.given, k, self.item(args, k))
        with self.each(count) as k:
            name, value = self.ask("PyTuple_GetItem", POINTER, keywords, k), self.item(args, b.add(number, k))
            b.store(I64(-1), self.found)
            with self.each(b.add(self.inputs, I64(1))) as j, b.if_then(self.same(self.item(names, j), name)):
                b.store(j, self.found)
            place = b.load(self.found)
            self.need(b.icmp_signed(">=", place, I64(0)))
            self.need(self.is_null(self.item(self.given, place)))
            self.put(self.given, place, value)
        with self.each(self.inputs) as k:
            self.need(b.not_(self.is_null(self.item(self.given, k))))
        with b.if_then(self.same(self.item(self.given, self.inputs), self.slot("None"))):
            self.put(self.given, self.inputs, NULL)

    def entries(self, thing: Any, flags: int) -> Any:
        """The address of an array's entries. If the array is not as the next port in the plan, go the slow way."""
        b, port = self.b, self.port()
        self.need(self.same(self.field(thing, OBJECT_TYPE, POINTER), self.slot("ndarray")))
        axes = b.load(port)
        self.need(b.icmp_signed("==", b.sext(self.field(thing, ARRAY["nd"], I32), I64), axes))
        right = self.is_float64(self.field(thing, ARRAY["descr"], POINTER))
        found = b.and_(self.field(thing, ARRAY["flags"], I32), I32(flags))
        self.need(b.and_(right, b.icmp_signed("==", found, I32(flags))))
        dimensions = b.bitcast(self.field(thing, ARRAY["dimensions"], POINTER), I64.as_pointer())
        with self.each(axes) as axis:
            needed = b.load(b.gep(port, [b.add(axis, I64(2))]))
            self.need(b.icmp_signed("==", b.load(b.gep(dimensions, [axis])), needed))
        return self.field(thing, ARRAY["data"], POINTER)

    def is_float64(self, descr: Any) -> Any:
        """Whether a dtype is float64 in the machine's order of bytes. Arrays from a pickle have one of their own."""
        b = self.b
        number = b.icmp_signed("==", self.field(descr, DTYPE["number"], I32), I32(FLOAT64))
        return b.and_(number, b.icmp_signed("==", self.field(descr, DTYPE["order"], BYTE), BYTE(NATIVE)))

    def next_port(self, k: Any) -> None:
        """Note the bytes of port k, and move on to the next port in the plan."""
        b, port = self.b, self.port()
        b.store(b.load(b.gep(port, [I64(1)])), b.gep(self.sizes, [k]))
        b.store(b.gep(port, [b.add(b.load(port), I64(2))]), self.cursor)

    def need_nonzero(self) -> None:
        """Go the slow way if all entries of a group of ``nonzero`` are zero."""
        b = self.b
        groups = self.slot("nonzero")
        with b.if_then(b.not_(self.is_null(groups))):
            words = b.bitcast(groups, I64.as_pointer())
            with self.each(b.load(words)) as k:
                group = b.gep(words, [b.add(b.mul(k, I64(3)), I64(1))])
                port, first, number = (b.load(b.gep(group, [I64(j)])) for j in range(3))
                entries = b.gep(b.bitcast(self.item(self.places, port), DOUBLE.as_pointer()), [first])
                b.store(BOOL(0), self.any)
                with self.each(number) as j:
                    other = b.fcmp_unordered("!=", b.load(b.gep(entries, [j])), DOUBLE(0.0))
                    b.store(b.or_(b.load(self.any), other), self.any)
                self.need(b.load(self.any))

    # ---- the results

    def output(self, k: Any, out: Any) -> None:
        """Find memory for an output: the stack for a number, else a new array or ``out``."""
        b, port = self.b, self.b.add(self.inputs, k)
        with b.if_else(b.icmp_signed("==", b.load(self.port()), I64(0))) as (number, array):
            with number:
                self.need(self.is_null(out))
                self.put(self.places, port, b.bitcast(b.gep(self.numbers, [k]), POINTER))
            with array:
                with b.if_else(self.is_null(out)) as (new, given):
                    with new:
                        self.put(self.made, k, self.array())
                        self.stop_if(self.is_null(self.item(self.made, k)))
                    with given:
                        self.need_apart(self.entries(out, WRITE))
                        self.ask("Py_IncRef", ir.VoidType(), out)
                        self.put(self.made, k, out)
                self.put(self.places, port, self.field(self.item(self.made, k), ARRAY["data"], POINTER))
        self.next_port(port)

    def need_apart(self, place: Any) -> None:
        """Go the slow way if ``out``, with its entries at ``place``, shares memory with an input."""
        b = self.b
        start = b.ptrtoint(place, I64)
        end = b.add(start, b.load(b.gep(self.port(), [I64(1)])))
        with self.each(self.inputs) as k:
            first = b.ptrtoint(self.item(self.places, k), I64)
            last = b.add(first, b.load(b.gep(self.sizes, [k])))
            self.need(b.or_(b.icmp_unsigned("<=", end, first), b.icmp_unsigned("<=", last, start)))

    def array(self) -> Any:
        """A new array for the next port in the plan; null if there is no memory."""
        b, port = self.b, self.port()
        descr = self.slot("float64")
        self.ask("Py_IncRef", ir.VoidType(), descr)  # the new array takes over one reference
        shape = b.bitcast(b.gep(port, [I64(2)]), POINTER)
        arguments = (self.slot("ndarray"), descr, b.trunc(b.load(port), I32), shape, NULL, NULL, I32(0), NULL)
        return self.ask("PyArray_NewFromDescr", POINTER, *arguments)

    def number(self, place: Any) -> Any:
        """A NumPy float64 of the number at this address, as a gufunc returns it for an output without axes."""
        return self.ask("PyArray_Scalar", POINTER, self.b.bitcast(place, POINTER), self.slot("float64"), NULL)

    def return_tuple(self) -> None:
        """Return the results in a tuple, which takes over the references to them, or in a named tuple made of it."""
        b = self.b
        made = self.ask("PyTuple_New", POINTER, self.outputs)
        self.stop_if(self.is_null(made))
        with self.each(self.outputs) as k:
            self.ask("PyTuple_SetItem", I32, made, k, self.item(self.made, k))
        with b.if_then(self.is_null(self.slot("named"))):
            b.ret(made)
        arguments = self.ask("PyTuple_New", POINTER, I64(1))
        with b.if_then(self.is_null(arguments)):
            self.ask("Py_DecRef", ir.VoidType(), made)
            b.ret(NULL)
        self.ask("PyTuple_SetItem", I32, arguments, I64(0), made)
        named = self.ask("tuple_new", POINTER, self.slot("named"), arguments, NULL)
        self.ask("Py_DecRef", ir.VoidType(), arguments)
        b.ret(named)

    def finish(self) -> None:
        """Emit the exits. ``stop``: an exception is set; delete what was made. ``slow``: call ``slow`` as a method."""
        b = self.b
        b.position_at_end(self.stop)
        with self.each(self.outputs) as k, b.if_then(b.not_(self.is_null(self.item(self.made, k)))):
            self.ask("Py_DecRef", ir.VoidType(), self.item(self.made, k))
        b.ret(NULL)
        b.position_at_end(self.slow)
        owner, args, number, keywords = self.function.args
        method = self.ask("PyMethod_New", POINTER, self.slot("slow"), owner)
        with b.if_then(self.is_null(method)):
            b.ret(NULL)
        result = self.ask("PyObject_Vectorcall", POINTER, method, args, number, keywords)
        self.ask("Py_DecRef", ir.VoidType(), method)
        b.ret(result)

    # ---- small steps

    def field(self, thing: Any, offset: int, kind: Any) -> Any:
        """The field of an object at an offset."""
        return self.b.load(self.b.bitcast(self.b.gep(thing, [I64(offset)]), kind.as_pointer()))

    def slot(self, name: str) -> Any:
        return self.field(self.function.args[0], BASE + 8 * SLOTS.index(name), POINTER)

    def ask(self, name: str, result: Any, *arguments: Any) -> Any:
        """Call a function of Python or NumPy."""
        kind = ir.FunctionType(result, [a.type for a in arguments]).as_pointer()
        return self.b.call(self.b.bitcast(self.slot(name), kind), arguments)

    def port(self) -> Any:
        """The address of the next port in the plan."""
        return self.b.load(self.cursor)

    def each(self, number: Any) -> Any:
        """A loop over 0 ... number - 1."""
        return counted(self.b, I64(0), number, 1)

    def item(self, array: Any, k: Any) -> Any:
        return self.b.load(self.b.gep(array, [k]))

    def put(self, array: Any, k: Any, value: Any) -> None:
        self.b.store(value, self.b.gep(array, [k]))

    def same(self, left: Any, right: Any) -> Any:
        return self.b.icmp_unsigned("==", left, right)

    def is_null(self, pointer: Any) -> Any:
        return self.same(pointer, NULL)

    def need(self, condition: Any) -> None:
        """Go the slow way unless this condition holds."""
        self._leave_unless(condition, self.slow)

    def stop_if(self, failed: Any) -> None:
        """Return null if something failed, with an exception set."""
        self._leave_unless(self.b.not_(failed), self.stop)

    def _leave_unless(self, condition: Any, way_out: Any) -> None:
        further = self.function.append_basic_block()
        self.b.cbranch(condition, further, way_out)
        self.b.position_at_end(further)
