"""Motors with gears: what they deliver of the joint forces that a controller asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.controllers.controller import (
    Controller,
    joint_forces,
    need_controller,
    need_no_friction,
    register,
)
from sixd.simulation.controllers.joint_pd import JointPD
from sixd.simulation.forces.element import Resistance
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Amounts, Names, amount, amounts, joint_names, joints_of, settle, spread
from sixd.simulation.smooth import bounded, soft_sign

__all__ = ["Motor"]


@register
@dataclass(frozen=True)
class Motor(Controller):
    """Direct-current motors with gears: a controller asks, these deliver what voltage and current allow.

    With the gear ratio n the motor turns n times as fast as the joint and makes 1/n of its torque. At the speed w the
    motor's torque is within tau_s (-1 - w / w_0) and tau_s (1 - w / w_0), since its back-EMF takes voltage away: the
    speed-torque line from the stall torque tau_s to the no-load speed w_0. Beyond that speed it brakes. It is also
    within the torque limit, which stands for the largest current. What is left at the joint is less by friction in
    motor and gear, d w + f w / sqrt(w^2 + e^2); integrators treat it like that of `JointFriction`.

    ``stall_torque`` (tau_s, N m), ``no_load_speed`` (w_0, rad/s), ``torque_limit`` (N m, by default the stall torque),
    ``damping`` (d, N m s/rad) and ``friction`` (f, N m) are those of the motor's shaft, as in its data sheet; ``gear``
    is n; ``threshold`` is e, rad/s. Each of them but the last is one number, or one for each degree of freedom of
    ``joints``, by default all joints but those with six freedoms. Other joints get no force. For sliding joints
    ``gear`` is the turn of the motor per way, rad/m. The inertia of the rotor is in the robot (``rotor_inertia``).
    """

    name = "motor"
    controller: Controller
    stall_torque: Amounts
    no_load_speed: Amounts
    torque_limit: Amounts | None = None
    gear: Amounts = 1.0
    damping: Amounts = 0.0
    friction: Amounts = 0.0
    threshold: float = 1e-2
    joints: Names = None

    def __post_init__(self) -> None:
        need_controller(self.controller, "the controller of a motor")
        for item in ("stall_torque", "no_load_speed", "gear"):
            settle(self, **{item: amounts(getattr(self, item), item, 0.0, above=True)})
        limit = self.stall_torque if self.torque_limit is None else amounts(self.torque_limit, "torque_limit", 0.0)
        settle(self, torque_limit=limit, threshold=amount(self.threshold, "threshold", 0.0, above=True))
        settle(self, damping=amounts(self.damping, "damping", 0.0), friction=amounts(self.friction, "friction", 0.0))
        settle(self, joints=joint_names(self.joints, "joints"))

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        return self.controller.inputs(model)

    def dry_friction(self, moment: Moment) -> Mapping[int, Resistance]:
        """At the joint: n f v / sqrt(v^2 + (e / n)^2)."""
        found, joints = {}, joints_of(moment.model, self.joints)
        gears, levels = (spread(getattr(self, item), joints, item) for item in ("gear", "friction"))
        for joint, *sheets in zip(joints, gears, levels, strict=True):
            for k, gear, level in zip(range(joint.v.start, joint.v.stop), *sheets, strict=True):
                if level:
                    found[k] = Resistance(gear * level, self.threshold / gear)
        return found

    def trouble(self, moment: Moment) -> str:
        return self.controller.trouble(moment)

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        need_no_friction(self.controller, moment, self.name)
        asked, found = joint_forces(self.controller, moment), [0.0] * moment.model.nv
        joints = joints_of(moment.model, self.joints)
        items = ("stall_torque", "no_load_speed", "torque_limit", "gear", "damping", "friction")
        data = (spread(getattr(self, item), joints, item) for item in items)
        for joint, *sheets in zip(joints, *data, strict=True):
            each = zip(asked[joint.v], moment.qd[joint.v], *sheets, strict=True)
            found[joint.v] = [self._delivered(*values) for values in each]
        return found

    def _delivered(
        self, tau: Scalar, qd: Scalar, stall: float, free: float, limit: float, gear: float, d: float, f: float
    ) -> Scalar:
        """The force at the joint for one degree of freedom."""
        w = gear * qd
        fallen = w * (stall / free)  # what the back-EMF takes away
        made = bounded(bounded(tau / gear, -stall - fallen, stall - fallen), -limit, limit)
        if d:
            made = made - d * w
        if f:
            made = made - f * soft_sign(w, self.threshold)
        return gear * made

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        pd = JointPD(20.0, 3.0)
        return [cls(pd, 1.0, 20.0), cls(pd, 0.5, 300.0, torque_limit=0.2, gear=50.0, damping=1e-4, friction=1e-3)]
