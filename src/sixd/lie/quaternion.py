"""Unit quaternions (x, y, z, w) as attitudes: exp, log and the product.

The quaternion of a rotation by theta about the unit axis u is (u sin(theta/2), cos(theta/2)); q and -q are the same
attitude. The order is that of SciPy and of `Transform.quaternion`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sixd.lie.coefficients import alternating_series, stumpff
from sixd.ops import absolute, arctan2, divide, sqrt, where
from sixd.spatial.linear import Vector, cross, levelled, vector_of

__all__ = ["quaternion_conjugate", "quaternion_exp", "quaternion_log", "quaternion_multiply"]

_SMALL = 2.0**-8


def quaternion_multiply(a: Any, b: Any) -> Vector:
    """a b: the attitude b seen from a frame of attitude a. If a is of B in A and b of C in B, it is that of C in A."""
    ax, ay, az, aw = vector_of(a, 4, "a quaternion")
    bx, by, bz, bw = vector_of(b, 4, "a quaternion")
    u, v = Vector((ax, ay, az)), Vector((bx, by, bz))
    return Vector((*(v * aw + u * bw + cross(u, v)), aw * bw - u @ v))


def quaternion_conjugate(q: Any) -> Vector:
    """(-x, -y, -z, w), the inverse of a unit quaternion."""
    x, y, z, w = vector_of(q, 4, "a quaternion")
    return Vector((-x, -y, -z, w))


def quaternion_exp(phi: Any) -> Vector:
    """The unit quaternion (phi sin(theta/2)/theta, cos(theta/2)) of a rotation vector phi, theta = |phi|."""
    half = vector_of(phi, 3, "a rotation vector") * 0.5
    s = half @ half
    return Vector((*(half * stumpff(1, s)), stumpff(0, s)))


def _arctangent_weight(j: int) -> Fraction:
    return Fraction(1, 2 * j + 1)


def quaternion_log(q: Any) -> Vector:
    """The rotation vector of norm <= pi of a unit quaternion of either sign: (2/n) atan(n/w) v, where n = |v|.

    A factor common to all of q does not matter. For small n/w the arctangent is summed as a series in (n/w)^2.
    """
    x, y, z, w = levelled(vector_of(q, 4, "a quaternion"))
    v = Vector((x, y, z))
    nn, ww = v @ v, w * w
    small = nn < _SMALL * ww
    ratio = divide(where(small, nn, 0.0), where(small, ww, 1.0))
    series = divide(alternating_series(ratio, _arctangent_weight, _SMALL), where(small, w, 1.0))
    n = sqrt(where(small, 1.0, nn))
    angle = divide(arctan2(n, absolute(w)), n)
    factor = 2.0 * where(small, series, where(w < 0.0, -angle, angle))
    return Vector(factor * c for c in v)
