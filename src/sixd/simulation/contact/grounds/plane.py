"""A plane."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from sixd.errors import ModelError
from sixd.given import finite, number
from sixd.simulation.contact.grounds.ground import Ground, Nearest, register
from sixd.spatial import Vector

__all__ = ["Plane"]


@register
@dataclass(frozen=True)
class Plane(Ground):
    """The plane n . p = offset, in world coordinates; the normal n points out of the ground.

    By default it is the floor, z = 0. A normal of any length is made a unit vector; the offset is the distance of the
    plane from the origin along it, m.
    """

    name = "plane"
    #: The direction out of the ground.
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    #: The distance of the plane from the origin along the normal, m.
    offset: float = 0.0

    def __post_init__(self) -> None:
        n = finite(self.normal, "the normal of a plane", 3)
        size = hypot(*n)
        if not 1e-100 < size < 1e100:
            raise ModelError(f"the normal of a plane must be a direction, not {n}")
        object.__setattr__(self, "normal", tuple(x / size for x in n))
        object.__setattr__(self, "offset", finite((number(self.offset, "the offset of a plane"),), "offset", 1)[0])

    def nearest(self, p: Vector) -> Nearest:
        n = Vector(self.normal)
        return Nearest(n @ p - self.offset, (*self._tangents(), n))

    def _tangents(self) -> tuple[Vector, Vector]:
        """Unit tangents; x and y for the floor."""
        x, y, z = self.normal
        if max(abs(x), abs(z)) >= 0.5:  # one of x, y, z is above 0.57
            size = hypot(x, z) if z >= 0.0 else -hypot(x, z)
            first = Vector((z / size, 0.0, -x / size))
        else:
            size = hypot(x, y)
            first = Vector((-y / size, x / size, 0.0))
        return first, Vector(self.normal).cross(first)
