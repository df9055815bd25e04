"""The contract of force elements: springs, dampers, drag, contact. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from sixd.compiler.steady import leaving
from sixd.model import Model
from sixd.ops import Scalar, sign
from sixd.simulation.content import titled
from sixd.simulation.moment import BaseState, Loads, Moment, sample_moment
from sixd.simulation.registry import registry
from sixd.simulation.smooth import soft_sign

__all__ = ["ELEMENTS", "EnergyLaw", "ForceElement", "Resistance", "moves_base", "register"]

#: What an element does with energy. "conservative": its power is the energy it gives out, -dE/dt. "passive": its power
#: is at most that, and the rest becomes heat. "active": it may bring energy in.
EnergyLaw: TypeAlias = Literal["conservative", "passive", "active"]


class Resistance(NamedTuple):
    """Dry friction at a degree of freedom: -level v / sqrt(v^2 + threshold^2), and -level sign(v) without threshold."""

    #: N m or N, not negative.
    level: Scalar
    #: rad/s or m/s.
    threshold: float

    def at(self, v: Scalar) -> Scalar:
        """The size of the friction against a velocity v, with its sign."""
        return self.level * (soft_sign(v, self.threshold) if self.threshold else sign(v))


class ForceElement(ABC):
    """Something that puts forces on a robot, as a function of its state and of time.

    A force element is frozen data (a frozen dataclass of plain numbers, names and tuples) and one method, `apply`,
    written for one state and any kind of number, like an algorithm: no branch on a value, `sixd.ops` for functions. It
    is recorded and compiled with the equations of motion. Two equal elements compute the same.
    """

    #: What it is called, in the registry and in the books of a simulation.
    name: ClassVar[str]
    #: Whether its forces and its energy are those of joints alone, wherever the robot is.
    acts_on_joints: ClassVar[bool] = False

    @abstractmethod
    def apply(self, moment: Moment, loads: Loads) -> None:
        """Add the forces of this element at this moment to the loads."""

    def dry_friction(self, moment: Moment) -> Mapping[int, Resistance]:
        """The dry friction that is among the forces of `apply`, by degree of freedom, with its level at this moment.

        An integrator may find it with the velocity at the end of a step (`sixd.simulation.braking`).
        """
        return {}

    def energy(self, moment: Moment) -> Scalar:
        """The energy that is stored in the element, J; zero if it stores none."""
        return 0.0

    @property
    def law(self) -> EnergyLaw:
        """What it does with energy: "conservative", "passive" or "active". Tests hold it to that."""
        return "active"

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """The names of the inputs that it reads from ``moment.inputs``, with their shapes."""
        return {}

    def base(self, t: Scalar) -> BaseState | None:
        """Where the base of the robot is at a time and how it moves, if this element moves it; else None."""
        return None

    def check(self, model: Model) -> None:
        """Raise a `SixdError` if it does not fit this robot: a joint or frame that is not there, too many numbers."""
        moment = sample_moment(model, self.inputs(model))
        with np.errstate(all="ignore"), leaving([(titled(self), self)]):
            self.apply(moment, Loads(model))
            self.energy(moment)

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        """Representative instances for the law suite, on any robot."""
        return [cls()]


#: The force elements by name.
ELEMENTS: dict[str, type[ForceElement]]
ELEMENTS, register = registry("force element")


def moves_base(elements: Iterable[ForceElement]) -> bool:
    """Whether one of the elements moves the base of the robot."""
    return any(element.base(0.0) is not None for element in elements)
