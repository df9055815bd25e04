"""Forward dynamics with constraints against Pinocchio, on one core, on the same states, in one run.

    python -m benchmarks.constrained [--seconds S]

A four-bar closed by a pin, a quadruped whose four feet stay where they are, and a platform on six legs. All constraints
are points that stay together. Pinocchio is called from Python for one state; for a batch it is its own C++, compiled
for this machine, in a loop over states. Its constraints are in local coordinates, its proximal solver has the settings
of its examples; results are compared first. The other methods of FO00 3.4 are measured, too.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import pinocchio as pin

import sixd
from benchmarks.machine import description, versions
from benchmarks.measure import CHECKED, Contestant, call, compare, difference, pin_to_one_core
from benchmarks.peers.pinocchio_cpp import PROCESSES, Program, describe
from benchmarks.robots import example
from sixd import Loop, Transform
from sixd.backends.llvm.target import host, lanes
from sixd.mechanisms import four_bar, stewart_platform

Array = Any

BATCH = 10_000
#: How much results may differ: its constraints are met to about the accuracy of its proximal solver.
TOLERANCE = 1e-6
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
#: What is measured, how often faster a batch is to be, and what share of the time one state may take.
CASES = (("four-bar", 80.0, 0.3), ("ANYmal on four feet", 12.0, 0.3), ("Stewart platform", 10.0, 0.3))


@dataclass(frozen=True)
class Case:
    """A closed robot whose constraints are points, and states that keep them."""

    robot: sixd.ClosedRobot
    q: Array

    def states(self, n: int) -> tuple[Array, Array, Array]:
        """Positions near the given one and velocities, both consistent, and joint forces."""
        rng, robot = np.random.default_rng(0), self.robot
        q = robot.integrate(np.tile(self.q, (n, 1)), 0.05 * rng.normal(size=(n, robot.nv)))
        q, qd = robot.project(q, rng.normal(size=(n, robot.nv)))
        return q, qd, rng.normal(size=(n, robot.nv))


def case(name: str) -> Case:
    if name != "ANYmal on four feet":
        made = four_bar(joint="point") if name == "four-bar" else stewart_platform()
        return Case(made.robot, made.q)
    robot = example("ANYmal").robot
    q, base = robot.neutral(), robot.body_list[0].name
    for joint in robot.joints[1:]:
        q[joint.q] = (1.0 if "F_" in joint.name else -1.0) * {"HAA": 0.0, "HFE": 0.4, "KFE": -0.8}[joint.name[-3:]]
    places = {foot: Transform.translation(robot.pose(q, foot)[:3, 3]) for foot in FEET}
    return Case(robot.close(*(Loop(base, foot, "point", offset=places[foot], name=foot) for foot in FEET)), q)


class Peer:
    """The same robot in Pinocchio. A universal joint becomes two revolute ones, with a body without mass between."""

    def __init__(self, case: Case) -> None:
        self.case, self.model = case, pin.Model()
        self.number = [0]  # of Pinocchio's joints, by sixd's bodies
        robot = case.robot
        self.model.gravity.linear = np.array(robot.gravity, dtype=float)
        for i, body in enumerate(robot.body_list[1:], start=1):
            place = pin.SE3(np.array(body.placement.pose(), dtype=float))
            number = self.number[robot.parent[i]]
            for k, joint in enumerate(_joints(body.joint.type)):
                number = self.model.addJoint(number, joint, pin.SE3.Identity() if k else place, f"{body.name}_{k}")
            I = body.inertia
            com = np.array([x / I.m for x in I.h], dtype=float)
            self.model.appendBodyToJoint(
                number, pin.Inertia(float(I.m), com, np.array(I.I_com.array(), dtype=float)), pin.SE3.Identity()
            )
            self.number.append(number)
        self.points = [(self.number[c.a], _origin(c.X_a), self.number[c.b], _origin(c.X_b)) for c in robot.closures]

    def states(self, n: int) -> tuple[Array, Array, Array]:
        q, qd, tau = self.case.states(n)
        return self.position(q), self.velocity(qd), self.velocity(tau)

    def position(self, q: Array) -> Array:
        free = self.case.robot.joints[0].type.nv == 6
        return np.concatenate([q[:, 4:7], q[:, :4], q[:, 7:]], axis=1) if free else q

    def velocity(self, v: Array) -> Array:
        """Also the way back: the two halves of a free base are exchanged."""
        free = self.case.robot.joints[0].type.nv == 6
        return np.concatenate([v[:, 3:6], v[:, :3], v[:, 6:]], axis=1) if free else v

    def python(self) -> Contestant:
        q, v, tau = (x[0].copy() for x in self.states(1))
        constraints = pin.StdVec_RigidConstraintModel()
        for a, at_a, b, at_b in self.points:
            places = (pin.SE3(np.eye(3), np.array(at_a)), pin.SE3(np.eye(3), np.array(at_b)))
            kind = pin.ContactType.CONTACT_3D
            constraints.append(
                pin.RigidConstraintModel(kind, self.model, a, places[0], b, places[1], pin.ReferenceFrame.LOCAL)
            )
        data, found = self.model.createData(), pin.StdVec_RigidConstraintData()
        for constraint in constraints:
            found.append(constraint.createData())
        pin.initConstraintDynamics(self.model, data, constraints, found)
        names = {"f": pin.constraintDynamics, "m": self.model, "d": data, "q": q, "v": v, "t": tau}
        names |= {"cs": constraints, "ds": found, "s": pin.ProximalSettings(1e-12, 1e-12, 10)}
        return Contestant("Pinocchio Python", "", 1, call("f(m, d, q, v, t, cs, ds, s)", 1, **names))

    def cpp(self, program: Program) -> Contestant:
        """Its C++ in a loop over states, each time in another process."""
        model, states, points = (program.directory / name for name in ("model.txt", "states.bin", "points.txt"))
        model.write_text(describe(self.model, 1))
        np.concatenate([x.ravel() for x in self.states(BATCH)]).tofile(states)
        lines = [" ".join(map(str, (a, *at_a, b, *at_b))) for a, at_a, b, at_b in self.points]
        points.write_text("\n".join(lines) + "\n")
        for which in range(PROCESSES):
            program.ask(which, "load", model, states, BATCH)
            program.ask(which, "constrain", points)
        turns = cycle(range(PROCESSES))

        def time(seconds: float) -> list[float]:
            answer = program.ask(next(turns), "run", "constraintDynamics", BATCH, seconds)
            return [1e-9 * float(word) for word in answer.split()]

        def results() -> Array:
            file = program.directory / "results.bin"
            program.ask(0, "write", "constraintDynamics", CHECKED, file)
            return self.velocity(np.fromfile(file).reshape(CHECKED, self.model.nv))

        return Contestant("Pinocchio C++", "", BATCH, time, results)


def _joints(joint: Any) -> list[Any]:
    """Pinocchio's joints that make one of sixd's."""
    if joint.name == "universal":
        return [pin.JointModelRX(), pin.JointModelRY()]
    if joint.name == "free":
        return [pin.JointModelFreeFlyer()]
    letter = "XYZ"[int(np.argmax(np.abs(np.array(joint.axis, dtype=float))))]
    return [getattr(pin, f"JointModel{'R' if joint.name == 'revolute' else 'P'}{letter}")()]


def _origin(X: Transform) -> tuple[float, ...]:
    """Where a frame is on its body."""
    return tuple(float(x) for x in X.r)


def ours(case: Case) -> tuple[Contestant, Contestant]:
    """The method of a robot for one state, and for a batch to an array that is there."""
    q, qd, tau = case.states(BATCH)
    names = {
        "f": case.robot.forward_dynamics,
        "q": q,
        "v": qd,
        "t": tau,
        "out": case.robot.forward_dynamics(q, qd, tau),
    }
    one = {**names, "q": q[0].copy(), "v": qd[0].copy(), "t": tau[0].copy()}
    return (
        Contestant("sixd", "", BATCH, call("f(q, v, t, out=out)", BATCH, **names), lambda: names["out"][:CHECKED]),
        Contestant("sixd", "", 1, call("f(q, v, t)", 1, **one)),
    )


def by_method(case: Case, method: str) -> Contestant:
    """Another of the methods, for a batch."""
    q, qd, tau = case.states(BATCH)
    names = {"f": case.robot.forward_dynamics, "q": q, "v": qd, "t": tau, "m": method}
    names["out"] = case.robot.forward_dynamics(q, qd, tau, method=method)
    return Contestant("sixd", method, BATCH, call("f(q, v, t, method=m, out=out)", BATCH, **names))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.constrained", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="for each contestant")
    seconds = parser.parse_args().seconds
    pin_to_one_core()
    sixd.set_threads(1)
    print(f"{description()}\n{host()[0]}, {lanes()} lanes\n{versions()}\n")
    program = Program()
    for name, many, one in CASES:
        subject = case(name)
        peer, (batch, single) = Peer(subject), ours(subject)
        theirs = peer.cpp(program)
        assert batch.results is not None
        assert theirs.results is not None
        off = difference(name, batch.results(), theirs.results(), TOLERANCE)
        (_, mine, _), (_, best, _) = compare([batch, theirs], seconds, 5)
        (_, own, _), (_, least, _) = compare([single, peer.python()], seconds, 5)
        print(f"{name:20} results differ by {off:.0e}")
        print(f"{name:20} {BATCH} states  {1e9 * mine:8.0f} ns {1e9 * best:8.0f} ns {best / mine:8.1f} x of {many:.0f}")
        print(
            f"{name:20} one state     {1e9 * own:8.0f} ns {1e9 * least:8.0f} ns {own / least:8.2f} of {one}", flush=True
        )
    program.close()


if __name__ == "__main__":
    main()
