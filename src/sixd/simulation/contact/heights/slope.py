"""A slope."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.given import finite
from sixd.ops import Scalar
from sixd.simulation.contact.heights.height import Height, register

__all__ = ["Slope"]


@register
@dataclass(frozen=True)
class Slope(Height):
    """h = along_x x + along_y y + base: rises by these amounts per metre; the base is the height at the origin, m."""

    name = "slope"
    along_x: float = 0.0
    along_y: float = 0.0
    base: float = 0.0

    def __post_init__(self) -> None:
        values = finite((self.along_x, self.along_y, self.base), "the rises and the base of a slope", 3)
        for what, value in zip(("along_x", "along_y", "base"), values, strict=True):
            object.__setattr__(self, what, value)

    def __call__(self, x: Scalar, y: Scalar) -> Scalar:
        return self.along_x * x + self.along_y * y + self.base
