"""What is measured: nine algorithms, as sixd names them and as its users call them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import sixd
from sixd import algorithms

__all__ = ["ALGORITHMS", "Algorithm", "as_one"]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of one state."""

    name: str
    #: sixd's function of a model and the named arguments, for one state and any number.
    function: Callable[..., Any]
    arguments: tuple[str, ...]
    #: The shape of its result; "n" is the number of freedoms, "N" of bodies.
    result: tuple[int | str, ...]
    #: The method of a robot that computes the same, as it is called; none where it computes more.
    method: str = ""
    #: Whether the function takes a body.
    of_body: bool = False

    def shape(self, robot: sixd.Robot) -> tuple[int, ...]:
        """The shape of one state's result."""
        extents = {"n": robot.nv, "N": robot.n_bodies}
        return tuple(extents[x] if isinstance(x, str) else x for x in self.result)

    def bytes(self, robot: sixd.Robot) -> int:
        """The size of one state's arguments and result."""
        given = sum(robot.nq if name == "q" else robot.nv for name in self.arguments)
        return 8 * (given + int(np.prod(self.shape(robot))))


def body_poses(model: Any, q: Any) -> Any:
    """Rotations and positions of all bodies in the world, (N, 3, 4): poses without their constant last row."""
    poses = [X.pose()[..., :3, :] for X in algorithms.forward_kinematics(model, q)[1:]]
    return np.stack(np.broadcast_arrays(*poses), axis=-3)


def as_one(result: Any) -> Any:
    """A result for many states as one array: matrices that come in a tuple are stacked."""
    return np.stack(result, axis=-3) if isinstance(result, tuple) else np.asarray(result)


ALGORITHMS = {
    a.name: a
    for a in (
        Algorithm("RNEA", algorithms.rnea, ("q", "qd", "qdd"), ("n",), "robot.inverse_dynamics(q, qd, qdd)"),
        Algorithm("ABA", algorithms.aba, ("q", "qd", "tau"), ("n",), "robot.forward_dynamics(q, qd, tau)"),
        Algorithm("CRBA", algorithms.crba, ("q",), ("n", "n"), "robot.mass_matrix(q)"),
        Algorithm("FK", body_poses, ("q",), ("N", 3, 4)),
        Algorithm("Jacobian", algorithms.jacobian, ("q",), (6, "n"), "robot.jacobian(q, tip)", of_body=True),
        Algorithm("M⁻¹", algorithms.inverse_mass_matrix, ("q",), ("n", "n"), "robot.inverse_mass_matrix(q)"),
        Algorithm(
            "centroidal map",
            algorithms.centroidal_momentum_matrix,
            ("q",),
            (6, "n"),
            "robot.momentum_matrix(q, about='com')",
        ),
        Algorithm(
            "∂ID",
            algorithms.rnea_derivatives,
            ("q", "qd", "qdd"),
            (3, "n", "n"),
            "robot.inverse_dynamics_derivatives(q, qd, qdd)",
        ),
        Algorithm(
            "∂FD",
            algorithms.aba_derivatives,
            ("q", "qd", "tau"),
            (3, "n", "n"),
            "robot.forward_dynamics_derivatives(q, qd, tau)",
        ),
    )
}
