"""The contract of controllers that run inside compiled code. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from sixd.compiler.steady import leaving
from sixd.errors import ArgumentError, ChoiceError
from sixd.given import described
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.content import titled
from sixd.simulation.forces.element import Resistance
from sixd.simulation.moment import Moment, sample_moment
from sixd.simulation.parts import scalars
from sixd.simulation.registry import registry

__all__ = ["CONTROLLERS", "Controller", "joint_forces", "need_controller", "need_no_friction", "register"]


class Controller(ABC):
    """Joint forces as a function of state, time and inputs.

    Like a force element, a controller is frozen data and one method for one state and any kind of number. Its inputs,
    such as set points, are numbers that a simulation is given by name, once or for every step.
    """

    name: ClassVar[str]

    @abstractmethod
    def torque(self, moment: Moment) -> Sequence[Scalar]:
        """The joint forces at this moment, nv numbers."""

    def dry_friction(self, moment: Moment) -> Mapping[int, Resistance]:
        """The dry friction that is among the joint forces, by degree of freedom: see `ForceElement.dry_friction`."""
        return {}

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """The names of the inputs that it reads from ``moment.inputs``, with their shapes."""
        return {}

    def check(self, model: Model) -> None:
        """Raise a `SixdError` if it does not fit this robot: a joint or frame that is not there, too many numbers."""
        with np.errstate(all="ignore"), leaving([(titled(self), self)]):
            joint_forces(self, sample_moment(model, self.inputs(model)))

    def trouble(self, moment: Moment) -> str:
        """What is wrong with the robot's position, where the joint forces are not finite: for errors; or nothing."""
        return ""

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        """Representative instances for tests, on any robot."""
        return [cls()]

    def __add__(self, other: Controller) -> Controller:
        """The controller whose joint forces are the sum: ``JointPD(...) + GravityCompensation()``."""
        from sixd.simulation.controllers.total import Total

        return Total((self, other))


#: The controllers by name.
CONTROLLERS: dict[str, type[Controller]]
CONTROLLERS, register = registry("controller")


def joint_forces(controller: Controller, moment: Moment) -> list[Scalar]:
    """What the ``torque`` of a controller returns, checked: nv numbers."""
    what = f"torque of the controller {controller.name!r}, for a robot with nv = {moment.model.nv},"
    return scalars(controller.torque(moment), what, moment.model.nv)


def need_no_friction(part: Controller, moment: Moment, outer: str) -> None:
    """Raise if a controller within another has dry friction, which the other would cut off or pass on as a command."""
    if part.dry_friction(moment):
        raise ChoiceError(
            f"{part.name!r} has dry friction, which {outer!r} around it would take for a command: put {outer!r} within "
            f"{part.name!r}, or give the friction as JointFriction(...)"
        )


def need_controller(value: Any, what: str) -> Controller:
    """A controller, checked."""
    if not isinstance(value, Controller):
        raise ArgumentError(f"{what} must be a Controller such as JointPD(kp, kd), not {described(value)}")
    return value
