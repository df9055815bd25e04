"""Whether the numbers of a robot that a simulation is given for each sample can be those of a robot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.joints import AxisJoint
from sixd.robot import Robot
from sixd.spatial.sound import SLACK

__all__ = ["check_possible"]

Array = NDArray[Any]


def check_possible(robot: Robot, name: str, values: Array) -> None:
    """Refuse negative inertias, placements that are no poses and axes that are no unit vectors, (..., *shape)."""
    if name == "inertia":
        _refuse(robot, name, values[..., 0] < 0.0, "the mass", "is negative")
        _refuse(robot, name, _is_negative(values), "the rotational inertia", "has a negative moment about some axis")
    elif name == "rotor" and (values < 0.0).any():
        raise ModelError(f"parameters['rotor']: the inertia of a rotor is negative, {values.min():g}")
    elif name == "placement":
        R, last = values[..., :3, :3], values[..., 3, :]
        wrong = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2)) > SLACK
        wrong |= (np.linalg.det(R) < 0.0) | (last != (0.0, 0.0, 0.0, 1.0)).any(axis=-1)
        _refuse(robot, name, wrong, "the placement", "is no pose: a rotation and a place, with 0 0 0 1 below")
    elif name == "axis":
        has_axis = [b.joint is not None and isinstance(b.joint.type, AxisJoint) for b in robot.body_list[1:]]
        wrong = np.abs(np.linalg.norm(values, axis=-1) - 1.0) > SLACK
        _refuse(robot, name, wrong & np.array(has_axis), "the axis", "is no unit vector: divide it by its length")


def _is_negative(inertias: Array) -> Array:
    """Whether bodies of inertia (m, h, I about their origin), (..., 10), have a negative moment, beyond rounding.

    About the centre of mass it is I + (h x)(h x) / m, with (h x)(h x) = h h^T - h.h 1.
    """
    m, h = inertias[..., 0], inertias[..., 1:4]
    I = inertias[..., [4, 5, 6, 5, 7, 8, 6, 8, 9]].reshape(*m.shape, 3, 3)
    moved = h[..., :, None] * h[..., None, :] - (h * h).sum(axis=-1)[..., None, None] * np.eye(3)
    central = I + moved / np.where(m > 0.0, m, np.inf)[..., None, None]
    return np.asarray(np.linalg.eigvalsh(central)[..., 0] < -SLACK * np.abs(I).max(axis=(-1, -2)))


def _refuse(robot: Robot, name: str, wrong: Array, what: str, why: str) -> None:
    """Raise if something is wrong, (..., bodies); the error names the body and the sample."""
    if not wrong.any():
        return
    *sample, body = (int(k) for k in np.argwhere(wrong)[0])
    which = f" of sample {tuple(sample)}" if sample else ""
    raise ModelError(f"parameters[{name!r}]: {what} of body {robot.body_list[body + 1].name!r}{which} {why}")
