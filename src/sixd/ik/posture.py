"""A preferred posture, approached in the nullspace: the goals stay reached all the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms.configuration import difference
from sixd.ik.advance import TURN
from sixd.ik.damped import REACHED, descend
from sixd.ik.problem import Problem

__all__ = ["approach_posture"]

Array = NDArray[Any]

#: Singular values of the slope below this fraction of the largest count as zero.
RANK = 1e-6
#: Motions in the nullspace smaller than this are not worth a step, rad or m; nor are fractions of a step below this.
SMALL, FRACTION = 1e-6, 1e-2
#: Iterations that bring a step in the nullspace back onto the goals.
CORRECTIONS = 8


def approach_posture(problem: Problem, q: Array, target: Array, posture: Array, max_iterations: int) -> Array:
    """From configurations (B, nq) that reach their targets (B,) to those nearby that come closest to ``posture``.

    Each step goes along (1 - A^+ A) d, the part of the way d to the posture that moves no goal to first order, and then
    back onto the goals. It is kept only if every goal is within tolerance again and the posture is nearer.
    """
    q, fraction = q.copy(), np.ones(len(q))
    live = np.arange(len(q))
    for _ in range(max_iterations):
        d = difference(problem.model, q[live], posture[live])
        # Where there are no joints, no number of the result tells how many samples there are.
        d = np.broadcast_to(d, (len(live), problem.model.nv))[:, problem.columns]
        t = _along_nullspace(problem, q[live], target[live], d)
        worth = (np.max(np.abs(t), axis=1, initial=0.0) > SMALL) & (fraction[live] > FRACTION)
        live, d, t = live[worth], d[worth], t[worth]
        if not len(live):
            break
        turn = np.max(np.abs(t) * problem.turns, axis=1, initial=0.0)
        step = t * (fraction[live] * np.minimum(1.0, TURN / np.maximum(turn, TURN)))[:, None]
        ends = descend(problem, problem.moved(q[live], step), target[live], CORRECTIONS)
        left = difference(problem.model, ends.q, posture[live])[:, problem.columns]
        better = (ends.how == REACHED) & (np.sum(left**2, axis=1) < np.sum(d**2, axis=1))
        q[live[better]] = ends.q[better]
        fraction[live] = np.where(better, np.minimum(1.0, 2.0 * fraction[live]), 0.5 * fraction[live])
    return q


def _along_nullspace(problem: Problem, q: Array, target: Array, d: Array) -> Array:
    """(1 - A^+ A) d, (B, n); what it would carry across a limit stops there, and the rest makes up for it."""
    A = problem.root_weights[:, None] * problem.error(q, target, often=True)[1]
    below, above = problem.room(q)
    held = np.zeros(d.shape, dtype=bool)
    t = d
    while True:
        free = np.where(held[:, None, :], 0.0, A)
        t = np.where(held, t, d)
        t = t - np.einsum("bnm,bmk,bk->bn", np.linalg.pinv(free, rcond=RANK), A, t)
        inside = np.clip(t, below, above)
        crossing = (t != inside) & ~held
        if not crossing.any():
            return t
        held |= crossing
        t = np.where(held, inside, t)
