"""Controllers that add up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sixd.errors import ArgumentError, ShapeError
from sixd.given import described
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.controllers.controller import Controller, joint_forces, need_controller, register
from sixd.simulation.controllers.gravity_compensation import GravityCompensation
from sixd.simulation.controllers.joint_pd import JointPD
from sixd.simulation.forces.element import Resistance
from sixd.simulation.moment import Moment
from sixd.simulation.parts import need_each_once, settle

__all__ = ["Total"]


def _leaves(parts: Iterable[Controller]) -> Iterator[Controller]:
    """The controllers, and in place of a sum those that it adds."""
    for part in parts:
        yield from _leaves(part.controllers) if isinstance(part, Total) else (part,)


@register
@dataclass(frozen=True)
class Total(Controller):
    """The sum of the joint forces of several controllers. Those that read the same input share it."""

    name = "total"
    controllers: Sequence[Controller]

    def __post_init__(self) -> None:
        parts: Any = self.controllers
        if not isinstance(parts, Iterable) or isinstance(parts, str):
            raise ArgumentError(f"controllers must be several controllers, not {described(parts)}")
        found = tuple(need_controller(part, "each of the controllers to be added") for part in parts)
        if not found:
            raise ArgumentError("controllers must be at least one controller, but there is none")
        need_each_once(_leaves(found), "act")
        settle(self, controllers=found)

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for part in self.controllers:
            for name, shape in part.inputs(model).items():
                if found.setdefault(name, shape) != shape:
                    raise ShapeError(f"the input {name!r} has shape {found[name]}, but {shape} for {part.name!r}")
        return found

    def dry_friction(self, moment: Moment) -> Mapping[int, Resistance]:
        """That of the first controller that has any, for each degree of freedom: another there stays a force."""
        found: dict[int, Resistance] = {}
        for part in reversed(self.controllers):
            found.update(part.dry_friction(moment))
        return found

    def trouble(self, moment: Moment) -> str:
        return next(filter(None, (part.trouble(moment) for part in self.controllers)), "")

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        first, *others = (joint_forces(part, moment) for part in self.controllers)
        for tau in others:
            first = [a + b for a, b in zip(first, tau, strict=True)]
        return first

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        return [cls((JointPD(20.0, 3.0), GravityCompensation()))]
