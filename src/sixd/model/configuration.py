"""Configurations of a model as arrays: the neutral one, random ones, steps and differences in the tangent space.

Positions are (..., nq), velocities (..., nv). Coordinates are those of the independent joints; a joint that mimics
another has none of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.joints import Joint
from sixd.model.model import JointView, Model
from sixd.spatial import Vector

__all__ = ["difference", "integrate", "neutral", "plain_coordinates", "random"]

Array = NDArray[Any]


def _independent(model: Model) -> Iterator[JointView]:
    return (joint for joint in model.joints if joint.mimic is None)


def neutral(model: Model) -> Array:
    """The position q at which every joint's frames coincide, (nq,)."""
    q = np.zeros(model.nq)
    for joint in _independent(model):
        q[joint.q] = list(joint.type.neutral())
    return q


def random(model: Model, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()) -> Array:
    """Positions (*size, nq), uniform within the joint limits; where there are none, within a turn or a metre."""
    rng = np.random.default_rng(rng)
    size = (size,) if isinstance(size, int) else tuple(size)
    q = np.zeros((*size, model.nq))
    for joint in _independent(model):
        q[..., joint.q] = joint.type.random(rng, joint.data.lower, joint.data.upper, size)
    return q


def integrate(model: Model, q: Array, dv: Array) -> Array:
    """The position reached from q by the velocity dv in unit time, (..., nq); exact on quaternions."""
    return _by_joint(model, "q", "integrate", (q, "q"), (dv, "v"))


def difference(model: Model, q0: Array, q1: Array) -> Array:
    """The velocity that leads from q0 to q1 in unit time, (..., nv): integrate(q0, difference(q0, q1)) is q1."""
    return _by_joint(model, "v", "difference", (q0, "q"), (q1, "q"))


def plain_coordinates(model: Model) -> tuple[Array, Array]:
    """The indices in q and in v of the coordinates that are numbers of their own: there, integrate is q + dv."""
    plain = [joint for joint in _independent(model) if type(joint.type).integrate is Joint.integrate]
    iq = [k for joint in plain for k in range(joint.q.start, joint.q.stop)]
    iv = [k for joint in plain for k in range(joint.v.start, joint.v.stop)]
    return np.array(iq, dtype=int), np.array(iv, dtype=int)


def _by_joint(model: Model, kind: str, method: str, *arguments: tuple[Array, str]) -> Array:
    lead = np.broadcast_shapes(*(array.shape[:-1] for array, _ in arguments))
    size = model.nq if kind == "q" else model.nv
    out = np.empty((*lead, size), dtype=np.result_type(*(array for array, _ in arguments)))
    for joint in _independent(model):
        parts = [Vector.from_array(array[..., getattr(joint, which)]) for array, which in arguments]
        out[..., getattr(joint, kind)] = getattr(joint.type, method)(*parts).array()
    return out
