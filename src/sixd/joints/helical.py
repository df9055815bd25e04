"""Helical joint: a screw, one rotation coupled to a translation along its axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import ClassVar, Self

from sixd.errors import ModelError
from sixd.given import number
from sixd.joints.contract import ANGLE, AxisJoint
from sixd.ops import Scalar, absolute, divide, where
from sixd.spatial import Motion, Motions, Transform, Vector

__all__ = ["Helical"]


class Helical(AxisJoint):
    """q: the angle, rad; the pitch h is in metres per radian. X_J = rot(u, q) xlt(h q u); S = (u, h u). F10b Fig. 4."""

    __slots__ = ()
    name, nq, nv, extent = "helical", 1, 1, (ANGLE,)
    standard: ClassVar[tuple[float | None, ...]] = (0.0, 0.0, 1.0, None)
    pitch_at = 3

    def __init__(self, axis: Iterable[float] | str = (0.0, 0.0, 1.0), pitch: float = 0.1) -> None:
        super().__init__(axis)
        h = number(pitch, "the pitch of a helical joint, metres per radian,")
        if not isfinite(h):
            raise ModelError(f"the pitch of a helical joint must be finite: {h} (use Prismatic for no rotation)")
        self._parameters = (*self._parameters, h)

    @property
    def pitch(self) -> Scalar:
        return self._parameters[3]

    @classmethod
    def examples(cls) -> Sequence[Self]:
        return [cls((0.0, 0.0, 1.0), 0.3), cls((2.0, 1.0, -1.0), -0.2)]

    def transform(self, q: Vector) -> Transform:
        return Transform.rotation(self.axis, q[0]) @ Transform.translation(self.axis * (self.pitch * q[0]))

    def subspace(self, q: Vector) -> Motions:
        return Motions([Motion(self.axis, self.axis * self.pitch)])

    def nearest(self, X: Transform) -> Vector:
        """From the distance along the axis, which tells whole turns apart; from the rotation if the pitch is zero."""
        return Vector((where(absolute(self.pitch) > 0.0, divide(self.axis @ X.r, self.pitch), self.turn(X)),))
