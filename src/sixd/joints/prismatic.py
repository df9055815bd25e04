"""Prismatic joint: one translation along an axis."""

from __future__ import annotations

from sixd.joints.contract import LENGTH, AxisJoint
from sixd.spatial import Motion, Motions, Transform, Vector

__all__ = ["Prismatic"]


class Prismatic(AxisJoint):
    """q: the distance, m. X_J moves along the axis u; S = (0, u). F10b Fig. 4, infinite pitch; FDSV (32)."""

    __slots__ = ()
    name, nq, nv, extent = "prismatic", 1, 1, (LENGTH,)

    def transform(self, q: Vector) -> Transform:
        return Transform.translation(self.axis * q[0])

    def subspace(self, q: Vector) -> Motions:
        return Motions([Motion(Vector.zero(), self.axis)])

    def nearest(self, X: Transform) -> Vector:
        return Vector((self.axis @ X.r,))
