"""Where to start: of many random configurations, those whose frames are near to a target."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms.kinematics import pose
from sixd.ik.plan import GoalFrame, Plan
from sixd.ik.problem import Problem
from sixd.model.configuration import random
from sixd.ops import stack

__all__ = ["NEAREST", "Seeds"]

Array = NDArray[Any]

#: How many random configurations to choose from, at least; of those chosen, how many are the nearest ones.
SAMPLES, NEAREST = 1024, 16
#: Targets compared with all samples at once: few enough that their distances stay in cache.
BLOCK = 16


class Seeds:
    """Random configurations within limits, the same for every target."""

    def __init__(self, problem: Problem, rng: np.random.Generator | int, count: int) -> None:
        self.problem = problem
        # Samples that a number makes are the same the next time.
        make = _samples if isinstance(rng, int) else _samples.__wrapped__
        limits = bool(np.isfinite(problem.lower).any() or np.isfinite(problem.upper).any())
        self.q, self.distances = make(problem.plan, rng, max(SAMPLES, count), limits)

    def ranks(self, count: int) -> Array:
        """The places, by distance from a target, of ``count`` configurations: the nearest, then some from near to far.

        The nearest may all lead to the same dead end, the others lie on other branches.
        """
        near = min(count, NEAREST)
        return np.r_[:near, np.linspace(near, len(self.q), count - near, endpoint=False, dtype=int)]

    def choose(self, target: Array, ranks: Array, base: Array) -> Array:
        """For each target (T,) the configurations (T, K, nq) of these ranks (K,) by distance.

        Coordinates that move no goal's frame are those of ``base`` (T, nq).
        """
        wanted = np.column_stack([self.problem.targets[target], np.ones(len(target))])
        order = np.empty((len(target), len(ranks)), dtype=int)
        for start in range(0, len(target), BLOCK):
            some = slice(start, start + BLOCK)
            order[some] = _ranked(wanted[some] @ self.distances, ranks)
        moving = self.problem.plan.positions
        q = np.repeat(base[:, None, :], len(ranks), axis=1)
        q[:, :, moving] = self.q[:, moving][order]
        return q


def _ranked(distance: Array, ranks: Array) -> Array:
    """Which entries of each row (T, S) have these ranks (K,), of which the last is the largest."""
    last = ranks[-1]
    if last == 0:
        return np.argmin(distance, axis=1)[:, None]
    if last >= distance.shape[1] // 4:
        return np.argsort(distance, axis=1, kind="stable")[:, ranks]
    few = np.sort(np.argpartition(distance, last, axis=1)[:, : last + 1], axis=1)
    order = np.argsort(np.take_along_axis(distance, few, axis=1), axis=1, kind="stable")
    return np.take_along_axis(few, order[:, ranks], axis=1)


@lru_cache(maxsize=32)
def _samples(plan: Plan, rng: np.random.Generator | int, count: int, limits: bool) -> tuple[Array, Array]:
    """Configurations (S, nq), and the matrix that makes distances from them out of targets (12 goals) followed by 1."""
    q = random(plan.model, rng, count, limits)
    parts = [_distances(plan, place, q) for place in plan.places]
    return q, np.concatenate([part[:-1] for part in parts] + [sum(part[-1:] for part in parts)])


def _distances(plan: Plan, place: GoalFrame, q: Array) -> Array:
    """tr(1 - R_d^T R) + |r_d - r|^2 / var r of samples (S, nq): the chord of the turn, and lengths by their spread.

    Only what the goal asks for is counted, and what is the same for all samples is left out. The rest is linear in the
    target: (13, S), to be multiplied by R_d row by row, r_d and 1.
    """
    X = pose(plan.model, q, place.body, place.offset)
    R, r = (np.broadcast_to(part, (len(q), part.shape[-1])) for part in (stack(X.E.T.components()), X.r.array()))
    scale = 1.0 / max(float(np.sum(np.var(r, axis=0))), np.finfo(float).tiny)
    rows = np.concatenate([-R.T, (-2.0 * scale) * r.T, scale * np.sum(r**2, axis=1)[None]])
    if place.kind != "pose":
        rows[slice(0, 9) if place.kind == "position" else slice(9, 13)] = 0.0
    return rows
