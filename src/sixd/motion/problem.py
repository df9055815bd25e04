"""A motion as an optimisation problem: unknowns, cost, gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ModelError
from sixd.motion.basis import Basis, Motion
from sixd.motion.costs import COSTS
from sixd.motion.splines import Spline
from sixd.robot import Robot
from sixd.robot.robot import open_robot

__all__ = ["Problem"]

Array = NDArray[Any]
#: What is added to quadratic forms, relative to their largest entry, so that they are definite.
DEFINITE = 1e-9


class Problem:
    """The cost of motions from q0 to q1 as a function of the control points X (functions, nv) of a spline.

    Some of them are fixed by the ends, the others are X = start + L^-T y. The search is for y. L L^T is roughly the
    second derivative of the cost by X on the straight way, so that the second derivative by y is near 1 there.
    """

    def __init__(
        self, robot: Robot, q0: ArrayLike, q1: ArrayLike, duration: float, cost: str, pieces: int, rest: bool | None
    ) -> None:
        self.robot = _fitting(robot)
        self.q0, self.q1 = (
            np.array(given.finite(q, name, robot.nq), dtype=float) for q, name in ((q0, "q0"), (q1, "q1"))
        )
        duration = given.number(duration, "duration")
        if not 0.0 < duration < np.inf:
            raise ModelError(f"duration must be positive and finite, s, not {duration}")
        self.spline = Spline(duration, given.count(pieces, "pieces"))
        kind = COSTS[given.choice(cost, "cost", COSTS)]
        self.rest = kind.rest if rest is None else given.flag(rest, "rest")
        self.start = _straight(self.spline, self.q0, self.q1, self.rest)
        times, self.weights = self.spline.quadrature()
        self.basis = self.spline.at(times)
        self.cost = kind(robot, self.basis.motion(self.start))
        #: L^-T, (unknowns, unknowns); and the cost that the end of the search is judged by.
        self.scale, self.unit = self._scales()

    @property
    def free(self) -> slice:
        """The control points that are not fixed by the ends."""
        fixed = 2 if self.rest else 1
        return slice(fixed, self.spline.functions - fixed)

    def _scales(self) -> tuple[Array, float]:
        rows = self.rows_by_points(self.basis, self.cost.factors(self.basis.motion(self.start)))
        rows = np.sqrt(self.weights)[:, None, None] * rows
        second = np.tensordot(rows, rows, axes=((0, 1), (0, 1)))
        least = DEFINITE * float(np.abs(second).max())
        L = np.linalg.cholesky(second + least * np.eye(len(second)))
        return np.linalg.inv(L).T, max(self.value(self.start), least)

    def rows_by_points(self, basis: Basis, rows: Motion) -> Array:
        """Rows of a Jacobian by the free control points, (samples, rows, unknowns), from those by q, qd and qdd."""
        found = basis.pulled_back_rows(rows)[:, :, self.free]
        return found.reshape(*found.shape[:2], -1)

    def control_points(self, y: Array) -> Array:
        """X, (functions, nv), of unknowns y."""
        X = self.start.copy()
        X[self.free] += (self.scale @ y).reshape(-1, self.robot.nv)
        return X

    def value(self, X: Array) -> float:
        """The integral of the cost over time, for control points X (functions, nv)."""
        return float(self.weights @ self.cost.values(self.basis.motion(X)))

    def value_and_gradient(self, X: Array) -> tuple[float, Array]:
        """The same, and its gradient by the free control points, (free, nv)."""
        values, by = self.cost(self.basis.motion(X))
        w = self.weights[:, None]
        gradient = self.basis.pulled_back(Motion(*(w * part for part in by)))
        return float(self.weights @ values), gradient[self.free]


def _straight(spline: Spline, q0: Array, q1: Array, rest: bool) -> Array:
    """The control points of the straight way: at constant speed, or speeding up and slowing down smoothly."""
    s = spline.centers[:, None] / spline.duration
    if rest:
        s = s * s * (3.0 - 2.0 * s)
        s[:2], s[-2:] = 0.0, 1.0
    X = q0 + s * (q1 - q0)
    X[-1] = q1
    if rest:
        X[-2] = q1
    return X


def _fitting(robot: Robot) -> Robot:
    open_robot(robot, "the search for motions")
    if not robot.nv:
        raise ModelError("robot has no degree of freedom: there is no motion to optimise")
    for joint in robot.joints:
        if not joint.type.has_rates:
            raise ModelError(
                f"joint {joint.name!r} has a quaternion: a spline is for joints whose qd is dq/dt; lock it, "
                "or use a joint of type 'spherical-euler'"
            )
    return robot
