"""The rule of NaN in machine code: a sample with an input that is not finite has NaN in every result.

0 x is zero for finite x, and NaN for all other x. So the sum of 0 x over all inputs, called *doubt*, is zero if all are
finite and NaN if one is not. That takes one instruction for each input. The results are computed as always; where the
sum is NaN, which is rare, they are overwritten at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import nan
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.gufunc_loop import BYTE, I64, counted
from sixd.ir import Port

__all__ = ["bad_rows", "checked", "doubt", "doubt_of_arrays", "overwrite", "overwrite_vectors"]

I1, I32 = ir.IntType(1), ir.IntType(32)
#: How many numbers of one sample are checked at once. Wider vectors slow down the scalar code around them.
TOGETHER = 4
#: The number of partial sums. With several, an addition need not wait for the one before it.
SUMS = 4
#: More numbers of one sample than this are checked in a loop.
UNROLLED = 64


def doubt(lanes: Lanes, vectors: Iterable[Any]) -> Any:
    """The sum of 0 x over some vectors: in each lane zero, or NaN."""
    sums: list[Any] = [lanes.constant(0.0)] * SUMS
    for k, vector in enumerate(vectors):
        sums[k % SUMS] = lanes.call("llvm.fma", vector, lanes.constant(0.0), sums[k % SUMS])
    return _total(lanes.builder, sums)


def doubt_of_arrays(lanes: Lanes, arrays: Sequence[tuple[Any, Any]]) -> Any:
    """The same over arrays of vectors: (address, length)."""
    b, zero = lanes.builder, lanes.constant(0.0)
    with b.goto_entry_block():
        sums = [b.alloca(lanes.type) for _ in range(SUMS)]
    for place in sums:
        b.store(zero, place)

    def add(place: Any, vectors: Any, k: Any) -> None:
        vector = b.load(b.gep(vectors, [k]), align=lanes.size)
        b.store(lanes.call("llvm.fma", vector, zero, b.load(place)), place)

    for vectors, size in arrays:
        whole = b.sub(size, b.urem(size, I64(SUMS)))
        with counted(b, I64(0), whole, SUMS) as start:
            for j, place in enumerate(sums):
                add(place, vectors, b.add(start, I64(j)))
        with counted(b, whole, size, 1) as k:
            add(sums[0], vectors, k)
    return _total(b, [b.load(place) for place in sums])


def bad_rows(lanes: Lanes, rows: Sequence[Sequence[tuple[Any, Any]]]) -> Any:
    """Which samples have an entry that is not finite: bit l of an integer for lane l.

    ``rows[l]`` lists (address, number) of adjacent numbers to check; the number is an int or a value of LLVM.
    """
    b = lanes.builder
    mask: Any = I64(0)
    for lane, places in enumerate(rows):
        bad: Any = I1(0)
        for place, size in places:
            unrolled = isinstance(size, int) and size <= UNROLLED
            bad = b.or_(bad, _is_bad(lanes, place, size) if unrolled else b.call(_judge(lanes), [place, _i64(size)]))
        mask = b.or_(mask, b.shl(b.zext(bad, I64), I64(lane)))
    return mask


def overwrite(lanes: Lanes, bad: Any, outputs: Sequence[tuple[Any, Any, Any]]) -> None:
    """Write NaN to all outputs of bad samples. ``bad`` is a result of `doubt` or `bad_rows`.

    An output is the address of lane 0, the stride between lanes in bytes, and the number of entries.
    """
    b = lanes.builder
    mask = bad if bad.type == I64 else b.zext(_bits(b, bad), I64)
    with b.if_then(b.icmp_unsigned("!=", mask, I64(0)), likely=False):
        for place, stride, size in outputs:
            b.call(_filler(lanes), [mask, place, stride, _i64(size)])


def overwrite_vectors(lanes: Lanes, bad: Any, arrays: Sequence[tuple[Any, Any]]) -> None:
    """Write NaN to the lanes of arrays of vectors (address, length) where ``bad``, a result of `doubt`, is NaN."""
    b = lanes.builder
    with b.if_then(b.icmp_unsigned("!=", _bits(b, bad), ir.IntType(lanes.width)(0)), likely=False):
        known = b.fcmp_ordered("ord", bad, bad)
        for vectors, size in arrays:
            with counted(b, I64(0), size, 1) as k:
                place = b.gep(vectors, [k])
                b.store(b.select(known, b.load(place), lanes.constant(nan)), place)


def checked(ports: Sequence[Port], places: Sequence[Any]) -> list[tuple[Any, int]]:
    """(address, number) of the entries of one sample that must be finite."""
    return [(place, port.size) for port, place in zip(ports, places, strict=False) if port.finite]


def _total(b: ir.IRBuilder, sums: Sequence[Any]) -> Any:
    total = sums[0]
    for other in sums[1:]:
        total = b.fadd(total, other)
    return total


def _bits(b: ir.IRBuilder, vector: Any) -> Any:
    """Which lanes are NaN, one bit each."""
    return b.bitcast(b.fcmp_unordered("uno", vector, vector), ir.IntType(vector.type.count))


def _i64(n: Any) -> Any:
    return I64(n) if isinstance(n, int) else n


def _is_bad(lanes: Lanes, place: Any, size: int) -> Any:
    """Whether one of ``size`` adjacent numbers is not finite. `TOGETHER` of them are checked at once."""
    b = lanes.builder
    bad: Any = I1(0)
    start = 0
    for count in (TOGETHER, 2, 1):
        several = Lanes(count, lanes.real)
        several.builder = b
        stop = size - size % count
        if start < stop:
            vectors = [_load(several, place, I64(k)) for k in range(start, stop, count)]
            bits = _bits(b, doubt(several, vectors))
            bad, start = b.or_(bad, b.icmp_unsigned("!=", bits, ir.IntType(count)(0))), stop
    return bad


def _load(lanes: Lanes, place: Any, k: Any) -> Any:
    """The vector of adjacent numbers that starts at number k from ``place``."""
    b = lanes.builder
    where = b.bitcast(b.gep(place, [b.mul(k, I64(lanes.size))]), lanes.type.as_pointer())
    return b.load(where, align=lanes.size)


def _judge(lanes: Lanes) -> ir.Function:
    """i1 judge(place, size): whether one of ``size`` adjacent numbers is not finite. Emitted once for a module."""
    module, name = lanes.module, "judge" if lanes.double else "judge32"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(I1, [BYTE, I64]), name)
    function.linkage = "internal"
    place, size = function.args
    several = Lanes(TOGETHER, lanes.real)
    b = several.builder = ir.IRBuilder(function.append_basic_block())
    whole = b.sub(size, b.urem(size, I64(TOGETHER)))
    vectors = b.bitcast(place, several.type.as_pointer())
    total = doubt_of_arrays(several, [(vectors, b.udiv(whole, I64(TOGETHER)))])
    one = Lanes(1, lanes.real)
    one.builder = b
    rest = b.bitcast(b.gep(place, [b.mul(whole, I64(lanes.size))]), one.type.as_pointer())
    left = doubt_of_arrays(one, [(rest, b.sub(size, whole))])
    bits = [b.icmp_unsigned("!=", _bits(b, x), ir.IntType(x.type.count)(0)) for x in (total, left)]
    b.ret(b.or_(*bits))
    return function


def _filler(lanes: Lanes) -> ir.Function:
    """void fill(mask, place, stride, size): write NaN to the samples whose bit is set. Emitted once for a module."""
    module, name = lanes.module, "fill" if lanes.double else "fill32"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64, BYTE, I64, I64]), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    mask, place, stride, size = function.args
    b = ir.IRBuilder(function.append_basic_block())
    with counted(b, I64(0), I64(64), 1) as lane:
        bit = b.and_(b.lshr(mask, lane), I64(1))
        with b.if_then(b.icmp_unsigned("!=", bit, I64(0))):
            row = b.bitcast(b.gep(place, [b.mul(lane, stride)]), lanes.real.as_pointer())
            with counted(b, I64(0), size, 1) as k:
                b.store(lanes.real(nan), b.gep(row, [k]))
    b.ret_void()
    return function
