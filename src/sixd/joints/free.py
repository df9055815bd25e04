"""Free joint: all six degrees of freedom, what a floating base stands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixd.joints.contract import LENGTH, Joint
from sixd.joints.spherical import Spherical, random_quaternions
from sixd.lie import se3, so3
from sixd.spatial import Matrix, Motion, Motions, Transform, Vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Free"]


class Free(Joint):
    """q: attitude (quaternion x, y, z, w) and position of the successor in the predecessor. qd: its velocity,
    angular then linear, in successor (body) coordinates. S = 1.

    `integrate` follows the screw motion with constant body velocity: pose(q) exp(dv), PBP95 (15).
    """

    __slots__ = ()
    name, nq, nv, extent = "free", 7, 6, (1.0, 1.0, 1.0, 1.0, LENGTH, LENGTH, LENGTH)
    nonzero = ((0, 4),)

    def transform(self, q: Vector) -> Transform:
        return Transform.from_quaternion(q.entries[:4], q.entries[4:])

    def subspace(self, q: Vector) -> Motions:
        return Motions(Motion.from_components([1.0 if r == c else 0.0 for r in range(6)]) for c in range(6))

    def nearest(self, X: Transform) -> Vector:
        return Vector((*X.quaternion(), *X.r))

    def neutral(self) -> Vector:
        return Vector((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))

    def integrate(self, q: Vector, dv: Vector) -> Vector:
        attitude = Spherical().integrate(Vector(q.entries[:4]), Vector(dv.entries[:3]))
        position = (se3.exp(Motion.from_components(dv.entries)) @ self.transform(q)).r
        return Vector((*attitude, *position))

    def difference(self, q0: Vector, q1: Vector) -> Vector:
        X = self.transform(q1) @ self.transform(q0).inv
        return Vector(se3.log(X).components())

    def difference_jacobian(self, q0: Vector, q1: Vector) -> Matrix:
        return se3.right_jacobian_inverse(Motion.from_components(self.difference(q0, q1).entries))

    def integrate_jacobian(self, q: Vector, dv: Vector) -> Matrix:
        return se3.right_jacobian(Motion.from_components(dv.entries))

    def rate_in_fixed_axes(self, qd: Vector, qdd: Vector) -> Vector:
        omega, v = Vector(qd.entries[:3]), Vector(qd.entries[3:])
        return Vector((*qdd.entries[:3], *(Vector(qdd.entries[3:]) + omega.cross(v))))

    def in_axes_after(self, qd: Vector, dv: Vector) -> Vector:
        turned = so3.exp(Vector(dv.entries[:3])).T @ Vector(qd.entries[3:])
        return Vector((*qd.entries[:3], *turned))

    def tangent_rate(self, q: Vector, qd: Vector) -> Matrix:
        return -se3.ad_matrix(Motion.from_components(qd.entries))

    def random(
        self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float], size: tuple[int, ...] = ()
    ) -> Any:
        q = super().random(rng, lower, upper, size)
        q[..., :4] = random_quaternions(rng, size)
        return q
