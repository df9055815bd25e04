"""Damped least squares within limits (Levenberg 1944, Marquardt 1963), for many starts at once.

Every row of the arrays is one start. A step solves (A^T A + damping 1) dv = A^T s for the weighted error s and its
slope A = -ds/dv. The damping is a multiple of |s|^2, so it vanishes with the error and convergence is quadratic; far
away, where |A|^2 is less, it is a multiple of that. The multiple follows the ratio of actual to predicted decrease
(Nielsen 1999). Coordinates that a step would carry across a limit, or turn too far, stop there and the others are
solved for anew: an active set within a box.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sixd.ik.problem import Problem

__all__ = ["EXHAUSTED", "REACHED", "STALLED", "Ends", "descend", "held_at_limits", "slope_of_cost"]

Array = NDArray[Any]

#: How a start ended: within tolerance, at a point that no step improves, by the number of iterations.
REACHED, STALLED, EXHAUSTED = 0, 1, 2

#: A start whose cost falls by less than a fraction, this one unless told, in this many iterations has stalled.
GAIN, PATIENCE = 0.1, 10
#: The slope of the cost, relative to error and Jacobian, below which a point is stationary.
STATIONARY = 1e-9
#: The first multiple of |s|^2 that damps, and the one at which steps have become too small to matter.
FIRST, LAST = 0.1, 1e12
#: The largest turn of a joint in one step, rad.
TURN = 1.0


@dataclass
class Ends:
    """Where every start ended: configuration (B, nq), error (B, m), cost (B,), iterations (B,), how (B,)."""

    q: Array
    e: Array
    cost: Array
    nit: Array
    how: Array


@dataclass
class _Rows:
    """The starts still on their way, and what steers them; ``past`` (B, PATIENCE) are their last costs."""

    index: Array
    target: Array
    q: Array
    e: Array
    A: Array
    cost: Array
    multiple: Array
    growth: Array
    past: Array

    def take(self, which: Array) -> Self:
        return type(self)(*(getattr(self, f.name)[which] for f in fields(self)))


def descend(problem: Problem, q: Array, target: Array, max_iterations: int, gain: float = GAIN) -> Ends:
    """Lead every start (B, nq) towards its target (B,) until it is reached, stalls, or iterations run out.

    Starts that share a target stop when one of them reaches it.
    """
    n, q = len(q), problem.clip(q)
    e, A = problem.error(q, target)
    cost = problem.cost(e)
    past = np.full((n, PATIENCE), np.inf)
    rows = _Rows(np.arange(n), target, q, e, A, cost, np.full(n, FIRST), np.full(n, 2.0), past)
    ends = Ends(q.copy(), e.copy(), cost.copy(), np.zeros(n, int), np.full(n, EXHAUSTED))
    for nit in range(max_iterations + 1):
        reached = problem.reached(rows.e)
        stalled = ~reached & _stalled(problem, rows, gain)
        ends.how[rows.index[reached]] = REACHED
        ends.how[rows.index[stalled]] = STALLED
        rows = rows.take(~(stalled | np.isin(rows.target, rows.target[reached])))
        if nit == max_iterations or not len(rows.index):
            break
        rows = _step(problem, rows)
        k = rows.index
        ends.q[k], ends.e[k], ends.cost[k], ends.nit[k] = rows.q, rows.e, rows.cost, nit + 1
    return ends


def slope_of_cost(problem: Problem, e: Array, A: Array) -> Array:
    """A^T W e, (B, n): the direction of steepest descent."""
    return np.einsum("bmn,bm->bn", A, problem.root_weights**2 * e)


def held_at_limits(problem: Problem, q: Array, direction: Array) -> Array:
    """Which coordinates are at a limit that the direction (B, n) points across, (B, n)."""
    columns, iq = problem.bounded
    held = np.zeros(direction.shape, dtype=bool)
    d, here = direction[:, columns], q[:, iq]
    held[:, columns] = ((d < 0.0) & (here <= problem.lower[iq])) | ((d > 0.0) & (here >= problem.upper[iq]))
    return held


def _stalled(problem: Problem, rows: _Rows, gain: float) -> Array:
    slope = slope_of_cost(problem, rows.e, rows.A)
    slope[held_at_limits(problem, rows.q, slope)] = 0.0
    size = np.linalg.norm(problem.root_weights[:, None] * rows.A, axis=(1, 2)) * np.sqrt(2.0 * rows.cost)
    stationary = np.linalg.norm(slope, axis=1) <= STATIONARY * size
    return stationary | (rows.cost > (1.0 - gain) * rows.past[:, 0]) | (rows.multiple > LAST)


def _step(problem: Problem, rows: _Rows) -> _Rows:
    """One step of every row; those that do not get better stay where they are, with more damping."""
    w = problem.root_weights
    s, A = w * rows.e, w[:, None] * rows.A
    dv = _bounded_step(problem, rows.q, A, s, rows.multiple * np.minimum(2.0 * rows.cost, np.sum(A**2, axis=(1, 2))))
    q = problem.moved(rows.q, dv)
    e, slope = problem.error(q, rows.target)
    cost = problem.cost(e)
    expected = rows.cost - 0.5 * np.sum((s - np.einsum("bmn,bn->bm", A, dv)) ** 2, axis=1)
    better = cost < rows.cost
    ratio = np.clip((rows.cost - cost) / np.maximum(expected, np.finfo(float).eps * rows.cost), 0.0, 1.0)
    gained = rows.multiple * np.maximum(0.2, 1.0 - (2.0 * ratio - 1.0) ** 3)
    return _Rows(
        rows.index,
        rows.target,
        np.where(better[:, None], q, rows.q),
        np.where(better[:, None], e, rows.e),
        np.where(better[:, None, None], slope, rows.A),
        np.where(better, cost, rows.cost),
        np.where(better, gained, rows.multiple * rows.growth),
        np.where(better, 2.0, 2.0 * rows.growth),
        np.concatenate([rows.past[:, 1:], rows.cost[:, None]], axis=1),
    )


def _bounded_step(problem: Problem, q: Array, A: Array, s: Array, damping: Array) -> Array:
    """The damped step dv (B, n) within limits: what would cross one stops there, and the rest makes up for it."""
    below, above = problem.room(q)
    with np.errstate(divide="ignore"):
        turn = TURN / problem.turns
    below, above = np.maximum(below, -turn), np.minimum(above, turn)
    held = held_at_limits(problem, q, np.einsum("bmn,bm->bn", A, s))
    dv = _solve(A, s, damping, held)
    stopped = np.clip(dv, below, above)
    crossing = (stopped != dv) & ~held
    if crossing.any():
        stopped[~crossing] = 0.0
        dv = stopped + _solve(A, s - np.einsum("bmn,bn->bm", A, stopped), damping, held | crossing)
    return np.clip(dv, below, above)


def _solve(A: Array, s: Array, damping: Array, held: Array) -> Array:
    """(A^T A + damping 1)^-1 A^T s over the coordinates that are not held; zero for those that are.

    With more coordinates than rows, the same vector is A^T (A A^T + damping 1)^-1 s: the smaller system is solved.
    """
    A = np.where(held[:, None, :], 0.0, A)
    At = np.swapaxes(A, 1, 2)
    m, n = A.shape[1:]
    M = A @ At if m <= n else At @ A
    k = np.arange(min(m, n))
    floor = np.finfo(float).eps * np.trace(M, axis1=1, axis2=2) + np.finfo(float).tiny
    M[:, k, k] += (damping + floor)[:, None]
    if m <= n:
        return (At @ np.linalg.solve(M, s[:, :, None]))[:, :, 0]
    return np.linalg.solve(M, At @ s[:, :, None])[:, :, 0]
