"""Spherical joint by Euler angles: three coordinates instead of a quaternion, singular at pitch = +-pi/2."""

from __future__ import annotations

from math import pi

from sixd.joints.contract import Joint, units
from sixd.ops import Scalar, cos, sin
from sixd.spatial import Force, Forces, Motion, Motions, Transform, Vector

__all__ = ["SphericalEuler"]


class SphericalEuler(Joint):
    """q: yaw, pitch, roll, rad: the successor's attitude is Rz(yaw) Ry(pitch) Rx(roll). qd is dq/dt.

    X_J = rot_x(roll) rot_y(pitch) rot_z(yaw); S's columns are the three axes seen from the successor.
    """

    __slots__ = ()
    name, nq, nv, extent = "spherical-euler", 3, 3, (pi, 1.2, pi)
    constant_subspace, full_rank = False, False

    def transform(self, q: Vector) -> Transform:
        yaw, pitch, roll = q
        tilt = Transform.rotation((1.0, 0.0, 0.0), roll) @ Transform.rotation((0.0, 1.0, 0.0), pitch)
        return tilt @ Transform.rotation((0.0, 0.0, 1.0), yaw)

    def subspace(self, q: Vector) -> Motions:
        _, pitch, roll = q
        sp, cp, sr, cr = sin(pitch), cos(pitch), sin(roll), cos(roll)
        axes = ((-sp, cp * sr, cp * cr), (0.0, cr, -sr), (1.0, 0.0, 0.0))
        return Motions(Motion(axis, Vector.zero()) for axis in axes)

    def subspace_rate(self, q: Vector, qd: Vector) -> Motions:
        (_, pitch, roll), (_, dp, dr) = q, qd
        sp, cp, sr, cr = sin(pitch), cos(pitch), sin(roll), cos(roll)
        rates = (
            (-cp * dp, cp * cr * dr - sp * sr * dp, -cp * sr * dr - sp * cr * dp),
            (0.0, -sr * dr, -cr * dr),
            (0.0, 0.0, 0.0),
        )
        return Motions(Motion(rate, Vector.zero()) for rate in rates)

    def screws(self, q: Vector) -> list[tuple[Motion, Scalar]]:
        return self.axes_in_turn(q)

    def nearest(self, X: Transform) -> Vector:
        roll, pitch, yaw = X.rpy()
        return Vector((yaw, pitch, roll))

    def constraint_subspace(self, q: Vector) -> Forces:
        """All forces through the centre. They do no work on any rotation, also where S loses rank."""
        return Forces(Force(Vector.zero(), e) for e in units(3))
