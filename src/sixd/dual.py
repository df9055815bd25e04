"""Dual numbers: a value and a derivative. Generic code run on them gives its own derivative, to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixd import ops
from sixd.ops import Rules, Scalar

__all__ = ["Dual", "derivatives", "duals"]


class Dual:
    """a + b e with e^2 = 0: ``value`` a, ``rate`` b. Both may be arrays of samples."""

    __slots__ = ("rate", "value")
    __array_ufunc__ = None

    def __init__(self, value: Scalar, rate: Scalar = 0.0) -> None:
        self.value, self.rate = value, rate

    def __add__(self, other: Scalar) -> Dual:
        value, rate = _parts(other)
        return Dual(self.value + value, self.rate + rate)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Dual:
        value, rate = _parts(other)
        return Dual(self.value - value, self.rate - rate)

    def __rsub__(self, other: Scalar) -> Dual:
        return -self + other

    def __mul__(self, other: Scalar) -> Dual:
        value, rate = _parts(other)
        return Dual(self.value * value, self.rate * value + self.value * rate)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Dual:
        return _divide(self, other)

    def __rtruediv__(self, other: Scalar) -> Dual:
        return _divide(other, self)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.rate)

    def __lt__(self, other: Scalar) -> Any:
        return self.value < _parts(other)[0]

    def __gt__(self, other: Scalar) -> Any:
        return self.value > _parts(other)[0]

    def __le__(self, other: Scalar) -> Any:
        return self.value <= _parts(other)[0]

    def __ge__(self, other: Scalar) -> Any:
        return self.value >= _parts(other)[0]

    def __repr__(self) -> str:
        return f"Dual({self.value}, {self.rate})"


def _parts(x: Scalar) -> tuple[Scalar, Scalar]:
    return (x.value, x.rate) if isinstance(x, Dual) else (x, 0.0)


def _divide(a: Scalar, b: Scalar) -> Dual:
    (av, ar), (bv, br) = _parts(a), _parts(b)
    value = ops.divide(av, bv)
    return Dual(value, ops.divide(ar - value * br, bv))


def _arctan2(y: Scalar, x: Scalar) -> Dual:
    (yv, yr), (xv, xr) = _parts(y), _parts(x)
    return Dual(ops.arctan2(yv, xv), ops.divide(xv * yr - yv * xr, xv * xv + yv * yv))


def _sqrt(x: Dual) -> Dual:
    root = ops.sqrt(x.value)
    return Dual(root, ops.divide(x.rate, 2.0 * root))


def _where(condition: Any, a: Scalar, b: Scalar) -> Scalar:
    (av, ar), (bv, br) = _parts(a), _parts(b)
    return Dual(ops.where(condition, av, bv), ops.where(condition, ar, br))


ops.register(
    Dual,
    Rules(
        sin=lambda x: Dual(ops.sin(x.value), ops.cos(x.value) * x.rate),
        cos=lambda x: Dual(ops.cos(x.value), -(ops.sin(x.value) * x.rate)),
        sqrt=_sqrt,
        arctan2=_arctan2,
        absolute=lambda x: _where(x.value < 0.0, -x, x),
        divide=_divide,
        where=_where,
    ),
)


def duals(values: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Dual]:
    """Numbers with these derivatives."""
    return [Dual(v, r) for v, r in zip(values, rates, strict=True)]


def derivatives(results: Any) -> Any:
    """The derivatives of a sequence (or array) of results, as an array."""
    return ops.stack([_parts(x)[1] for x in results])
