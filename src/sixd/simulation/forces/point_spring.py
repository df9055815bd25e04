"""A spring and a damper between two points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from sixd.errors import ModelError
from sixd.model import Model
from sixd.ops import Scalar, where
from sixd.simulation.forces.element import EnergyLaw, ForceElement, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import amount, settle, three
from sixd.simulation.smooth import length
from sixd.spatial import Vector

__all__ = ["PointSpring"]

#: An end of a spring: a frame, by its name, or a point of the world, m.
End: TypeAlias = str | Sequence[float]


@register
@dataclass(frozen=True)
class PointSpring(ForceElement):
    """A spring and a damper along the line between two points a and b: they pull with k (L - L_0) + d dL/dt.

    L = |b - a|. ``a`` and ``b`` are names of frames, whose origins are meant, or points of the world, m; one of them is
    a frame. ``stiffness`` is k, N/m; ``damping`` is d, N s/m; ``rest_length`` is L_0, m. Both points feel the same
    force, in opposite directions. Where they meet the line has no direction, and neither rest length nor damper act.
    """

    name = "point_spring"
    a: End
    b: End
    stiffness: float
    damping: float = 0.0
    rest_length: float = 0.0

    def __post_init__(self) -> None:
        settle(self, a=_end(self.a, "a"), b=_end(self.b, "b"))
        for item in ("stiffness", "damping", "rest_length"):
            settle(self, **{item: amount(getattr(self, item), item, 0.0)})
        if not isinstance(self.a, str) and not isinstance(self.b, str):
            raise ModelError("both ends of a PointSpring are points of the world: one must be a frame of the robot")
        if self.a == self.b:
            raise ModelError(f"both ends of a PointSpring are at frame {self.a!r}")

    @property
    def law(self) -> EnergyLaw:
        return "passive" if self.damping else "conservative"

    def apply(self, moment: Moment, loads: Loads) -> None:
        (pa, va), (pb, vb) = _place(moment, self.a), _place(moment, self.b)
        d = pb - pa
        pull = d * self.stiffness
        if self.rest_length or self.damping:
            square = d @ d
            apart = square > 0.0
            safe = where(apart, square, 1.0)
            along = d * where(apart, 1.0 / safe, 0.0)  # the line's direction, by its length
            force = self.damping * (d @ (vb - va)) - self.stiffness * self.rest_length * length(d)
            pull = pull + along * force
        for end, f in ((self.a, pull), (self.b, -pull)):
            if isinstance(end, str):
                frame = moment.frame(end)
                loads.at_point(moment, frame.body, frame.offset.r, f)

    def energy(self, moment: Moment) -> Scalar:
        stretch = length(_place(moment, self.b)[0] - _place(moment, self.a)[0]) - self.rest_length
        return 0.5 * self.stiffness * stretch * stretch

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        base, last = model.frames[0].name, model.frames[-1].name
        return [
            cls(base, last, 20.0, rest_length=0.3),
            cls(last, (0.4, -0.1, 0.2), 5.0),
            cls((0.4, -0.1, 0.2), last, 5.0, damping=2.0, rest_length=0.1),
        ]


def _end(value: Any, what: str) -> str | tuple[float, ...]:
    return value if isinstance(value, str) else three(value, f"{what}, the name of a frame or a point,")


def _place(moment: Moment, end: End) -> tuple[Vector, Vector]:
    """The position and the velocity of an end, in world coordinates."""
    if not isinstance(end, str):
        return Vector(end), Vector.zero()
    frame = moment.frame(end)
    return moment.position(frame.body, frame.offset.r), moment.velocity(frame.body, frame.offset.r)
