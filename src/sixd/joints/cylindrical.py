"""Cylindrical joint: a rotation about and a translation along one axis, independent of each other."""

from __future__ import annotations

from sixd.joints.contract import ANGLE, LENGTH, AxisJoint
from sixd.spatial import Motion, Motions, Transform, Vector

__all__ = ["Cylindrical"]


class Cylindrical(AxisJoint):
    """q: angle, rad, and distance, m. X_J = rot(u, q_0) xlt(q_1 u); S = [(u, 0), (0, u)]."""

    __slots__ = ()
    name, nq, nv, extent = "cylindrical", 2, 2, (ANGLE, LENGTH)

    def transform(self, q: Vector) -> Transform:
        return Transform.rotation(self.axis, q[0]) @ Transform.translation(self.axis * q[1])

    def subspace(self, q: Vector) -> Motions:
        zero = Vector.zero()
        return Motions([Motion(self.axis, zero), Motion(zero, self.axis)])

    def nearest(self, X: Transform) -> Vector:
        return Vector((self.turn(X), self.axis @ X.r))
