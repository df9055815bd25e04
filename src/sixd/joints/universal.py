"""Universal (Cardan, Hooke) joint: two rotations about crossing axes."""

from __future__ import annotations

from sixd.joints.contract import ANGLE, Joint, units
from sixd.ops import Scalar, arctan2, cos, sin
from sixd.spatial import Force, Forces, Motion, Motions, Transform, Vector

__all__ = ["Universal"]


class Universal(Joint):
    """q: the angle about the predecessor's x axis, then the angle about the successor's y axis, rad.

    X_J = rot_y(q_1) rot_x(q_0). In the successor the first axis is (c, 0, s), the second y: S varies with q_1.
    """

    __slots__ = ()
    name, nq, nv, extent = "universal", 2, 2, (ANGLE, ANGLE)
    constant_subspace = False

    def transform(self, q: Vector) -> Transform:
        return Transform.rotation((0.0, 1.0, 0.0), q[1]) @ Transform.rotation((1.0, 0.0, 0.0), q[0])

    def subspace(self, q: Vector) -> Motions:
        zero = Vector.zero()
        return Motions([Motion((cos(q[1]), 0.0, sin(q[1])), zero), Motion((0.0, 1.0, 0.0), zero)])

    def subspace_rate(self, q: Vector, qd: Vector) -> Motions:
        zero = Vector.zero()
        return Motions([Motion((-sin(q[1]) * qd[1], 0.0, cos(q[1]) * qd[1]), zero), Motion(zero, zero)])

    def screws(self, q: Vector) -> list[tuple[Motion, Scalar]]:
        return self.axes_in_turn(q)

    def nearest(self, X: Transform) -> Vector:
        """In the predecessor the second axis is (0, c_0, s_0); in the successor the first is (c_1, 0, s_1)."""
        return Vector((arctan2(X.E[1, 2], X.E[1, 1]), arctan2(X.E[2, 0], X.E[0, 0])))

    def constraint_subspace(self, q: Vector) -> Forces:
        """The moment about the normal of both axes, (-s_1, 0, c_1), and all forces through the centre."""
        zero = Vector.zero()
        normal = Force((-sin(q[1]), 0.0, cos(q[1])), zero)
        return Forces([normal, *(Force(zero, e) for e in units(3))])
