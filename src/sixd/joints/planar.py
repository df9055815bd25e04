"""Planar joint: two translations and a rotation in a plane."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from sixd.errors import ModelError
from sixd.joints.complement import complement
from sixd.joints.contract import ANGLE, LENGTH, AxisJoint
from sixd.ops import Scalar, cos, sin
from sixd.spatial import Forces, Motion, Motions, Transform, Vector

__all__ = ["Planar"]


class Planar(AxisJoint):
    """q: x, y, m, along u and v in the predecessor and the angle theta about the normal n, rad (FDSV (4)). qd is dq/dt.

    X_J = rot(n, theta) xlt(x u + y v). u and v turn with theta in the successor, so S varies with q.

    (u, v) is (x, y) for the normal z, (y, z) for x, (z, x) for y; in general u is the projection of the first of
    these, for the axis nearest to n, and v = n x u.
    """

    __slots__ = ()
    name, nq, nv, extent = "planar", 3, 3, (LENGTH, LENGTH, ANGLE)
    constant_subspace = False
    standard: ClassVar[tuple[float | None, ...]] = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)

    def __init__(self, axis: Iterable[float] | str = (0.0, 0.0, 1.0)) -> None:
        super().__init__(axis)
        u, v, n = self.frame().rows
        self._parameters = (*n, *u, *v)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        u, v, n = self.frame().rows
        if any(abs(a - b) > 1e-9 for a, b in zip(self._parameters, (*n, *u, *v), strict=True)):
            raise ModelError(f"the directions of a planar joint do not belong to its normal: {self._parameters}")

    @property
    def u(self) -> Vector:
        """The direction of x."""
        return Vector(self._parameters[3:6])

    @property
    def v(self) -> Vector:
        """The direction of y."""
        return Vector(self._parameters[6:9])

    def transform(self, q: Vector) -> Transform:
        x, y, theta = q
        return Transform.rotation(self.axis, theta) @ Transform.translation(self.u * x + self.v * y)

    def subspace(self, q: Vector) -> Motions:
        """E u = c u - s v, E v = s u + c v, and the normal."""
        c, s, zero = cos(q[2]), sin(q[2]), Vector.zero()
        along = (self.u * c - self.v * s, self.u * s + self.v * c)
        return Motions([*(Motion(zero, d) for d in along), Motion(self.axis, zero)])

    def subspace_rate(self, q: Vector, qd: Vector) -> Motions:
        dc, ds, zero = -sin(q[2]) * qd[2], cos(q[2]) * qd[2], Vector.zero()
        along = (self.u * dc - self.v * ds, self.u * ds + self.v * dc)
        return Motions([*(Motion(zero, d) for d in along), Motion(zero, zero)])

    def screws(self, q: Vector) -> list[tuple[Motion, Scalar]]:
        return self.axes_in_turn(q)

    def nearest(self, X: Transform) -> Vector:
        return Vector((self.u @ X.r, self.v @ X.r, self.turn(X)))

    def constraint_subspace(self, q: Vector) -> Forces:
        """S varies, but the motions that it spans do not: neither do the forces that do no work on them."""
        return complement(self.subspace(self.neutral()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{x:g}' for x in self.axis)})"
