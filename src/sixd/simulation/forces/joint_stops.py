"""Position limits of joints as compliant stops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan
from typing import Any, Self

from sixd import given
from sixd.errors import ModelError
from sixd.model import JointView, Model
from sixd.ops import Scalar
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import Amounts, Names, amount, joint_names, joints_of, settle, spread
from sixd.simulation.smooth import positive

__all__ = ["JointStops"]


@register
@dataclass(frozen=True)
class JointStops(ForceElement):
    """Stops at the position limits of joints: each pushes back with k p (1 + c p'), and never pulls.

    p is how far the joint is beyond the limit and p' how fast it goes on. The push is that of K. H. Hunt and F. R. E.
    Crossley (1975): it begins and ends at zero, so a trajectory stays smooth. ``stiffness`` is k, N m/rad or N/m;
    ``dissipation`` is c, s/rad or s/m: a slow impact leaves the share e = 1 - (2/3) c v of its speed v, a fast one less
    than 1/c. ``lower`` and ``upper`` are the limits, one number or one for each coordinate of ``joints``, infinite
    where there is no stop; by default those of the robot. By default ``joints`` are all whose velocity is the rate of
    their coordinates: a quaternion has no limits. Joints that follow others have no stops of their own.
    """

    name, acts_on_joints = "joint_stops", True
    stiffness: float = 1e4
    dissipation: float = 1.0
    lower: Amounts | None = None
    upper: Amounts | None = None
    joints: Names = None

    def __post_init__(self) -> None:
        settle(self, stiffness=amount(self.stiffness, "stiffness", 0.0, above=True))
        settle(self, dissipation=amount(self.dissipation, "dissipation", 0.0))
        settle(self, lower=_limits(self.lower, "lower"), upper=_limits(self.upper, "upper"))
        settle(self, joints=joint_names(self.joints, "joints"))

    @property
    def law(self) -> EnergyLaw:
        return "passive"

    def apply(self, moment: Moment, loads: Loads) -> None:
        tau: list[Scalar] = [0.0] * moment.model.nv
        for k, side, p, rate in self._stops(moment):
            tau[k] = tau[k] - side * (self.stiffness * p * positive(1.0 + self.dissipation * rate))
        loads.on_joints(tau)

    def energy(self, moment: Moment) -> Scalar:
        E: Scalar = 0.0
        for _, _, p, _ in self._stops(moment):
            E = E + 0.5 * self.stiffness * p * p
        return E

    def check(self, model: Model) -> None:
        super().check(model)
        for joint, lower, upper in self._limits(model):
            if any(a > b for a, b in zip(lower, upper, strict=True)):
                raise ModelError(f"joint {joint.name!r} has its lower stop, {lower}, above its upper one, {upper}")

    def _stops(self, moment: Moment) -> Iterator[tuple[int, float, Scalar, Scalar]]:
        """For each stop: the degree of freedom, the side (-1 or 1), how far the joint is beyond it, and how fast."""
        for joint, *both in self._limits(moment.model):
            for side, bounds in zip((-1.0, 1.0), both, strict=True):
                for n, limit in enumerate(bounds):
                    if abs(limit) < inf:
                        q, k = joint.q.start + n, joint.v.start + n
                        yield k, side, positive(side * (moment.q[q] - limit)), side * moment.qd[k]

    def _limits(self, model: Model) -> Iterator[tuple[JointView, tuple[float, ...], tuple[float, ...]]]:
        """Each joint with its lower and its upper limits, those that are given or else the robot's."""
        joints, found = self._joints(model), []
        for own, what in ((self.lower, "lower"), (self.upper, "upper")):
            robots = [tuple(map(float, getattr(model, what)[joint.q])) for joint in joints]
            found.append(robots if own is None else spread(own, joints, what, of="q"))
        return zip(joints, *found, strict=True)

    def _joints(self, model: Model) -> list[JointView]:
        joints = joints_of(model, self.joints)
        if self.joints is None:
            return [joint for joint in joints if joint.type.has_rates]
        for joint in joints:
            if not joint.type.has_rates:
                raise ModelError(f"joint {joint.name!r} can have no stops: a {joint.type.name} joint has no limits")
        return joints

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(50.0, 0.3, lower=-0.2, upper=0.3), cls()]


def _limits(value: Any, what: str) -> float | tuple[float, ...] | None:
    """Limits may be infinite, but not NaN."""
    if value is None:
        return None
    single = isinstance(value, float | int)
    found = (given.number(value, what),) if single else given.numbers(value, what)
    if not found or any(map(isnan, found)):
        raise ModelError(f"{what} must be limits, one number or several, not {given.described(value)}")
    return found[0] if single else found
