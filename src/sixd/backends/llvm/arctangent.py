"""arctan2 on all lanes of a vector at once. (That of the C library would be called once per lane.)

With t the smaller of |y| and |x| over the larger, in [0, 1], the angle is base + arctan t or base - arctan t, where the
base is 0, pi/2 or pi. arctan t = t + t z P(z), z = t^2. Signed zeros, infinities and NaN give what C99 says (Annex F,
9.1.4), without a branch. Nothing overflows, and nothing that matters underflows.

The error stays below 2 ulp. In units of the result's last place it is at most: the rounded quotient, 0.8 just above
t = 1/2 and 0.25 at t = 1; t z P(z), 0.3 and 0.75 there; P itself, 0.1; the last sum, 0.5. The largest seen is 1.5.
"""

from __future__ import annotations

import math
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes

__all__ = ["COEFFICIENTS", "arctan2"]

#: The coefficients of P, the constant one first: minimax for the relative error of arctan t on (0, 1], by a Remez
#: exchange in 50 digits. They were rounded one by one in this order, each time fitting the others again. The error is
#: below 2^-56.7.
COEFFICIENTS = (
    -0.3333333333333307,
    0.19999999999951748,
    -0.14285714282587933,
    0.11111111007336055,
    -0.0909090700767854,
    0.07692279887424341,
    -0.06666404410959972,
    0.05880529735411271,
    -0.05253526469453512,
    0.04722347361705591,
    -0.042192411251593294,
    0.03664311273172659,
    -0.029905672537929858,
    0.021986974704356534,
    -0.0139024520646348,
    0.007197756673639269,
    -0.002885509651578766,
    0.0008315066298969229,
    -0.0001521943135605223,
    1.3227598966450417e-05,
)
#: From this power on, even and odd powers of z are summed separately, so that fewer operations wait for each other. The
#: sums of lower powers would cancel.
APART = 8
#: pi minus the double nearest to it.
PI_REST = 1.2246467991473532e-16
_SIGN = -(2**63)


def arctan2(v: Lanes, y: Any, x: Any) -> Any:
    """The angle of (x, y) in every lane, in [-pi, pi]. The code is a function, emitted once for a module."""
    if not v.double:
        return v.each("atan2", y, x)
    name = f"arctan2.v{v.width}"
    function = v.module.globals.get(name)
    if function is None:
        function = ir.Function(v.module, ir.FunctionType(v.type, [v.type] * 2), name)
        function.linkage = "internal"
        inside = Lanes(v.width, v.real)
        inside.builder = ir.IRBuilder(function.append_basic_block())
        inside.builder.ret(_angle(inside, *function.args))
    return v.builder.call(function, [y, x])


def _angle(v: Lanes, y: Any, x: Any) -> Any:
    b = v.builder
    x_bits, y_bits = b.bitcast(x, v.bits), b.bitcast(y, v.bits)
    backward = b.icmp_signed("<", x_bits, v.integer(0))  # -0 too
    ax, ay = v.call("llvm.fabs", x), v.call("llvm.fabs", y)
    steep = b.fcmp_ordered(">", ay, ax)
    small, large = b.select(steep, ax, ay), b.select(steep, ay, ax)
    # Where small equals large, t is 1 (inf / inf, too) or 0 (0 / 0). NaN equals nothing: the quotient is NaN there.
    both = b.select(b.fcmp_ordered(">", large, v.constant(0.0)), v.constant(1.0), v.constant(0.0))
    t = b.select(b.fcmp_ordered("==", small, large), both, b.fdiv(small, large))
    z = b.fmul(t, t)
    # The angle grows with t if x >= 0 and it is not steep, or x < 0 and it is steep. Elsewhere t gets a negative sign.
    falls = b.and_(b.select(steep, b.xor(x_bits, v.integer(_SIGN)), x_bits), v.integer(_SIGN))
    t = b.bitcast(b.xor(b.bitcast(t, v.bits), falls), v.type)

    def base(quarter: float, half: float) -> Any:
        flat = b.select(backward, v.constant(half), v.constant(0.0))
        return b.select(steep, v.constant(quarter), flat)

    # start + t is exactly total plus the rounding error in rest, because |start| > |t| or start = 0.
    start = base(math.pi / 2, math.pi)
    total = b.fadd(start, t)
    rest = b.fadd(b.fadd(b.fsub(start, total), t), base(PI_REST / 2, PI_REST))
    angle = b.fadd(total, v.call("llvm.fma", b.fmul(t, z), _polynomial(v, z), rest))
    return b.bitcast(b.or_(b.bitcast(angle, v.bits), b.and_(y_bits, v.integer(_SIGN))), v.type)


def _polynomial(v: Lanes, z: Any) -> Any:
    """P(z)."""

    def horner(value: Any, variable: Any, coefficients: tuple[float, ...]) -> Any:
        for c in reversed(coefficients):
            c = v.constant(c)
            value = c if value is None else v.call("llvm.fma", value, variable, c)
        return value

    square = v.builder.fmul(z, z)
    even, odd = (horner(None, square, COEFFICIENTS[k::2]) for k in (APART, APART + 1))
    return horner(v.call("llvm.fma", odd, z, even), z, COEFFICIENTS[:APART])
