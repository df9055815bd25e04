"""Pinocchio on closed robots, by each of its solvers; constraints are points that stay together.

- ``constraintDynamics``: sparse Cholesky factors of the whole system;
- ``lcaba``: articulated bodies with loops, which its header calls unsupported yet;
- ``pv`` and ``constrainedABA``: articulated bodies, for points that stay where they are, in C++ only.

All are proximal. Their settings are those that are fastest with eight digits: one step with mu = 1e-12 where mu enters
a factorisation, else mu = 1e-6 and as many steps as it takes. Its points are in world axes, faster here than its own.
"""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np
import pinocchio as pin

import sixd
from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.peers.pinocchio_cpp import LIBRARY as CPP
from benchmarks.peers.pinocchio_cpp import PROCESSES, Program, describe
from benchmarks.peers.pinocchio_python import LIBRARY as PYTHON
from sixd.layouts import pinocchio_layout

__all__ = ["PinocchioClosed"]

Array = Any

#: How much results may differ.
TOLERANCE = 1e-8


class PinocchioClosed:
    """A closed robot whose constraints are points, in states (q, qd) under joint forces tau."""

    def __init__(self, robot: sixd.ClosedRobot, q: Array, qd: Array, tau: Array) -> None:
        self.model, numbers = pin.Model(), [0]
        self.model.gravity.linear = np.array(robot.gravity, dtype=float)
        for i, body in enumerate(robot.body_list[1:], start=1):
            assert body.joint is not None
            place, I = pin.SE3(np.array(body.placement.pose(), dtype=float)), body.inertia
            parent = numbers[robot.parent[i]]
            numbers.append(self.model.addJoint(parent, _joint(body.joint.type), place, body.joint.name))
            inertia = pin.Inertia(
                float(I.m), np.array(list(I.com), dtype=float), np.array(I.I_com.array(), dtype=float)
            )
            self.model.appendBodyToJoint(numbers[-1], inertia, pin.SE3.Identity())
        # The first point of a pair is the one that moves: all of its solvers allow the second to be in the world.
        self.points = [(numbers[c.b], c.X_b.r, numbers[c.a], c.X_a.r) for c in robot.closures]
        self.robot, self.layout = robot, pinocchio_layout(robot, self.model)
        self.own_q, self.own_qd = q, qd
        self.states = self.layout.q_to(q), self.layout.v_to(q, qd), self.layout.tau_to(q, tau)

    def one(self) -> list[Contestant]:
        """Its functions called from Python."""
        points, kind = pin.StdVec_RigidConstraintModel(), pin.ContactType.CONTACT_3D
        for a, at_a, b, at_b in self.points:
            places = [pin.SE3(np.eye(3), np.array(list(at), dtype=float)) for at in (at_a, at_b)]
            axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            points.append(pin.RigidConstraintModel(kind, self.model, a, places[0], b, places[1], axes))
        found = []
        for name, settings in (("constraintDynamics", (1e-12, 1e-12, 1)), ("lcaba", (1e-8, 1e-6, 10))):
            data, workspace = self.model.createData(), pin.StdVec_RigidConstraintData()
            for point in points:
                workspace.append(point.createData())
            if name == "lcaba":
                pin.computeJointMinimalOrdering(self.model, data, points)
            else:
                pin.initConstraintDynamics(self.model, data, points, workspace)
            known = {"f": getattr(pin, name), "m": self.model, "d": data, "cs": points, "ds": workspace}
            known["s"] = pin.ProximalSettings(*settings)
            given = dict(zip("qvt", (x[0].copy() for x in self.states), strict=True))
            run = call("f(m, d, q, v, t, cs, ds, s)", 1, **known, **given)
            found.append(Contestant(PYTHON, name, 1, run, lambda known=known: self.python(known), TOLERANCE))
        return found

    def python(self, known: dict[str, Any]) -> Array:
        """Results of one of its functions."""
        rows = zip(*(x[:CHECKED] for x in self.states), strict=True)
        f, *fixed = (known[name] for name in "fmd")
        return self.ours([np.array(f(*fixed, *row, *(known[name] for name in ("cs", "ds", "s")))) for row in rows])

    def batch(self, program: Program) -> list[Contestant]:
        """Its C++ in a loop over states, each time in another process."""
        n = len(self.own_q)
        model, states, points = (program.directory / name for name in ("model.txt", "states.bin", "points.txt"))
        model.write_text(describe(self.model, 1))
        np.concatenate([x.ravel() for x in self.states]).tofile(states)
        lines = [" ".join(map(repr, (a, *map(float, at_a), b, *map(float, at_b)))) for a, at_a, b, at_b in self.points]
        points.write_text("\n".join(lines) + "\n")
        for which in range(PROCESSES):
            program.ask(which, "load", model, states, n)
            program.ask(which, "constrain", points)
        in_world = all(b == 0 for _, _, b, _ in self.points)
        names = ("constraintDynamics", "lcaba", *(("pv", "constrainedABA") if in_world else ()))
        return [self.cpp(program, name, n) for name in names]

    def cpp(self, program: Program, name: str, n: int) -> Contestant:
        turns = cycle(range(PROCESSES))

        def time(seconds: float) -> list[float]:
            return [1e-9 * float(word) for word in program.ask(next(turns), "run", name, n, seconds).split()]

        def results() -> Array:
            file = program.directory / "results.bin"
            program.ask(0, "write", name, CHECKED, file)
            return self.ours(np.fromfile(file).reshape(CHECKED, self.model.nv))

        return Contestant(CPP, name, n, time, results, TOLERANCE)

    def ours(self, accelerations: Any) -> Array:
        """Those of the first states in sixd's layout."""
        return self.layout.a_from(self.own_q[:CHECKED], self.own_qd[:CHECKED], np.array(accelerations))


def _joint(joint: Any) -> Any:
    """Pinocchio's joint of the same kind."""
    if joint.name == "universal":
        return pin.JointModelUniversal(np.eye(3)[0], np.eye(3)[1])
    if joint.name == "free":
        return pin.JointModelFreeFlyer()
    axis = [float(x) for x in joint.axis]
    if joint.name not in ("revolute", "prismatic") or sorted(axis) != [0.0, 0.0, 1.0]:
        raise ValueError(f"a joint that is {joint.name} about {axis} is not one of those compared with Pinocchio")
    return getattr(pin, f"JointModel{'R' if joint.name == 'revolute' else 'P'}{'XYZ'[axis.index(1.0)]}")()
