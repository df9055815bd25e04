"""Bars with their shapes, and points where two bars meet: what mechanisms are made of."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ModelError
from sixd.gallery import rod
from sixd.joints import Joint
from sixd.model.parts import Visual
from sixd.robot import Builder
from sixd.spatial import Transform

__all__ = [
    "BLUE",
    "DARK",
    "GREEN",
    "GREY",
    "ORANGE",
    "PURPLE",
    "angle_of",
    "bar",
    "finite",
    "lengths",
    "meeting",
    "shape_along",
]

Array = NDArray[np.float64]
Color = tuple[float, float, float, float]
BLUE: Color = (0.20, 0.42, 0.69, 1.0)
ORANGE: Color = (0.89, 0.49, 0.17, 1.0)
GREEN: Color = (0.25, 0.60, 0.36, 1.0)
PURPLE: Color = (0.50, 0.36, 0.66, 1.0)
GREY: Color = (0.55, 0.58, 0.63, 1.0)
DARK: Color = (0.25, 0.27, 0.31, 1.0)


def bar(
    b: Builder,
    name: str,
    parent: str,
    joint: Joint,
    end: ArrayLike,
    mass: float,
    radius: float,
    color: Color,
    thin: bool = False,
    **options: Any,
) -> None:
    """Add a round bar from the origin of its body to ``end``, with its inertia and its shape.

    The inertia of a ``thin`` one is that of a line of mass.
    """
    tip = np.asarray(end, dtype=float)
    length = float(np.linalg.norm(tip))
    u = tip / length
    across, _, along = rod(mass, length, 0.0 if thin else radius)
    inertia = across * (np.eye(3) - np.outer(u, u)) + along * np.outer(u, u)
    b.body(name, parent, joint, mass=mass, com=tip / 2.0, inertia=inertia, **options)
    b.visuals.append(shape_along(name, np.zeros(3), tip, radius, color))


def shape_along(
    frame: str, start: ArrayLike, end: ArrayLike, radius: float, color: Color, shape: str = "capsule"
) -> Visual:
    """A capsule or a cylinder between two points of a frame."""
    p, q = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(q - p))
    z = (q - p) / length
    side = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(side, z) / np.linalg.norm(np.cross(side, z))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.stack([x, np.cross(z, x), z], axis=1), (p + q) / 2.0
    return Visual(frame, shape, (radius, length), offset=Transform.from_pose(pose), color=color)


def lengths(**values: float) -> tuple[float, ...]:
    """Lengths and masses of a mechanism, if they are positive numbers."""
    for name, value in values.items():
        if not 0.0 < given.number(value, name) < inf:
            raise ModelError(f"{name} must be a positive number, not {value}")
    return tuple(float(value) for value in values.values())


def finite(value: float, name: str) -> float:
    """A finite number."""
    number = given.number(value, name)
    if not isfinite(number):
        raise ModelError(f"{name} must be finite, not {number}")
    return number


def angle_of(way: Sequence[float] | Array) -> float:
    """The angle about y that turns the x axis to a direction (x, z): a positive one lowers it."""
    return float(np.arctan2(-way[1], way[0]))


def meeting(P: Array, Q: Array, a: float, b: float, what: str) -> Array:
    """The point at the distances a from P and b from Q, to the left of the way from P to Q, in a plane."""
    far = hypot(*(Q - P))
    along = (far * far + a * a - b * b) / (2.0 * far) if far > 0.0 else a + b
    square = a * a - along * along
    if square < -1e-12 * a * a:
        raise ModelError(f"{what}: bars of {a:g} m and {b:g} m do not meet over a distance of {far:.4g} m")
    height = sqrt(square) if square > 2e-15 * a * a else 0.0  # less is rounding: the bars are in line
    u = (Q - P) / far  # what meets over no distance was refused
    return np.asarray(P + along * u + height * np.array([-u[1], u[0]]))
