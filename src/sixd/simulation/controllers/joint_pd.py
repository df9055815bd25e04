"""PD control of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.controllers.controller import Controller, register
from sixd.simulation.controllers.targets import Target, shapes_of, target, value_of
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Amounts, Names, amounts, joint_names, joints_of, settle, spread
from sixd.spatial import Vector

__all__ = ["JointPD"]


@register
@dataclass(frozen=True)
class JointPD(Controller):
    """Proportional and derivative control of joints: tau = k_p e + k_d (qd* - qd), with e = difference(q, q*).

    e is the way to the set point in the tangent space: q* - q, and a rotation vector for quaternions. ``kp`` is k_p, N
    m/rad or N/m; ``kd`` is k_d, N m s/rad or N s/m: one number, or one for each degree of freedom of ``joints``, by
    default all joints but those with six freedoms. ``q`` (nq numbers) and ``qd`` (nv, or one for all) are the set
    points of the whole robot, or the names of inputs that the simulation is given, once or for every step.
    """

    name = "joint_pd"
    kp: Amounts
    kd: Amounts
    q: Target = "q_target"
    qd: Target = 0.0
    joints: Names = None

    def __post_init__(self) -> None:
        settle(self, kp=amounts(self.kp, "kp", 0.0), kd=amounts(self.kd, "kd", 0.0))
        settle(self, q=target(self.q, "q"), qd=target(self.qd, "qd"), joints=joint_names(self.joints, "joints"))

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        return shapes_of(model, self.q, self.qd)

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        model = moment.model
        joints, tau = joints_of(model, self.joints), [0.0] * model.nv
        q, qd = value_of(moment, self.q, model.nq, "q"), value_of(moment, self.qd, model.nv, "qd")
        gains = spread(self.kp, joints, "kp"), spread(self.kd, joints, "kd")
        for joint, kp, kd in zip(joints, *gains, strict=True):
            e = joint.type.difference(Vector(moment.q[joint.q]), Vector(q[joint.q]))
            d = [a - b for a, b in zip(qd[joint.v], moment.qd[joint.v], strict=True)]
            tau[joint.v] = [p * x + c * y for p, x, c, y in zip(kp, e, kd, d, strict=True)]
        return tau

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(20.0, 3.0), cls(5.0, 1.0, qd="qd_target")]
