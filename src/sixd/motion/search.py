"""The search for the best motion, by SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.motion.limits import Constraint
from sixd.motion.problem import Problem
from sixd.motion.scipy import scipy_module

__all__ = ["Found", "search"]

Array = NDArray[Any]
#: When the search ends: by the change of the cost, and by its gradient, both relative to the cost at the start.
COST_CHANGE, GRADIENT = 1e-12, 1e-9
#: The pairs of steps and changes of the gradient that L-BFGS-B remembers.
REMEMBERED = 30


class Found(NamedTuple):
    """What a search has found: control points (functions, nv), and how."""

    control_points: Array
    success: bool
    message: str
    iterations: int
    evaluations: int


def search(problem: Problem, constraints: Sequence[Constraint], iterations: int, exact: bool = True) -> Found:
    """The control points of least cost: by L-BFGS-B, with constraints by SLSQP.

    Without ``exact``, SciPy makes the gradient of the cost from differences, which is for comparison.
    """
    minimize = scipy_module("optimize", "optimize").minimize

    def value(y: Array) -> float:
        return problem.value(problem.control_points(y)) / problem.unit

    def value_and_gradient(y: Array) -> tuple[float, Array]:
        found, gradient = problem.value_and_gradient(problem.control_points(y))
        return found / problem.unit, problem.scale.T @ gradient.ravel() / problem.unit

    options: dict[str, Any] = {"maxiter": iterations, "ftol": COST_CHANGE}
    if not constraints:
        options |= {"gtol": GRADIENT, "maxcor": REMEMBERED, "maxfun": 10**9}
    found = minimize(
        value_and_gradient if exact else value,
        np.zeros(problem.start[problem.free].size),
        jac=exact or None,
        method="SLSQP" if constraints else "L-BFGS-B",
        constraints=[{"type": "ineq", "fun": c.margin, "jac": c.jacobian} for c in constraints],
        options=options,
    )
    X = problem.control_points(np.asarray(found.x))
    return Found(X, bool(found.success), str(found.message), int(found.nit), int(found.nfev))
