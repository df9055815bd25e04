"""Wind on a body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from sixd import given
from sixd.model import Model
from sixd.ops import Scalar, sin
from sixd.simulation.forces.element import ForceElement, register
from sixd.simulation.forces.field import vector_from
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import amount, formula, settle, three
from sixd.simulation.smooth import length
from sixd.spatial import Vector

__all__ = ["Wind"]

#: The velocity of the air, m/s, at a place and a time: three numbers.
AirVelocity: TypeAlias = Callable[[Vector, Scalar], Any]


@register
@dataclass(frozen=True)
class Wind(ForceElement):
    """Wind on a body: f = 1/2 rho C_d A |u| u at the origin of a frame, where u is the wind relative to it.

    ``velocity`` is the velocity of the air, m/s in world coordinates: three numbers, or a function of place (a
    `sixd.spatial.Vector`, m) and time (s) that returns three, written for any kind of number (`sixd.ops`).
    ``drag_area`` is C_d A, m^2; ``density`` that of the air, kg/m^3. In still air it is drag.
    """

    name = "wind"
    frame: str
    velocity: Sequence[float] | AirVelocity
    drag_area: float
    density: float = 1.2

    def __post_init__(self) -> None:
        given.name(self.frame, "frame")
        if callable(self.velocity):
            formula(self.velocity, "velocity", "velocity(position, t)", 2)
        else:
            settle(self, velocity=three(self.velocity, "velocity"))
        settle(self, drag_area=amount(self.drag_area, "drag_area", 0.0))
        settle(self, density=amount(self.density, "density", 0.0))

    def apply(self, moment: Moment, loads: Loads) -> None:
        frame = moment.frame(self.frame)
        place = frame.body, frame.offset.r
        if callable(self.velocity):
            air = vector_from(self.velocity(moment.position(*place), moment.t), "the velocity of the air")
        else:
            air = Vector(self.velocity)
        u = air - moment.velocity(*place)
        loads.at_point(moment, *place, u * (0.5 * self.density * self.drag_area * length(u)))

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        frame = model.frames[-1].name
        return [cls(frame, (3.0, 1.0, 0.0), 0.4), cls(frame, _gusts, 0.4)]


def _gusts(p: Vector, t: Scalar) -> Vector:
    """A wind along x that grows with height and swells once in six seconds: an example."""
    return Vector((2.0 + 0.5 * p[2] + sin(t), 0.0, 0.1 * p[0]))
