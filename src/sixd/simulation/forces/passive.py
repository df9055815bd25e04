"""The springs, dampers and friction that the robot itself has."""

from __future__ import annotations

from dataclasses import dataclass

from sixd import algorithms
from sixd.ops import Scalar
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment

__all__ = ["Passive"]


@register
@dataclass(frozen=True)
class Passive(ForceElement):
    """The springs, dampers and dry friction in the data of the robot: `sixd.algorithms.passive_forces`.

    Friction is -f sign(qd) there, with a jump at rest, where steps of any length chatter: `JointFriction` is smooth.
    """

    name = "passive"

    @property
    def law(self) -> EnergyLaw:
        return "passive"

    def apply(self, moment: Moment, loads: Loads) -> None:
        loads.on_joints(algorithms.passive_forces(moment.tree, moment.q, moment.qd).values)

    def energy(self, moment: Moment) -> Scalar:
        return algorithms.spring_energy(moment.tree, moment.q)
