"""The closed robot that users hold: a tree of bodies with constraints."""

from __future__ import annotations

from math import inf

from sixd import algorithms
from sixd.errors import ModelError
from sixd.robot.closed.second_derivatives import ClosedSecondDerivativeMethods
from sixd.robot.evaluator import NAMED
from sixd.robot.operational_space import OperationalSpace, TaskAlgorithms

__all__ = ["ClosedRobot"]

NAMED[algorithms.constrained_operational_space] = OperationalSpace


class ClosedRobot(ClosedSecondDerivativeMethods):
    """A robot with constraints, made by ``robot.close(...)``: FO00 3.4.

    Its coordinates are those of the tree. Positions and velocities are *consistent* if they keep the constraints.
    Methods that answer for single bodies (poses, velocities, energies) are those of a robot; methods about forces and
    accelerations take the constraints into account. Those that a closed robot does not have raise an error that names
    what to use instead. `tree` is the robot without constraints.
    """

    may_be_closed = True
    _largest_task = inf
    _task_algorithms = TaskAlgorithms(
        algorithms.constrained_operational_space,
        algorithms.constrained_inverse_operational_inertia,
        algorithms.constrained_dynamically_consistent_inverse,
        algorithms.constrained_null_space_projector,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.constraint_list:
            raise ModelError("a ClosedRobot has constraints: make it by robot.close(...), or take its tree as a Robot")
