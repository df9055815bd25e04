"""Distance: two points that keep their distance, like the ends of a rod without mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from sixd import given
from sixd.constraints.between import Between
from sixd.errors import ModelError
from sixd.ops import divide, sqrt
from sixd.spatial import Force, Forces, Transform, Vector

__all__ = ["Distance"]


@dataclass(frozen=True, eq=False)
class Distance(Between):
    """The origins of two frames keep a distance of ``length`` metres, like the ends of a rod without mass: one row.

    The error is the distance less its length, m; the multiplier is the pressure in the rod, N.
    """

    kind = "distance"

    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        length = given.number(self.length, f"{self.title}: its length")
        if not isfinite(length) or length <= 0.0:
            raise ModelError(
                f"{self.title}: its length must be positive, not {length:g}; for none, take sixd.Loop(a, b, 'point')"
            )
        self._put(length=length)

    @property
    def rows(self) -> int:
        return 1

    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        return Vector((sqrt(X.r @ X.r) - self.length,))

    def forces(self, X: Transform) -> Forces:
        """A force along the line from a to b."""
        return Forces([Force(Vector.zero(), X.E @ (X.r * divide(1.0, sqrt(X.r @ X.r))))])
