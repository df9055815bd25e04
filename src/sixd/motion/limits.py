"""The limits of a robot as constraints of a motion's unknowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.motion.basis import Motion
from sixd.motion.problem import Problem
from sixd.robot import Robot

__all__ = ["LIMITS", "Constraint", "constraints_of"]

Array = NDArray[Any]
#: In how many places of each piece of time joint forces are compared with their limits; the ends of it are among them.
PLACES = 4


class Constraint(NamedTuple):
    """``margin(y)`` must not be negative, (rows,): the distance from limits, relative to them; with its Jacobian."""

    margin: Callable[[Array], Array]
    jacobian: Callable[[Array], Array]


def constraints_of(problem: Problem, limits: tuple[str, ...]) -> list[Constraint]:
    """The constraints of all these limits that are finite."""
    found = [LIMITS[name](problem) for name in limits]
    return [constraint for constraint in found if constraint is not None]


def _position(problem: Problem) -> Constraint | None:
    """Control points within the limits, so that q is within them at every time."""
    robot = problem.robot
    for name, q in (("q0", problem.q0), ("q1", problem.q1)):
        outside = np.flatnonzero((q < robot.lower) | (q > robot.upper))
        if outside.size:
            k = int(outside[0])
            between = f"between {robot.lower[k]:g} and {robot.upper[k]:g}"
            raise ModelError(f"{name}: joint {_joint_of(robot, k)!r} must be {between}, not at {q[k]:g}")
    return _linear(problem, np.eye(problem.spline.functions)[problem.free], robot.lower, robot.upper)


def _velocity(problem: Problem) -> Constraint | None:
    """The same for the control points of the velocity."""
    robot, duration = problem.robot, problem.spline.duration
    limit, way = robot.velocity_limit, np.abs(problem.q1 - problem.q0)
    if (way > limit * duration).any():
        k = int(np.argmax(way > limit * duration))
        joint, what = _joint_of(robot, k), f"{way[k]:g} from q0 to q1 in {duration:g} s"
        raise ModelError(f"duration: joint {joint!r}, with a velocity limit of {limit[k]:g}, cannot move by {what}")
    return _linear(problem, problem.spline.velocity_points, -limit, limit)


def _linear(problem: Problem, rows: Array, lower: Array, upper: Array) -> Constraint | None:
    """lower <= rows @ X <= upper, where limits are finite; X are control points (functions, nv)."""
    by_unknowns = np.kron(rows[:, problem.free], np.eye(problem.robot.nv)) @ problem.scale
    start = (rows @ problem.start).ravel()
    signs, margins = [], []
    for sign, limit in ((1.0, lower), (-1.0, upper)):
        bound = np.tile(limit, len(rows))
        known = np.isfinite(bound)
        signs.append(sign * by_unknowns[known])
        margins.append(sign * (start - bound)[known])
    slope, margin = np.concatenate(signs), np.concatenate(margins)
    return Constraint(lambda y: margin + slope @ y, lambda y: slope) if len(margin) else None


def _effort(problem: Problem) -> Constraint | None:
    """Joint forces within the limits, at `PLACES` of each piece of time."""
    robot, spline = problem.robot, problem.spline
    known = np.flatnonzero(np.isfinite(robot.effort_limit))
    if not known.size:
        return None
    limit = robot.effort_limit[known]
    if not (limit > 0.0).all():
        joint = _joint_of(robot, int(known[np.argmin(limit)]))
        raise ModelError(f"joint {joint!r} has an effort limit of {limit.min():g}: it must be positive")
    basis = spline.at(np.linspace(0.0, spline.duration, PLACES * spline.pieces + 1))

    def margin(y: Array) -> Array:
        tau = robot.inverse_dynamics(*basis.motion(problem.control_points(y)))[:, known] / limit
        return np.concatenate([(1.0 - tau).ravel(), (1.0 + tau).ravel()])

    def jacobian(y: Array) -> Array:
        derivatives = robot.inverse_dynamics_derivatives(*basis.motion(problem.control_points(y)))
        by_points = problem.rows_by_points(basis, Motion(*(by[:, known] / limit[:, None] for by in derivatives)))
        tau = by_points.reshape(-1, len(y)) @ problem.scale
        return np.concatenate([-tau, tau])

    return Constraint(margin, jacobian)


def _joint_of(robot: Robot, k: int) -> str:
    """The joint of coordinate k."""
    return next(joint.name for joint in robot.joints if joint.mimic is None and joint.q.start <= k < joint.q.stop)


#: What can be limited, and the constraint that keeps it.
LIMITS: dict[str, Callable[[Problem], Constraint | None]] = {
    "position": _position,
    "velocity": _velocity,
    "effort": _effort,
}
