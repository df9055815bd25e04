"""Spherical joint: a ball and socket, with a quaternion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixd.joints.contract import Joint
from sixd.lie import quaternion_conjugate, quaternion_exp, quaternion_log, quaternion_multiply, so3
from sixd.ops import divide, sqrt
from sixd.spatial import Matrix, Motion, Motions, Transform, Vector
from sixd.spatial.linear import levelled, skew

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Spherical", "random_quaternions"]


class Spherical(Joint):
    """q: the attitude of the successor in the predecessor, a quaternion (x, y, z, w). qd: its angular velocity in
    successor coordinates, rad/s. S = [1; 0].

    Quaternions need not be normalised: q and 2 q are the same attitude. `integrate` returns unit ones.
    """

    __slots__ = ()
    name, nq, nv, extent = "spherical", 4, 3, (1.0,) * 4
    nonzero = ((0, 4),)

    def transform(self, q: Vector) -> Transform:
        return Transform.from_quaternion(q)

    def subspace(self, q: Vector) -> Motions:
        zero = Vector.zero()
        return Motions(Motion(e, zero) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))

    def nearest(self, X: Transform) -> Vector:
        return X.quaternion()

    def neutral(self) -> Vector:
        return Vector((0.0, 0.0, 0.0, 1.0))

    def integrate(self, q: Vector, dv: Vector) -> Vector:
        turned = quaternion_multiply(levelled(q), quaternion_exp(dv))
        return turned * divide(1.0, sqrt(turned @ turned))

    def difference(self, q0: Vector, q1: Vector) -> Vector:
        return quaternion_log(quaternion_multiply(quaternion_conjugate(levelled(q0)), levelled(q1)))

    def difference_jacobian(self, q0: Vector, q1: Vector) -> Matrix:
        return so3.right_jacobian_inverse(self.difference(q0, q1))

    def integrate_jacobian(self, q: Vector, dv: Vector) -> Matrix:
        return so3.right_jacobian(dv)

    def tangent_rate(self, q: Vector, qd: Vector) -> Matrix:
        return -skew(qd)

    def random(
        self, rng: np.random.Generator, lower: Sequence[float], upper: Sequence[float], size: tuple[int, ...] = ()
    ) -> Any:
        return random_quaternions(rng, size)


def random_quaternions(rng: np.random.Generator, size: tuple[int, ...]) -> Any:
    """Unit quaternions, uniform over all attitudes: an array (*size, 4)."""
    q = rng.standard_normal((*size, 4))
    return q / sqrt((q * q).sum(axis=-1, keepdims=True))
