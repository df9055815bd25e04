"""The constraints of a closed robot in a step of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixd import algorithms
from sixd.algorithms.constrained_dynamics import factors_at
from sixd.algorithms.constraint_factors import ConstraintFactors
from sixd.model import Model, ModelTree
from sixd.ops import Scalar

__all__ = ["TARGETS", "Closed", "advanced", "array_of"]

Numbers = list[Scalar]
#: The input of a simulation that has the targets of prescribed motion.
TARGETS = "targets"
#: Steps that lead back to the constraints after a step of time. The first squares the error e, the second makes it e^3.
NEWTON = 2


class Closed:
    """What integrators ask about constraints; for one sample and any kind of number.

    ``targets`` (targets, 3) are position, velocity and acceleration of the rows whose motion is prescribed, at the
    time t; within a step the acceleration is constant. None holds these rows where their constraints hold them.
    """

    def __init__(self, model: Model, targets: Any = None, t: Scalar = 0.0) -> None:
        self.model, self.targets, self.t = model, targets, t

    def targets_at(self, t: Scalar) -> Any:
        """Position, velocity and acceleration of prescribed rows at a time in the step."""
        if self.targets is None:
            return None
        return advanced(self.targets, t - self.t)

    def acceleration(self, t: Scalar, q: Any, qd: Any, tau: Any, forces: Any) -> Numbers:
        """qdd with constraints: FO00 (21)."""
        return list(algorithms.constrained_forward_dynamics(self.model, q, qd, tau, forces, targets=self.targets_at(t)))

    def position(self, t: Scalar, q: Sequence[Scalar]) -> Numbers:
        """A position near q that keeps the constraints, by steps of Newton's method with the factors at q."""
        found, system = list(q), self.at(q)
        for _ in range(NEWTON):
            dv = system.solve([-x for x in self.error(t, found)]).x
            found = list(algorithms.integrate(self.model, array_of(found), array_of(dv)))
        return found

    def velocity(self, t: Scalar, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Numbers:
        """The velocity nearest to qd that keeps the constraints."""
        found: Any = algorithms.constrained_velocity(self.model, array_of(q), array_of(qd), self.targets_at(t))
        return list(found.value)

    def error(self, t: Scalar, q: Sequence[Scalar]) -> Numbers:
        """How far a position is from keeping the constraints, by row."""
        return list(algorithms.constraint_error(self.model, array_of(q), self.targets_at(t)))

    def at(self, q: Sequence[Scalar], counts: Sequence[Scalar] | None = None) -> ConstraintFactors:
        """The changes of velocity that constraints can make at a position; ``counts`` is 0 for rows to be left out."""
        tree = ModelTree(self.model)
        return factors_at(tree, tree.positions(array_of(q)), counts)


def advanced(targets: Any, after: Any) -> Any:
    """Position, velocity and acceleration (..., 3) a time later, with constant acceleration; numbers of any kind."""
    x, v, a = (targets[..., k] for k in range(3))
    return np.stack([x + after * (v + 0.5 * after * a), v + after * a, a], axis=-1)


def array_of(values: Sequence[Scalar]) -> Any:
    """Numbers of any kind as an array of objects."""
    out = np.empty(len(values), dtype=object)
    out[:] = list(values)
    return out
