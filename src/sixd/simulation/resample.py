"""Motions between records: cubic curves on the manifold of positions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.simulation.events import happened_in

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["resampled"]

Array = NDArray[Any]


def resampled(trajectory: Trajectory, times: Array) -> Trajectory:
    """The motion at other times, all within the trajectory.

    From a record q0 to the next, q(c) = q0 (+) x(c), x(c) = v0 c + a c^2 + b c^3, where c is the time since the record;
    a and b are such that x meets the next record with its velocity.
    """
    robot, t = trajectory.robot, trajectory.t
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    c = times[:, None] - t[k][:, None]
    q0, q1 = trajectory.q[..., k, :], trajectory.q[..., k + 1, :]
    v0, way = trajectory.qd[..., k, :], robot.difference(q0, q1)
    v1 = np.asarray(robot._code[algorithms.difference_rate](q0, q1, trajectory.qd[..., k + 1, :]))
    a = 3.0 * way / h**2 - (2.0 * v0 + v1) / h
    b = (v0 + v1) / h**2 - 2.0 * way / h**3
    x, rate = v0 * c + a * c**2 + b * c**3, v0 + 2.0 * a * c + 3.0 * b * c**2
    q = robot.integrate(q0, x)
    qd = np.asarray(robot._code[algorithms.integrate_rate](q0, x, rate))
    others: dict[str, Any] = {}
    for name in ("summed", "touched"):
        x = getattr(trajectory, name)
        others[name] = None if x is None else (1.0 - c / h) * x[..., k, :] + c / h * x[..., k + 1, :]
    if trajectory.answered is not None:
        others["answered"] = trajectory.answered[..., np.searchsorted(t, times, side="right") - 1, :]
    happened = happened_in(trajectory.happened, times)
    return replace(trajectory, t=times, q=q, qd=qd, last=None, happened=happened, **others)
