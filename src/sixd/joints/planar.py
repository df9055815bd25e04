"""Planar joint: two translations and a rotation in the plane x y."""

from __future__ import annotations

from sixd.joints.contract import ANGLE, LENGTH, Joint
from sixd.ops import cos, sin
from sixd.spatial import Motion, Motions, Transform, Vector

__all__ = ["Planar"]


class Planar(Joint):
    """q: x, y, m, in the predecessor and the angle theta about z, rad (FDSV (4)). qd is dq/dt.

    X_J = rot_z(theta) xlt(x, y, 0). The predecessor's x and y turn with theta in the successor, so S varies with q.
    """

    __slots__ = ()
    name, nq, nv, extent = "planar", 3, 3, (LENGTH, LENGTH, ANGLE)
    constant_subspace = False

    def transform(self, q: Vector) -> Transform:
        x, y, theta = q
        return Transform.rotation((0.0, 0.0, 1.0), theta) @ Transform.translation((x, y, 0.0))

    def subspace(self, q: Vector) -> Motions:
        c, s, zero = cos(q[2]), sin(q[2]), Vector.zero()
        return Motions([Motion(zero, (c, -s, 0.0)), Motion(zero, (s, c, 0.0)), Motion((0.0, 0.0, 1.0), zero)])

    def subspace_rate(self, q: Vector, qd: Vector) -> Motions:
        dc, ds, zero = -sin(q[2]) * qd[2], cos(q[2]) * qd[2], Vector.zero()
        return Motions([Motion(zero, (dc, -ds, 0.0)), Motion(zero, (ds, dc, 0.0)), Motion(zero, zero)])
