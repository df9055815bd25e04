"""Twists and wrenches as screws: a line, and a magnitude about and along it (F10a, "What Is a Spatial Vector?")."""

from __future__ import annotations

from typing import NamedTuple

from sixd.ops import Scalar, divide, sqrt, where
from sixd.spatial.force import Force
from sixd.spatial.linear import Vector, cross
from sixd.spatial.motion import Motion

__all__ = ["Screw", "screw_of_force", "screw_of_motion"]


class Screw(NamedTuple):
    """A directed line with two magnitudes.

    ``rotation`` is about the line and ``translation`` along it for a twist. For a wrench ``translation`` is the
    force along the line and ``rotation`` the couple about it. ``pitch`` is translation per rotation of a twist
    (couple per force of a wrench), infinite where the denominator is zero: then the line has a direction only and
    ``point`` is zero.
    """

    direction: Vector
    point: Vector
    rotation: Scalar
    translation: Scalar
    pitch: Scalar

    def motion(self) -> Motion:
        """The twist with this screw: (u w, p x u w + u t)."""
        ang = self.direction * self.rotation
        return Motion(ang, cross(self.point, ang) + self.direction * self.translation)

    def force(self) -> Force:
        """The wrench with this screw: (p x u f + u c, u f)."""
        lin = self.direction * self.translation
        return Force(cross(self.point, lin) + self.direction * self.rotation, lin)


def _screw(main: Vector, other: Vector) -> tuple[Vector, Vector, Scalar, Scalar, Scalar]:
    """The line of (main, other), where other = point x main + pitch main: FDSV (31) turned round."""
    size, other_size = sqrt(main @ main), sqrt(other @ other)
    proper = size > 0.0
    scale = divide(1.0, where(proper, size, where(other_size > 0.0, other_size, 1.0)))
    direction = Vector(where(proper, a, b) * scale for a, b in zip(main, other, strict=True))
    square = where(proper, main @ main, 1.0)
    point = cross(main, other) * divide(1.0, square)
    along = where(proper, direction @ other, other_size)
    pitch = where(proper, divide(main @ other, square), divide(1.0, size * 0.0))
    return direction, point, size, along, pitch


def screw_of_motion(m: Motion) -> Screw:
    """The instantaneous screw axis of a twist; ``point`` is the point of the line nearest to the origin."""
    direction, point, rotation, translation, pitch = _screw(m.ang, m.lin)
    return Screw(direction, point, rotation, translation, pitch)


def screw_of_force(f: Force) -> Screw:
    """The central axis of a wrench; ``point`` is the point of the line nearest to the origin."""
    direction, point, force, couple, pitch = _screw(f.lin, f.ang)
    return Screw(direction, point, couple, force, pitch)
