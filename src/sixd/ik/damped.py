"""Damped least squares within limits (Levenberg 1944, Marquardt 1963), for many starts at once.

Every start is a row of numbers (`StartRow`). A step solves (A^T A + damping 1) dv = A^T s for the weighted error s and
its slope A = -ds/dv. The damping is a multiple of |s|^2, so it vanishes with the error and convergence is quadratic;
far away, where |A|^2 is less, it is a multiple of that. The multiple follows the ratio of actual to predicted decrease
(Nielsen 1999). Coordinates that a step would carry across a limit, or turn too far, stop there and the others are
solved for anew: an active set within a box. Steps are compiled (`sixd.ik.advance`), unless the problem is too large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.problem import Problem

__all__ = ["EXHAUSTED", "REACHED", "STALLED", "Ends", "descend"]

Array = NDArray[Any]

#: How a start ended: within tolerance, at a point that no step improves, by the number of iterations.
REACHED, STALLED, EXHAUSTED = 0, 1, 2

#: A start whose cost falls by less than a fraction, this one unless told, in this many iterations has stalled.
GAIN, PATIENCE = 0.1, 10
#: The first multiple of |s|^2 that damps, and the one at which steps have become too small to matter.
FIRST, LAST = 0.1, 1e12


@dataclass
class Ends:
    """Where every start ended: configuration (B, nq), error (B, m), cost (B,), iterations (B,), how (B,)."""

    q: Array
    e: Array
    cost: Array
    nit: Array
    how: Array


def descend(problem: Problem, q: Array, target: Array, max_iterations: int, gain: float = GAIN) -> Ends:
    """Lead every start (B, nq) towards its target (B,) until it is reached, stalls, or iterations run out.

    Starts that share a target stop when one of them reaches it.
    """
    at, q = problem.plan.layout, problem.clip(q)
    index, wanted = np.arange(len(q)), problem.wanted(target)
    state = _first(problem, q, wanted)
    final, nits, hows = state.copy(), np.zeros(len(q), dtype=int), np.full(len(q), EXHAUSTED)
    costs = np.full((PATIENCE, len(q)), np.inf)
    met = np.zeros(np.max(target, initial=-1) + 1, dtype=bool)
    for nit in range(max_iterations + 1):
        last = costs[nit % PATIENCE]
        reached, stationary = state[:, at.reached] > 0.0, state[:, at.stationary] > 0.0
        slow = (state[:, at.cost] > (1.0 - gain) * last[index]) | (state[:, at.multiple] > LAST)
        met[target[reached]] = True
        over = reached | stationary | slow | met[target]
        if over.any():
            done, keep = np.flatnonzero(over), np.flatnonzero(~over)
            k = index[done]
            final[k], nits[k] = state[done], nit - stationary[done]
            hows[k] = np.where(reached, REACHED, np.where(stationary | slow, STALLED, EXHAUSTED))[done]
            index, target, wanted, state = index[keep], target[keep], wanted[keep], state[keep]
        if not len(index):
            break
        last[index] = state[:, at.cost]
        before, state = state, problem.advance(state, wanted)
    else:
        final[index], nits[index] = before, max_iterations
        hows[index] = np.where(state[:, at.stationary] > 0.0, STALLED, EXHAUSTED)
    q[:, problem.plan.positions] = final[:, at.x]
    return Ends(q, final[:, at.e], final[:, at.cost], nits, hows)


def _first(problem: Problem, q: Array, wanted: Array) -> Array:
    """The states of starts (B, nq): a step from an error of zero leads nowhere, but finds out the error there."""
    at = problem.plan.layout
    state = np.zeros((len(q), problem.width))
    state[:, at.x] = q[:, problem.plan.positions]
    state[:, at.cost] = np.inf
    state = problem.advance(state, wanted)
    nowhere = np.isinf(state[:, at.cost])
    state[nowhere, at.e] = state[nowhere, at.cost] = np.nan
    state[:, at.multiple], state[:, at.growth], state[:, at.stationary] = FIRST, 2.0, 0.0
    return state
