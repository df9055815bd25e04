"""Positions of a robot: limits, random ones, and the way from one to another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.model import configuration
from sixd.robot.evaluator import Evaluated
from sixd.runtime.batches import as_batch

__all__ = ["ConfigurationMethods"]

Array = NDArray[Any]


class ConfigurationMethods(Evaluated):
    """Methods of a robot about its positions."""

    def neutral(self) -> Array:
        """The position q at which every joint's frames coincide, (nq,); it need not be within the limits."""
        return configuration.neutral(self)

    def within_limits(self, q: ArrayLike) -> Array:
        """Whether every coordinate is finite and within its limits, (...)."""
        array = as_batch("q", q, (self.nq,), "nq of this robot")
        return np.all((array >= self.lower) & (array <= self.upper) & np.isfinite(array), axis=-1)

    def clip(self, q: ArrayLike) -> Array:
        """The nearest position within the limits, coordinate by coordinate, (..., nq)."""
        array = as_batch("q", q, (self.nq,), "nq of this robot")
        lower, upper = (limit.astype(array.dtype) for limit in (self.lower, self.upper))
        # Limits that rounding to single precision has moved outward are moved back.
        lower = np.where(lower < self.lower, np.nextafter(lower, np.inf, dtype=array.dtype), lower)
        upper = np.where(upper > self.upper, np.nextafter(upper, -np.inf, dtype=array.dtype), upper)
        return np.clip(array, lower, upper)

    def random(self, rng: np.random.Generator | int | None = None, size: int | tuple[int, ...] = ()) -> Array:
        """Positions (*size, nq), uniform within the joint limits; where there are none, within a turn or a metre."""
        return configuration.random(self, rng, size)

    def integrate(self, q: ArrayLike, dv: ArrayLike, *, out: Array | None = None) -> Array:
        """The position reached from q by the velocity dv in unit time, (..., nq); exact on quaternions."""
        return self._code[algorithms.integrate](q, dv, out=out)

    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array:
        """The velocity that leads from q0 to q1 in unit time, (..., nv): integrate(q0, difference(q0, q1)) is q1."""
        return self._code[algorithms.difference](q0, q1, out=out)
