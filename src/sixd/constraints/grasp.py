"""Grasp: two frames that hold one rigid object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixd.constraints.between import Between
from sixd.constraints.contract import placed, unit_forces
from sixd.lie import se3
from sixd.spatial import Forces, Transform, Vector

__all__ = ["Grasp"]


@dataclass(frozen=True, eq=False)
class Grasp(Between):
    """Two frames whose pose relative to each other stays what it is, because both hold one rigid object: F10b (34).

    ``pose`` is the pose of frame_b in frame_a while they hold it: a `Transform`, or (4, 4), as
    ``np.linalg.inv(robot.pose(q, a)) @ robot.pose(q, b)`` gives it. Six rows, in coordinates of frame_b: the velocity
    of one frame relative to the other. The error is the logarithm of the pose found in the one wanted; rad and m.
    """

    kind = "grasp"
    constant_forces = True

    pose: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        self._put(pose=placed(self.pose, self.title))

    @property
    def offset(self) -> Transform:
        return self.pose

    @property
    def rows(self) -> int:
        return 6

    def forces(self, X: Transform) -> Forces:
        return unit_forces(6)

    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        return Vector(se3.log(X).components())
