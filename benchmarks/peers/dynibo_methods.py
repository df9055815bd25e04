"""dynibo's calls that do what a method of a robot does and are none of the nine algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.algorithms import ALGORITHMS
from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.peers.dynibo import LESS_GRAVITY, LIBRARY, Dynibo
from sixd import algorithms
from sixd.spatial import Transform

__all__ = ["dynibo_methods"]

Array = Any

#: Poses and velocities are objects of its own, gravity goes to an array.
CALLS = {
    "gravity_forces": "robot.gravity({base}q, None, out)",
    "pose": "robot.forward_kinematics({base}q, tip)",
    "velocity": "robot.forward_velocity_kinematics({base}q, v, tip)",
}


def dynibo_methods(peer: Dynibo) -> dict[str, Contestant]:
    """The calls, each with the results of the first states in sixd's layout."""
    specimen = peer.specimen

    def state(k: int) -> dict[str, Any]:
        return peer.arguments(ALGORITHMS["RNEA"], k)

    def gravity(found: Array, q: Array) -> Array:
        return peer.layout.tau_from(q, found) + LESS_GRAVITY * algorithms.gravity_forces(specimen.robot, q)

    def pose(found: Any, q: Array) -> Array:
        X = Transform.from_quaternion(found.rotation_xyzw)
        return np.block([[X.E.T.array(), np.array(found.translation)[:, None]], [np.eye(4)[3:]]])

    def velocity(found: Any, q: Array) -> Array:
        E = algorithms.pose(specimen.robot, q, specimen.tip).E.array()  # from its world axes to those of the body
        return np.concatenate([E @ np.array(found.angular), E @ np.array(found.linear)])

    def results(statement: str, ours: Callable[[Any, Array], Array]) -> Callable[[], Array]:
        positions = specimen.states(CHECKED)["q"]
        return lambda: np.array([ours(eval(statement, state(k)), q) for k, q in enumerate(positions)])

    found = {}
    for method, ours in {"gravity_forces": gravity, "pose": pose, "velocity": velocity}.items():
        statement = CALLS[method].format(base="base, " * peer.free)
        run = call(statement, 1, **state(0))
        found[method] = Contestant(LIBRARY, "", 1, run, results(statement, ours))
    return found
