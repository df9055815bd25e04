"""Drag of a body in a fluid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from sixd import given
from sixd.errors import ShapeError
from sixd.model import Model
from sixd.ops import absolute
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import Amounts, amounts, settle, three
from sixd.simulation.smooth import length
from sixd.spatial import Force, Vector

__all__ = ["Drag"]


@register
@dataclass(frozen=True)
class Drag(ForceElement):
    """Drag of a body in a fluid: f = -(c_1 + c_2 |v|) v at the origin of a frame, n = -(d_1 + d_2 |w|) w.

    v is the velocity of the frame's origin relative to the fluid, which streams with ``current``, m/s in world
    coordinates; w is the angular velocity. ``linear`` is c_1, N s/m; ``quadratic`` is c_2, N s^2/m^2, which is 1/2 rho
    C_d A; ``angular_linear`` is d_1, N m s/rad; ``angular_quadratic`` is d_2, N m s^2/rad^2. Each is one number, or
    three for a body that is not round: then along each axis k of the frame f_k = -(c_1k + c_2k |v_k|) v_k.
    """

    name = "drag"
    frame: str
    linear: Amounts = 0.0
    quadratic: Amounts = 0.0
    angular_linear: Amounts = 0.0
    angular_quadratic: Amounts = 0.0
    current: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        given.name(self.frame, "frame")
        for item in ("linear", "quadratic", "angular_linear", "angular_quadratic"):
            found = amounts(getattr(self, item), item, 0.0)
            if isinstance(found, tuple) and len(found) != 3:
                raise ShapeError(f"{item} needs one number or three, one for each axis, not {len(found)}")
            settle(self, **{item: found})
        settle(self, current=three(self.current, "current"))

    @property
    def law(self) -> EnergyLaw:
        return "active" if any(self.current) else "passive"

    def apply(self, moment: Moment, loads: Loads) -> None:
        frame = moment.frame(self.frame)
        own = frame.offset @ moment.v[frame.body]
        v = own.lin
        if any(self.current):
            v = v - frame.offset.E @ (moment.X[frame.body].E @ Vector(self.current))
        n = _resistance(own.ang, self.angular_linear, self.angular_quadratic)
        f = _resistance(v, self.linear, self.quadratic)
        loads.on_body(frame.body, frame.offset.inv @ Force(n, f))

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        frame = model.frames[-1].name
        return [
            cls(frame, linear=0.7, quadratic=1.2, angular_linear=0.1, angular_quadratic=0.2),
            cls(frame, linear=(0.1, 0.2, 0.3), quadratic=(3.0, 2.0, 1.0), angular_quadratic=(0.1, 0.2, 0.3)),
            cls(frame, quadratic=1.2, current=(0.3, -0.5, 0.1)),
        ]


def _resistance(v: Vector, linear: Amounts, quadratic: Amounts) -> Vector:
    """-(linear + quadratic |v|) v, axis by axis where there are three numbers."""
    f = Vector.zero()
    if isinstance(linear, Sequence):
        f = f - Vector(c * x for c, x in zip(linear, v, strict=True))
    elif linear:
        f = f - v * linear
    if isinstance(quadratic, Sequence):
        f = f - Vector(c * absolute(x) * x for c, x in zip(quadratic, v, strict=True))
    elif quadratic:
        f = f - v * (quadratic * length(v))
    return f
