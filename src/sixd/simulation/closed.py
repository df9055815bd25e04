"""The constraints of a closed robot in a step of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixd import algorithms
from sixd.algorithms.constraint_projection import LeastChange
from sixd.model import Model, ModelTree
from sixd.ops import Scalar

__all__ = ["Closed", "array_of"]

Numbers = list[Scalar]
#: Steps of Newton's method that lead back to the constraints after a step of time. Each squares the error.
NEWTON = 2


class Closed:
    """What integrators ask about constraints; for one sample and any kind of number."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def position(self, q: Sequence[Scalar]) -> Numbers:
        """A position near q that keeps the constraints."""
        found = array_of(q)
        for _ in range(NEWTON):
            found = algorithms.integrate(self.model, found, algorithms.position_correction(self.model, found))
        return list(found)

    def velocity(self, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Numbers:
        """The velocity nearest to qd that keeps the constraints."""
        return list(algorithms.constrained_velocity(self.model, array_of(q), array_of(qd)).value)

    def error(self, q: Sequence[Scalar]) -> Numbers:
        """How far a position is from keeping the constraints, by row."""
        return list(algorithms.constraint_error(self.model, array_of(q)))

    def at(self, q: Sequence[Scalar]) -> LeastChange:
        """The changes of velocity that constraints can make at a position."""
        tree = ModelTree(self.model)
        return LeastChange(tree, tree.positions(array_of(q)))


def array_of(values: Sequence[Scalar]) -> Any:
    """Numbers of any kind as an array of objects."""
    out = np.empty(len(values), dtype=object)
    out[:] = list(values)
    return out
