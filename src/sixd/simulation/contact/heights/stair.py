"""A step of a stair."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

from sixd.given import finite
from sixd.ops import Scalar
from sixd.simulation.contact.checks import within
from sixd.simulation.contact.heights.height import Height, clip, register

__all__ = ["Stair"]


@register
@dataclass(frozen=True)
class Stair(Height):
    """h rises smoothly by ``height`` over a ``width``, about the place ``at`` along ``heading``, an angle from x.

    With u the way across the rise, from 0 to 1, h = height u^2 (3 - 2 u). All in m, the heading in rad. A width of zero
    would be a wall, which is no height field. Its edges have the radius of curvature width^2 / (6 height): points climb
    any stair, balls need a width of sqrt(6 height radius) and more.
    """

    name = "stair"
    at: float
    height: float
    width: float = 0.02
    heading: float = 0.0

    def __post_init__(self) -> None:
        values = finite((self.at, self.height, self.heading), "place, height and heading of a stair", 3)
        for what, value in zip(("at", "height", "heading"), values, strict=True):
            object.__setattr__(self, what, value)
        object.__setattr__(self, "width", within(self.width, "the width of a stair", 0.0, open_below=True))

    def __call__(self, x: Scalar, y: Scalar) -> Scalar:
        s = cos(self.heading) * x + sin(self.heading) * y
        u = clip((s - self.at) * (1.0 / self.width) + 0.5, 0.0, 1.0)
        return self.height * (u * u * (3.0 - 2.0 * u))
