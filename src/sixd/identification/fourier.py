"""Periodic motions: finite Fourier series, with their derivatives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Basis", "Motion", "basis_at"]

Array = NDArray[Any]


class Motion(NamedTuple):
    """Positions, velocities and accelerations, each (samples, nv)."""

    q: Array
    qd: Array
    qdd: Array


class Basis(NamedTuple):
    """q, qd and qdd of each function of a Fourier series at some times, each (samples, 1 + 2 harmonics).

    The first function is constant. The others come in pairs, whose velocities are cos(l w t) and sin(l w t).
    """

    q: Array
    qd: Array
    qdd: Array

    def motion(self, coefficients: Array) -> Motion:
        """The motion with these coefficients, (1 + 2 harmonics, nv)."""
        return Motion(*(part @ coefficients for part in self))

    def pulled_back(self, gradient: Motion) -> Array:
        """The gradient by the coefficients, from that by q, qd and qdd."""
        return sum((part.T @ by for part, by in zip(self, gradient, strict=True)), np.zeros(()))


def basis_at(t: Array, duration: float, harmonics: int) -> Basis:
    """The functions of a Fourier series of this period at times t."""
    w = 2.0 * np.pi / duration * np.arange(1, harmonics + 1)
    cos, sin = np.cos(np.outer(t, w)), np.sin(np.outer(t, w))
    one = np.ones((len(t), 1))
    q = np.concatenate([one, sin / w, -cos / w], axis=1)
    qd = np.concatenate([0.0 * one, cos, sin], axis=1)
    return Basis(q, qd, np.concatenate([0.0 * one, -sin * w, cos * w], axis=1))
