"""What a layer is: solids of one kind on the bodies of a robot, which are shown or hidden together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.model import Model
from sixd.process.forks import cached_property
from sixd.view.meshes.mesh import Color
from sixd.view.shapes import Shape, cone, cylinder, pose_along

__all__ = ["Context", "Item", "Layer", "SceneLayer", "arrow"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Item:
    """A shape that moves with a body."""

    #: The number of the body: 0 is the base, n_bodies + 1 stands for the robot's centre of mass.
    body: int
    shape: Shape
    #: The pose of the shape in the body's frame, (4, 4).
    pose: Array
    #: Red, green, blue and opacity, 0 to 1.
    color: Color


@dataclass(frozen=True)
class Context:
    """What layers are made from."""

    model: Model
    #: A length that shows the size of the robot, m: arrows and joints are drawn in proportion to it.
    length: float
    #: What could not be drawn, and why; layers add to it.
    notes: list[str] = field(default_factory=list)

    @cached_property
    def bone(self) -> float:
        """A length to which bones and their joints are drawn in proportion, m: less, where links are many and short."""
        ways = [float(np.linalg.norm(b.placement.pose()[:3, 3])) for b in self.model.body_list[1:]]
        long = [way for way in ways if way > 1e-6 * self.length]
        usual = float(np.percentile(long, 75)) if long else self.length
        return min(self.length, max(12.0 * usual, 0.15 * self.length))


#: A function that makes the solids of a layer.
Build: TypeAlias = Callable[[Context], Iterable[Item]]


@dataclass(frozen=True)
class Layer:
    """A layer: its name, what people read beside its switch, and how its solids are made.

    What is ``inside`` the links can be drawn so that it is seen through them.
    """

    name: str
    label: str
    build: Build
    inside: bool = True


@dataclass(frozen=True, eq=False)
class SceneLayer:
    """The solids of one kind, and whether they are shown at first."""

    name: str
    label: str
    shown: bool
    #: Whether it is inside the links, and may be drawn so that it is seen through them.
    inside: bool
    items: tuple[Item, ...] = ()
    #: Whether it is what is around the robot: cameras do not look at it, and its meshes keep all their triangles.
    around: bool = False


def arrow(body: int, start: ArrayLike, end: ArrayLike, radius: float, color: Color) -> Iterator[Item]:
    """An arrow between two points of a body: a rod and a tip."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    pose, length = pose_along(start, end), float(np.linalg.norm(end - start))
    tip = min(5.0 * radius, 0.5 * length)
    rod, head = pose.copy(), pose.copy()
    rod[:3, 3] += 0.5 * (length - tip) * pose[:3, 2]
    head[:3, 3] += (length - tip) * pose[:3, 2]
    yield Item(body, cylinder(radius, length - tip), rod, color)
    yield Item(body, cone(2.4 * radius, tip), head, color)
