"""Smooth motions between two positions: quintic B-splines over equal pieces of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.motion.basis import Basis
from sixd.motion.scipy import scipy_module

__all__ = ["Spline"]

Array = NDArray[Any]
#: The degree: accelerations have two continuous derivatives.
DEGREE = 5
#: Points of Gauss' quadrature in each piece: exact for polynomials of degree 11, such as qd^2 times a cubic.
POINTS = 6


@dataclass(frozen=True)
class Spline:
    """The B-splines of degree 5 with equal pieces of time from 0 to ``duration``, s.

    Their coefficients (functions, nv) are the control points of the motion. The first and the last are its ends; the
    motion starts and ends at rest if the second is the same as the first, and the last but one as the last. At every
    time, q is a mean of control points with weights that are not negative, so q is within limits if they are; and qd is
    such a mean of the control points of the velocity.
    """

    duration: float
    pieces: int

    @classmethod
    def of(cls, control_points: int, duration: float) -> Spline:
        """The splines that have this many control points."""
        return cls(duration, control_points - DEGREE)

    @property
    def functions(self) -> int:
        """How many there are."""
        return self.pieces + DEGREE

    @property
    def knots(self) -> Array:
        """The ends of the pieces; the first and the last as often as the splines have coefficients, 6 times."""
        ends = np.linspace(0.0, self.duration, self.pieces + 1)
        return np.concatenate([[0.0] * DEGREE, ends, [self.duration] * DEGREE])

    @property
    def centers(self) -> Array:
        """The time that belongs to each control point, (functions,): with q = t there, q(t) = t."""
        knots = self.knots
        return np.array([np.mean(knots[k + 1 : k + 1 + DEGREE]) for k in range(self.functions)])

    @property
    def velocity_points(self) -> Array:
        """The matrix, (functions - 1, functions), from control points to those of the velocity."""
        knots, n = self.knots, self.functions
        rates = DEGREE / (knots[1 + DEGREE : n + DEGREE] - knots[1:n])
        return rates[:, None] * np.diff(np.eye(n), axis=0)

    def at(self, t: Array) -> Basis:
        """The functions at times t, (samples,)."""
        functions = scipy_module("interpolate", "sixd.motion").BSpline(self.knots, np.eye(self.functions), DEGREE)
        return Basis(*(functions(t, nu=order) for order in range(3)))

    def quadrature(self) -> tuple[Array, Array]:
        """Times and weights, each (samples,): an integral over time is the sum of weights times values."""
        nodes, weights = np.polynomial.legendre.leggauss(POINTS)
        h = self.duration / self.pieces
        starts = h * np.arange(self.pieces)
        return (starts[:, None] + 0.5 * h * (nodes + 1.0)).ravel(), np.tile(0.5 * h * weights, self.pieces)
