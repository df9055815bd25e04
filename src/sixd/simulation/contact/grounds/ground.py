"""The contract of grounds: what is touched. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from sixd.ops import Scalar
from sixd.simulation.registry import registry
from sixd.spatial import Vector

__all__ = ["GROUNDS", "Ground", "Nearest", "register"]

#: The grounds by name.
GROUNDS, register = registry("ground")


class Nearest(NamedTuple):
    """The ground nearest to a point, in world coordinates: how far it is and its axes there."""

    #: The distance from the ground, negative below it, m.
    gap: Scalar
    #: Two unit tangents and the unit normal, which points out of the ground: right-handed.
    axes: tuple[Vector, Vector, Vector]


class Ground(ABC):
    """A surface in the world, fixed. Frozen data and one method, for one point and any kind of number."""

    name: ClassVar[str]

    @abstractmethod
    def nearest(self, p: Vector) -> Nearest:
        """The ground nearest to a point p, which is in world coordinates."""

    def below_ball(self, center: Vector, radius: float) -> Nearest:
        """The ground nearest to a ball, and how far the ball's surface is from it."""
        gap, axes = self.nearest(center)
        return Nearest(gap - radius, axes)
