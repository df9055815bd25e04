"""Derivatives through a simulation, over the simulation itself: forward along one direction, and backward.

    python -m benchmarks.simulation [--quick] [--seconds S]

measures them with the simulations. No peer has them: MuJoCo's rollouts are differentiated by differences, one rollout
for each direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.goal import Goal, at_most
from benchmarks.markdown import table, time
from benchmarks.measure import Contestant, Figure, Task, call, figures
from benchmarks.record import Record, fastest
from sixd.simulation import Differentiable

if TYPE_CHECKING:
    from benchmarks.simulation import Scene

__all__ = ["ABOUT", "derivative_goals", "derivative_table", "measure_derivatives"]

STEPS, BATCHES = 500, (256, 1)
KINDS = ("rollout", "jvp", "vjp")
#: How many rollouts a derivative may take.
MOST = {"jvp": 5.0, "vjp": 8.0}

ABOUT = """\
Nanoseconds for a step of 1 ms of one state, 500 steps, by `Differentiable`: the end of the rollout, its derivative
along one change of start and joint forces (`jvp`), and the gradient of a cost by the start and all joint forces
(`vjp`). Both include the rollout itself. Factors are over the rollout, by the minima."""


def measure_derivatives(record: Record, scene: Scene, rounds: int) -> None:
    """Seconds for a step of one state."""
    rollout = Differentiable(scene.robot, **scene.given)
    task = Task(scene.run.robot, scene.robot.n_bodies, scene.run.name)
    for n in BATCHES:
        rng, nv = np.random.default_rng(1), scene.robot.nv
        states = *scene.states(n), np.zeros((n, STEPS, nv))
        changes = (*rng.normal(size=(2, n, nv)), rng.normal(size=(n, STEPS, nv)))
        names: dict[str, Any] = {
            "rollout": rollout,
            "x": [a[0] for a in states] if n == 1 else states,
            "dx": [a[0] for a in changes] if n == 1 else changes,
        }
        calls = {"rollout": "rollout(*x)", "jvp": "rollout.jvp(*x, *dx)", "vjp": "rollout.vjp(*x, *dx[:2])"}
        field = [Contestant("sixd", kind, n, call(calls[kind], n * STEPS, **names)) for kind in KINDS]
        record.rollout_derivatives += figures(task, field, record.seconds, rounds)


def _rows(record: Record) -> Iterator[tuple[str, str, int, list[Figure | None]]]:
    found = record.rollout_derivatives
    for robot, name, n in dict.fromkeys((f.robot, f.algorithm, f.batch) for f in found):
        of_row = [f for f in found if (f.robot, f.algorithm) == (robot, name)]
        yield robot, name, n, [fastest(of_row, ("sixd",), n, (kind,)) for kind in KINDS]


def derivative_table(record: Record) -> str:
    rows = []
    for robot, name, n, (alone, *derived) in _rows(record):
        factors = [f"{f.minimum / alone.minimum:.2g}" if f and alone else "" for f in derived]
        rows.append((robot, name, f"{n:,}", time(alone), *map(time, derived), *factors))
    header = ["robot", "simulation", "states", "rollout, ns", "jvp, ns", "vjp, ns", "jvp, rollouts", "vjp, rollouts"]
    return table(header, rows)


def derivative_goals(record: Record) -> Iterator[Goal]:
    for robot, name, n, (alone, *derived) in _rows(record):
        for (kind, most), figure in zip(MOST.items(), derived, strict=True):
            if alone is not None and figure is not None:
                states = f"batch of {n:,}" if n > 1 else "one state"
                what = f"{robot}, {name}, {states}: time of {kind} through {STEPS} steps over that of the rollout"
                yield from at_most(what, most, figure.minimum / alone.minimum, " x")
