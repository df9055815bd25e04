"""Forward dynamics of closed robots: sixd's four methods, Pinocchio's solvers, and MuJoCo for information.

    python -m benchmarks.constrained [--quick] [--seconds S]

A four-bar closed by a point, a quadruped whose four feet stay where they are, and a platform on six legs. Positions and
velocities satisfy the constraints. The method "schur" is what ``closed.forward_dynamics`` runs unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import sixd
from benchmarks.goal import Goal, at_least, at_most
from benchmarks.markdown import factor, table, time
from benchmarks.measure import CHECKED, Contestant, Figure, Task, call, figures
from benchmarks.record import CPP, PYTHON_PEERS, Record, fastest, ratio
from benchmarks.robots import example
from benchmarks.stance import FEET, stance
from sixd import Loop, Transform
from sixd.mechanisms import four_bar, stewart_platform

__all__ = ["ABOUT", "constrained_goals", "constrained_table", "every_way_table", "measure"]

Array = Any

BATCH = 10_000
ALGORITHM = "constrained"
#: The method that is run unless told otherwise.
DEFAULT = "schur"
#: How often faster a batch is to be than Pinocchio C++, and what share of the time of its call one state may take.
GOALS = {"four-bar": (80.0, 0.3), "ANYmal on four feet": (12.0, 0.3), "Stewart platform": (10.0, 0.3)}
METHODS = (DEFAULT, "kkt", "nullspace", "embedding", "articulated")
MUJOCO = ("MuJoCo C", "MuJoCo Python")


ABOUT = """\
Nanoseconds per state of forward dynamics with constraints: points that stay together. Positions and velocities keep
them. One state is a call from Python of the robot's method beside Pinocchio's function; a batch of Pinocchio's is its
C++ in a loop. Its fastest solver counts, each with the settings that are fastest for results that differ by less than
1e-8 (relative, per state). MuJoCo is for information: its constraints are soft. They are as stiff as it allows
(`solimp` 0.9999; `solref` 0.02 1, its default, acts on errors, of which these states have none) and its Newton solver
converges in one step; accelerations differ as shown, and what is left in the constraints is in the notes. A batch of it
is a rollout in C of one step, one state is `mj_forward` from Python; dense or sparse matrices, whichever are faster."""


@dataclass(frozen=True)
class ClosedCase:
    """A closed robot, and states near one position that keep its constraints."""

    name: str
    robot: sixd.ClosedRobot
    q: Array

    @cached_property
    def states(self) -> tuple[Array, Array, Array]:
        """Positions, velocities and joint forces, a batch of each."""
        rng, robot = np.random.default_rng(0), self.robot
        q = robot.integrate(np.tile(self.q, (BATCH, 1)), 0.05 * rng.normal(size=(BATCH, robot.nv)))
        q, qd = robot.project(q, rng.normal(size=(BATCH, robot.nv)))
        return q, qd, rng.normal(size=(BATCH, robot.nv))


def closed_case(name: str) -> ClosedCase:
    if name != "ANYmal on four feet":
        made = four_bar(joint="point") if name == "four-bar" else stewart_platform()
        return ClosedCase(name, made.robot, made.q)
    robot = example("ANYmal").robot
    q, base = stance(robot), robot.body_list[0].name
    places = {foot: Transform.translation(robot.pose(q, foot)[:3, 3]) for foot in FEET}
    closed = robot.close(*(Loop(base, foot, "point", offset=places[foot], name=foot) for foot in FEET))
    return ClosedCase(name, closed, q)


def ours_in_batch(case: ClosedCase) -> list[Contestant]:
    """All methods, to an array that is there."""
    q, qd, tau = case.states
    found = []
    for method in METHODS:
        names = {"f": case.robot.forward_dynamics, "q": q, "v": qd, "t": tau, "m": method}
        names["out"] = out = case.robot.forward_dynamics(q, qd, tau, method=method)
        run = call("f(q, v, t, method=m, out=out)", BATCH, **names)
        results = (lambda out=out: out[:CHECKED]) if method != DEFAULT else None
        found.append(Contestant("sixd", method, BATCH, run, results))
    return found


def ours_alone(case: ClosedCase) -> Contestant:
    q, qd, tau = (x[0].copy() for x in case.states)
    return Contestant("sixd", DEFAULT, 1, call("f(q, v, t)", 1, f=case.robot.forward_dynamics, q=q, v=qd, t=tau))


def measure(record: Record, program: Any, rounds: int) -> None:
    """``program`` is Pinocchio's in C++, None where there is none."""
    for case in map(closed_case, GOALS):
        batch, one = ours_in_batch(case), [ours_alone(case)]
        wanted = lambda case=case: case.robot.forward_dynamics(*(x[:CHECKED] for x in case.states))  # noqa: E731
        try:
            from benchmarks.peers.pinocchio_closed import PinocchioClosed

            pinocchio = PinocchioClosed(case.robot, *case.states)
            batch, one = batch + (pinocchio.batch(program) if program else []), one + pinocchio.one()
        except ImportError as reason:
            record.note(f"closed robots, Pinocchio: {reason}")
        try:
            from benchmarks.peers.mujoco_closed import MuJoCoClosed

            mujoco = MuJoCoClosed(case.robot, *case.states)
            batch, one = batch + mujoco.batch(), one + mujoco.one()
            record.note(f"{case.name}: MuJoCo's soft constraints leave accelerations of {mujoco.residual():.0e} m/s^2")
        except ImportError as reason:
            record.note(f"closed robots, MuJoCo: {reason}")
        for field in (batch, one):
            task = Task(case.name, case.robot.n_bodies, ALGORITHM)
            record.constrained += figures(task, field, record.seconds, rounds, wanted)


