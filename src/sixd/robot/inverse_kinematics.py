"""Inverse kinematics as a method of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixd.process.forks import importing
from sixd.robot.evaluator import Evaluated

if TYPE_CHECKING:
    from sixd.ik import IKResult

__all__ = ["InverseKinematicsMethods"]


class InverseKinematicsMethods(Evaluated):
    """Methods of a robot that find positions."""

    def inverse_kinematics(
        self,
        frame: str | Sequence[str] | Mapping[str, ArrayLike],
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
        """A position q that brings a frame (or several) to a target, within the joint limits.

        The target's shape says what it is: a pose (..., 4, 4), a position (..., 3) or a rotation (..., 3, 3). ``q0`` is
        where the search starts, ``posture`` a position to stay close to as far as the target allows. The result has
        ``q``, ``success``, ``message``, ``nit`` and ``residual``; when it fails it says whether the target is out of
        reach, a limit is in the way or the arm is singular. `sixd.ik.inverse_kinematics` explains all options.
        """
        with importing:  # imported on first use, because not all programs need it
            from sixd.ik import inverse_kinematics

        return inverse_kinematics(
            self,
            frame,
            target,
            q0,
            kind=kind,
            weights=weights,
            posture=posture,
            limits=limits,
            tolerance=tolerance,
            max_iterations=max_iterations,
            restarts=restarts,
            seed=seed,
        )
