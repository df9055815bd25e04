"""One step of damped least squares within limits on arrays, (B, ...): for problems too large to compile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.advance import EPS, STATIONARY, TINY, TURN

if TYPE_CHECKING:
    from sixd.ik.problem import Problem

__all__ = ["advance", "held_at_limits", "slope_of_cost"]

Array = NDArray[Any]


def slope_of_cost(problem: Problem, e: Array, A: Array) -> Array:
    """A^T W e, (B, n): the direction of steepest descent."""
    return np.einsum("bmn,bm->bn", A, problem.root_weights**2 * e)


def held_at_limits(problem: Problem, q: Array, direction: Array) -> Array:
    """Which coordinates are at a limit that the direction (B, n) points across, (B, n)."""
    columns, iq = problem.plan.bounded
    held = np.zeros(direction.shape, dtype=bool)
    d, here = direction[:, columns], q[:, iq]
    held[:, columns] = ((d < 0.0) & (here <= problem.lower[iq])) | ((d > 0.0) & (here >= problem.upper[iq]))
    return held


def advance(problem: Problem, state: Array, target: Array) -> Array:
    """The states after one step, as `sixd.ik.advance.advance` makes them; behind each of them is its slope A (m n)."""
    plan, at = problem.plan, problem.plan.layout
    w, m, n = problem.root_weights, len(plan.angular), len(plan.columns)
    q, e, A = plan.configuration(state[:, at.x]), state[:, at.e], state[:, at.width :].reshape(len(state), m, n)
    cost, multiple, growth = state[:, at.cost], state[:, at.multiple], state[:, at.growth]
    stationary = _stationary(problem, q, e, A, cost)

    s, A = w * e, w[:, None] * A
    dv = _bounded_step(problem, q, A, s, multiple * np.minimum(2.0 * cost, np.sum(A**2, axis=(1, 2))))
    trial = problem.moved(q, dv)
    e_new, A_new = problem.error(trial, target, often=True)
    cost_new = problem.cost(e_new)
    expected = cost - 0.5 * np.sum((s - np.einsum("bmn,bn->bm", A, dv)) ** 2, axis=1)
    better = (cost_new < cost) & ~stationary
    ratio = np.clip((cost - cost_new) / np.maximum(expected, EPS * cost), 0.0, 1.0)
    gained = multiple * np.maximum(0.2, 1.0 - (2.0 * ratio - 1.0) ** 3)

    new = state.copy()
    new[better, at.x], new[better, at.e] = trial[better][:, plan.positions], e_new[better]
    new[better, at.width :] = A_new.reshape(len(state), m * n)[better]
    new[:, at.cost] = np.where(better, cost_new, cost)
    new[:, at.multiple] = np.where(better, gained, multiple * growth)
    new[:, at.growth] = np.where(better, 2.0, 2.0 * growth)
    new[:, at.reached] = better & problem.reached(e_new)
    new[:, at.stationary] = stationary
    return new


def _stationary(problem: Problem, q: Array, e: Array, A: Array, cost: Array) -> Array:
    """Whether nothing is left of steepest descent but what limits hold."""
    slope = slope_of_cost(problem, e, A)
    slope[held_at_limits(problem, q, slope)] = 0.0
    size = np.linalg.norm(problem.root_weights[:, None] * A, axis=(1, 2)) * np.sqrt(2.0 * cost)
    return (np.linalg.norm(slope, axis=1) <= STATIONARY * size) & (cost < np.inf)


def _bounded_step(problem: Problem, q: Array, A: Array, s: Array, damping: Array) -> Array:
    """The damped step dv (B, n) within limits: what would cross one stops there, and the rest makes up for it."""
    below, above = problem.room(q)
    with np.errstate(divide="ignore"):
        turn = TURN / problem.plan.turns
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
    M[:, k, k] += (damping + EPS * np.trace(M, axis1=1, axis2=2) + TINY)[:, None]
    if m <= n:
        return (At @ np.linalg.solve(M, s[:, :, None]))[:, :, 0]
    return np.linalg.solve(M, At @ s[:, :, None])[:, :, 0]
