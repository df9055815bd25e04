"""Pinocchio's Python functions on the same robot, for ``sixd bench --peers``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError, ModelError
from sixd.layouts import pinocchio_layout
from sixd.process.forks import importing
from sixd.robot import Robot

__all__ = ["Pinocchio"]

Array = NDArray[Any]

#: Results that differ by more, relative to the largest entry, are of different robots.
TOLERANCE = 1e-8


class Pinocchio:
    """The robot of a URDF file as Pinocchio reads it."""

    def __init__(self, file: str, robot: Robot, base: str) -> None:
        with importing:
            try:
                import pinocchio as pin
            except ImportError:
                raise ArgumentError("--peers needs Pinocchio: pip install pin") from None
        if robot.is_coupled:
            raise ArgumentError("Pinocchio moves mimic joints by themselves: add --no-mimic to compare")
        root = [pin.JointModelFreeFlyer()] if base == "free" else []
        try:
            self.model = pin.buildModelFromUrdf(str(file), *root)
        except ValueError as error:
            raise ModelError(f"Pinocchio cannot read it: {error}", file=str(file)) from None
        self.robot, self.data, self.layout = robot, self.model.createData(), pinocchio_layout(robot, self.model)
        #: Of each method of `Robot` the function of q, v and the third vector.
        self.calls: dict[str, Callable[[Array, Array, Array], Any]] = {
            "inverse_dynamics": partial(pin.rnea, self.model, self.data),
            "forward_dynamics": partial(pin.aba, self.model, self.data),
            "mass_matrix": lambda q, v, a: pin.crba(self.model, self.data, q),
            "inverse_mass_matrix": lambda q, v, a: pin.computeMinverse(self.model, self.data, q),
            "bias_forces": lambda q, v, a: pin.nonLinearEffects(self.model, self.data, q, v),
            "center_of_mass": lambda q, v, a: pin.centerOfMass(self.model, self.data, q),
            "inverse_dynamics_derivatives": partial(pin.computeRNEADerivatives, self.model, self.data),
            "forward_dynamics_derivatives": partial(pin.computeABADerivatives, self.model, self.data),
        }

    def call(self, name: str, state: Mapping[str, Array]) -> Callable[[], Any]:
        """Pinocchio's function for the first state."""
        layout, (q, qd, qdd, tau) = self.layout, (state[part][0] for part in ("q", "qd", "qdd", "tau"))
        third = layout.tau_to(q, tau) if name.startswith("forward") else layout.a_to(q, qd, qdd)
        return partial(self.calls[name], layout.q_to(q), layout.v_to(q, qd), third)

    def check(self, name: str, state: Mapping[str, Array], ours: Any) -> None:
        """Refuse to time what computes something else; derivatives are taken to be those of what was compared."""
        if name.endswith("derivatives"):
            return
        theirs, q = np.asarray(self.call(name, state)()), state["q"][0]
        A = self.layout.v_to(q, np.eye(self.robot.nv)).T
        if name in ("mass_matrix", "inverse_mass_matrix"):
            theirs = np.triu(theirs) + np.triu(theirs, 1).T
            theirs = A.T @ theirs @ A
        elif name == "forward_dynamics":
            theirs = self.layout.a_from(q, state["qd"][0], theirs)
        elif name != "center_of_mass":
            theirs = self.layout.tau_from(q, theirs)
        off = float(np.abs(theirs - ours).max() / np.abs(ours).max())
        if not off <= TOLERANCE:
            raise ModelError(f"{name}: Pinocchio's result differs by {off:.2g}: times of them cannot be compared")
