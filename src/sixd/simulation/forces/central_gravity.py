"""The gravity of a point mass: satellites around a planet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from sixd.model import Model
from sixd.ops import Scalar, divide, sqrt
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.forces.field import masses
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import amount, settle, three
from sixd.spatial import Vector

__all__ = ["CentralGravity"]


@register
@dataclass(frozen=True)
class CentralGravity(ForceElement):
    """The gravity of a mass at a point: f = -mu m r / |r|^3 at the centre of mass of every body, E = -mu m / |r|.

    ``mu`` is the gravitational parameter G M, m^3/s^2 (3.986e14 for the Earth); ``center`` the point, m in world
    coordinates; r leads from it to the centre of mass. It adds to the uniform gravity of the robot, which
    ``robot.with_gravity((0, 0, 0))`` takes away. Within one body the field counts as uniform.
    """

    name = "central_gravity"
    mu: float
    center: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        settle(self, mu=amount(self.mu, "mu", 0.0), center=three(self.center, "center"))

    @property
    def law(self) -> EnergyLaw:
        return "conservative"

    def apply(self, moment: Moment, loads: Loads) -> None:
        for body, com, m, r, distance in self._bodies(moment):
            loads.at_point(moment, body, com, r * divide(-self.mu * m, distance * distance * distance))

    def energy(self, moment: Moment) -> Scalar:
        E: Scalar = 0.0
        for _, _, m, _, distance in self._bodies(moment):
            E = E - divide(self.mu * m, distance)
        return E

    def _bodies(self, moment: Moment) -> Iterator[tuple[int, Vector, Scalar, Vector, Scalar]]:
        """Each body, its centre of mass, its mass, and where that is from the centre of the field."""
        for body, com, m in masses(moment.model):
            r = moment.position(body, com) - Vector(self.center)
            yield body, com, m, r, sqrt(r @ r)

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(30.0, center=(4.0, 5.0, -6.0))]
