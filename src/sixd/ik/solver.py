"""Inverse kinematics: from targets of frames to a configuration, for one target or a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.errors import ModelError, ShapeError
from sixd.given import flag, instance
from sixd.ik.arguments import numbers, seed_of, tolerance_of, whole
from sixd.ik.problem import Problem
from sixd.ik.result import IKResult
from sixd.ik.search import Search
from sixd.ik.targets import parse_goals
from sixd.model import Frame, Model
from sixd.model.configuration import neutral
from sixd.runtime.arguments import common_lead

__all__ = ["inverse_kinematics"]

Array = NDArray[Any]

#: More restarts or iterations than these would take hours, or all memory.
MOST_RESTARTS, MOST_ITERATIONS = 100_000, 1_000_000


def inverse_kinematics(
    model: Model,
    frame: str | Frame | Sequence[str | Frame] | Mapping[str, ArrayLike],
    target: Any = None,
    q0: ArrayLike | None = None,
    *,
    kind: Any = None,
    weights: Any = None,
    posture: ArrayLike | None = None,
    limits: bool = True,
    tolerance: float | tuple[float, float] = 1e-8,
    max_iterations: int = 100,
    restarts: int = 64,
    seed: int | np.random.Generator = 0,
) -> IKResult:
    """Configurations q that minimise 1/2 sum w e(q)^2 within the joint limits, where e is what separates frames from
    their targets: F10b (15), (16) with damping, limits and restarts.

    ``frame`` is a name with one target, several names with as many targets, or a mapping from names to targets. The
    kind of a target follows from its shape, or is said by ``kind``:

    - "pose" (..., 4, 4), the pose of the frame in the world: e is the logarithm on SE(3) of the target seen from the
      frame, (angular, linear) in coordinates of the frame, rad and m;
    - "orientation" (..., 3, 3), frame to world coordinates: e is the rotation vector, in coordinates of the frame;
    - "position" (..., 3): e is the way from the frame's origin to the target in world axes. Three positions as one
      array (3, 3) look like a rotation: say ``kind="position"``.

    ``weights`` is a number or one per row of e (six: angular first); a row of weight zero does not count at all. With
    several frames, ``kind`` and ``weights`` may be mappings or sequences. Leading axes of targets, ``q0`` (..., nq) and
    ``posture`` (..., nq) are batch axes and broadcast.

    The first start is ``q0``, else the posture, else the nearest of a thousand random configurations; a target that it
    does not reach is tried from ``restarts`` others, first near, then far. ``seed`` makes them, so equal calls give
    equal results, in a batch or alone. Joints that move no frame stay as in q0 (else the posture, else mid-range). A
    ``posture`` is approached as closely as the goals allow, along the nullspace. ``limits=False`` ignores the joint
    limits; otherwise a start outside them begins at the nearest limit.

    Success means that every frame is within ``tolerance``, one number or (rad, m), or, far from the origin, within what
    rounding leaves of a position (32 units of the last place of the target's distance). The search always ends: at most
    ``max_iterations`` for the first start, for each of two rounds of restarts (the starts of a round run together), for
    coming closest where there is no solution and for telling why, which `IKResult` says in ``status`` and ``message``.
    A target, start or posture that is not finite spoils its own sample only.
    """
    instance(model, "model", Model, "sixd.load(...)")
    if model.constraint_list:
        raise ModelError("this ignores constraints: closed.inverse_kinematics keeps them, closed.tree has none")
    restarts = whole("restarts", restarts, 0, MOST_RESTARTS)
    max_iterations = whole("max_iterations", max_iterations, 1, MOST_ITERATIONS)
    limits, tolerance, seed = flag(limits, "limits"), tolerance_of(tolerance), seed_of(seed)
    goals = parse_goals(model, frame, target, kind, weights)
    asked = {"q0": q0, "posture": posture}
    given = {name: _start(model, name, value) for name, value in asked.items() if value is not None}
    leads = {f"target of {goal.frame.name!r}": goal.lead for goal in goals}
    lead = common_lead(leads | {name: array.shape[:-1] for name, array in given.items()})

    count = prod(lead)
    flat = {name: np.broadcast_to(array, (*lead, model.nq)).reshape(count, model.nq) for name, array in given.items()}
    lower, upper = _limits(model) if limits else (np.full(model.nq, -np.inf), np.full(model.nq, np.inf))
    problem = Problem(model, tuple(goal.flat(lead) for goal in goals), lower, upper, tolerance)
    base = flat.get("q0", flat.get("posture", np.tile(_middle(model, lower, upper), (count, 1))))
    finite = np.all([g.finite() for g in problem.goals] + [np.isfinite(a).all(axis=1) for a in flat.values()], axis=0)

    search = Search(problem, base, max_iterations, restarts, seed, finite)
    search.run(from_base=bool(given))
    if "posture" in flat:
        search.approach(flat["posture"])
    return search.result(lead)


def _start(model: Model, name: str, value: Any) -> Array:
    """Configurations (..., nq)."""
    array = numbers(name, value, f"an array (..., {model.nq}), nq of {model.name or 'this model'}")
    if array.shape[-1:] != (model.nq,):
        wanted = f"(..., {model.nq}) is needed: nq of {model.name or 'this model'}"
        raise ShapeError(f"{name} has shape {array.shape}, but {wanted}")
    return array


def _limits(model: Model) -> tuple[Array, Array]:
    for joint in model.joints:
        if joint.mimic is None and np.any(model.lower[joint.q] > model.upper[joint.q]):
            raise ModelError(
                f"joint {joint.name!r} has no positions: its lower limit {model.lower[joint.q].tolist()} is above the "
                f"upper {model.upper[joint.q].tolist()}; limits=False leaves limits out of account"
            )
    return np.array(model.lower, dtype=float), np.array(model.upper, dtype=float)


def _middle(model: Model, lower: Array, upper: Array) -> Array:
    """The middle of every coordinate's range; neutral where a limit is missing."""
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (lower + upper)
    return np.where(np.isfinite(middle), middle, np.clip(neutral(model), lower, upper))
