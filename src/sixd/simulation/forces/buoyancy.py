"""Buoyancy of a body under water."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from sixd import given
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import amount, settle, three
from sixd.spatial import Vector

__all__ = ["Buoyancy"]


@register
@dataclass(frozen=True)
class Buoyancy(ForceElement):
    """Buoyancy of a body that is wholly in a fluid: the force -rho V g at the centre of buoyancy, against gravity g.

    ``volume`` is V, m^3, and ``density`` rho, kg/m^3, by default of fresh water. ``center`` is the centre of the
    volume, m, in coordinates of ``frame``. The fluid has no surface: a body that comes out of it is lifted all the
    same.
    """

    name = "buoyancy"
    frame: str
    volume: float
    center: Sequence[float] = (0.0, 0.0, 0.0)
    density: float = 1000.0

    def __post_init__(self) -> None:
        given.name(self.frame, "frame")
        settle(self, volume=amount(self.volume, "volume", 0.0), density=amount(self.density, "density", 0.0))
        settle(self, center=three(self.center, "center"))

    @property
    def law(self) -> EnergyLaw:
        return "conservative"

    def apply(self, moment: Moment, loads: Loads) -> None:
        body, r = self._place(moment)
        loads.at_point(moment, body, r, self._lift(moment.model))

    def energy(self, moment: Moment) -> Scalar:
        """rho V g . p, which falls as the body rises."""
        return -(self._lift(moment.model) @ moment.position(*self._place(moment)))

    def _place(self, moment: Moment) -> tuple[int, Vector]:
        """The body, and the centre of buoyancy in its coordinates."""
        frame = moment.frame(self.frame)
        return frame.body, frame.offset.r + frame.offset.E.T @ Vector(self.center)

    def _lift(self, model: Model) -> Vector:
        return Vector(-self.density * self.volume * g for g in model.gravity)

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls(model.frames[-1].name, 2e-3, center=(0.1, 0.2, -0.1))]
