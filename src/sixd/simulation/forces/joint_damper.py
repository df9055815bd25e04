"""Viscous dampers at joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from sixd.model import Model
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import Amounts, Names, amounts, joint_names, joints_of, last_joint, settle, spread

__all__ = ["JointDamper"]


@register
@dataclass(frozen=True)
class JointDamper(ForceElement):
    """Viscous dampers at joints: tau = -d qd.

    ``damping`` is d, N m s/rad or N s/m: one number, or one for each degree of freedom of ``joints``, by default all
    joints but those with six freedoms.
    """

    name, acts_on_joints = "joint_damper", True
    damping: Amounts
    joints: Names = None

    def __post_init__(self) -> None:
        settle(self, damping=amounts(self.damping, "damping", 0.0), joints=joint_names(self.joints, "joints"))

    @property
    def law(self) -> EnergyLaw:
        return "passive"

    def apply(self, moment: Moment, loads: Loads) -> None:
        joints = joints_of(moment.model, self.joints)
        for joint, damping in zip(joints, spread(self.damping, joints, "damping"), strict=True):
            qd = moment.joint_velocity(joint.name)
            loads.on_joint(joint.name, [-(d * v) for d, v in zip(damping, qd, strict=True)])

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(0.7), cls(1.3, joints=last_joint(model))]
