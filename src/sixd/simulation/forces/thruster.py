"""Thrusters: propellers, jets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Self

from sixd import given
from sixd.errors import ModelError
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.forces.element import ForceElement, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import amount, settle, three
from sixd.spatial import Force, Vector

__all__ = ["Thruster"]


@register
@dataclass(frozen=True)
class Thruster(ForceElement):
    """A thrust T along an axis of a frame, at its origin, and the moment ``torque_ratio`` T about it.

    ``thrust`` is T, N: a number, or the name of an input that the simulation is given, once or for every step. ``axis``
    is in coordinates of the frame; its length does not count. A propeller has a ``torque_ratio``, m, positive or
    negative by the way it turns.
    """

    name = "thruster"
    frame: str
    thrust: float | str
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    torque_ratio: float = 0.0

    def __post_init__(self) -> None:
        given.name(self.frame, "frame")
        if isinstance(self.thrust, str):
            given.name(self.thrust, "thrust, the name of an input,")
        else:
            settle(self, thrust=amount(self.thrust, "thrust"))
        axis, ratio = three(self.axis, "axis"), amount(self.torque_ratio, "torque_ratio")
        size = hypot(*axis)
        if size == 0.0:
            raise ModelError("axis must have a direction, but it is zero")
        settle(self, axis=tuple(x / size for x in axis), torque_ratio=ratio)

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        return {self.thrust: ()} if isinstance(self.thrust, str) else {}

    def apply(self, moment: Moment, loads: Loads) -> None:
        frame = moment.frame(self.frame)
        T: Scalar = _number(moment.inputs[self.thrust]) if isinstance(self.thrust, str) else self.thrust
        axis = Vector(self.axis)
        loads.on_body(frame.body, frame.offset.inv @ Force(axis * (self.torque_ratio * T), axis * T))

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        frame = model.frames[-1].name
        return [cls(frame, 3.0, axis=(0.0, 0.6, -0.8)), cls(frame, "thrust", torque_ratio=0.02)]


def _number(value: Scalar) -> Scalar:
    """An input of shape (), which may come as an array with one entry of any kind."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value
