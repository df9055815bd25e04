"""Operational space of robots whose unrolled code would be too large: from batches of forward dynamics, and LAPACK."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.algorithms.operational_space import SINGULAR
from sixd.algorithms.tasks import TASKS
from sixd.robot.evaluator import fill
from sixd.runtime.arguments import by_chunk, is_lazy
from sixd.runtime.batches import as_batch

__all__ = ["by_lapack"]

Array = NDArray[Any]


def by_lapack(
    robot: Any,
    algorithm: Any,
    names: Sequence[str],
    kinds: Sequence[str],
    expressed_in: str,
    *state: Any,
    out: Any = None,
) -> Any:
    """The result of an algorithm of operational space for frames, in NumPy. ``state`` is q, or q and qd."""
    n, nv = sum(len(range(6)[TASKS[kind]]) for kind in kinds), robot.nv
    if any(map(is_lazy, state)):
        later = partial(by_lapack, robot, algorithm, names, kinds, expressed_in)
        shapes = {
            algorithms.operational_space: ((n, n), (n,), (n,)),
            algorithms.inverse_operational_inertia: ((n, n),),
            algorithms.dynamically_consistent_inverse: ((nv, n),),
            algorithms.null_space_projector: ((nv, nv),),
        }
        return by_chunk(later, state, ((robot.nq,), (nv,))[: len(state)], shapes[algorithm])
    q = as_batch("q", state[0], (robot.nq,), f"nq of {robot.name or 'this robot'}")
    J = _rows(names, kinds, lambda name: robot.jacobian(q, name, expressed_in))
    # Each row of J is a set of joint forces; at rest and without gravity they make the accelerations J H^-1.
    JH = robot._weightless._code[algorithms.aba](q[..., None, :], np.zeros(nv, dtype=q.dtype), J)
    mobility = JH @ np.swapaxes(J, -1, -2)
    if algorithm is algorithms.inverse_operational_inertia:
        return _to(out, mobility)
    Lambda = _inverse_where_regular(mobility)
    if algorithm is algorithms.dynamically_consistent_inverse:
        return _to(out, np.swapaxes(JH, -1, -2) @ Lambda)
    if algorithm is algorithms.null_space_projector:
        return _to(out, np.eye(nv) - np.swapaxes(J, -1, -2) @ Lambda @ JH)
    qd, conventional = state[1], expressed_in == "aligned"
    drift = _rows(
        names, kinds, lambda name: robot.bias_acceleration(q, qd, name, expressed_in, conventional)[..., None]
    )[..., 0]
    c, g = robot._code[algorithms.coriolis_forces](q, qd), robot.gravity_forces(q)
    mu, p = ((Lambda @ x[..., None])[..., 0] for x in (_times(JH, c) - drift, _times(JH, g)))
    return Lambda, mu, p


def _rows(names: Sequence[str], kinds: Sequence[str], of: Any) -> Array:
    """The rows of a result (..., 6, m) of each frame that belong to its task, one above the other."""
    return np.concatenate([of(name)[..., TASKS[kind], :] for name, kind in zip(names, kinds, strict=True)], axis=-2)


def _inverse_where_regular(mobility: Array) -> Array:
    """Lambda, or NaN where the mobility is singular or not finite."""
    unit, finite = np.eye(mobility.shape[-1]), np.isfinite(mobility).all(axis=(-1, -2), keepdims=True)
    known = np.where(finite, mobility, unit)
    least = np.linalg.eigvalsh(known)[..., 0] / np.trace(known, axis1=-2, axis2=-1)
    regular = finite & (least > SINGULAR)[..., None, None]
    return np.linalg.inv(np.where(regular, known, unit)) + np.where(regular, 0.0, np.nan)


def _to(out: Any, result: Array) -> Array:
    return result if out is None else fill(out, result)


def _times(A: Array, x: Array) -> Array:
    return np.asarray((A @ x[..., None])[..., 0])
