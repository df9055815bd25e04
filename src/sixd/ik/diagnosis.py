"""Why a target was not reached: out of reach, a limit in the way, or a singular configuration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.damped import EXHAUSTED, REACHED, descend
from sixd.ik.plain import held_at_limits, slope_of_cost
from sixd.ik.problem import Problem
from sixd.ik.result import Status

__all__ = ["diagnose", "joints_at_limits"]

Array = NDArray[Any]

#: Steps of the finite differences, rad or m, and the curvature that counts as negative, relative to the largest.
STEP, NEGATIVE = 1e-5, 1e-4
#: The ratio of singular values below which an arm is called singular.
RANK = 1e-3


def diagnose(
    problem: Problem, q: Array, target: Array, how: Array, others: Array, max_iterations: int
) -> tuple[Array, list[str]]:
    """Status and message of targets (F,) that no start reached; q (F, nq) is the closest end, ``how`` it ended.

    ``others`` (F, K, nq) are ends from which the search without limits begins.
    """
    e, A = problem.error(q, target)
    slope = slope_of_cost(problem, e, A)
    held = held_at_limits(problem, q, slope)
    free = np.where(held[:, None, :], 0.0, problem.root_weights[:, None] * A)
    status = np.full(len(q), int(Status.OUT_OF_REACH))
    status[_curvature(problem, q, target, held) < -NEGATIVE] = Status.SINGULAR
    exhausted = how == EXHAUSTED
    status[exhausted] = np.where(_conditioning(free[exhausted]) < RANK, Status.SINGULAR, Status.ITERATIONS)
    limited = _reached_without_limits(problem, target, others, max_iterations)
    status[limited & (~exhausted | held.any(axis=1))] = Status.LIMIT_ACTIVE
    words = [_distance(problem, row) for row in problem.measured(e)]
    return status, [
        _message(problem, Status(s), q[k], held[k], words[k], max_iterations) for k, s in enumerate(status.tolist())
    ]


def _curvature(problem: Problem, q: Array, target: Array, held: Array) -> Array:
    """The least eigenvalue of the second derivative of the cost over the free coordinates, relative to the largest."""
    F, n = held.shape
    if n == 0:
        return np.zeros(F)
    slopes = []
    for sign in (1.0, -1.0):
        dv = np.tile(sign * STEP * np.eye(n), (F, 1))
        at = problem.without_limits().moved(np.repeat(q, n, axis=0), dv)
        slopes.append(slope_of_cost(problem, *problem.error(at, np.repeat(target, n))).reshape(F, n, n))
    H = (slopes[1] - slopes[0]) / (2.0 * STEP)
    H = np.where(held[:, :, None] | held[:, None, :], 0.0, 0.5 * (H + np.swapaxes(H, 1, 2)))
    values = np.linalg.eigvalsh(H)
    return values[:, 0] / np.maximum(np.max(np.abs(values), axis=1), np.finfo(float).tiny)


def _conditioning(A: Array) -> Array:
    """The smallest singular value relative to the largest, (F,); rows that do not count are left out."""
    counted = np.any(A != 0.0, axis=(0, 2))
    values = np.linalg.svd(A[:, counted], compute_uv=False)
    if values.shape[1] == 0:
        return np.zeros(len(A))
    return values[:, -1] / np.maximum(values[:, 0], np.finfo(float).tiny)


def _reached_without_limits(problem: Problem, target: Array, starts: Array, max_iterations: int) -> Array:
    iq = problem.positions
    if not np.any(np.isfinite(problem.lower[iq]) | np.isfinite(problem.upper[iq])):
        return np.zeros(len(target), dtype=bool)
    F, K = starts.shape[:2]
    ends = descend(problem.without_limits(), starts.reshape(F * K, -1), np.repeat(target, K), max_iterations)
    return np.any((ends.how == REACHED).reshape(F, K), axis=1)


def joints_at_limits(problem: Problem, q: Array, held: Array) -> list[str]:
    """The names of the joints whose coordinates are held, and at which limit."""
    columns, iq = problem.plan.bounded
    names = []
    for c, k in zip(columns.tolist(), iq.tolist(), strict=True):
        if held[c]:
            joint = next(j for j in problem.model.joints if j.mimic is None and j.q.start <= k < j.q.stop)
            names.append(f"{joint.name!r} at its {'lower' if q[k] <= problem.lower[k] else 'upper'} limit")
    return names


def _distance(problem: Problem, e: Array) -> str:
    """The remaining error in words."""
    parts = []
    for part, unit in ((~problem.plan.angular, "m"), (problem.plan.angular, "rad")):
        if part.any():
            parts.append(f"{np.linalg.norm(e[part]):.3g} {unit}")
    return " and ".join(parts)


def _message(problem: Problem, status: Status, q: Array, held: Array, left: str, max_iterations: int) -> str:
    if status == Status.LIMIT_ACTIVE:
        names = joints_at_limits(problem, q, held)
        where = "; closest with " + ", ".join(names) if names else ""
        return f"limit active: reached without joint limits, within them {left} remain{where}"
    if status == Status.SINGULAR:
        return f"singular: {left} remain, and the arm cannot move along them from where it is; start elsewhere"
    if status == Status.ITERATIONS:
        return f"not converged in {max_iterations} iterations: {left} remain"
    return f"out of reach: {left} remain at the closest configuration found"
