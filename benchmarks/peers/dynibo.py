"""dynibo (Rust) called from Python: one state a call, with contiguous arguments and results written in place.

It has no inverse of the mass matrix and no centroidal map. Its forward kinematics gives all links of the file, ours all
bodies that move. Its Jacobian is in world axes at the link's origin, ours in body axes. Its gravity is 9.80665 m/s^2,
which is allowed for where results are compared.
"""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ET
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

import dynibo  # type: ignore[import-untyped]
import numpy as np

from benchmarks.algorithms import Algorithm
from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.robots import Specimen
from sixd import algorithms
from sixd.layouts import drake_layout
from sixd.spatial import Transform

__all__ = ["Dynibo"]

Array = Any

LIBRARY = "dynibo Python"
CALLS = {
    "RNEA": "inverse_dynamics({base}q, v, x, None, out)",
    "ABA": "forward_dynamics({base}q, v, x, None, out)",
    "CRBA": "mass_matrix({base}q, out)",
    "FK": "forward_kinematics_all({base}q, out)",
    "Jacobian": "jacobian({base}q, tip, out)",
}

#: Larger ones are not read: it is measured on single calls, where these take long enough for anyone.
MOST_BODIES = 300

#: The part of our gravity that it leaves out.
LESS_GRAVITY = 1.0 - 9.80665 / 9.81


class Dynibo:
    """dynibo on one robot."""

    def __init__(self, specimen: Specimen) -> None:
        self.specimen, robot = specimen, specimen.robot
        self.free = specimen.base == "free"
        with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
            file.write(specimen.urdf)
            file.flush()
            self.robot = (dynibo.FloatingRobot if self.free else dynibo.Robot).from_urdf(Path(file.name))
        # Its coordinates are Drake's: a free base first, with its velocity in world axes, angular first.
        self.layout = drake_layout(robot, _joints_breadth_first(specimen.urdf))
        self.links = [self.robot.link_id(body.name) for body in robot.body_list[1:]]
        n = self.robot.generalized_count
        self.sizes = {"CRBA": n * n, "FK": 7 * self.robot.link_count, "Jacobian": 6 * n}

    def contestants(self, algorithm: Algorithm, batch: int) -> list[Contestant]:
        if batch > 1 or algorithm.name not in CALLS:
            return []
        statement = "robot." + CALLS[algorithm.name].format(base="base, " * self.free)
        names = self.arguments(algorithm, 0)
        return [Contestant(LIBRARY, "", 1, call(statement, 1, **names), lambda: self.results(algorithm, statement))]

    def methods(self) -> dict[str, Contestant]:
        """Calls that do what methods of a robot do, beside the nine algorithms."""
        from benchmarks.peers.dynibo_methods import dynibo_methods

        return dynibo_methods(self)

    def arguments(self, algorithm: Algorithm, k: int) -> dict[str, Any]:
        q, qd, x = (array[k] for array in self.specimen.states(k + 1).values())
        v, out = self.layout.v_to(q, qd), np.empty(self.sizes.get(algorithm.name, self.robot.generalized_count))
        if algorithm.name == "ABA":
            x = self.layout.tau_to(q, x - LESS_GRAVITY * algorithms.gravity_forces(self.specimen.robot, q))
        else:
            x = self.layout.a_to(q, qd, x)
        fixed = {"robot": self.robot, "tip": self.links[self.specimen.tip - 1], "out": out}
        position = self.layout.q_to(q)
        if not self.free:
            return {**fixed, "q": position, "v": v, "x": x}
        whole = {"q": position[7:].copy(), "v": v[6:].copy(), "x": x if algorithm.name == "ABA" else x[6:].copy()}
        w, *xyz = position[:4]
        base = dynibo.BaseState(
            frame=dynibo.Pose(translation=tuple(position[4:7]), rotation_xyzw=(*xyz, w)),
            velocity=dynibo.Twist(angular=tuple(v[:3]), linear=tuple(v[3:6])),
            acceleration=dynibo.Twist(angular=tuple(x[:3]), linear=tuple(x[3:6])),
        )
        return {**fixed, **whole, "base": base}

    def results(self, algorithm: Algorithm, statement: str, n: int = CHECKED) -> Array:
        found = []
        for k in range(n):
            names = self.arguments(algorithm, k)
            exec(statement, names)
            found.append(self.ours(algorithm, names["out"], k))
        return np.array(found)

    def ours(self, algorithm: Algorithm, out: Array, k: int) -> Array:
        """A result in sixd's layout; its matrices are stored by columns. A is the map of velocities."""
        q, qd, _ = (array[k] for array in self.specimen.states(k + 1).values())
        A = self.layout.v_to(np.tile(q, (qd.size, 1)), np.eye(qd.size)).T
        name = algorithm.name
        if name == "RNEA":
            return A.T @ out + LESS_GRAVITY * algorithms.gravity_forces(self.specimen.robot, q)
        if name == "ABA":
            return self.layout.a_from(q, qd, out)
        if name == "CRBA":
            return A.T @ out.reshape(A.shape[0], -1) @ A
        if name == "FK":
            return np.array([_pose(place) for place in out.reshape(-1, 7)[self.links]])
        X = algorithms.pose(self.specimen.robot, q, self.specimen.tip)
        J = out.reshape(-1, 6).T
        return np.concatenate([X.E.array() @ J[:3], X.E.array() @ J[3:]]) @ A


def _pose(place: Array) -> Array:
    """Rotation and position side by side, (3, 4), from position and quaternion."""
    return np.column_stack([Transform.from_quaternion(place[3:]).E.T.array(), place[:3]])


def _joints_breadth_first(urdf: str) -> list[str]:
    """The joints that move, in its order: level by level, on each as the file has them."""
    joints = defaultdict(list)
    root = ET.fromstring(urdf)
    children = set()
    for joint in root.findall("joint"):
        parent, child = (joint.find(end).get("link") for end in ("parent", "child"))  # type: ignore[union-attr]
        joints[parent].append((joint.get("name"), joint.get("type"), child))
        children.add(child)
    todo = deque(link.get("name") for link in root.findall("link") if link.get("name") not in children)
    names = []
    while todo:
        for name, kind, child in joints[todo.popleft()]:
            if kind != "fixed":
                names.append(str(name))
            todo.append(child)
    return names
