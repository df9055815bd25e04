"""Measured heights on a regular grid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sixd.errors import ModelError
from sixd.given import choice, finite
from sixd.ops import Scalar, absolute, where
from sixd.runtime.arguments import real_numbers
from sixd.simulation.contact.checks import within
from sixd.simulation.contact.heights.height import Height, clip, register

__all__ = ["Grid"]

#: The largest number of grid points: each costs a few operations for each ball and step.
MOST = 1024


@register
@dataclass(frozen=True)
class Grid(Height):
    """Heights, m, at the points origin + spacing (i, j) of a regular grid: ``heights[i][j]``, i along x and j along y.

    ``smooth`` is "linear", continuous with kinks at the lines of the grid, or "cubic", which has continuous curvature.
    Both pass through all heights. Beyond its edges the height is that of the nearest edge. Compiled code has no tables
    to look into, so every point of the grid takes part in every evaluation, weighed by B-splines that are zero but
    nearby: there may be at most 1,024 points. For larger grounds give a formula, or simulate in pieces.
    """

    name = "grid"
    heights: tuple[tuple[float, ...], ...]
    spacing: float
    origin: tuple[float, float] = (0.0, 0.0)
    smooth: str = "linear"

    def __post_init__(self) -> None:
        object.__setattr__(self, "spacing", within(self.spacing, "the spacing of a grid", 0.0, open_below=True))
        object.__setattr__(self, "origin", finite(self.origin, "the origin of a grid", 2))
        choice(self.smooth, "smooth", ("linear", "cubic"))
        array = _matrix(self.heights)
        object.__setattr__(self, "heights", tuple(map(tuple, array.tolist())))

    def __call__(self, x: Scalar, y: Scalar) -> Scalar:
        C = self._coefficients()
        a, b = (self._weights(s, k) for k, s in enumerate((x, y)))
        total: Scalar = 0.0
        for weight, row in zip(a, C.tolist(), strict=True):
            line: Scalar = 0.0
            for w, c in zip(b, row, strict=True):
                line = line + w * c
            total = total + weight * line
        return total

    def _weights(self, s: Scalar, axis: int) -> list[Scalar]:
        """The B-splines of all grid lines at a place along an axis; cubic ones have a line more on each side."""
        number = np.shape(self.heights)[axis]
        u = clip((s - self.origin[axis]) * (1.0 / self.spacing), 0.0, number - 1.0)
        if self.smooth == "linear":
            ramps = [1.0, *(_ramp(u - float(k)) for k in range(number - 1)), 0.0]
            return [left - right for left, right in pairwise(ramps)]
        found = []
        for k in range(-1, number + 1):
            t = absolute(u - float(k))
            far, near = _positive(2.0 - t), _positive(1.0 - t)
            found.append((far * far * far - 4.0 * (near * near * near)) * (1.0 / 6.0))
        return found

    def _coefficients(self) -> Any:
        """The weights of the B-splines with which the surface passes through all heights."""
        H = np.array(self.heights)
        if self.smooth == "linear":
            return H
        return _spline(H.shape[0]) @ H @ _spline(H.shape[1]).T


def _spline(n: int) -> Any:
    """From n heights on a line to the n + 2 weights of cubic B-splines, with no slope at both ends."""
    A = np.zeros((n + 2, n + 2))
    for k in range(n):
        A[k + 1, k : k + 3] = (1 / 6, 4 / 6, 1 / 6)
    A[0, [0, 2]] = A[-1, [-3, -1]] = (-1.0, 1.0)
    return np.linalg.solve(A, np.eye(n + 2)[:, 1:-1])


def _positive(x: Scalar) -> Scalar:
    return where(x > 0.0, x, 0.0)


def _ramp(x: Scalar) -> Scalar:
    """x between 0 and 1. Where two ramps meet, only the next one has a slope: on a grid line it is that beyond it."""
    return where(x < 0.0, 0.0, where(x < 1.0, x, 1.0))


def _matrix(heights: Any) -> Any:
    array = real_numbers("the heights of a grid", heights).astype(float)
    if array.ndim != 2 or min(array.shape) < 2:
        raise ModelError(f"the heights of a grid must be at least 2 rows of 2 numbers, not of shape {array.shape}")
    if array.size > MOST:
        raise ModelError(
            f"a grid may have at most {MOST} points, not {array.size} ({array.shape[0]} x {array.shape[1]}): give a "
            "coarser one, or a formula as a function h(x, y)"
        )
    if not np.isfinite(array).all():
        raise ModelError("the heights of a grid must be finite")
    return array
