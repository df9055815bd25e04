"""What inverse kinematics is asked for: frames, where each should be, and how much each direction counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.errors import ArgumentError, ChoiceError, NameNotFoundError, ShapeError
from sixd.ik.arguments import numbers
from sixd.ik.plan import GoalFrame
from sixd.model import Frame, Model

__all__ = ["KINDS", "Goal", "parse_goals"]

Array = NDArray[Any]

#: The core shape of a target of each kind, and what it is.
KINDS: dict[str, tuple[tuple[int, ...], str]] = {
    "pose": ((4, 4), "a homogeneous matrix, the pose of the frame in the world"),
    "position": ((3,), "the position of the frame's origin in the world"),
    "orientation": ((3, 3), "a rotation matrix, from frame to world coordinates"),
}

#: How far R^T R may be from 1: matrices written with a few digits pass, anything else is refused.
ORTHOGONAL = 1e-3

#: Positions beyond this, m, are refused: squares of distances would overflow.
FARTHEST = 1e100
#: The least weight relative to the largest.
LEAST_WEIGHT = 1e-100


@dataclass(frozen=True)
class Goal:
    """One frame and its targets.

    ``rotation`` (..., 3, 3) turns frame into world coordinates, ``position`` (..., 3) is in the world, m. ``weights``
    has one entry per row of the error: angular then linear for a pose, three for the other kinds.
    """

    frame: Frame
    kind: str
    rotation: Array
    position: Array
    weights: Array

    @property
    def place(self) -> GoalFrame:
        """The frame and the kind, without the numbers."""
        return GoalFrame(self.frame.body, self.frame.offset, self.kind)

    @property
    def lead(self) -> tuple[int, ...]:
        """The batch axes."""
        return np.broadcast_shapes(self.rotation.shape[:-2], self.position.shape[:-1])

    def flat(self, lead: tuple[int, ...]) -> Goal:
        """The same goal with all batch axes in one."""
        rotation = np.broadcast_to(self.rotation, (*lead, 3, 3)).reshape(-1, 3, 3)
        position = np.broadcast_to(self.position, (*lead, 3)).reshape(-1, 3)
        return Goal(self.frame, self.kind, rotation, position, self.weights)

    def finite(self) -> Array:
        """Of a flat goal, which targets are finite, (T,)."""
        rows = np.concatenate([self.rotation.reshape(-1, 9), self.position], axis=1)
        return np.isfinite(rows).all(axis=1)


def parse_goals(model: Model, frame: Any, target: Any, kind: Any, weights: Any) -> list[Goal]:
    """The goals in the order of the frames; see `inverse_kinematics` for the forms that the arguments take."""
    several = not isinstance(frame, str | Frame)
    if isinstance(frame, Mapping):
        if target is not None:
            raise ShapeError("give targets either as a mapping from frame names or after the frames, not both")
        names, targets = list(frame), list(frame.values())
    elif not several:
        names, targets = [frame], [target]
    else:
        names = list(frame) if _is_list(frame) else [frame]
        _need_names(names)
        targets = _spread("target", target, names, required=True)
    _need_names(names)
    kinds = _spread("kind", kind, names) if several else [kind]
    counts = _spread("weights", weights, names) if several else [weights]
    return _of_one_size([_goal(model, *each) for each in zip(names, targets, kinds, counts, strict=True)])


def _need_names(names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, str | Frame):
            raise ArgumentError(
                f"frame must be the name of a frame, several names, or a mapping from names to targets, not {name!r}"
            )
    if not names:
        raise ShapeError("inverse kinematics needs at least one frame: frame is empty")


def _spread(what: str, value: Any, names: Sequence[Any], required: bool = False) -> list[Any]:
    """One value per frame, from a mapping, a sequence, or (unless ``required``) one value for all."""
    if isinstance(value, Mapping):
        known = [getattr(name, "name", name) for name in names]
        for name in value:
            if name not in known:
                raise NameNotFoundError("frame", name, known)
        missing = [name for name in known if required and name not in value]
        if missing:
            raise ShapeError(f"{what} has no entry for frame {missing[0]!r}")
        return [value.get(name) for name in known]
    if not required and not _is_list(value):
        return [value] * len(names)
    values = list(value) if _is_list(value) else []
    if len(values) != len(names):
        raise ShapeError(f"{what} needs one entry for each of {len(names)} frames, found {len(values)}")
    return values


def _is_list(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _of_one_size(goals: list[Goal]) -> list[Goal]:
    """The same goals with a largest weight of 1, which changes no answer: squares of weighted errors stay in range."""
    largest = max(float(goal.weights.max()) for goal in goals)
    for goal in goals:
        if np.any((goal.weights > 0.0) & (goal.weights < largest * LEAST_WEIGHT)):
            raise ChoiceError(
                f"the weights of {goal.frame.name!r} are out of proportion: the largest of all is {largest:g}, and one "
                f"is less than {LEAST_WEIGHT:g} of it; give rows that do not count weight 0"
            )
    return [replace(goal, weights=goal.weights / largest) for goal in goals]


def _goal(model: Model, frame: str | Frame, target: Any, kind: str | None, weights: Any) -> Goal:
    found = model.frames[model.frames.index(frame)]
    array = numbers(f"the target of {found.name!r}", target, "a pose (..., 4, 4), a position (..., 3) or a rotation")
    if np.any(np.isfinite(array) & (np.abs(array) > FARTHEST)):
        raise ChoiceError(f"the target of {found.name!r} is more than {FARTHEST:g} m away: {np.abs(array).max():g}")
    kind = _kind(found.name, array.shape, kind)
    identity, origin = np.eye(3), np.zeros(3)
    if kind == "pose":
        _check_last_row(found.name, array)
        rotation, position = array[..., :3, :3], array[..., :3, 3]
    else:
        rotation, position = (array, origin) if kind == "orientation" else (identity, array)
    rotation = _nearest_rotation(found.name, rotation)
    return Goal(found, kind, rotation, position, _weights(found.name, kind, weights))


def _kind(name: str, shape: tuple[int, ...], kind: str | None) -> str:
    """The kind asked for, or the only one whose shape fits; matrices come before rows of positions."""
    if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
        raise ChoiceError(f"kind must be one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    for each in ("pose", "orientation", "position") if kind is None else (kind,):
        core = KINDS[each][0]
        if shape[len(shape) - len(core) :] == core and len(shape) >= len(core):
            return each
    wanted = " or ".join(
        f"(..., {', '.join(map(str, core))}): {meaning}" for k, (core, meaning) in KINDS.items() if kind in (None, k)
    )
    asked = "" if kind is None else f" for kind={kind!r}"
    raise ShapeError(f"the target of {name!r} has shape {shape}, but needed{asked} is {wanted}")


def _check_last_row(name: str, pose: Array) -> None:
    if np.any(np.abs(pose[..., 3, :] - [0.0, 0.0, 0.0, 1.0]) > ORTHOGONAL):
        raise ChoiceError(f"the target of {name!r} is no pose: its last row must be 0 0 0 1 (is it transposed?)")


def _nearest_rotation(name: str, R: Array) -> Array:
    """The rotation nearest to R, the factor Q of the polar decomposition R = Q S; what is not finite stays NaN.

    R (3 - R^T R) / 2 has the same Q, and an S whose distance from 1 is about the square of that of R.
    """
    finite = np.all(np.isfinite(R), axis=(-2, -1), keepdims=True)
    R, identity = np.where(finite, R, np.eye(3)), np.eye(3)
    if _is_no_rotation(R):
        raise ChoiceError(
            f"the target of {name!r} has no rotation matrix: R^T R must be 1 and det R = 1 "
            "(for positions of shape (..., 3, 3) say kind='position')"
        )
    while True:
        off = identity - np.swapaxes(R, -1, -2) @ R
        R = R + 0.5 * (R @ off)
        if np.max(np.abs(off), initial=0.0) < 1e-9:
            return np.where(finite, R, np.nan)


def _is_no_rotation(R: Array) -> bool:
    """Whether a singular value is farther from 1 than is tolerated, or a determinant negative."""
    far = np.max(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)), axis=(-2, -1)) > 0.5 * ORTHOGONAL
    if far.any() and np.any(np.abs(np.linalg.svd(R[far], compute_uv=False) - 1.0) > ORTHOGONAL):
        return True
    return bool(np.any(np.linalg.det(R) < 0.0))


def _weights(name: str, kind: str, weights: ArrayLike | None) -> Array:
    rows = 6 if kind == "pose" else 3
    meaning = "a number, or one for each row of the error"
    given = numbers(f"the weight of {name!r}", 1.0 if weights is None else weights, meaning)
    if given.shape == (6,) and rows == 3:
        given = given[:3] if kind == "orientation" else given[3:]
    if given.shape not in ((), (rows,)):
        wanted = "one number, or six (angular, then linear)" + (", or three" if rows == 3 else "")
        raise ShapeError(f"the weight of {name!r} has shape {given.shape}, but needed is {wanted}")
    if not np.all(np.isfinite(given)) or np.any(given < 0.0) or not np.any(given > 0.0):
        raise ChoiceError(f"the weights of {name!r} must be finite, none negative and one positive: {given.tolist()}")
    return np.broadcast_to(given, (rows,))
