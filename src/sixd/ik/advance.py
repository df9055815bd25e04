"""One step of damped least squares within limits, for one start and any number: what is compiled for a problem.

`sixd.ik.plain` does the same on arrays, for problems too large to compile.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from sixd.algorithms.configuration import integrate
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.ik.error import error, slope
from sixd.ik.plan import GoalFrame, Plan, plan_of
from sixd.model import Model
from sixd.ops import Scalar, divide, sqrt, where

__all__ = ["EPS", "STATIONARY", "TINY", "TURN", "advance"]

#: The slope of the cost, relative to error and Jacobian, below which a point is stationary.
STATIONARY = 1e-9
#: The largest turn of a joint in one step, rad.
TURN = 1.0
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


def advance(model: Model, state: Any, target: Any, settings: Any, places: tuple[GoalFrame, ...]) -> Any:
    """The state of a start after one step (`StartRow` says what it holds).

    A step that does not make it better leaves it where it is, with more damping. ``target`` holds 12 numbers for each
    goal (see `sixd.ik.error`). ``settings`` are the roots of the weights (m), limits of the coordinates that move (p),
    lower then upper, and what norms of angular and linear errors must be below (2).
    """
    plan = plan_of(model, places)
    at, m, p = plan.layout, len(plan.angular), len(plan.positions)
    weights, lower, upper, near = np.split(settings, [m, m + p, m + 2 * p])
    x, e = state[at.x], state[at.e]
    cost, multiple, growth = state[at.cost], state[at.multiple], state[at.growth]

    s, A = weights * e, weights[:, None] * _slopes(plan, x, e)
    room, size = _room(plan, x, lower, upper), _squared(A.ravel())
    held, stationary = _at_limits(room, A.T @ s, STATIONARY**2 * (size * (2.0 * cost)), cost)
    dv = _bounded_step(A, s, multiple * _least(2.0 * cost, size), held, _within_a_turn(plan, room))
    trial = _moved(plan, x, dv, lower, upper)

    e_new = _errors(plan, trial, target)
    cost_new = 0.5 * _squared(weights * e_new)
    better = where(cost_new < cost, 1.0 - stationary, 0.0) > 0.5
    expected = cost - 0.5 * _squared(s - A @ dv)
    ratio = _clip(divide(cost - cost_new, _greatest(expected, EPS * cost)), 0.0, 1.0)
    turned = 2.0 * ratio - 1.0
    gained = multiple * _greatest(0.2, 1.0 - turned * turned * turned)
    reached = _all_near(plan, e_new, weights, near)
    new = [*trial, *e_new, cost_new, gained, 2.0, reached]
    old = [*x, *e, cost, multiple * growth, 2.0 * growth, 0.0]
    return np.array([*(where(better, a, b) for a, b in zip(new, old, strict=True)), stationary], dtype=object)


def _slopes(plan: Plan, x: Any, e: Any) -> Any:
    """A (m, n), one goal below the other."""
    q, parts, start = plan.configuration(x), [], 0
    for place in plan.places:
        parts.append(slope(plan.model, q, e[start : start + place.rows], place)[:, plan.columns])
        start += place.rows
    return np.concatenate(parts).astype(object)


def _errors(plan: Plan, x: Any, target: Any) -> Any:
    """e (m,), one goal after the other."""
    q = plan.configuration(x)
    parts = [error(plan.model, q, target[12 * k : 12 * k + 12], place) for k, place in enumerate(plan.places)]
    return np.concatenate(parts).astype(object)


def _room(plan: Plan, x: Any, lower: Any, upper: Any) -> list[tuple[Scalar, Scalar]]:
    """How far each coordinate may go down (<= 0) and up (>= 0) until its limit."""
    room: list[tuple[Scalar, Scalar]] = [(-inf, inf)] * len(plan.columns)
    for c, k in zip(*plan.bounded, strict=True):
        i = int(np.searchsorted(plan.positions, k))
        room[c] = lower[i] - x[i], upper[i] - x[i]
    return room


def _at_limits(room: Sequence[tuple[Scalar, Scalar]], gradient: Any, small: Scalar, cost: Scalar) -> tuple[Any, Scalar]:
    """Which coordinates are at a limit that steepest descent leads across, and whether nothing is left of it."""
    held = [
        where(g < 0.0, where(below < 0.0, 0.0, 1.0), where(g > 0.0, where(above > 0.0, 0.0, 1.0), 0.0))
        for g, (below, above) in zip(gradient, room, strict=True)
    ]
    left = sum(where(h > 0.5, 0.0, g * g) for h, g in zip(held, gradient, strict=True))
    return np.array(held, dtype=object), where(cost < inf, where(left > small, 0.0, 1.0), 0.0)


def _within_a_turn(plan: Plan, room: Sequence[tuple[Scalar, Scalar]]) -> list[tuple[Scalar, Scalar]]:
    turns = [TURN / speed if speed > 0.0 else inf for speed in plan.turns.tolist()]
    return [
        (below, above) if turn == inf else (_greatest(below, -turn), _least(above, turn))
        for (below, above), turn in zip(room, turns, strict=True)
    ]


def _bounded_step(A: Any, s: Any, damping: Scalar, held: Any, room: Sequence[tuple[Scalar, Scalar]]) -> Any:
    """The damped step dv (n,) within limits: what would cross one stops there, and the rest makes up for it."""
    dv = _solve(A, s, damping, 1.0 - held)
    below, above = (np.array(side, dtype=object) for side in zip(*room, strict=True))
    stopped, free = np.zeros_like(dv), np.zeros_like(dv)
    for k, (d, low, high) in enumerate(zip(dv, below, above, strict=True)):
        stopped[k] = where(d < low, low, where(d > high, high, 0.0))
        free[k] = where(d < low, 0.0, where(d > high, 0.0, 1.0 - held[k]))
    dv = stopped + _solve(A, s - A @ stopped, damping, free)
    return np.array([_clip(*each) for each in zip(dv, below, above, strict=True)], dtype=object)


def _solve(A: Any, s: Any, damping: Scalar, free: Any) -> Any:
    """(A^T A + damping 1)^-1 A^T s over the coordinates that are free (1, the others 0); zero for the others.

    With more coordinates than rows, the same vector is A^T (A A^T + damping 1)^-1 s: the smaller system is solved.
    """
    m, n = A.shape
    B = A * free
    left, right = (B, A) if m <= n else (B.T, A.T * free[:, None])
    M = [[left[i] @ right[j] for j in range(i + 1)] for i in range(min(m, n))]
    floor = damping + (EPS * sum(row[-1] for row in M) + TINY)
    for row in M:
        row[-1] = row[-1] + floor
    parents = range(-1, len(M) - 1)
    L, D = ltdl(M, parents)
    if m <= n:
        return B.T @ np.array(solve_ltdl(L, D, list(s), parents), dtype=object)
    return np.array(solve_ltdl(L, D, list(B.T @ s), parents), dtype=object)


def _moved(plan: Plan, x: Any, dv: Any, lower: Any, upper: Any) -> Any:
    """The coordinates that move after the step, within limits."""
    full = np.zeros(plan.model.nv, dtype=object)
    full[plan.columns] = dv
    q = integrate(plan.model, plan.configuration(x), full)[plan.positions]
    return np.array([_clip(*each) for each in zip(q, lower, upper, strict=True)], dtype=object)


def _all_near(plan: Plan, e: Any, weights: Any, near: Any) -> Scalar:
    """1 if every frame is within tolerance, else 0; rows of weight zero do not count."""
    squares, result = [where(w > 0.0, a * a, 0.0) for w, a in zip(weights, e, strict=True)], 1.0
    for k in range(0, len(squares), 3):
        result = where(sqrt(sum(squares[k : k + 3])) < near[0 if plan.angular[k] else 1], result, 0.0)
    return result


def _squared(v: Any) -> Scalar:
    return sum(v * v)


def _least(a: Scalar, b: Scalar) -> Scalar:
    return where(a < b, a, b)


def _greatest(a: Scalar, b: Scalar) -> Scalar:
    return where(a > b, a, b)


def _clip(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    return _least(_greatest(x, low), high)
