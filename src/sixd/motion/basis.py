"""Motions that are linear in their coefficients: the functions of a series, with their derivatives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Basis", "Motion"]

Array = NDArray[Any]


class Motion(NamedTuple):
    """Positions, velocities and accelerations, each (samples, nv)."""

    q: Array
    qd: Array
    qdd: Array


class Basis(NamedTuple):
    """q, qd and qdd of each function of a series at some times, each (samples, functions)."""

    q: Array
    qd: Array
    qdd: Array

    def motion(self, coefficients: Array) -> Motion:
        """The motion with these coefficients, (functions, nv)."""
        return Motion(*(part @ coefficients for part in self))

    def pulled_back(self, gradient: Motion) -> Array:
        """The gradient by the coefficients, from that by q, qd and qdd."""
        return sum((part.T @ by for part, by in zip(self, gradient, strict=True)), np.zeros(()))

    def pulled_back_rows(self, rows: Motion) -> Array:
        """Rows of a Jacobian by the coefficients, from those by q, qd and qdd, each (samples, rows, nv).

        The result is (samples, rows, functions, nv).
        """
        parts = zip(self, rows, strict=True)
        return sum((np.einsum("si,skj->skij", part, by) for part, by in parts), np.zeros(()))
