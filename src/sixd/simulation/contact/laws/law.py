"""The contract of laws of contact: how the ground answers. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.contact.checks import within
from sixd.simulation.contact.sites import Touch
from sixd.simulation.forces.element import EnergyLaw, Resistance
from sixd.simulation.moment import Moment
from sixd.simulation.registry import registry
from sixd.simulation.system import Resolved
from sixd.spatial import Vector

__all__ = ["LAWS", "ForceLaw", "ImpulseLaw", "Law", "register"]

#: The laws by name.
LAWS, register = registry("law of contact")


@dataclass(frozen=True)
class Law(ABC):
    """How the ground answers a touch. Frozen data, for numbers of any kind: a `ForceLaw` or an `ImpulseLaw`."""

    name: ClassVar[str]
    #: The limits of each parameter: the least and the most, and whether the least itself is excluded.
    limits: ClassVar[dict[str, tuple[float, float, bool]]]

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name in self.limits:
                least, most, is_open = self.limits[field.name]
                what = f"the {field.name.replace('_', ' ')} of {self.name} contact"
                object.__setattr__(self, field.name, within(getattr(self, field.name), what, least, most, is_open))

    @property
    def energy_law(self) -> EnergyLaw:
        """What it does with energy, as `ForceElement.law`: "passive" if it gives only what it has stored."""
        return "active"

    def memory(self, model: Model) -> int:
        """How many numbers it hands on from step to step beside the forces of the sites, three each."""
        return 0


class ForceLaw(Law):
    """A law that gives forces as a function of the state: any integrator can use it."""

    @abstractmethod
    def force(self, moment: Moment, touch: Touch) -> Vector:
        """The force on the body at a touch, along its two tangents and its normal, N."""

    def energy(self, touch: Touch) -> Scalar:
        """The energy stored in a touch, J."""
        return 0.0


class ImpulseLaw(Law):
    """A law that changes velocities: an integrator asks it in every step what the velocity becomes."""

    @abstractmethod
    def resolve(
        self,
        moment: Moment,
        touches: Sequence[Touch],
        free: Sequence[Scalar],
        h: Scalar,
        memory: Sequence[Scalar],
        friction: Sequence[Mapping[int, Resistance]] = (),
    ) -> Resolved:
        """The velocity after a step of length h that ends with the velocity ``free`` without contact and friction.

        ``friction`` is the dry friction of each source of forces. The law hands on a number for each, after its own.
        """

    def power(self, moment: Moment, memory: Sequence[Scalar]) -> Scalar:
        """The work per time of what it hands on beside the forces of the sites, W."""
        return 0.0
