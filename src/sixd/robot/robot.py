"""The robot that users hold: a model with its dynamics as methods, for one state or a batch of any shape."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

from sixd import given
from sixd.constraints import Constraint
from sixd.diagnosis.audit import Report, report
from sixd.errors import ArgumentError, ModelError
from sixd.model import Model
from sixd.robot.configuration import ConfigurationMethods
from sixd.robot.energy import EnergyMethods
from sixd.robot.flexible import FlexibleMethods
from sixd.robot.hybrid_dynamics import HybridDynamicsMethods
from sixd.robot.inverse_kinematics import InverseKinematicsMethods
from sixd.robot.kinematics import KinematicsMethods
from sixd.robot.operational_space import OperationalSpaceMethods
from sixd.robot.parameters import ParameterMethods
from sixd.robot.second_derivatives import SecondDerivativeMethods
from sixd.robot.sensitivity import SensitivityMethods
from sixd.robot.view import ViewMethods
from sixd.robot.warm_up import WarmUpMethods

if TYPE_CHECKING:
    from sixd.robot.closed import ClosedRobot

__all__ = ["Robot", "open_robot"]


class Robot(
    ConfigurationMethods,
    KinematicsMethods,
    SecondDerivativeMethods,
    EnergyMethods,
    HybridDynamicsMethods,
    OperationalSpaceMethods,
    ParameterMethods,
    InverseKinematicsMethods,
    SensitivityMethods,
    FlexibleMethods,
    ViewMethods,
    WarmUpMethods,
):
    """A robot: its model, and everything that can be computed from it.

    Every method takes arrays whose last axis holds the coordinates; axes before it are batch axes and broadcast. Frames
    are given by name. ``out`` is an array that the result is written to, in place of a new one. Coordinates: see
    `joints` (``robot.joint("elbow").q`` is a slice). SI units, radians.
    """

    #: Whether robots of this class may have constraints.
    may_be_closed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.constraint_list and not self.may_be_closed:
            raise ModelError("a Robot has no constraints: robot.close(...) makes a ClosedRobot, which has them")

    @classmethod
    def of(cls, model: Model) -> Robot:
        """The robot of a model: the same data, with methods. A model with constraints makes a `ClosedRobot`."""
        if not isinstance(model, Model):
            raise ArgumentError(f"a robot is made of a Model, not of {type(model).__name__}")
        kind = _closed_robot() if model.constraint_list and not cls.may_be_closed else cls
        return kind(**{f.name: getattr(model, f.name) for f in fields(Model)})

    def close(self, *constraints: Constraint) -> ClosedRobot:
        """The robot with constraints, such as ``sixd.Loop(frame_a, frame_b, joint)``: FO00 3.4.

        They are added to those that it has already.
        """
        for constraint in constraints:
            if not isinstance(constraint, Constraint):
                raise ArgumentError(
                    f"close takes constraints, such as sixd.Loop('hand', 'door'), not {given.described(constraint)}"
                )
        content = {f.name: getattr(self, f.name) for f in fields(Model)}
        return _closed_robot()(**{**content, "constraint_list": (*self.constraint_list, *constraints)})

    def check(self, states: int = 5, seed: int = 0) -> Report:
        """What looks wrong in this robot, and whether the algorithms agree on it; print the result.

        The linter names the body or joint of each finding and says what to do. The audit compares inverse and forward
        dynamics, mass matrix, energy, momentum and Jacobians with each other on random states of this very robot. What
        takes long for a robot of hundreds of bodies is left out, and named in ``skipped``.
        """
        return report(self, states, seed)


def _closed_robot() -> type[ClosedRobot]:
    """The class of robots with constraints. It is a subclass of `Robot`, so it is imported when it is needed."""
    from sixd.robot.closed import ClosedRobot

    return ClosedRobot


def open_robot(robot: Any, task: str) -> Robot:
    """A robot without constraints, for a task that would ignore them; any other is refused."""
    given.instance(robot, "robot", Robot, "sixd.load(...)")
    if robot.constraint_list:
        raise ModelError(
            f"{task} is for robots without constraints, and {robot.name!r} has {len(robot.constraint_list)}; "
            "closed.tree is the robot without them"
        )
    return robot
