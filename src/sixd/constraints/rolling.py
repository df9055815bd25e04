"""Rolling: a ball or a wheel that rolls on a plane without slipping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sixd import given
from sixd.constraints.between import Between
from sixd.errors import ModelError
from sixd.joints import Revolute
from sixd.joints.contract import units
from sixd.ops import divide, sqrt
from sixd.spatial import Force, Forces, Transform, Vector

__all__ = ["Rolling"]

SHAPES = ("sphere", "wheel")


@dataclass(frozen=True, eq=False)
class Rolling(Between):
    """A ball or a wheel around the origin of frame_b that rolls without slipping on the x-y plane of frame_a.

    ``radius``, m; ``shape`` is "sphere" or "wheel", a thin disc about ``axis`` in coordinates of frame_b. Three rows,
    along the axes of frame_a: the velocity of the body at the point of contact is zero. The rows along x and y are
    nonholonomic: they constrain velocities, but no positions, and their error is zero. The error of the third is the
    height of the lowest point, m.
    """

    kind = "rolling"

    radius: float
    shape: str = "sphere"
    axis: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        radius = given.number(self.radius, f"{self.title}: its radius")
        if not isfinite(radius) or radius <= 0.0:
            raise ModelError(f"{self.title}: its radius must be positive, not {radius:g}")
        shape = given.choice(self.shape, f"{self.title}: its shape", SHAPES)
        if (shape == "wheel") != (self.axis is not None):
            raise ModelError(f"{self.title}: a wheel needs an axis, such as 'y', and a sphere has none")
        self._put(radius=radius, axis=None if self.axis is None else tuple(Revolute(self.axis).axis))

    @property
    def rows(self) -> int:
        return 3

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return False, False, True

    def _lowest(self, X: Transform) -> Vector:
        """From the centre to the point of contact, along the axes of frame a."""
        up = Vector((0.0, 0.0, 1.0))
        if self.axis is None:
            return up * -self.radius
        axle = X.E.T @ Vector(self.axis)
        across = up - axle * axle[2]
        return across * divide(-self.radius, sqrt(across @ across))

    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        return Vector((0.0, 0.0, X.r[2] + self._lowest(X)[2]))

    def forces(self, X: Transform) -> Forces:
        """Forces through the point of contact."""
        arm = X.E @ self._lowest(X)
        axes = [X.E @ e for e in units(3)]
        return Forces(Force(arm.cross(e), e) for e in axes)
