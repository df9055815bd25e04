"""Simulation beside MuJoCo's rollouts in C: the same robots, steps and starts, on one core.

    python -m benchmarks.simulation [--quick] [--seconds S]

Semi-implicit Euler with a step of 1 ms, and RK4. Free robots have neither contact nor joint forces. ANYmal also stands
on four spherical feet under a joint PD, where laws of contact differ: compliant or rigid here, soft constraints there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.goal import Goal, at_least
from benchmarks.markdown import factor, table, time
from benchmarks.measure import Contestant, Figure, Task, call, figures
from benchmarks.record import Record, fastest, ratio
from benchmarks.robots import example
from benchmarks.rollout_derivatives import measure_derivatives
from benchmarks.stance import FEET, FRICTION, RADIUS, Stand, stance
from sixd.simulation import simulate
from sixd.simulation.contact import Contacts

__all__ = ["ABOUT", "measure", "simulation_goals", "simulation_table"]

Array = Any

#: Steps of 1 ms of a batch. MuJoCo's time for a step does not depend on the number of states: it gets fewer of them.
DT, STEPS, BATCH, PEER_BATCH = 1e-3, 1000, 4096, 64
#: Steps of one state, and after how many steps positions are compared.
ALONE, COMPARED = 5000, 100
PEER = "MuJoCo C"


class Run(NamedTuple):
    """What is simulated, and how many times faster than MuJoCo it is to be, in a batch and for one state."""

    robot: str
    law: str | None
    integrator: str
    many: float | None = None
    one: float | None = None
    #: How much positions may differ from MuJoCo's; without bound where laws of contact differ.
    tolerance: float = np.inf

    @property
    def name(self) -> str:
        return self.integrator.replace("_", " ") + (f", {self.law} contact" if self.law else "")


EULER = "semi_implicit_euler"
#: Euler's steps of a free base are not the same: its velocity is in body axes here, in world axes there.
RUNS = (
    Run("Panda", None, EULER, 25.0, 4.0, 1e-9),
    Run("ANYmal", None, EULER, 15.0, 4.0, 1e-8),
    Run("ANYmal", "compliant", EULER, 30.0, 4.0),
    Run("ANYmal", "rigid", EULER, 10.0, 4.0),
    Run("Panda", None, "rk4", tolerance=1e-9),
    Run("ANYmal", None, "rk4", tolerance=1e-9),
)


ABOUT = """\
Nanoseconds for a step of 1 ms of one state. Batches are 4,096 states and 1,000 steps, of which the end is kept; one
state makes 5,000 steps. MuJoCo runs in C, by its `rollout`, which keeps every step, in an array that is there; its time
for a step does not depend on the number of states, and it gets 64. It solves contacts by Newton's method to its usual
accuracy, without islands, which is faster here. Laws of contact differ, so that ratios there are of two models of the
same scene: sixd's compliant law has no equations to solve, its rigid one makes a fixed number of sweeps, MuJoCo's is a
convex problem solved to convergence. The difference is the largest of positions, relative to the largest of each state;
Euler's steps of a free base are not quite the same, its velocity is in body axes here and in world axes in MuJoCo."""


class Scene:
    """A robot, free or on its feet, and where it starts."""

    def __init__(self, run: Run) -> None:
        self.run, self.robot = run, example(run.robot).robot
        self.given: dict[str, Any] = {"dt": DT, "integrator": run.integrator}
        self.start = self.robot.neutral()
        self.target: tuple[float, ...] | None = None
        if run.law is not None:
            self.start = stance(self.robot)
            self.target = tuple(float(x) for x in self.start[7:])
            self.given["control"] = Stand(self.target)
            self.given["contacts"] = Contacts.of(self.robot, FEET, radius=RADIUS, law=run.law, friction=FRICTION)

    def states(self, n: int) -> tuple[Array, Array]:
        """Positions near the start, and small velocities."""
        rng, nv = np.random.default_rng(0), self.robot.nv
        joints = slice(0 if self.target is None else 6, nv)
        dv = np.zeros((n, nv))
        dv[:, joints] = 0.05 * rng.normal(size=dv[:, joints].shape)
        return self.robot.integrate(np.tile(self.start, (n, 1)), dv), 0.1 * rng.normal(size=(n, nv))

    def simulation(self, n: int, steps: int) -> Callable[[], Array]:
        """A function that simulates n states, of which only the end is kept, and returns the last positions."""
        q, qd = (x[0] if n == 1 else x for x in self.states(n))
        return lambda: simulate(self.robot, q, qd, steps * DT, record=steps, **self.given).q[..., -1, :]

    def ours(self, n: int, steps: int) -> Contestant:
        run = self.simulation(n, steps)
        if not np.isfinite(run()).all():
            raise RuntimeError(f"{self.run.robot}, {self.run.name}: the simulation by sixd does not stay finite")
        return Contestant("sixd", "", n, call("run()", n * steps, run=run))

    def peers(self, n: int, steps: int) -> list[Contestant]:
        from benchmarks.peers.mujoco_simulation import MuJoCoSimulation

        peer = MuJoCoSimulation(self.robot, DT, self.run.integrator, self.target)
        run, short = peer.rollout(*self.states(n), steps), peer.rollout(*self.states(PEER_BATCH), COMPARED)

        def results() -> Array:
            short()
            return short.end()

        return [Contestant(PEER, "rollout", n, call("run()", n * steps, run=run), results, self.run.tolerance)]


def measure(record: Record, rounds: int) -> None:
    """Seconds for a step of one state."""
    for run in RUNS:
        scene = Scene(run)
        for n, steps in ((BATCH, STEPS), (1, ALONE)):
            field = [scene.ours(n, steps)]
            try:
                field += scene.peers(min(n, PEER_BATCH), steps)
            except ImportError as reason:
                record.note(f"simulation, MuJoCo: {reason}")
            task = Task(run.robot, scene.robot.n_bodies, run.name)
            ours = scene.simulation(PEER_BATCH, COMPARED)
            record.simulation += figures(task, field, record.seconds, rounds, ours)
        if run.integrator == EULER:
            measure_derivatives(record, scene, rounds)


def _pairs(record: Record) -> Iterator[tuple[Run, int, Figure | None, Figure | None]]:
    """Our figure and MuJoCo's, of each run, for a batch and for one state."""
    for run in RUNS:
        of_run = [f for f in record.simulation if (f.robot, f.algorithm) == (run.robot, run.name)]
        for n, theirs in ((BATCH, PEER_BATCH), (1, 1)):
            yield run, n, fastest(of_run, ("sixd",), n), fastest(of_run, (PEER,), theirs)


def simulation_table(record: Record) -> str:
    rows = []
    for run, n, ours, theirs in _pairs(record):
        if ours is not None:
            off = f"{theirs.difference:.0e}" if theirs and theirs.difference is not None else ""
            rows.append((run.robot, run.name, f"{n:,}", time(ours), time(theirs), factor(theirs, ours), off))
    header = ["robot", "simulation", "states", "sixd, ns", "MuJoCo's rollout, ns", "ratio"]
    return table([*header, f"difference after {COMPARED} steps"], rows)


def simulation_goals(record: Record) -> Iterator[Goal]:
    for run, n, ours, theirs in _pairs(record):
        asked = run.many if n > 1 else run.one
        if asked is not None:
            what = f"batch of {n:,}" if n > 1 else "one state"
            yield from at_least(
                f"{run.robot}, {run.name}, {what}, faster than MuJoCo's rollout", asked, ratio(theirs, ours)
            )


if __name__ == "__main__":
    from benchmarks.run import main

    main("simulation")