def _of(record: Record, name: str) -> list[Figure]:
    return [f for f in record.constrained if f.robot == name]


def constrained_table(record: Record) -> str:
    rows = []
    for name in GOALS:
        for batch, peer in ((BATCH, CPP), (1, PYTHON_PEERS[0])):
            ours = fastest(_of(record, name), ("sixd",), batch, (DEFAULT,))
            theirs, soft = (fastest(_of(record, name), libraries, batch) for libraries in ((peer,), MUJOCO))
            if ours is not None:
                how, off = (theirs.variant, f"{theirs.difference:.0e}") if theirs else ("", "")
                cells = time(ours), time(theirs), how, off, factor(theirs, ours), time(soft)
                rows.append((name, batch, *cells, f"{soft.difference:.0e}" if soft else ""))
    header = ["robot", "states", "sixd, ns", "Pinocchio, ns", "its fastest", "difference", "ratio"]
    return table([*header, "MuJoCo (soft), ns", "difference"], rows)


def every_way_table(record: Record) -> str:
    """All methods and solvers on the batch."""
    rows = []
    for name in GOALS:
        ours = fastest(_of(record, name), ("sixd",), BATCH, (DEFAULT,))
        for f in _of(record, name):
            if f.batch == BATCH and ours is not None:
                off = "" if f.difference is None else f"{f.difference:.0e}"
                rows.append((name, f.library, f.variant, time(f), factor(f, ours), off))
    return table(["robot", "library", "way", "time, ns", "over that of sixd's schur", "difference"], rows)


def constrained_goals(record: Record) -> Iterator[Goal]:
    for name, (many, one) in GOALS.items():
        theirs = fastest(_of(record, name), (CPP,), BATCH)
        ours = fastest(_of(record, name), ("sixd",), BATCH, (DEFAULT,))
        what = f"{name}, batch of {BATCH:,}, constrained dynamics, faster than Pinocchio C++"
        yield from at_least(f"{what} (its fastest solver)", many, ratio(theirs, ours))
        own, call_ = (fastest(_of(record, name), (who,), 1) for who in ("sixd", PYTHON_PEERS[0]))
        yield from at_most(f"{name}, one state: time over that of {PYTHON_PEERS[0]}", one, ratio(own, call_), " x")


if __name__ == "__main__":
    from benchmarks.run import main

    main("constrained")
