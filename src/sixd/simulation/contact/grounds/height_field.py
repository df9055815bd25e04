"""Hills: a height over every place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixd.dual import moving, rates
from sixd.errors import ArgumentError, ModelError
from sixd.given import described
from sixd.ops import Scalar, divide, sqrt
from sixd.samples import as_samples
from sixd.simulation.contact.grounds.ground import Ground, Nearest, register
from sixd.simulation.parts import for_any_number, formula
from sixd.spatial import Vector

__all__ = ["HeightField"]

HeightFunction = Callable[[Scalar, Scalar], Scalar]
#: Steps to the point of a ball that touches: its error shrinks with radius / radius of curvature in each. At edges that
#: are sharper than the ball they lead to and fro; an even number of them ends at its lowest point.
APPROACHES = 2


@register
@dataclass(frozen=True)
class HeightField(Ground):
    """The surface z = sum of h(x, y), in world coordinates; z points up.

    Each term h is a function of two numbers: one of the heights in this package (`Grid`, `Slope`, `Wave`, `Bump`,
    `Stair`), or one's own, written with operators and `sixd.ops`. Its gradient is found by dual numbers. The distance
    of a point is taken along the normal below it, (z - h) / sqrt(1 + |grad h|^2): exact on slopes, and elsewhere as
    good as the ground is flat across that distance. That of a ball is the distance of the point with which it touches.
    It must be smaller than the radius of curvature of the ground, 1 / |h''| where that is level: a ball that touches
    two places at once is held by one of them, and jumps where that changes.
    """

    name = "height field"
    terms: tuple[HeightFunction, ...]

    def __init__(self, *terms: HeightFunction) -> None:
        if not terms:
            raise ModelError("a height field needs at least one height, such as HeightField(Slope(0.1, 0.0))")
        for term in terms:
            formula(term, "a height", "h(x, y)", 2)
        object.__setattr__(self, "terms", terms)
        _try(self)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """The sum of all terms at a place, m."""
        total: Scalar = 0.0
        for term in self.terms:
            total = total + _number(term, x, y)
        return total

    def gradient(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """dh/dx and dh/dy at a place."""
        found = []
        for speeds in ((1.0, 0.0), (0.0, 1.0)):
            (dx, dy), level = moving(speeds, (x, y))
            found.append(rates((self.height(x + dx, y + dy),), level)[0])
        return found[0], found[1]

    def below_ball(self, center: Vector, radius: float) -> Nearest:
        """A ball touches with the point whose normal is that of the ground there: p = center - radius n(p)."""
        p = center
        for _ in range(APPROACHES if radius else 0):
            p = center - self.nearest(p).axes[2] * radius
        return self.nearest(p)

    def nearest(self, p: Vector) -> Nearest:
        a, b = self.gradient(p[0], p[1])
        along = 1.0 + a * a
        up = divide(1.0, sqrt(along + b * b))
        n = Vector((-a * up, -b * up, up))
        short = divide(1.0, sqrt(along))
        first = Vector((short, 0.0, a * short))
        return Nearest((p[2] - self.height(p[0], p[1])) * up, (first, n.cross(first), n))


def _try(ground: HeightField) -> None:
    """Raise unless height and gradient can be computed: at the origin, where they may be infinite."""
    zero = as_samples(np.asarray(0.0))
    with np.errstate(all="ignore"):
        ground.gradient(zero, zero)
        height = ground.height(zero, zero)
    if np.ndim(height):
        raise ArgumentError(f"a height h(x, y) must return one number, not an array of shape {np.shape(height)}")


def _number(term: HeightFunction, x: Scalar, y: Scalar) -> Any:
    with for_any_number("a height h(x, y)"):
        found = term(x, y)
    if found is None or isinstance(found, str | bytes | list | tuple | dict):
        raise ArgumentError(f"a height h(x, y) must return one number, not {described(found)}")
    return found
