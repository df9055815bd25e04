"""Revolute joint: one rotation about an axis."""

from __future__ import annotations

from sixd.joints.contract import ANGLE, AxisJoint
from sixd.spatial import Motion, Motions, Transform, Vector

__all__ = ["Revolute"]


class Revolute(AxisJoint):
    """q: the angle, rad. X_J turns about the axis u; S = (u, 0). F10b Fig. 4, pitch 0; FDSV (31)."""

    __slots__ = ()
    name, nq, nv, extent = "revolute", 1, 1, (ANGLE,)

    def transform(self, q: Vector) -> Transform:
        return Transform.rotation(self.axis, q[0])

    def subspace(self, q: Vector) -> Motions:
        return Motions([Motion(self.axis, Vector.zero())])

    def nearest(self, X: Transform) -> Vector:
        return Vector((self.turn(X),))
