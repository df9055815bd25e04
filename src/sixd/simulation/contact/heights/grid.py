"""Measured heights on a regular grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.errors import ModelError
from sixd.given import choice, finite
from sixd.ops import Scalar, Tabulated, floor, pick
from sixd.process.forks import cached_property
from sixd.runtime.arguments import real_numbers
from sixd.simulation.contact.checks import within
from sixd.simulation.contact.heights.height import Height, clip, register

__all__ = ["Grid"]

#: The largest number of grid points. Machine code has a copy of them, in memory and on disk: 8 MB.
MOST = 1 << 20
#: The largest height, m: differences of heights must be finite.
HIGHEST = 1e100


@register
@dataclass(frozen=True)
class Grid(Height):
    """Heights, m, at the points origin + spacing (i, j) of a regular grid: ``heights[i][j]``, i along x and j along y.

    ``smooth`` is "linear", continuous with kinks at the lines of the grid, or "cubic", which has continuous curvature
    (a cubic spline, with no slope across the edges). Both pass through all heights. Beyond its edges the height is that
    of the nearest edge. Compiled code looks up the four points around a place, or sixteen for "cubic", so that its time
    hardly depends on the size of the grid. There may be 1,048,576 points, as in a grid of 1024 by 1024.
    """

    name = "grid"
    #: Frozen once given; ``heights.array`` is the array.
    heights: Tabulated
    spacing: float
    origin: tuple[float, float] = (0.0, 0.0)
    smooth: str = "linear"

    def __init__(
        self,
        heights: ArrayLike | Tabulated,
        spacing: float,
        origin: Sequence[float] = (0.0, 0.0),
        smooth: str = "linear",
    ) -> None:
        for what, value in (
            ("heights", Tabulated(_matrix(heights))),
            ("spacing", within(spacing, "the spacing of a grid", 1e-100, 1e100)),
            ("origin", finite(origin, "the origin of a grid", 2)),
            ("smooth", choice(smooth, "smooth", ("linear", "cubic"))),
        ):
            object.__setattr__(self, what, value)

    def __call__(self, x: Scalar, y: Scalar) -> Scalar:
        (i, t), (j, s) = (self._cell(z, axis) for axis, z in enumerate((x, y)))
        columns = self._table.array.shape[1]
        corner = i * float(columns) + j

        def lines() -> Iterator[list[Scalar]]:
            """The numbers of the table around the place, row by row."""
            width = 2 if self.smooth == "linear" else 4
            for row in range(width):
                yield [pick(self._table, corner + float(row * columns + k)) for k in range(width)]

        blend = _line if self.smooth == "linear" else _spline
        return blend(t, [blend(s, line) for line in lines()])

    def _cell(self, z: Scalar, axis: int) -> tuple[Scalar, Scalar]:
        """The number of the grid line at a place along an axis or before it, and how far it is to the next, 0 to 1."""
        last = self.heights.array.shape[axis] - 1.0
        u = clip((z - self.origin[axis]) * (1.0 / self.spacing), 0.0, last)
        k = floor(u)
        return k, u - k

    @cached_property
    def _table(self) -> Tabulated:
        """The heights, or the weights of cubic B-splines that pass through them, with those of the lines beyond edges.

        One line follows the last one, for places on that. B-splines have a line before the first, too.
        """
        H = self.heights.array
        if self.smooth == "linear":
            return Tabulated(np.pad(H, (0, 1), mode="edge"))
        return Tabulated(_spline_weights(_spline_weights(H).T).T)


def _line(t: Scalar, around: Sequence[Scalar]) -> Scalar:
    """A line through two numbers, at a place between them."""
    a, b = around
    return a + t * (b - a)


def _spline(t: Scalar, around: Sequence[Scalar]) -> Scalar:
    """A cubic spline with four weights, at a place between the second and the third."""
    a, b, c, d = around
    # (a + 4 b + c) / 6 + t (c - a) / 2 + t^2 (a - 2 b + c) / 2 + t^3 (d - 3 c + 3 b - a) / 6 in differences, which
    # vanish where the ground is level
    p, q, r = b - a, c - b, d - c
    bend = q - p
    return b + ((1.0 / 6.0) * bend + t * (0.5 * (p + q) + t * (0.5 * bend + (1.0 / 6.0) * t * (r - q - bend))))


def _spline_weights(H: NDArray[np.float64]) -> NDArray[np.float64]:
    """From rows of heights to one row before and two after: (w[k-1] + 4 w[k] + w[k+1]) / 6 = H[k], no slope at ends.

    The difference d = w - H from the heights is solved for, which vanishes where they have no curvature. With w[-1] =
    w[1] and w[n] = w[n-2], as slopes demand, the equations are tridiagonal.
    """
    bent = np.pad(H, ((1, 1), (0, 0)), mode="reflect")
    d = -(bent[:-2] - 2.0 * H + bent[2:])
    n = len(H)
    above = np.empty(n)  # d[k] + above[k] d[k + 1] = (what d[k] is now)
    for k in range(n):
        before = 2.0 if k == n - 1 else 1.0
        pivot = 4.0 - before * (above[k - 1] if k else 0.0)
        above[k] = (2.0 if k == 0 else 1.0) / pivot
        d[k] = (d[k] - (before * d[k - 1] if k else 0.0)) / pivot
    for k in range(n - 2, -1, -1):
        d[k] -= above[k] * d[k + 1]
    return np.pad(np.pad(H + d, ((1, 1), (0, 0)), mode="reflect"), ((0, 1), (0, 0)), mode="edge")


def _matrix(heights: Any) -> Any:
    given = heights.array if isinstance(heights, Tabulated) else heights
    array = real_numbers("the heights of a grid", given).astype(float)
    if array.ndim != 2 or min(array.shape) < 2:
        raise ModelError(f"the heights of a grid must be at least 2 rows of 2 numbers, not of shape {array.shape}")
    if array.size > MOST:
        raise ModelError(
            f"a grid may have at most {MOST:,} points, not {array.size:,} ({array.shape[0]} x {array.shape[1]}): give "
            "a coarser one, or the part of it that the robot moves on"
        )
    if not np.isfinite(array).all():
        raise ModelError("the heights of a grid must be finite")
    if np.abs(array).max() > HIGHEST:
        raise ModelError(f"the heights of a grid must be within {HIGHEST:g} m, not {np.abs(array).max():g}")
    return array
