"""Reference values of many digits, independent of the formulas under test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

from sixd.spatial import Motion, Vector

EPSILON = 2.0**-52


class Reference:
    """Matrix exponentials and Jacobians as power series of matrices, and distances in units of the last place."""

    def vector(self, values: Iterable[Any]) -> Any:
        return np.array([mpmath.mpf(x) for x in values], dtype=object)

    def skew(self, r: Iterable[Any]) -> Any:
        x, y, z = self.vector(r)
        return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)

    def hat(self, m: Motion) -> Any:
        """The 4x4 matrix [[w], v; 0, 0] of a motion, PBP95 section 2.1."""
        matrix = np.zeros((4, 4), dtype=object)
        matrix[:3, :3], matrix[:3, 3] = self.skew(m.ang), self.vector(m.lin)
        return matrix

    def ad(self, m: Motion) -> Any:
        matrix = np.zeros((6, 6), dtype=object)
        matrix[:3, :3] = matrix[3:, 3:] = self.skew(m.ang)
        matrix[3:, :3] = self.skew(m.lin)
        return matrix

    def exp(self, matrix: Any) -> Any:
        return np.array(mpmath.expm(mpmath.matrix(matrix.tolist()), method="taylor").tolist(), dtype=object)

    def jacobian(self, matrix: Any) -> Any:
        """sum_k matrix^k / (k+1)!, read from the exponential of [matrix, 1; 0, 0]."""
        n = len(matrix)
        block = np.zeros((2 * n, 2 * n), dtype=object)
        block[:n, :n], block[:n, n:] = matrix, np.eye(n, dtype=object)
        return self.exp(block)[:n, n:]

    def inverse(self, matrix: Any) -> Any:
        return np.array((mpmath.matrix(matrix.tolist()) ** -1).tolist(), dtype=object)

    def ulps(self, found: Any, expected: Any, scale: float | None = None) -> float:
        """The largest error in units of 2^-52 of the largest entry."""
        found, expected = np.asarray(found, dtype=object).ravel(), np.asarray(expected, dtype=object).ravel()
        error = max(abs(mpmath.mpf(a) - b) for a, b in zip(found, expected, strict=True))
        scale = max(abs(x) for x in expected) if scale is None else scale
        return float(error / scale / EPSILON) if error else 0.0


@pytest.fixture
def reference() -> Iterator[Reference]:
    with mpmath.workdps(70):
        yield Reference()


#: Angles where the formulas change or are in danger, up to half a turn and beyond.
SHORT = [0.0, 1e-300, 1e-160, 1e-30, 1e-8, 1e-4, 0.0624, 0.0626, 0.5, 1.0, 2.0, 3.0, math.pi - 1e-9, math.pi]
LONG = [3.99, 4.01, 5.0, 10.0]


def rotation_vectors(angle: float) -> list[Vector]:
    """Along an axis, in a plane, and two general ones."""
    axes = [[0.0, 0.0, 1.0], [0.6, -0.8, 0.0], [2 / 3, -1 / 3, 2 / 3], [-0.1, 0.7, math.sqrt(0.5)]]
    return [Vector(float(angle * x) for x in axis) for axis in axes]


@pytest.fixture(params=SHORT + LONG, ids=lambda angle: f"{angle:.10g}")
def angle(request: pytest.FixtureRequest) -> float:
    return request.param


@pytest.fixture
def turns(angle: float) -> list[Vector]:
    """Rotation vectors of that angle."""
    return rotation_vectors(angle)


@pytest.fixture(params=SHORT, ids=lambda angle: f"{angle:.10g}")
def short_turns(request: pytest.FixtureRequest) -> list[Vector]:
    """Rotation vectors of at most half a turn, where log is the inverse of exp."""
    return rotation_vectors(request.param)
