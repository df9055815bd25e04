"""A sphere."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.simulation.contact.checks import within
from sixd.simulation.contact.shapes.shape import Ball, Shape, register

__all__ = ["Sphere"]


@register
@dataclass(frozen=True)
class Sphere(Shape):
    """A sphere of a ``radius``, m. It touches where it is nearest to the ground, so it rolls."""

    name = "sphere"
    #: The radius, m.
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", within(self.radius, f"{self}: its radius", 0.0, open_below=True))

    def balls(self) -> tuple[Ball, ...]:
        return (Ball("", self.center, self.radius),)
