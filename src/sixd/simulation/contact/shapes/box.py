"""A box."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from sixd.errors import ModelError
from sixd.given import finite
from sixd.simulation.contact.shapes.shape import Ball, Shape, register

__all__ = ["Box"]


@register
@dataclass(frozen=True)
class Box(Shape):
    """A box with the edges ``size``, m, along the frame's axes. Its eight corners touch, as points."""

    name = "box"
    #: The lengths of the edges along x, y and z, m.
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", finite(self.size, f"{self}: its size", 3))
        if min(self.size) <= 0.0:
            raise ModelError(f"{self}: its size must be three positive numbers, not {self.size}")

    def balls(self) -> tuple[Ball, ...]:
        found = []
        for signs in product((-1.0, 1.0), repeat=3):
            suffix = "".join(f"{'-' if s < 0.0 else '+'}{axis}" for s, axis in zip(signs, "xyz", strict=True))
            x, y, z = (0.5 * s * edge for s, edge in zip(signs, self.size, strict=True))
            found.append(Ball(suffix, self.at(x, y, z), 0.0))
        return tuple(found)
