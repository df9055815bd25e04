"""Small functions of numbers of any kind, with derivatives where their value has none."""

from __future__ import annotations

from sixd.ops import Scalar, sqrt, where
from sixd.spatial import Vector

__all__ = ["bounded", "length", "positive", "root", "soft_sign"]


def root(x: Scalar) -> Scalar:
    """sqrt(x), and 0 where x is not positive; there its derivative is zero."""
    return where(x > 0.0, sqrt(x), 0.0)


def length(v: Vector) -> Scalar:
    """|v|; its derivative at zero is zero, the mean of those on both sides."""
    return root(v @ v)


def positive(x: Scalar) -> Scalar:
    """x where it is positive, else 0."""
    return where(x > 0.0, x, 0.0)


def bounded(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x, or the bound that it is beyond."""
    x = where(x < low, low, x)
    return where(x > high, high, x)


def soft_sign(x: Scalar, width: float) -> Scalar:
    """x / sqrt(x^2 + width^2): the sign of x where it is much larger than the width, and smooth through zero."""
    return x / sqrt(x * x + width * width)
