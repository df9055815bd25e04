"""The robot that users hold: a model with its dynamics as methods, for one state or a batch of any shape."""

from __future__ import annotations

from dataclasses import fields

from sixd.diagnosis.audit import Report, report
from sixd.errors import ArgumentError
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

__all__ = ["Robot"]


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

    @classmethod
    def of(cls, model: Model) -> Robot:
        """The robot of a model: the same data, with methods."""
        if not isinstance(model, Model):
            raise ArgumentError(f"a robot is made of a Model, not of {type(model).__name__}")
        return cls(**{f.name: getattr(model, f.name) for f in fields(Model)})

    def check(self, states: int = 5, seed: int = 0) -> Report:
        """What looks wrong in this robot, and whether the algorithms agree on it; print the result.

        The linter names the body or joint of each finding and says what to do. The audit compares inverse and forward
        dynamics, mass matrix, energy, momentum and Jacobians with each other on random states of this very robot. What
        takes long for a robot of hundreds of bodies is left out, and named in ``skipped``.
        """
        return report(self, states, seed)
