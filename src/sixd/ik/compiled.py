"""The pieces of inverse kinematics as kernels, where they are small enough to be compiled within a second or so."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sixd.compiler.choice import kernel
from sixd.compiler.kernel import Kernel
from sixd.errors import SixdError
from sixd.ik.advance import advance
from sixd.ik.error import errors_and_slopes
from sixd.ik.plan import Plan

__all__ = ["error_kernel", "step_kernel"]

#: The most joints on the way to all frames together, each path counted, that a kernel is compiled for.
JOINTS = 24
#: The largest m n min(m, n), of m rows and n columns of the slope, for which a step is compiled.
SYSTEM = 450


@lru_cache(256)
def step_kernel(plan: Plan) -> Kernel | None:
    """`advance` for these goals, or None where it would be too large."""
    m, n, p = len(plan.angular), len(plan.columns), len(plan.positions)
    if not 0 < m * n * min(m, n) <= SYSTEM:
        return None
    shapes = {"state": (plan.layout.width,), "target": (12 * len(plan.places),), "settings": (m + 2 * p + 2,)}
    return _try(advance, plan, shapes, nonfinite=("state", "settings"))  # costs and limits may be infinite


@lru_cache(256)
def error_kernel(plan: Plan) -> Kernel | None:
    """`errors_and_slopes` for these goals, or None where it would be too large."""
    return _try(errors_and_slopes, plan, {"target": (12 * len(plan.places),)})


def _try(
    function: Any, plan: Plan, shapes: Mapping[str, tuple[int, ...]], nonfinite: tuple[str, ...] = ()
) -> Kernel | None:
    """The kernel, or None if there are too many joints or a joint's own code cannot be recorded."""
    if sum(len(plan.model.path(place.body)) for place in plan.places) > JOINTS:
        return None
    try:
        return kernel(function, plan.model, shapes, nonfinite=nonfinite, places=plan.places)
    except (SixdError, TypeError):
        return None
