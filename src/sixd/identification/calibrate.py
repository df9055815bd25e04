"""Kinematic calibration: from measured poses to corrected placements of joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.compiler.parameters import parameters
from sixd.errors import ModelError
from sixd.identification.combinations import Combinations, combinations_of
from sixd.identification.placements import Placements
from sixd.robot import Robot
from sixd.robot.robot import open_robot

__all__ = ["Calibration", "calibrate"]

Array = NDArray[Any]
#: Directions whose effect is smaller than this share of the largest count as without effect.
_ZERO = 1e-8
#: The size of a step, rad or m, below which the minimum is reached.
_DONE = 1e-12
_MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class Calibration:
    """A robot whose joints were placed anew, so that a frame is where it was measured; print it."""

    #: The corrected robot.
    robot: Robot
    #: The correction of each placement, in the order of the names in ``base``: rotations, rad, and displacements, m,
    #: in coordinates of the joint's frame on its parent, or of the measured frame.
    corrections: Array
    #: The combinations of corrections that the measurements determine. No others were made.
    base: Combinations
    #: The standard deviations of these combinations, by what is left of the errors.
    deviations: Array
    #: The root mean square of the errors in rotation, rad (NaN if positions were measured), and in position, m.
    error_before: tuple[float, float]
    error: tuple[float, float]

    def __str__(self) -> str:
        values = self.base.matrix @ self.corrections
        rows = zip(self.base.lines(), values, self.deviations, strict=True)
        return "\n".join(
            [
                f"{self.base.count} combinations of {len(self.base.names)} corrections are determined:",
                *(f"  {value:12.5g} +- {deviation:8.2g}  {line}" for line, value, deviation in rows),
                "corrections in one combination cannot be told apart; the smallest are chosen",
                f"rms error before: {self.error_before[0]:.4g} rad, {self.error_before[1]:.4g} m",
                f"rms error after:  {self.error[0]:.4g} rad, {self.error[1]:.4g} m",
            ]
        )


def calibrate(
    robot: Robot,
    frame: str,
    q: ArrayLike,
    measured: ArrayLike,
    *,
    joints: str | Iterable[str] | None = None,
    tool: bool = True,
    noise: tuple[float, float] = (1.0, 1.0),
) -> Calibration:
    """Correct the placements of joints, so that a frame is where it was measured.

    ``measured`` are the poses (samples, 4, 4) of the frame in the world, or its positions (samples, 3), at the joint
    positions q, (samples, nq). The placement of each of ``joints`` (default: all that carry the frame) is corrected by
    a rotation and a displacement, six numbers, and so is the frame on its body, unless ``tool`` is False. Offsets of
    joint encoders are rotations about the axis, so they are among them. ``noise`` are the standard deviations of
    measured rotations, rad, and positions, m: only their ratio matters.

    It minimises the sum of squared errors by the method of Gauss and Newton, from derivatives by the placements. Of
    corrections that have the same effect on all measurements, the smallest are made, and ``base`` names them. A chain
    of R revolute and P prismatic joints with a tool has at most 4 R + 2 P + 6 combinations that can be told apart.
    """
    open_robot(robot, "calibration")
    problem = Placements(robot, frame, q, measured, joints, given.flag(tool, "tool"), noise)
    placements, offset = parameters(robot, "placement"), np.asarray(robot.frame(frame).offset.pose(), dtype=float)
    total = np.zeros(len(problem.names))
    before, J = problem.errors(placements, offset)
    e, length = before, 1.0
    for _ in range(_MOST_STEPS):
        step = length * np.linalg.lstsq(J, e, rcond=_ZERO)[0]
        there = problem.moved(placements, offset, step)
        next_e, next_J = problem.errors(*there)
        if np.sum(next_e**2) < np.sum(e**2):
            (placements, offset), total, length = there, total + step, min(1.0, 2.0 * length)
            e, J = next_e, next_J
        else:
            length *= 0.25  # too far; or at the minimum, but for rounding
        if np.abs(step).max() < _DONE:
            break
    else:
        raise ModelError(f"no minimum was found in {_MOST_STEPS} steps: are q and the measurements of this robot?")
    base = combinations_of(J, problem.names)
    return Calibration(
        problem.robot_with(placements, offset),
        total,
        base,
        _deviations(J, e, base),
        problem.rms(before),
        problem.rms(e),
    )


def _deviations(J: Array, e: Array, base: Combinations) -> Array:
    """The standard deviations of the combinations, from the scatter of the errors that are left."""
    R = np.linalg.qr(J[:, base.leading], mode="r")
    free = max(len(e) - base.count, 1)
    return np.linalg.norm(np.linalg.inv(R), axis=1) * np.sqrt(np.sum(e**2) / free)
