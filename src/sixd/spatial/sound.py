"""Whether the numbers that users give as a rotation, a pose or an axis are one: asked where they enter.

Each function says in words what is wrong, and nothing if nothing is. Numbers that have no value to look at (recorded,
symbolic and dual ones) pass, and so does NaN: it stays NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from sixd.errors import ModelError, PoseError
from sixd.given import number
from sixd.ops import Scalar, look
from sixd.spatial.linear import Matrix, Vector, matrix_of, vector_of

__all__ = ["SLACK", "axis_fault", "need", "pose_fault", "rotation_fault", "transform_fault"]

#: How far lengths, cosines and entries may be off: what single precision leaves at the end of a long chain.
SLACK = 1e-4


def need(fault: str, what: str) -> None:
    """Raise if there is a fault in what users gave."""
    if fault:
        raise PoseError(f"{what}: {fault}")


def _need_slack(slack: float) -> None:
    if not 0.0 <= number(slack, "slack") < inf:
        raise ModelError(f"slack must be a finite number that is not negative, not {slack}")


def axis_fault(axis: Vector | Any, slack: float = SLACK) -> str:
    """What is wrong with a unit vector (..., 3)."""
    _need_slack(slack)
    a = _samples(vector_of(axis, 3, "an axis").entries)
    if a is None:
        return ""
    with np.errstate(all="ignore"):
        length = (a * a).sum(axis=-1) ** 0.5
    return _first(abs(length - 1.0) > slack, lambda k: f"it has length {length[k]:g}, not 1; divide it by its length")


def rotation_fault(R: Matrix | Any, slack: float = SLACK) -> str:
    """What is wrong with a rotation matrix (..., 3, 3): its columns are unit vectors at right angles, right-handed."""
    _need_slack(slack)
    numbers = _samples(matrix_of(R, 3, "a rotation").components())
    return "" if numbers is None else _rotation_fault(numbers.reshape(-1, 3, 3), slack)


def pose_fault(pose: Matrix | Any, slack: float = SLACK) -> str:
    """What is wrong with a homogeneous matrix [R, r; 0, 1], (..., 4, 4)."""
    _need_slack(slack)
    numbers = _samples(matrix_of(pose, 4, "a pose").components())
    if numbers is None:
        return ""
    P = numbers.reshape(-1, 4, 4)
    fault = _first(
        (abs(P[:, 3] - [0.0, 0.0, 0.0, 1.0]) > slack).any(axis=-1),
        lambda k: (
            f"its last row is {_list(P[k, 3])}, not 0, 0, 0, 1"
            + ("; is the matrix transposed?" if np.array_equal(P[k, :, 3], [0, 0, 0, 1]) else "")
        ),
    )
    return fault or _rotation_fault(P[:, :3, :3], slack)


def transform_fault(X: Matrix | Any, slack: float = SLACK) -> str:
    """What is wrong with a Plücker transform for motions [E, 0; -E (r x), E], (..., 6, 6)."""
    _need_slack(slack)
    numbers = _samples(matrix_of(X, 6, "a transform").components())
    if numbers is None:
        return ""
    A = numbers.reshape(-1, 6, 6)
    E, B = A[:, :3, :3], A[:, 3:, :3]
    with np.errstate(all="ignore"):
        skew = np.swapaxes(E, 1, 2) @ B  # -(r x)
        far = slack * np.maximum(1.0, abs(B).max(axis=(1, 2), initial=0.0))
        uneven = abs(skew + np.swapaxes(skew, 1, 2)).max(axis=(1, 2), initial=0.0) > far
    return (
        _first(
            (abs(A[:, :3, 3:]) > slack).any(axis=(1, 2)),
            lambda k: "its upper right block is not zero; is it transposed, or a transform for forces?",
        )
        or _first((abs(A[:, 3:, 3:] - E) > slack).any(axis=(1, 2)), lambda k: "its two blocks E differ")
        or _rotation_fault(E, slack)
        or _first(uneven, lambda k: "its lower left block is not -E (r x) for any r")
    )


def _rotation_fault(R: Any, slack: float) -> str:
    """Of rotations (samples, 3, 3)."""
    with np.errstate(all="ignore"):
        products = np.swapaxes(R, 1, 2) @ R
        lengths = products[:, [0, 1, 2], [0, 1, 2]] ** 0.5
        cosines = products[:, [0, 1, 2], [1, 2, 0]]
        (a, b, c), (d, e, f), (g, h, i) = R.transpose(1, 2, 0)
        determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (
        _first(
            (abs(lengths - 1.0) > slack).any(axis=-1),
            lambda k: f"the columns of its rotation have the lengths {_list(lengths[k])}, not 1",
        )
        or _first(
            (abs(cosines) > slack).any(axis=-1),
            lambda k: f"the columns of its rotation are not at right angles: their cosines are {_list(cosines[k])}",
        )
        or _first(
            determinant < 0.0,
            lambda k: f"its rotation has the determinant {determinant[k]:g}, not 1: it is a mirror image",
        )
    )


def _samples(numbers: Sequence[Scalar]) -> Any:
    """The numbers as an array (samples, n), None if one has no value to look at."""
    values = [look(x) for x in numbers]
    if any(value is None for value in values):
        return None
    return np.stack(np.broadcast_arrays(*values), axis=-1).reshape(-1, len(values))


def _first(bad: Any, tell: Any) -> str:
    """What is to be told of the first sample that is bad."""
    if not bad.any():
        return ""
    k = int(bad.argmax())
    return f"in sample {k}, {tell(k)}" if len(bad) > 1 else tell(k)


def _list(numbers: Any) -> str:
    return ", ".join(f"{x:g}" for x in numbers)
