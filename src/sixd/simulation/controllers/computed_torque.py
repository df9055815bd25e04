"""Computed torque: inverse dynamics as a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.controllers.controller import Controller, register
from sixd.simulation.controllers.dynamics import feasible, inverse_dynamics, realised
from sixd.simulation.controllers.joint_pd import JointPD
from sixd.simulation.controllers.targets import Target, shapes_of, target, value_of
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Amounts, Names, amounts, joint_names, settle

__all__ = ["ComputedTorque"]


@register
@dataclass(frozen=True)
class ComputedTorque(Controller):
    """Inverse dynamics with feedback: tau = ID(q, qd, qdd* + k_d (qd* - qd) + k_p e), with e = difference(q, q*).

    In its own model the error obeys e'' + k_d e' + k_p e = 0, also on a base that moves and, if as many joints are
    driven as it has freedoms, in a closed robot. ``kp`` is k_p, 1/s^2; ``kd`` is k_d, 1/s, 2 sqrt(k_p) for
    critical damping: one number, or one for each degree of freedom of ``joints``, by default all joints but those with
    six freedoms, and only these get forces. ``q`` (nq numbers), ``qd`` and ``qdd`` (nv, or one for all) are the set
    points of the whole robot, or the names of inputs that the simulation is given, once or for every step.
    """

    name = "computed_torque"
    kp: Amounts
    kd: Amounts
    q: Target = "q_target"
    qd: Target = "qd_target"
    qdd: Target = "qdd_target"
    joints: Names = None

    def __post_init__(self) -> None:
        settle(self, kp=amounts(self.kp, "kp", 0.0), kd=amounts(self.kd, "kd", 0.0))
        settle(self, **{item: target(getattr(self, item), item) for item in ("q", "qd", "qdd")})
        settle(self, joints=joint_names(self.joints, "joints"))

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        return shapes_of(model, self.q, self.qd, self.qdd)

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        feedback = JointPD(self.kp, self.kd, self.q, self.qd, self.joints).torque(moment)
        wanted = value_of(moment, self.qdd, moment.model.nv, "qdd")
        qdd = [a + b for a, b in zip(wanted, feedback, strict=True)]
        return realised(moment, self.joints, inverse_dynamics(moment, feasible(moment, self.joints, qdd)))

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(100.0, 20.0), cls(25.0, 10.0, qd=0.0, qdd=0.0)]
