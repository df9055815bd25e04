"""A bump."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.given import finite
from sixd.ops import Scalar, where
from sixd.simulation.contact.checks import within
from sixd.simulation.contact.heights.height import Height, register

__all__ = ["Bump"]


@register
@dataclass(frozen=True)
class Bump(Height):
    """h = height (1 - r^2 / radius^2)^3 within the radius about (x, y), else zero; a negative height is a pit. m."""

    name = "bump"
    x: float
    y: float
    height: float
    radius: float

    def __post_init__(self) -> None:
        values = finite((self.x, self.y, self.height), "the place and the height of a bump", 3)
        for what, value in zip(("x", "y", "height"), values, strict=True):
            object.__setattr__(self, what, value)
        object.__setattr__(self, "radius", within(self.radius, "the radius of a bump", 0.0, open_below=True))

    def __call__(self, x: Scalar, y: Scalar) -> Scalar:
        scale = 1.0 / self.radius
        a, b = scale * (x - self.x), scale * (y - self.y)
        rest = 1.0 - (a * a + b * b)
        rest = where(rest > 0.0, rest, 0.0)
        return self.height * (rest * rest * rest)
