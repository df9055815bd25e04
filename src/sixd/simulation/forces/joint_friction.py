"""Dry friction at joints, made smooth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.forces.element import EnergyLaw, ForceElement, Resistance, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import Amounts, Names, amount, amounts, joint_names, joints_of, settle, spread

__all__ = ["JointFriction"]


@register
@dataclass(frozen=True)
class JointFriction(ForceElement):
    """Dry (Coulomb) friction at joints, smooth through rest: tau = -g(qd) qd / sqrt(qd^2 + e^2).

    g(v) = c + (s - c) / (1 + (v / v_s)^2) falls from the static level s to the kinetic level c as the joint speeds up:
    the Stribeck effect, in the rational form of D. P. Hess and A. Soom (1990). ``kinetic`` is c and ``static`` is s, by
    default the same, N m or N; ``stribeck`` is v_s and ``threshold`` is e, rad/s or m/s. Below the threshold friction
    acts as a stiff damper: a joint under load creeps there, it does not stick. ``kinetic`` and ``static`` are one
    number, or one for each degree of freedom of ``joints``, by default all joints but those with six freedoms.

    "semi_implicit_euler" finds it with the velocity at the end of each step, so that joints however light come to rest
    in steps of any length; such a step takes three to six times as long as one without friction. With rigid contact, it
    is found together with the impulses of the ground, by the same sweeps. Other integrators need steps below about
    e m / s, for a joint that feels the inertia m.
    """

    name, acts_on_joints = "joint_friction", True
    kinetic: Amounts
    static: Amounts | None = None
    stribeck: float = 0.1
    threshold: float = 1e-2
    joints: Names = None

    def __post_init__(self) -> None:
        settle(self, kinetic=amounts(self.kinetic, "kinetic", 0.0), joints=joint_names(self.joints, "joints"))
        settle(self, static=self.kinetic if self.static is None else amounts(self.static, "static", 0.0))
        settle(self, stribeck=amount(self.stribeck, "stribeck", 0.0, above=True))
        settle(self, threshold=amount(self.threshold, "threshold", 0.0, above=True))

    @property
    def law(self) -> EnergyLaw:
        return "passive"

    def apply(self, moment: Moment, loads: Loads) -> None:
        tau: list[Scalar] = [0.0] * moment.model.nv
        for k, resistance in self.dry_friction(moment).items():
            tau[k] = -resistance.at(moment.qd[k])
        loads.on_joints(tau)

    def dry_friction(self, moment: Moment) -> Mapping[int, Resistance]:
        joints = joints_of(moment.model, self.joints)
        static = self.kinetic if self.static is None else self.static
        levels = (spread(level, joints, what) for level, what in ((self.kinetic, "kinetic"), (static, "static")))
        found = {}
        for joint, *numbers in zip(joints, *levels, strict=True):
            for k, kinetic, still in zip(range(joint.v.start, joint.v.stop), *numbers, strict=True):
                if kinetic or still:
                    found[k] = Resistance(self._level(moment.qd[k], kinetic, still), self.threshold)
        return found

    def _level(self, v: Scalar, kinetic: float, static: float) -> Scalar:
        slower = v / self.stribeck
        return kinetic + (static - kinetic) / (1.0 + slower * slower) if static != kinetic else kinetic

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(0.8), cls(0.5, static=1.2, stribeck=0.3, threshold=0.05)]
