"""A capsule: a cylinder with round ends."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.simulation.contact.checks import within
from sixd.simulation.contact.shapes.shape import Ball, Shape, register

__all__ = ["Capsule"]


@register
@dataclass(frozen=True)
class Capsule(Shape):
    """A capsule along the frame's z axis: the ``length`` between the middles of its two ends, and its ``radius``, m.

    Its ends touch, as two spheres. Where the ground is flat that is all; on a bump, its side can sink in between them.
    """

    name = "capsule"
    #: The radius, m.
    radius: float
    #: The distance of the middles of the two ends, m.
    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("radius", "length"):
            object.__setattr__(self, what, within(getattr(self, what), f"{self}: its {what}", 0.0, open_below=True))

    def balls(self) -> tuple[Ball, ...]:
        half = 0.5 * self.length
        return tuple(Ball(suffix, self.at(0.0, 0.0, z), self.radius) for suffix, z in (("-z", -half), ("+z", half)))
