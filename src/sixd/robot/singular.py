"""Robots whose mass matrix may be singular, and results that need its inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.diagnosis.audit import SINGULAR
from sixd.errors import ModelWarning, SingularError
from sixd.model import Body, Model
from sixd.model.configuration import neutral
from sixd.process.told import warn
from sixd.spatial import Inertia

__all__ = ["idle_joint", "may_be_singular", "remedy_for", "without_singular"]

Array = NDArray[Any]


def may_be_singular(model: Model) -> bool:
    """Whether the mass matrix could be singular somewhere. `Robot.may_be_singular` says when it cannot."""
    least = [np.linalg.eigvalsh(m)[0] / max(np.trace(m), 1e-300) for m in map(_inertia_matrix, model.body_list[1:])]
    rotors = [x for j in model.joints for x in j.data.rotor_inertia]
    definite = all(x > 1e-14 for x in least) and all(x >= 0.0 for x in rotors)
    held = all(x > 0.0 for x in rotors) and all(x > -1e-14 for x in least)
    return not (held or (definite and all(j.type.full_rank for j in model.joints)))


def _inertia_matrix(body: Body) -> Array:
    """The 6x6 inertia about the centre of mass, where its smallest eigenvalue tells whether it is definite."""
    I = body.inertia
    at_com = Inertia.from_mass_com(I.m, (0.0, 0.0, 0.0), I.I_com) if I.m else I
    return np.asarray(at_com.matrix().array())


def without_singular(model: Model, q: Array, pivots: Array, result: Array, rank: int) -> Array:
    """The result of each state q, of this rank, with NaN if the mass matrix H(q), whose inverse it needs, is singular.

    ``pivots`` are `algorithms.relative_pivots` at q. If all samples are singular, `SingularError` is raised.
    """
    least = SINGULAR * float(np.finfo(result.dtype).eps) / np.finfo(float).eps
    known = np.isfinite(q).all(axis=-1)
    singular = np.broadcast_to(known & ~(pivots > least).all(axis=-1), result.shape[: result.ndim - rank])
    if not singular.any():
        return result
    worst = np.broadcast_to(pivots, (*singular.shape, model.nv))[singular][0]
    joint = idle_joint(model, worst, least)
    who = f"robot {model.name!r}" if model.name else "this robot"
    what = f"{who}: its mass matrix is singular, because a motion of joint {joint!r} moves no inertia"
    usual = np.asarray(algorithms.relative_pivots(model, neutral(model)), dtype=float)
    remedy = remedy_for(model, joint, usual)
    if singular.all():
        raise SingularError(f"{what}. Accelerations are undefined; robot.check() says more. {remedy}")
    warn(ModelWarning(f"{what}, in {singular.sum()} of {singular.size} states: NaN there"))
    return np.where(singular.reshape(*singular.shape, *[1] * rank), result.dtype.type(np.nan), result)


def idle_joint(model: Model, pivots: Array, least: Any) -> str:
    """The joint with too small a pivot, (nv,): the outermost, which makes those nearer to the base small, too."""
    k = int(np.flatnonzero(~(pivots > least))[-1])
    return next(j.name for j in model.joints if j.mimic is None and j.v.start <= k < j.v.stop)


def remedy_for(model: Model, joint: str, usual: Array) -> str:
    """What to do about a joint that moves no inertia: at this position, in gimbal lock, or at any.

    ``usual`` are `algorithms.relative_pivots` at the neutral position, (nv,), of the same masses.
    """
    if (usual[model.joint(joint).v] > SINGULAR).all():
        return (
            f"That is so at this position alone, as in gimbal lock: lead the motion around it, or build joint "
            f"{joint!r} with axes that stay independent, as sixd.joints.Spherical() has"
        )
    return (
        "Give the bodies that this joint moves mass, give it a rotor inertia, or lock it: "
        f"robot.lock({{{joint!r}: None}})"
    )
