"""The closed robot that users hold: a tree of bodies with constraints."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.diagnosis.audit import BODIES, Report
from sixd.diagnosis.loops import with_loops, without_assembly
from sixd.errors import AssemblyError, ModelError, ModelWarning, SingularError
from sixd.model.configuration import random_generator
from sixd.robot.closed.second_derivatives import ClosedSecondDerivativeMethods
from sixd.robot.evaluator import NAMED
from sixd.robot.operational_space import OperationalSpace, TaskAlgorithms

__all__ = ["ClosedRobot"]

Array = NDArray[Any]

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
        others are noted. Of robots with hundreds of bodies the constraints are left out, and named in ``skipped``.
        """
        report = self.tree.check(states, seed)
        if self.n_bodies > BODIES:
            return replace(report, skipped=(*report.skipped, f"constraints: takes long for {self.n_bodies} bodies"))
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
            return with_loops(report, self, q, qd, tau, self._always_redundant(q))
        except SingularError:  # the report on the tree has said so
            return report

    def _always_redundant(self, q: Array) -> dict[str, int]:
        """How many rows of each constraint depend on others at all positions (K, nq): singular ones have more."""
        found = []
        for x in q:
            U, s, _ = np.linalg.svd(self._scaled(x)[0])
            found.append(self._redundant(U, int(self._rank(s))))
        least = {name: min(each.get(name, 0) for each in found) for name in found[0]}
        return {name: number for name, number in least.items() if number}
