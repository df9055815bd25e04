"""`simulate`: a robot over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.robot import Robot
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.integrators import INTEGRATORS
from sixd.simulation.step import Step, inputs_of, rollout_of
from sixd.simulation.trajectory import Trajectory

__all__ = ["simulate"]

Array = NDArray[Any]


def simulate(
    robot: Robot,
    q0: ArrayLike,
    qd0: ArrayLike,
    duration: float,
    *,
    dt: float = 1e-3,
    control: Any = None,
    forces: Sequence[ForceElement] = (),
    integrator: str = "semi_implicit_euler",
    inputs: Mapping[str, ArrayLike] | None = None,
    record: int = 1,
    books: bool = False,
) -> Trajectory:
    """The motion of a robot from a state."""
    steps = round(duration / dt)
    controller = control if isinstance(control, Controller) else None
    tau = np.zeros(robot.nv) if control is None or controller is not None else np.asarray(control, dtype=float)
    declared = inputs_of(controller, robot, forces)
    step = Step(INTEGRATORS[integrator](), controller, tuple(forces), tuple(declared.items()), books)
    given = {"tau": tau, **{name: np.asarray(x, dtype=float) for name, x in (inputs or {}).items()}}
    stepped = tuple(name for name, x in given.items() if x.ndim > len(declared.get(name, (1,))))
    q0, qd0 = (np.asarray(x, dtype=float) for x in (q0, qd0))
    arrays = {"q": q0, "qd": qd0, "t0": 0.0, "dt": dt, **given}
    if books:
        arrays["work"] = np.zeros((*q0.shape[:-1], step.sources))
    _, kept = rollout_of(step, robot, stepped)(steps, arrays, every=record)
    t = dt * np.arange(0, steps + 1, record)
    q, qd = (_from(x, kept[name]) for x, name in ((q0, "q_next"), (qd0, "qd_next")))
    work = _from(arrays["work"], kept["work_next"]) if books else None
    return Trajectory(robot, t, q, qd, work, ("motors", *(e.name for e in forces)))


def _from(start: Array, kept: Array) -> Array:
    """The records, with the start before them."""
    start = np.broadcast_to(start, (*kept.shape[:-2], kept.shape[-1]))
    return np.concatenate([start[..., None, :], kept], axis=-2)
