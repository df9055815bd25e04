"""Prescribed motion: joints or frames that follow a given motion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from sixd import given
from sixd.constraints.between import Between
from sixd.constraints.contract import Constraint
from sixd.joints.contract import units
from sixd.lie import so3
from sixd.spatial import Force, Forces, Matrix, Transform, Vector

__all__ = ["Prescribed", "PrescribedFrame"]


@dataclass(frozen=True, eq=False)
class Prescribed(Constraint):
    """A joint that follows a given motion, whatever force that takes: rheonomic, one row for each coordinate.

    Position, velocity and acceleration are the ``targets`` of the methods of the closed robot; without them the joint
    is held at ``position``: a number, or one for each coordinate. It must be a joint whose velocity is the rate of its
    position. The multiplier is the force of the motor that makes it follow.
    """

    kind = "prescribed"
    constant_forces = True

    joint: str
    position: Any = 0.0

    def __post_init__(self) -> None:
        given.name(self.joint, "the joint of a prescribed motion")
        what = f"the position of joint {self.joint!r}"
        one = not isinstance(self.position, Iterable) or getattr(self.position, "shape", 1) == ()
        position = given.numbers((self.position,) if one else self.position, what)
        self._put(position=given.finite(position, what, max(len(position), 1)))
        super().__post_init__()

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.joint,)

    def renamed(self, prefix: str) -> Self:
        return replace(self, name=prefix + self.name, joint=prefix + self.joint)

    @property
    def rows(self) -> int:
        return len(self.position)

    @property
    def driven(self) -> bool:
        return True

    @property
    def held(self) -> tuple[float, ...]:
        return self.position

    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        return q[0]

    def coefficients(self) -> tuple[Matrix, ...]:
        return (Matrix.identity(self.rows),)


#: What of a frame is prescribed: how many rows.
WHAT = {"position": 3, "rotation": 3, "pose": 6}


@dataclass(frozen=True, eq=False)
class PrescribedFrame(Between):
    """A frame that follows a given motion relative to another: rheonomic.

    ``what`` is "position" (3 rows: the origin of frame_b along the axes of frame_a, m), "rotation" (3 rows: the
    rotation vector of frame_b in frame_a, rad, shorter than half a turn) or "pose" (6 rows: rotation vector, then
    position). These numbers and their first and second rates are the ``targets``; without them the frame is held at
    ``at``, by default where both frames coincide.
    """

    kind = "prescribed frame"

    what: str = "pose"
    at: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = WHAT[given.choice(self.what, f"{self.title}: what", WHAT)]
        self._put(at=given.finite((0.0,) * rows if self.at is None else self.at, f"{self.title}: at", rows))

    @property
    def rows(self) -> int:
        return WHAT[self.what]

    @property
    def driven(self) -> bool:
        return True

    @property
    def held(self) -> tuple[float, ...]:
        return self.at

    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        turned = () if self.what == "position" else so3.log(X.E.T)
        moved = () if self.what == "rotation" else X.r
        return Vector((*turned, *moved))

    def forces(self, X: Transform) -> Forces:
        """The rate of the rotation vector phi is J(-phi)^-1 omega; that of the position is E^T v."""
        found: list[Force] = []
        if self.what != "position":
            J = so3.right_jacobian_inverse(so3.log(X.E.T))
            found += [Force(Vector(row), Vector.zero()) for row in J.rows]
        if self.what != "rotation":
            found += [Force(Vector.zero(), X.E @ e) for e in units(3)]
        return Forces(found)
