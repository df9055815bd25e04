"""The springs, dampers and friction that the robot itself has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sixd import algorithms
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.forces.element import EnergyLaw, ForceElement, Resistance, register
from sixd.simulation.moment import Loads, Moment

__all__ = ["Passive", "friction_of"]


@register
@dataclass(frozen=True)
class Passive(ForceElement):
    """The springs, dampers and dry friction in the data of the robot: `sixd.algorithms.passive_forces`.

    Friction is -f sign(qd) there, with a jump at rest. "semi_implicit_euler" lets joints stick and slip: held at half
    of f, they creep at 6e-6 rad/s or m/s; beside rigid contact they do not move. Other integrators chatter at rest, in
    steps of any length: `JointFriction` is smooth.
    """

    name, acts_on_joints = "passive", True

    @property
    def law(self) -> EnergyLaw:
        return "passive"

    def apply(self, moment: Moment, loads: Loads) -> None:
        loads.on_joints(algorithms.passive_forces(moment.tree, moment.q, moment.qd).values)

    def dry_friction(self, moment: Moment) -> Mapping[int, Resistance]:
        return friction_of(moment.model)

    def energy(self, moment: Moment) -> Scalar:
        return algorithms.spring_energy(moment.tree, moment.q)


def friction_of(model: Model) -> dict[int, Resistance]:
    """The dry friction in the data of the robot, by degree of freedom; a joint that follows another adds to its own."""
    levels: dict[int, float] = {}
    for place, joint in zip(model.coordinates[1:], model.joints, strict=True):
        for k, level in zip(range(place.v.start, place.v.stop), joint.data.friction, strict=True):
            if level > 0.0:
                levels[k] = levels.get(k, 0.0) + abs(place.ratio) * level
    return {k: Resistance(level, 0.0) for k, level in levels.items()}
