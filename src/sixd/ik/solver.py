"""Inverse kinematics: from targets of frames to a configuration, for one target or a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.execute import as_batch, common_lead
from sixd.ik.problem import Problem
from sixd.ik.result import IKResult
from sixd.ik.search import Search
from sixd.ik.targets import parse_goals
from sixd.model import Frame, Model
from sixd.model.configuration import neutral

__all__ = ["inverse_kinematics"]

Array = NDArray[Any]


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

    Success means that every frame is within ``tolerance``, one number or (rad, m). The search always ends: at most
    ``max_iterations`` for the first start, for each of two rounds of restarts (the starts of a round run together), for
    coming closest where there is no solution and for telling why, which `IKResult` says in ``status`` and ``message``.
    A target, start or posture that is not finite spoils its own sample only.
    """
    if restarts < 0 or max_iterations < 1:
        raise ValueError(f"needed are restarts >= 0 and max_iterations >= 1, not {restarts} and {max_iterations}")
    goals = parse_goals(model, frame, target, kind, weights)
    given = {
        name: as_batch(name, value, (model.nq,), f"nq of {model.name or 'this model'}")
        for name, value in (("q0", q0), ("posture", posture))
        if value is not None
    }
    leads = {f"target of {goal.frame.name!r}": goal.lead for goal in goals}
    lead = common_lead(leads | {name: array.shape[:-1] for name, array in given.items()})

    flat = {name: np.broadcast_to(array, (*lead, model.nq)).reshape(-1, model.nq) for name, array in given.items()}
    lower, upper = (np.array(limit, dtype=float) for limit in (model.lower, model.upper))
    if not limits:
        lower, upper = np.full_like(lower, -np.inf), np.full_like(upper, np.inf)
    problem = Problem(model, tuple(goal.flat(lead) for goal in goals), lower, upper, _tolerance(tolerance))
    count = len(problem.goals[0].position)
    base = flat.get("q0", flat.get("posture", np.tile(_middle(model), (count, 1))))
    finite = np.all([g.finite() for g in problem.goals] + [np.isfinite(a).all(axis=1) for a in flat.values()], axis=0)

    search = Search(problem, base, max_iterations, restarts, seed, finite)
    search.run(from_base=bool(given))
    if "posture" in flat:
        search.approach(flat["posture"])
    return search.result(lead)


def _tolerance(tolerance: float | tuple[float, float]) -> tuple[float, float]:
    pair = np.broadcast_to(np.asarray(tolerance, dtype=float), (2,))
    if not np.all(pair > 0.0):
        raise ValueError(f"tolerance must be a positive number, or two (rad, m), not {tolerance}")
    return float(pair[0]), float(pair[1])


def _middle(model: Model) -> Array:
    """The middle of every coordinate's range; neutral where a limit is missing."""
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (model.lower + model.upper)
    return np.where(np.isfinite(middle), middle, np.clip(neutral(model), model.lower, model.upper))
