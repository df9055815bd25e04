"""A point."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.simulation.contact.shapes.shape import Ball, Shape, register

__all__ = ["Point"]


@register
@dataclass(frozen=True)
class Point(Shape):
    """A point of a body, at the origin of a frame or at ``center`` in its coordinates."""

    name = "point"

    def balls(self) -> tuple[Ball, ...]:
        return (Ball("", self.center, 0.0),)
