"""Damped least squares along the constraints: frames approach their targets while a closed robot stays closed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.damped import EXHAUSTED, FIRST, GAIN, LAST, PATIENCE, REACHED, STALLED, Ends
from sixd.ik.problem import Problem
from sixd.robot.closed.newton import Newton

__all__ = ["Descent"]

Array = NDArray[Any]
#: The most that a coordinate changes in one step, rad or lengths of the longest loop.
STRIDE = 0.5
#: Singular values below this, relative to the largest, count as zero.
SINGULAR = 1e-7


class Descent:
    """Steps that lead frames to their targets, each followed by Newton's steps back to the constraints.

    A step is dv = Z y with L Z = 0, in radians and lengths of the longest loop, where y has the least
    |s - A Z y|^2 + damping |y|^2 for the weighted error s of the frames and its slope A. It is taken if the position on
    the constraints to which it leads costs less; the damping follows the ratio of actual to predicted decrease, as in
    `sixd.ik.damped`. Coordinates that a step would push beyond their limit stay, and the others make up for them.
    """

    def __init__(self, problem: Problem, newton: Newton) -> None:
        self.problem, self.newton = problem, newton

    def run(self, q: Array, target: Array, iterations: int) -> Ends:
        """Lead every start (B, nq), which keeps the constraints, towards its target (B,)."""
        q, problem = q.copy(), self.problem
        e = np.array(problem.error(q, target, often=True)[0])
        cost, nit, how = problem.cost(e), np.zeros(len(q), dtype=int), np.full(len(q), EXHAUSTED)
        multiple, growth = np.full(len(q), FIRST), np.full(len(q), 2.0)
        costs = np.full((PATIENCE, len(q)), np.inf)
        for k in range(iterations + 1):
            reached, before = problem.reached(e), costs[k % PATIENCE]
            slow = (cost > (1.0 - GAIN) * before) | (multiple > LAST)
            ended = how == EXHAUSTED
            how[ended & reached], how[ended & slow & ~reached] = REACHED, STALLED
            active = np.flatnonzero(how == EXHAUSTED)
            if not active.size or k == iterations:
                break
            before[active] = cost[active]
            nit[active] += 1
            there, e_there, expected = self._trial(q[active], target[active], multiple[active])
            cost_there = np.where(np.isfinite(e_there).all(axis=-1), problem.cost(e_there), np.inf)
            better = cost_there < cost[active]
            gained = np.where(better, cost[active] - cost_there, 0.0)
            ratio = np.clip(gained / np.maximum(expected, 1e-16 * cost[active] + 1e-300), 0.0, 1.0)
            less = np.maximum(0.2, 1.0 - (2.0 * ratio - 1.0) ** 3)
            multiple[active] *= np.where(better, less, growth[active])
            growth[active] = np.where(better, 2.0, 2.0 * growth[active])
            moved = active[better]
            q[moved], e[moved], cost[moved] = there[better], e_there[better], cost_there[better]
        return Ends(q, e, cost, nit, how)

    def _trial(self, q: Array, target: Array, multiple: Array) -> tuple[Array, Array, Array]:
        """Where steps lead, the errors there (NaN where the constraints cannot be kept), and the expected decrease."""
        problem, newton = self.problem, self.newton
        e, slope = problem.error(q, target, often=True)
        s = problem.root_weights * e
        A = np.zeros((*s.shape, newton.robot.nv))
        A[..., problem.columns] = problem.root_weights[:, None] * slope
        dv = self._step(q, s, A, multiple)
        expected = 0.5 * ((s * s).sum(axis=-1) - ((s - (A @ dv[..., None])[..., 0]) ** 2).sum(axis=-1))
        there, off = newton.search(np.array(newton.robot.integrate(q, dv)), np.arange(len(q)))
        e_there = np.array(problem.error(there, target, often=True)[0])
        e_there[~(off <= newton.tolerance)] = np.nan
        return there, e_there, expected

    def _step(self, q: Array, s: Array, A: Array, multiple: Array) -> Array:
        """dv, (B, nv), within the limits that are met already."""
        newton, held = self.newton, np.zeros((len(q), self.newton.robot.nv), dtype=bool)
        units = newton.robot._units
        L, A, at = newton.jacobian(q, newton.sizes(q)), A * units, newton.coordinates(q)
        damping = multiple * np.minimum((s * s).sum(axis=-1), (A * A).sum(axis=(-1, -2)))
        dv = _along(L, A, s, damping, held)
        for _ in range(3):
            pushed = ((at <= newton.lower) & (dv < 0.0)) | ((at >= newton.upper) & (dv > 0.0))
            if not (pushed & ~held).any():
                break
            held |= pushed
            dv = _along(L, A, s, damping, held)
        largest = np.abs(dv).max(axis=-1, initial=0.0, keepdims=True)
        return np.asarray(units * np.where(held, 0.0, dv) * np.minimum(1.0, STRIDE / np.maximum(largest, 1e-300)))


def _along(L: Array, A: Array, s: Array, damping: Array, held: Array) -> Array:
    """Z y with the least |s - A Z y|^2 + damping |y|^2, where L Z = 0 and rows of Z that are held are zero."""
    n = L.shape[-1]
    rows = np.concatenate([L, held[..., None] * np.eye(n)], axis=-2)
    _, values, Vh = np.linalg.svd(rows)
    free = values <= SINGULAR * np.maximum(values[..., :1], 1.0)
    AZ = A @ np.swapaxes(Vh, -1, -2) * free[..., None, :]
    M = np.swapaxes(AZ, -1, -2) @ AZ
    floor = damping + 1e-15 * np.trace(M, axis1=-2, axis2=-1) + 1e-300
    M = M + floor[..., None, None] * np.eye(n)
    y = np.linalg.solve(M, np.swapaxes(AZ, -1, -2) @ s[..., None])
    return np.asarray((np.swapaxes(Vh, -1, -2) @ y)[..., 0])
