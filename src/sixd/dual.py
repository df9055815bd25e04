"""Dual numbers: a value and a derivative. Generic code run on them gives its own derivative, to rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from sixd import ops
from sixd.errors import ArgumentError
from sixd.given import described
from sixd.ops import Rules, Scalar, Wrapper

__all__ = ["Dual", "derivatives", "duals", "moving", "rates"]


def _by_entry(operator: Callable[[Dual, Any], Any]) -> Callable[[Dual, Any], Any]:
    """An operator that meets each entry of an array of objects. Other arrays are samples of one number."""

    def on(self: Dual, other: Any) -> Any:
        if isinstance(other, np.ndarray) and other.dtype == object:
            return np.frompyfunc(lambda x: operator(self, x), 1, 1)(other)
        return operator(self, other)

    return on


class Dual(Wrapper):
    """a + b e with e^2 = 0: ``value`` a, ``rate`` b. Both may be numbers of any kind, such as arrays of samples.

    The parts of a dual number may be dual numbers themselves, of a lower ``level``. Where numbers of two levels meet,
    the lower one is a constant of the higher: each level has an e of its own.

    Code that can be recorded runs on them: they have the operators and methods of recorded numbers. Comparisons are
    those of the values.
    """

    __slots__ = ("level", "rate", "value")
    __array_ufunc__ = None

    def __init__(self, value: Scalar, rate: Scalar = 0.0, level: int = 0) -> None:
        self.value, self.rate, self.level = value, rate, level

    @_by_entry
    def __add__(self, other: Scalar) -> Dual:
        (av, ar), (bv, br), level = _common(self, other)
        return Dual(av + bv, ar + br, level)

    __radd__ = __add__

    @_by_entry
    def __sub__(self, other: Scalar) -> Dual:
        (av, ar), (bv, br), level = _common(self, other)
        return Dual(av - bv, ar - br, level)

    def __rsub__(self, other: Scalar) -> Dual:
        return -self + other

    @_by_entry
    def __mul__(self, other: Scalar) -> Dual:
        (av, ar), (bv, br), level = _common(self, other)
        return Dual(av * bv, ar * bv + av * br, level)

    __rmul__ = __mul__

    @_by_entry
    def __truediv__(self, other: Scalar) -> Dual:
        return _divide(self, other)

    @_by_entry
    def __rtruediv__(self, other: Scalar) -> Dual:
        return _divide(other, self)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.rate, self.level)

    def __pos__(self) -> Dual:
        return self

    def __abs__(self) -> Scalar:
        return ops.absolute(self)

    def __pow__(self, power: Any) -> Scalar:
        """Integer powers, and the square root."""
        found = ops.powered(self, power)
        if found is None:
            raise ArgumentError(
                f"a number with a derivative can be raised to integers and 0.5, not to {described(power)}"
            )
        return found

    # NumPy's functions call the methods of the same name on the entries of an array of objects.

    def sin(self) -> Scalar:
        return ops.sin(self)

    def cos(self) -> Scalar:
        return ops.cos(self)

    def tan(self) -> Scalar:
        return ops.sin(self) / ops.cos(self)

    def sqrt(self) -> Scalar:
        return ops.sqrt(self)

    def floor(self) -> Scalar:
        return ops.floor(self)

    def arctan2(self, x: Scalar) -> Scalar:
        return ops.arctan2(self, x)

    def conjugate(self) -> Dual:
        return self

    def __lt__(self, other: Scalar) -> Any:
        (a, _), (b, _), _ = _common(self, other)
        return a < b

    def __gt__(self, other: Scalar) -> Any:
        (a, _), (b, _), _ = _common(self, other)
        return a > b

    def __le__(self, other: Scalar) -> Any:
        (a, _), (b, _), _ = _common(self, other)
        return a <= b

    def __ge__(self, other: Scalar) -> Any:
        (a, _), (b, _), _ = _common(self, other)
        return a >= b

    def __eq__(self, other: object) -> Any:
        (a, _), (b, _), _ = _common(self, other)
        return a == b

    def __ne__(self, other: object) -> Any:
        (a, _), (b, _), _ = _common(self, other)
        return a != b

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Scalar) -> Any:
        a, b = _truths(self, other)
        return ops.where(a, b, 0.0)

    def __or__(self, other: Scalar) -> Any:
        a, b = _truths(self, other)
        return ops.where(a, 1.0, b)

    def __xor__(self, other: Scalar) -> Any:
        a, b = _truths(self, other)
        return ops.where(a, ops.where(b, 0.0, 1.0), b)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> NoReturn:
        raise ArgumentError("~ of Python's own True is -2, which counts as true: write 1 - x for the opposite")

    def _no_value(self, *_: Any) -> NoReturn:
        raise ArgumentError(
            "this would lose the derivative of a number; choose with sixd.ops.where(condition, a, b) instead of if"
        )

    __bool__ = __float__ = __int__ = __index__ = __complex__ = _no_value

    def _unknown(self, *_: Any) -> NoReturn:
        raise ArgumentError("this is not known for numbers with a derivative")

    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __floordiv__ = __rfloordiv__ = __round__ = _unknown
    exp = exp2 = expm1 = log = log2 = log10 = log1p = arcsin = arccos = arctan = _unknown
    sinh = cosh = tanh = arcsinh = arccosh = arctanh = cbrt = hypot = rint = ceil = trunc = _unknown

    def __repr__(self) -> str:
        return f"Dual({self.value}, {self.rate})"


def _level(x: Scalar) -> int:
    """The level of a dual number; -1 for others."""
    return x.level if isinstance(x, Dual) else -1


def _parts(x: Scalar, level: int) -> tuple[Scalar, Scalar]:
    """The value and the rate of a number at a level; the rate is zero if the number is of a lower level."""
    return (x.value, x.rate) if isinstance(x, Dual) and x.level == level else (x, 0.0)


def _common(a: Scalar, b: Scalar) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar], int]:
    """The parts of two numbers at the higher of their levels, and that level."""
    level = max(_level(a), _level(b))
    return _parts(a, level), _parts(b, level), level


def _truths(*numbers: Scalar) -> list[Scalar]:
    """The values of comparisons, or of numbers made of such."""
    values = []
    for x in numbers:
        while isinstance(x, Dual):
            x = x.value
        known = ops.look(x)
        if known is not None and not np.isin(known, (0, 1)).all():
            raise ArgumentError("&, | and ^ are for comparisons, such as (x > 0.0) & (y > 0.0)")
        values.append(x)
    return values


def _divide(a: Scalar, b: Scalar) -> Dual:
    (av, ar), (bv, br), level = _common(a, b)
    value = ops.divide(av, bv)
    return Dual(value, ops.divide(ar - value * br, bv), level)


def _arctan2(y: Scalar, x: Scalar) -> Dual:
    (yv, yr), (xv, xr), level = _common(y, x)
    return Dual(ops.arctan2(yv, xv), ops.divide(xv * yr - yv * xr, xv * xv + yv * yv), level)


def _sqrt(x: Dual) -> Dual:
    root = ops.sqrt(x.value)
    return Dual(root, ops.divide(x.rate, 2.0 * root), x.level)


def _where(condition: Any, a: Scalar, b: Scalar) -> Scalar:
    if isinstance(condition, Dual):
        return ops.where(condition.value, a, b)
    (av, ar), (bv, br), level = _common(a, b)
    return Dual(ops.where(condition, av, bv), ops.where(condition, ar, br), level)


ops.register(
    Dual,
    Rules(
        sin=lambda x: Dual(ops.sin(x.value), ops.cos(x.value) * x.rate, x.level),
        cos=lambda x: Dual(ops.cos(x.value), -(ops.sin(x.value) * x.rate), x.level),
        sqrt=_sqrt,
        arctan2=_arctan2,
        absolute=lambda x: _where(x.value < 0.0, -x, x),
        divide=_divide,
        where=_where,
        floor=lambda x: ops.floor(x.value),
        pick=lambda table, x: ops.pick(table, x.value),
    ),
)


def duals(values: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Dual]:
    """Numbers with these derivatives, of the lowest level: none of them is a dual number itself."""
    return [Dual(v, r) for v, r in zip(values, rates, strict=True)]


def moving(speeds: Sequence[Scalar], beside: Iterable[Scalar] = ()) -> tuple[list[Dual], int]:
    """Zeros that move at these speeds, and their level: above that of the speeds and of the numbers ``beside``."""
    level = 1 + max(map(_level, (*speeds, *beside)), default=-1)
    return [Dual(0.0, speed, level) for speed in speeds], level


def rates(results: Iterable[Scalar], level: int) -> list[Scalar]:
    """The derivatives of results that were computed from dual numbers of a level."""
    return [_parts(x, level)[1] for x in results]


def derivatives(results: Any, level: int = 0) -> Any:
    """The derivatives of a sequence (or array) of results, as an array."""
    return ops.stack(rates(results, level))
