"""Whether the gradient of a cost is right: a comparison with differences."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.model.configuration import random_generator
from sixd.motion.problem import Problem
from sixd.robot import Robot

__all__ = ["GradientCheck", "check_gradient"]

Array = NDArray[Any]
#: The step of the differences, and how far the control points are from the straight way, rad or m.
STEP, AWAY = 1e-3, 0.2
#: The derivative from values at multiples of the step, exact for polynomials of degree 6.
STENCIL = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


class GradientCheck(NamedTuple):
    """The gradient of a cost by the free control points of a motion, (free, nv), computed twice."""

    gradient: Array
    differences: Array

    @property
    def error(self) -> float:
        """The largest difference of the two, relative to the largest entry."""
        return float(np.abs(self.gradient - self.differences).max() / np.abs(self.gradient).max())


def check_gradient(
    robot: Robot,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float,
    cost: str = "energy",
    *,
    pieces: int = 3,
    rest: bool | None = None,
    seed: int = 0,
) -> GradientCheck:
    """The gradient that `optimize` uses and one from differences, of a random motion near the straight one.

    The arguments are those of `optimize`. The result's ``error`` is below 1e-7 for a cost whose gradient is right.
    """
    problem = Problem(robot, q0, q1, duration, cost, pieces, rest)
    X, free = problem.start.copy(), problem.free
    X[free] += AWAY * random_generator(seed).normal(size=X[free].shape)
    differences = np.zeros_like(X)
    for place in np.ndindex(*X[free].shape):
        at = place[0] + free.start, place[1]
        for k, factor in STENCIL.items():
            moved = X.copy()
            moved[at] += k * STEP
            differences[at] += factor / STEP * problem.value(moved)
    return GradientCheck(problem.value_and_gradient(X)[1], differences[free])
