"""The contract of contact shapes: what of a body can touch the ground. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

from sixd import given
from sixd.simulation.registry import registry

__all__ = ["SHAPES", "Ball", "Shape", "register"]

#: The shapes by name.
SHAPES, register = registry("contact shape")


class Ball(NamedTuple):
    """A ball of a shape, in the coordinates of its frame; a point is a ball with the radius zero."""

    #: What tells it from others of its shape: empty if there is only one.
    suffix: str
    center: tuple[float, float, float]
    radius: float


@dataclass(frozen=True)
class Shape(ABC):
    """A shape at a frame of a robot, made of balls: each can touch the ground in one point.

    Shapes are frozen data. ``center`` is the place of the shape's middle in the coordinates of its frame, m.
    """

    name: ClassVar[str]
    #: The frame that carries it.
    frame: str
    _: KW_ONLY
    #: The middle of the shape, in coordinates of the frame, m.
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        given.name(self.frame, "the frame of a contact shape")
        object.__setattr__(self, "center", given.finite(self.center, f"{self}: its center", 3))

    @abstractmethod
    def balls(self) -> tuple[Ball, ...]:
        """The balls that stand for it, in coordinates of its frame."""

    def at(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """A place given from the middle of the shape, in coordinates of the frame."""
        a, b, c = self.center
        return a + x, b + y, c + z

    def __str__(self) -> str:
        return f"the {self.name} at {self.frame!r}"
