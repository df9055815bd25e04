"""Twists and wrenches as screws: a line, and a magnitude about and along it (F10a, "What Is a Spatial Vector?")."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from sixd.ops import Scalar, absolute, divide, leveller, sqrt, where
from sixd.spatial.force import Force
from sixd.spatial.linear import Vector, cross, largest
from sixd.spatial.motion import Motion
from sixd.spatial.value import need_kind

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


def _polar(v: Vector) -> tuple[Scalar, Vector]:
    """|v| and v / |v| (zero if v is), where no square is out of range."""
    factor = leveller(largest(v))
    scaled = v * factor
    length = sqrt(scaled @ scaled)
    return divide(length, factor), scaled / where(length > 0.0, length, 1.0)


def _screw(main: Vector, other: Vector) -> tuple[Vector, Vector, Scalar, Scalar, Scalar]:
    """The line of (main, other), where other = point x main + pitch main: FDSV (31) turned round.

    With main = |main| u: point = u x other / |main|, pitch = u . other / |main|. A NaN anywhere is one everywhere.
    """
    (size, u), (other_size, other_u) = _polar(main), _polar(other)
    flat = size <= 0.0
    along = where(flat, other_size, u @ other)
    nan = where(absolute(along + size) <= inf, 0.0, along + size)
    direction = Vector([where(flat, b, a) + nan for a, b in zip(u, other_u, strict=True)])
    point = Vector([where(flat, 0.0, x) + nan for x in cross(u, other) / size])
    return direction, point, size + nan, along + nan, where(flat, inf, divide(along, size)) + nan


def screw_of_motion(m: Motion) -> Screw:
    """The instantaneous screw axis of a twist; ``point`` is the point of the line nearest to the origin."""
    need_kind(m, Motion, "the screw of a motion")
    direction, point, rotation, translation, pitch = _screw(m.ang, m.lin)
    return Screw(direction, point, rotation, translation, pitch)


def screw_of_force(f: Force) -> Screw:
    """The central axis of a wrench; ``point`` is the point of the line nearest to the origin."""
    need_kind(f, Force, "the screw of a force")
    direction, point, force, couple, pitch = _screw(f.lin, f.ang)
    return Screw(direction, point, couple, force, pitch)
