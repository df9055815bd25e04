"""Gravity compensation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixd.ops import Scalar
from sixd.simulation.controllers.controller import Controller, register
from sixd.simulation.controllers.dynamics import at_rest, inverse_dynamics, realised
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Names, joint_names, settle

__all__ = ["GravityCompensation"]


@register
@dataclass(frozen=True)
class GravityCompensation(Controller):
    """The joint forces that hold the robot against gravity, C(q, 0), at ``joints``.

    These are by default all joints but those with six freedoms, which no motor drives: a walking robot is not held up.
    In a closed robot these joints carry the others through the constraints, as far as they can, with the least squares
    of forces. On a base that moves gravity pulls along the world's z axis, or wherever it does, not the base's.
    """

    name = "gravity_compensation"
    joints: Names = None

    def __post_init__(self) -> None:
        settle(self, joints=joint_names(self.joints, "joints"))

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        still = at_rest(moment)
        return realised(moment, self.joints, inverse_dynamics(still, still.qd))
