"""Springs at joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from sixd.model import JointView, Model
from sixd.ops import Scalar
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import Amounts, Names, amounts, joint_names, joints_of, last_joint, settle, spread
from sixd.spatial import Vector

__all__ = ["JointSpring"]


@register
@dataclass(frozen=True)
class JointSpring(ForceElement):
    """Springs at joints: tau = -J^T K x, E = 1/2 x^T K x, where x is the way from the rest position to q.

    x = difference(rest, q), in the tangent space; J is its rate per velocity, which is 1 where positions are vectors.
    ``stiffness`` is K, N m/rad or N/m; ``rest`` the position at which the springs are relaxed, by default the neutral
    one. Each is one number, or one for each degree of freedom (``rest``: for each position coordinate) of ``joints``.
    By default these are all joints but those with six freedoms.
    """

    name, acts_on_joints = "joint_spring", True
    stiffness: Amounts
    rest: Amounts | None = None
    joints: Names = None

    def __post_init__(self) -> None:
        rest = None if self.rest is None else amounts(self.rest, "rest")
        settle(self, stiffness=amounts(self.stiffness, "stiffness", 0.0), rest=rest)
        settle(self, joints=joint_names(self.joints, "joints"))

    @property
    def law(self) -> EnergyLaw:
        return "conservative"

    def apply(self, moment: Moment, loads: Loads) -> None:
        for joint, k, rest in self._springs(moment.model):
            q = Vector(moment.joint_position(joint.name))
            pull = Vector(a * x for a, x in zip(k, joint.type.difference(rest, q), strict=True))
            loads.on_joint(joint.name, list(-(joint.type.difference_jacobian(rest, q).T @ pull)))

    def energy(self, moment: Moment) -> Scalar:
        E: Scalar = 0.0
        for joint, k, rest in self._springs(moment.model):
            for a, x in zip(k, joint.type.difference(rest, Vector(moment.joint_position(joint.name))), strict=True):
                E = E + 0.5 * a * x * x
        return E

    def _springs(self, model: Model) -> Iterator[tuple[JointView, tuple[float, ...], Vector]]:
        """Each joint with its stiffness and its rest position."""
        joints = joints_of(model, self.joints)
        stiffness = spread(self.stiffness, joints, "stiffness")
        if self.rest is None:
            rests = [joint.type.neutral() for joint in joints]
        else:
            rests = [Vector(rest) for rest in spread(self.rest, joints, "rest", of="q")]
        return zip(joints, stiffness, rests, strict=True)

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(3.0), cls(2.0, rest=0.4, joints=last_joint(model))]
