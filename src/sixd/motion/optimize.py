"""The best motion between two positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ArgumentError, ModelError
from sixd.motion.basis import Motion
from sixd.motion.costs import COSTS
from sixd.motion.limits import LIMITS, constraints_of
from sixd.motion.problem import Problem
from sixd.motion.search import search
from sixd.motion.splines import Spline
from sixd.robot import Robot

__all__ = ["OptimizedMotion", "optimize"]

Array = NDArray[Any]
#: The times in each piece of the spline at which the result is given.
SAMPLES = 10


@dataclass(frozen=True, eq=False)
class OptimizedMotion:
    """A motion from one position to another, as a spline and at evenly spaced times, and how it was found."""

    #: Which cost was made small: a name of `sixd.motion.COSTS`.
    minimized: str
    #: How long the motion takes, s.
    duration: float
    #: The control points of the quintic B-spline, (pieces + 5, nv).
    control_points: Array
    #: The times, (samples,), and the motion there, each (samples, nv).
    t: Array
    q: Array
    qd: Array
    qdd: Array
    #: The joint forces that it needs, by `Robot.inverse_dynamics`, (samples, nv).
    tau: Array
    #: The integral of the cost over time: of this motion, and of the straight one that the search has started from.
    cost: float
    cost_before: float
    #: Whether the search has converged. If not, this motion is the last that it came to, and may exceed limits.
    success: bool
    #: What SciPy says of that.
    message: str
    #: The steps of the search, and how often it has computed the cost.
    iterations: int
    evaluations: int

    def at(self, t: ArrayLike) -> Motion:
        """q, qd and qdd at any times (samples,) from 0 to ``duration``, s, each (samples, nv)."""
        times = np.array(given.numbers(np.atleast_1d(np.asarray(t)), "t"), dtype=float)
        if not ((times >= 0.0) & (times <= self.duration)).all():
            raise ModelError(f"t must be from 0 to {self.duration:g}, the duration of the motion, s")
        return Spline.of(len(self.control_points), self.duration).at(times).motion(self.control_points)

    def __str__(self) -> str:
        n, unit = self.q.shape[1], COSTS[self.minimized].unit
        end = "converged" if self.success else "NOT converged"
        saved = f", {self.cost_before:.6g} on the straight way" if self.cost_before != self.cost else ""
        return "\n".join(
            [
                f"motion of {n} degrees of freedom in {self.duration:g} s, of least {self.minimized}",
                f"  cost         {self.cost:.6g} {unit}{saved}",
                f"  search       {end} after {self.iterations} iterations, {self.evaluations} evaluations: "
                f"{self.message}",
                f"  largest |qd| {np.abs(self.qd).max():.4g}, |tau| {np.abs(self.tau).max():.4g}",
            ]
        )


def optimize(
    robot: Robot,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float,
    cost: str = "energy",
    *,
    pieces: int = 10,
    rest: bool | None = None,
    limits: str | Iterable[str] = ("position", "velocity"),
    iterations: int = 1000,
) -> OptimizedMotion:
    """The motion from q0 to q1, each (nq,), in ``duration``, s, with the least integral of a cost over time.

    ``cost``: "energy", the kinetic energy, whose motions are geodesics of the mass matrix (PBP95 section 5); "torque",
    tau^T tau; "curvature", the energy, counted more where the mass matrix is strongly curved.
    ``rest``: whether the motion starts and ends at rest; if not said, "torque" does, the others have free velocities at
    their ends. ``limits``: which limits of the robot are kept, "position", "velocity", "effort", several, or () for
    none. Those of positions and velocities are kept at every time, by control points within them; those of effort at
    five times of each piece. Without limits of velocity, motions of least torque may spin light links very fast.

    The motion is a quintic B-spline of this many equal ``pieces``. The search starts from the straight way, with exact
    gradients, by L-BFGS-B of SciPy, or by SLSQP if there are limits. It finds a motion that no small change improves:
    there may be a better one far away. If it has not converged after ``iterations``, or limits cannot be kept,
    ``success`` of the result is False and ``message`` says why.

    For joints whose q is a vector; others (spherical, free) are refused.
    """
    problem = Problem(robot, q0, q1, duration, cost, pieces, rest)
    kept = given.words(limits, "limits")
    for name in kept:
        given.choice(name, "limits", LIMITS)
    if len(set(kept)) < len(kept):
        raise ArgumentError(f"limits names something twice: {kept}")
    found = search(problem, constraints_of(problem, kept), given.count(iterations, "iterations"))
    spline = problem.spline
    t = np.linspace(0.0, spline.duration, SAMPLES * spline.pieces + 1)
    motion = spline.at(t).motion(found.control_points)
    return OptimizedMotion(
        problem.cost.name,
        spline.duration,
        found.control_points,
        t,
        *motion,
        robot.inverse_dynamics(*motion),
        problem.value(found.control_points),
        problem.value(problem.start),
        found.success,
        found.message,
        found.iterations,
        found.evaluations,
    )
