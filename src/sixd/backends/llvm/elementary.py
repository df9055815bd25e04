"""Vectors of lanes, and sine and cosine on them.

LLVM's own vector intrinsics call the C library once per lane. Here the angle is reduced to [-pi/4, pi/4] by subtracting
a multiple of pi/2 in several parts (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980), where
both functions are polynomials. Lanes with an angle beyond 1e5, where the reduction would lose digits, call the C
library. Double and single precision differ in their constants alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sixd.backends.llvm import builder as ir

__all__ = ["Lanes", "sincos", "sincos_together"]

I32, I64 = ir.IntType(32), ir.IntType(64)


class Lanes:
    """Emits operations on vectors of ``width`` numbers; the position of a number in a vector is its *lane*.

    ``real`` is LLVM's type of a number, double or float.
    """

    builder: ir.IRBuilder

    def __init__(self, width: int, real: Any) -> None:
        self.width, self.real = width, real
        self.double = real is ir.DoubleType()
        #: The bytes of a number.
        self.size = 8 if self.double else 4
        self.type = ir.VectorType(real, width)
        self.bits = ir.VectorType(ir.IntType(8 * self.size), width)

    @property
    def module(self) -> ir.Module:
        return self.builder.module

    def constant(self, x: float) -> Any:
        """The same number in every lane. For single precision it is rounded, and infinite from 3.5e38 on."""
        if not self.double:
            with np.errstate(all="ignore"):
                x = float(np.float32(x))
        return self.type.splat(x)

    def spread(self, x: Any) -> Any:
        """A number that is known at run time, in every lane."""
        one = self.builder.insert_element(self.type(ir.Undefined), x, I32(0))
        return self.builder.shuffle_vector(one, one, ir.VectorType(I32, self.width).splat(0))

    def integer(self, x: int) -> Any:
        return self.bits.splat(x)

    def load_columns(self, places: Sequence[Any], count: int) -> list[Any]:
        """Load ``count`` adjacent numbers from the address of each lane, as ``count`` vectors over the lanes.

        This is a transpose. ``count`` is a power of two up to the width. What lanes k, k + count, k + 2 count, ... load
        is joined to one vector, and `_exchange` does the rest.
        """
        piece = ir.VectorType(self.real, count).as_pointer()
        pieces = [self.builder.load(self.builder.bitcast(p, piece), align=self.size) for p in places]
        return self._exchange([self._joined(pieces[k::count]) for k in range(count)])

    def store_columns(self, vectors: Sequence[Any], places: Sequence[Any]) -> None:
        """The reverse of `load_columns`: store vectors over the lanes, as adjacent numbers at the address of each."""
        count = len(vectors)
        piece = ir.VectorType(self.real, count)
        for k, vector in enumerate(self._exchange(list(vectors))):
            for part, place in enumerate(places[k::count]):
                order = [part * count + j for j in range(count)]
                value = vector if count == self.width else self._shuffle(vector, vector, order)
                self.builder.store(value, self.builder.bitcast(place, piece.as_pointer()), align=self.size)

    def stream_columns(self, vectors: Sequence[Any], places: Sequence[Any]) -> None:
        """The same past the caches: the address of each lane is a multiple of the bytes stored, or of half a vector."""
        count = len(vectors)
        piece = ir.VectorType(self.real, min(count, self.width // 2))
        for k, vector in enumerate(self._exchange(list(vectors))):
            for part, place in enumerate(places[k::count]):
                target = self.builder.bitcast(place, piece.as_pointer())
                for j in range(count // piece.count):
                    first = part * count + j * piece.count
                    value = self._shuffle(vector, vector, list(range(first, first + piece.count)))
                    self.builder.store_past_caches(value, self.builder.gep(target, [I64(j)]), piece.count * self.size)

    def _exchange(self, rows: list[Any]) -> list[Any]:
        """Transpose len(rows) vectors, seen as squares of len(rows) x len(rows) entries side by side.

        Pairs of vectors exchange runs of 1, 2, 4, ... entries. For four floats or more, interleaving pairs of vectors
        twice replaces the first two exchanges, in one instruction each.
        """
        step = 1
        if self.size == 4 and len(rows) >= 4:
            for step in (2, 1):
                self._take_turns(rows, step)
            step = 4
        while step < len(rows):
            low = [j if not j & step else self.width + j - step for j in range(self.width)]
            high = [j + step if not j & step else self.width + j for j in range(self.width)]
            for i in (i for i in range(len(rows)) if not i & step):
                a, b = rows[i], rows[i + step]
                rows[i], rows[i + step] = self._shuffle(a, b, low), self._shuffle(a, b, high)
            step *= 2
        return rows

    def _take_turns(self, rows: list[Any], step: int) -> None:
        """Interleave vectors a and b that are ``step`` apart: of each four entries, to a0 b0 a1 b1 and a2 b2 a3 b3."""
        low = [k for j in range(0, self.width, 4) for k in (j, self.width + j, j + 1, self.width + j + 1)]
        for i in (i for i in range(len(rows)) if not i & step):
            a, b = rows[i], rows[i + step]
            rows[i], rows[i + step] = self._shuffle(a, b, low), self._shuffle(a, b, [k + 2 for k in low])

    def _joined(self, pieces: list[Any]) -> Any:
        """Concatenate vectors."""
        while len(pieces) > 1:
            length = 2 * pieces[0].type.count
            pieces = [self._shuffle(a, b, list(range(length))) for a, b in zip(pieces[::2], pieces[1::2], strict=True)]
        return pieces[0]

    def _shuffle(self, a: Any, b: Any, order: list[int]) -> Any:
        return self.builder.shuffle_vector(a, b, _order(tuple(order)))

    def call(self, intrinsic: str, *arguments: Any) -> Any:
        """An LLVM intrinsic on all lanes."""
        name = f"{intrinsic}.v{self.width}f{8 * self.size}"
        function = self.module.globals.get(name) or ir.Function(
            self.module, ir.FunctionType(self.type, [self.type] * len(arguments)), name
        )
        return self.builder.call(function, arguments)

    def each(self, name: str, *arguments: Any) -> Any:
        """A function of the C library, lane by lane; its name in single precision ends with f."""
        name = name if self.double else f"{name}f"
        function = self.module.globals.get(name) or ir.Function(
            self.module, ir.FunctionType(self.real, [self.real] * len(arguments)), name
        )
        value = self.type(ir.Undefined)
        for lane in range(self.width):
            entries = [self.builder.extract_element(a, I32(lane)) for a in arguments]
            value = self.builder.insert_element(value, self.builder.call(function, entries), I32(lane))
        return value


@cache
def _order(order: tuple[int, ...]) -> ir.Value:
    """The operand of a shuffle that tells which entries it takes."""
    return ir.VectorType(I32, len(order))(order)


class _Trigonometry(NamedTuple):
    """The constants of sine and cosine: sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z), z = r^2.

    Minimax polynomials on |r| <= pi/4, the highest power first (S. L. Moshier, Cephes: sin.c, sinf.c).
    """

    #: The sum of these is pi/2.
    parts: tuple[float, ...]
    sine: tuple[float, ...]
    cosine: tuple[float, ...]
    #: A sum with this number is rounded to an integer, which is in the low bits of the sum.
    round: float


#: The first three parts of pi/2 have at most 33 bits, so their products with an integer below 2^20 are exact.
_DOUBLE = _Trigonometry(
    (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21, 8.47842766036889956997e-32),
    (
        1.58962301576546568060e-10,
        -2.50507477628578072866e-8,
        2.75573136213857245213e-6,
        -1.98412698295895385996e-4,
        8.33333333332211858878e-3,
        -1.66666666666666307295e-1,
    ),
    (
        -1.13585365213876817300e-11,
        2.08757008419747316778e-9,
        -2.75573141792967388112e-7,
        2.48015872888517045348e-5,
        -1.38888888888730564116e-3,
        4.16666666666665929218e-2,
    ),
    1.5 * 2.0**52,
)
#: Each part of pi/2 is the rest after the parts before it, rounded to 24 bits. The fused x - k P1 is exact: the result
#: is below 1 and a multiple of the last place of P1. The next two steps are rounded. The third matters only where the
#: second leaves a small number, which has a small rounding error then.
_SINGLE = _Trigonometry(
    (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
    (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
    1.5 * 2.0**23,
)
#: The largest angle whose reduction is accurate.
LARGEST = 1.0e5


def sincos(v: Lanes, x: Any) -> tuple[Any, Any]:
    """Sine and cosine of every lane."""
    b, numbers = v.builder, _DOUBLE if v.double else _SINGLE
    small = b.fcmp_ordered("<=", v.call("llvm.fabs", x), v.constant(LARGEST))
    shifted = v.call("llvm.fma", x, v.constant(2.0 / math.pi), v.constant(numbers.round))
    quadrant = b.bitcast(shifted, v.bits)
    k = b.fsub(shifted, v.constant(numbers.round))
    r = x
    for part in numbers.parts:
        r = v.call("llvm.fma", k, v.constant(-part), r)
    z = b.fmul(r, r)

    def polynomial(coefficients: tuple[float, ...]) -> Any:
        value = v.constant(coefficients[0])
        for c in coefficients[1:]:
            value = v.call("llvm.fma", value, z, v.constant(c))
        return value

    sine = v.call("llvm.fma", b.fmul(polynomial(numbers.sine), z), r, r)
    half = v.call("llvm.fma", z, v.constant(-0.5), v.constant(1.0))
    cosine = v.call("llvm.fma", b.fmul(z, z), polynomial(numbers.cosine), half)
    odd = b.icmp_signed("!=", b.and_(quadrant, v.integer(1)), v.integer(0))

    def signed(value: Any, turn: Any) -> Any:
        sign = b.shl(b.and_(turn, v.integer(2)), v.integer(8 * v.size - 2))
        return b.bitcast(b.xor(b.bitcast(value, v.bits), sign), v.type)

    s = signed(b.select(odd, cosine, sine), quadrant)
    s = b.select(b.fcmp_ordered("==", x, v.constant(0.0)), x, s)  # sin(-0) is -0, but r + r z S(z) is not
    c = signed(b.select(odd, sine, cosine), b.add(quadrant, v.integer(1)))
    return _beyond(v, x, small, s, c)


def sincos_together(v: Lanes, angles: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Sine and cosine of several vectors of one lane, computed as one vector: the same bits in less time."""
    b = v.builder
    wide = Lanes(1 << (len(angles) - 1).bit_length(), v.real)
    wide.builder = b
    x = wide.type(ir.Undefined)
    for lane in range(wide.width):  # lanes beyond the last angle repeat it
        number = b.extract_element(angles[min(lane, len(angles) - 1)], I32(0))
        x = b.insert_element(x, number, I32(lane))
    pairs = sincos(wide, x)

    def single(vector: Any, lane: int) -> Any:
        return b.insert_element(v.type(ir.Undefined), b.extract_element(vector, I32(lane)), I32(0))

    return [(single(pairs[0], lane), single(pairs[1], lane)) for lane in range(len(angles))]


def _beyond(v: Lanes, x: Any, small: Any, s: Any, c: Any) -> tuple[Any, Any]:
    """The results; lanes whose angle is not small take theirs from the C library, in a branch that is rarely taken."""
    b = v.builder
    mask = b.bitcast(small, ir.IntType(v.width))
    everywhere = b.icmp_unsigned("==", mask, ir.IntType(v.width)(2**v.width - 1))
    before, slow, after = b.block, b.append_basic_block("beyond"), b.append_basic_block("angle")
    b.cbranch(everywhere, after, slow)
    b.position_at_end(slow)
    s_slow = b.select(small, s, v.each("sin", x))
    c_slow = b.select(small, c, v.each("cos", x))
    end = b.block
    b.branch(after)
    b.position_at_end(after)
    results = []
    for fast, exact in ((s, s_slow), (c, c_slow)):
        phi = b.phi(v.type)
        phi.add_incoming(fast, before)
        phi.add_incoming(exact, end)
        results.append(phi)
    return results[0], results[1]
