"""Dual numbers: a value and a derivative. Generic code run on them gives its own derivative, to rounding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sixd import ops
from sixd.ops import Rules, Scalar, Wrapper

__all__ = ["Dual", "derivatives", "duals", "moving", "rates"]


class Dual(Wrapper):
    """a + b e with e^2 = 0: ``value`` a, ``rate`` b. Both may be numbers of any kind, such as arrays of samples.

    The parts of a dual number may be dual numbers themselves, of a lower ``level``. Where numbers of two levels meet,
    the lower one is a constant of the higher: each level has an e of its own.
    """

    __slots__ = ("level", "rate", "value")
    __array_ufunc__ = None

    def __init__(self, value: Scalar, rate: Scalar = 0.0, level: int = 0) -> None:
        self.value, self.rate, self.level = value, rate, level

    def __add__(self, other: Scalar) -> Dual:
        (av, ar), (bv, br), level = _common(self, other)
        return Dual(av + bv, ar + br, level)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Dual:
        (av, ar), (bv, br), level = _common(self, other)
        return Dual(av - bv, ar - br, level)

    def __rsub__(self, other: Scalar) -> Dual:
        return -self + other

    def __mul__(self, other: Scalar) -> Dual:
        (av, ar), (bv, br), level = _common(self, other)
        return Dual(av * bv, ar * bv + av * br, level)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Dual:
        return _divide(self, other)

    def __rtruediv__(self, other: Scalar) -> Dual:
        return _divide(other, self)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.rate, self.level)

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
