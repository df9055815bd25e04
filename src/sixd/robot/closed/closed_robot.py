"""The closed robot that users hold: a tree of bodies with constraints."""

from __future__ import annotations

import warnings
from math import inf

import numpy as np

from sixd import algorithms
from sixd.diagnosis.audit import Report
from sixd.diagnosis.loops import with_loops, without_assembly
from sixd.errors import AssemblyError, ModelError, ModelWarning, SingularError
from sixd.model.configuration import random_generator
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

    def check(self, states: int = 5, seed: int = 0) -> Report:
        """What looks wrong in this robot: what `Robot.check` says of the open tree, and then the constraints.

        On positions that keep them, found by `assemble`, the error is compared with its Jacobian, and accelerations
        with the forces of the constraints. Where there is no such position, that is a finding. Rows that depend on
        others are noted.
        """
        report = self.tree.check(states, seed)
        rng = random_generator(seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ModelWarning)
                q = np.asarray(self.random(rng, states))
        except AssemblyError as error:
            return without_assembly(report, str(error))
        q = q[np.isfinite(q).all(axis=-1)]
        qd, tau = rng.normal(size=(2, len(q), self.nv))
        try:
            ways = [self.mobility(x).redundant for x in q]
        except SingularError:  # the report on the tree has said so
            return report
        # Singular positions have more: what is redundant everywhere counts.
        always = {name: min(found.get(name, 0) for found in ways) for name in ways[0]}
        return with_loops(report, self, q, qd, tau, {name: number for name, number in always.items() if number})
