"""Translational joint: three translations, no rotation."""

from __future__ import annotations

from sixd.joints.contract import LENGTH, Joint
from sixd.spatial import Motion, Motions, Transform, Vector

__all__ = ["Translational"]


class Translational(Joint):
    """q: the successor's position in the predecessor, m. X_J = xlt(q); S = [0; 1]."""

    __slots__ = ()
    name, nq, nv, extent = "translational", 3, 3, (LENGTH,) * 3

    def transform(self, q: Vector) -> Transform:
        return Transform.translation(q)

    def subspace(self, q: Vector) -> Motions:
        zero = Vector.zero()
        return Motions(Motion(zero, e) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))

    def nearest(self, X: Transform) -> Vector:
        return X.r
