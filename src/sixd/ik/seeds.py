"""Where to start: of many random configurations, those whose frames are near to a target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.problem import Problem
from sixd.ik.targets import Goal
from sixd.model.configuration import random

__all__ = ["NEAREST", "Seeds"]

Array = NDArray[Any]

#: How many random configurations to choose from, at least; of those chosen, how many are the nearest ones.
SAMPLES, NEAREST = 1024, 16


class Seeds:
    """Random configurations within limits, the same for every target, with the poses of the goals' frames."""

    def __init__(self, problem: Problem, rng: np.random.Generator | int, count: int) -> None:
        self.problem = problem
        self.q = random(problem.model, rng, max(SAMPLES, count))
        self.poses = [problem.poses(self.q, goal) for goal in problem.goals]

    def choose(self, target: Array, count: int, base: Array) -> Array:
        """For each target (T,) configurations (T, count, nq): the nearest ones first, then some from near to far.

        The nearest may all lead to the same dead end, the others lie on other branches. Coordinates that move no goal's
        frame are those of ``base`` (T, nq).
        """
        pairs = zip(self.problem.goals, self.poses, strict=True)
        distance = np.sum([_distance(goal, poses, target) for goal, poses in pairs], axis=0)
        near = min(count, NEAREST)
        spread = np.linspace(near, len(self.q), count - near, endpoint=False, dtype=int)
        order = np.argsort(distance, axis=1, kind="stable")[:, np.r_[:near, spread]]
        q = np.repeat(base[:, None, :], order.shape[1], axis=1)
        q[:, :, self.problem.positions] = self.q[order][:, :, self.problem.positions]
        return q


def _distance(goal: Goal, poses: Array, target: Array) -> Array:
    """tr(1 - R_d^T R) + |r_d - r|^2 / var r, (T, samples): the chord of the turn, and lengths by the spread of samples.

    Only what the goal asks for is counted.
    """
    total = np.zeros((len(target), len(poses)))
    if goal.kind != "position":
        total += 3.0 - goal.rotation[target].reshape(-1, 9) @ poses[:, :3, :3].reshape(-1, 9).T
    if goal.kind != "orientation":
        d, r = goal.position[target], poses[:, :3, 3]
        squares = np.sum(d**2, axis=1)[:, None] - 2.0 * d @ r.T + np.sum(r**2, axis=1)
        total += squares / max(float(np.sum(np.var(r, axis=0))), np.finfo(float).tiny)
    return total
