"""Loop: a joint that closes a loop, between two frames of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sixd import given
from sixd.constraints.between import Between
from sixd.constraints.contract import placed, unit_forces
from sixd.errors import ChoiceError, ModelError, SixdError
from sixd.joints import JOINTS, AxisJoint, Joint, Spherical
from sixd.lie import se3
from sixd.process.forks import cached_property
from sixd.spatial import Forces, Motion, Motions, Transform, Vector

__all__ = ["Loop"]

#: A joint without freedom: both frames coincide.
WELD = "weld"
#: The other name of the spherical joint, by which the origins of both frames coincide.
POINT = "point"


@dataclass(frozen=True, eq=False)
class Loop(Between):
    """A joint between two frames that closes a loop: FO00 (16)-(19), F10a (31)-(34).

    ``joint`` is "weld" (the frames coincide), "point" (their origins do), or a joint type: its name, such as
    "revolute", with its ``axis`` if it has one, or a joint such as ``Helical("z", pitch=0.01)``. ``frame_a`` is its
    predecessor, ``frame_b`` its successor, and the axis has the same coordinates in both. ``offset`` places the
    predecessor relative to frame_a: a `Transform`, or a pose (4, 4).

    It has 6 - nv rows. They are in coordinates of frame_b: the velocities along the forces T that the joint transmits
    without work, T^T (v_b - v_a) = 0. The error is T^T log(X_err), where X_err leads from the position that the joint
    should have, the one nearest to frame_b, to frame_b; rad and m.
    """

    kind = "loop"

    joint: Any = WELD
    axis: Any = field(default=None, repr=False)  # it becomes part of the joint
    offset: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        what = self.title
        self._put(joint=_joint(self.joint, self.axis, what), axis=None, offset=placed(self.offset, what))
        if self.joint != WELD:
            if self.joint.nv == 6:
                raise ModelError(f"{what}: a {self.joint.name} joint constrains nothing")
            _, _ = self.joint.nearest(Transform.identity()), self.joint.constraint_subspace(self.joint.neutral())

    @property
    def brief(self) -> str:
        return f"{self.joint if self.joint == WELD else repr(self.joint)}: {', '.join(self.frames)}"

    @property
    def rows(self) -> int:
        return 6 if self.joint == WELD else 6 - int(self.joint.nv)

    @property
    def constant_forces(self) -> bool:  # type: ignore[override]
        return self._constant is not None

    @cached_property
    def _constant(self) -> Forces | None:
        """T, if it is the same at every position."""
        if self.joint == WELD:
            return unit_forces(6)
        own = type(self.joint).constraint_subspace is not Joint.constraint_subspace
        return None if own else self.joint.constraint_subspace(self.joint.neutral())

    @cached_property
    def _is_through_a_point(self) -> bool:
        """Whether the joint leaves all rotations free, so that only the distance of the origins counts."""
        return self._constant is not None and not any(any(f.ang) for f in self._constant)

    def forces(self, X: Transform) -> Forces:
        return self._constant or self.joint.constraint_subspace(self.joint.nearest(X))

    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        if self.joint == WELD:
            return Vector(se3.log(X).components())
        if self._is_through_a_point:
            return self.forces(X).T @ Motion(Vector.zero(), X.E @ X.r)
        q_J = self.joint.nearest(X)
        T = self._constant or self.joint.constraint_subspace(q_J)
        return T.T @ se3.log(X @ self.joint.transform(q_J).inv)

    def motions(self, X: Transform) -> Motions:
        """S of the joint, in coordinates of frame b: the motions that it leaves free."""
        if self.joint == WELD:
            return Motions([])
        return self.joint.subspace(self.joint.nearest(X))


def _joint(joint: Any, axis: Any, what: str) -> Any:
    """A joint as users give it: as an object; "weld" stays a word."""
    if isinstance(joint, Joint) or (isinstance(joint, str) and joint == WELD):
        if axis is not None:
            raise ModelError(f"{what}: axis is for a joint given by name, not for {joint!r}")
        return joint
    if not isinstance(joint, str) or joint not in (POINT, *JOINTS):
        known = ", ".join(map(repr, (WELD, POINT, *JOINTS)))
        raise ChoiceError(f"{what}: joint must be a Joint or one of {known}, not {given.described(joint)}")
    kind = Spherical if joint == POINT else JOINTS[joint]
    if axis is None:
        if issubclass(kind, AxisJoint):
            raise ModelError(f"{what}: a {joint} joint needs an axis, as in axis='z' or axis=(0, 0, 1)")
        return kind()
    if not issubclass(kind, AxisJoint):
        raise ModelError(f"{what}: a {joint} joint has no axis")
    try:
        return kind(axis)
    except SixdError as error:
        raise ModelError(f"{what}: {error}") from None
