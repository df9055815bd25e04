"""Configurations of a model as arrays: the neutral one and random ones.

Positions are (..., nq), velocities (..., nv). Coordinates are those of the independent joints; a joint that mimics
another has none of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ArgumentError, ModelError
from sixd.joints import Joint
from sixd.model.joint_view import JointView
from sixd.model.model import Model
from sixd.process.forks import importing

__all__ = ["need_positions", "neutral", "plain_coordinates", "random", "random_generator"]

Array = NDArray[Any]


def _independent(model: Model) -> Iterator[JointView]:
    return (joint for joint in model.joints if joint.mimic is None)


def neutral(model: Model) -> Array:
    """The position q at which every joint's frames coincide, (nq,)."""
    q = np.zeros(model.nq)
    for joint in _independent(model):
        q[joint.q] = list(joint.type.neutral())
    return q


def need_positions(model: Model, name: str, q: Array) -> None:
    """Raise if q (..., nq) has a quaternion that is zero, or another group of entries that must not all be zero."""
    for joint in _independent(model):
        for first, number in joint.type.nonzero:
            if not q[..., joint.q][..., first : first + number].any(axis=-1).all():
                raise ModelError(
                    f"{name} is no position of joint {joint.name!r}: its quaternion is zero; start from "
                    "robot.neutral() or robot.random()"
                )


def random(
    model: Model, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = (), limits: bool = True
) -> Array:
    """Positions (*size, nq), uniform within the joint limits; where there are none, within a turn or a metre.

    ``limits=False`` ignores the limits of the model.
    """
    rng = random_generator(rng)
    size = tuple(given.count(n, "size", least=0) for n in (size if isinstance(size, tuple | list) else (size,)))
    q = np.zeros((*size, model.nq))
    for joint in _independent(model):
        own = model.lower[joint.q].tolist(), model.upper[joint.q].tolist()
        lower, upper = own if limits else joint.type.limits()
        if any(low > high for low, high in zip(lower, upper, strict=True)):
            raise ModelError(
                f"joint {joint.name!r} has no positions: its lower limit {lower} is above the upper {upper}"
            )
        q[..., joint.q] = joint.type.random(rng, lower, upper, size)
    return q


def random_generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """A generator of random numbers: one that is given, or a new one from a seed; None takes an arbitrary seed."""
    with importing:  # NumPy imports this module on first use
        from numpy.random import default_rng
    try:
        return default_rng(rng)
    except (TypeError, ValueError):
        text = f"rng must be a seed (a whole number, not negative) or a numpy Generator, not {given.described(rng)}"
        raise ArgumentError(text) from None


def plain_coordinates(model: Model) -> tuple[Array, Array]:
    """The indices in q and in v of the coordinates that form a vector, so that integrate is q + dv."""
    plain = [joint for joint in _independent(model) if type(joint.type).integrate is Joint.integrate]
    iq = [k for joint in plain for k in range(joint.q.start, joint.q.stop)]
    iv = [k for joint in plain for k in range(joint.v.start, joint.v.stop)]
    return np.array(iq, dtype=int), np.array(iv, dtype=int)
