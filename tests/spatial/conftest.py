"""Random spatial quantities of every kind of number, so that each law runs on all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

from sixd.spatial import ArticulatedInertia, Force, Forces, Inertia, Matrix, Motion, Motions, Transform, Vector


class Numbers:
    """Random values of one kind of number, and the comparison that suits its precision."""

    tolerance = 1e-13

    def __init__(self) -> None:
        self.rng = np.random.default_rng(20100)

    def scalar(self) -> Any:
        return float(self.rng.normal())

    def positive(self) -> Any:
        return self.scalar() ** 2 + 0.1

    def vector(self, n: int = 3) -> Vector:
        return Vector(self.scalar() for _ in range(n))

    def matrix(self, n: int = 3, m: int = 3) -> Matrix:
        return Matrix([self.scalar() for _ in range(m)] for _ in range(n))

    def spd(self, n: int = 3) -> Matrix:
        A = self.matrix(n, n)
        return A @ A.T + Matrix.identity(n)

    def motion(self) -> Motion:
        return Motion(self.vector(), self.vector())

    def force(self) -> Force:
        return Force(self.vector(), self.vector())

    def motions(self, n: int) -> Motions:
        return Motions(self.motion() for _ in range(n))

    def forces(self, n: int) -> Forces:
        return Forces(self.force() for _ in range(n))

    def transform(self) -> Transform:
        return Transform.from_quaternion(self.vector(4), self.vector())

    def inertia(self) -> Inertia:
        return Inertia.from_mass_com(self.positive(), self.vector(), self.spd())

    def articulated(self) -> ArticulatedInertia:
        return ArticulatedInertia.from_matrix(self.spd(6))

    def dense(self, x: Any) -> Any:
        """Any quantity as an array: vectors (..., 6), operators (..., 6, 6), scalars (...)."""
        if isinstance(x, Transform | Inertia | ArticulatedInertia):
            x = x.matrix()
        return x.array() if hasattr(x, "array") else np.asarray(x)

    def apply(self, matrix: Any, vector: Any) -> Any:
        """matrix @ vector with samples in front."""
        return (self.dense(matrix) @ self.dense(vector)[..., None])[..., 0]

    def assert_close(self, a: Any, b: Any, factor: float = 1.0) -> None:
        """|a - b| <= tolerance max(1, |b|), in the largest entry."""
        a, b = self.dense(a), self.dense(b)
        scale = max(1.0, float(np.max(np.abs(b))))
        assert float(np.max(np.abs(a - b))) <= factor * self.tolerance * scale


class Batch(Numbers):
    def scalar(self) -> Any:
        return self.rng.normal(size=(2, 3))


class MpMath(Numbers):
    tolerance = 1e-46

    def scalar(self) -> Any:
        return mpmath.mpf(int(self.rng.integers(-(2**62), 2**62))) / 2**61 + mpmath.pi / 2**70

    def exponential(self, matrix: Any) -> Any:
        """The matrix exponential, an array of mpmath numbers; independent of sixd.lie."""
        return np.array(mpmath.expm(mpmath.matrix(matrix.tolist()), method="taylor").tolist(), dtype=object)

    def derivative(self, function: Callable[[Any], Any], t: Any = 0) -> Any:
        """d/dt of an array-valued function, by differences of fourth order: about thirty digits are right."""
        h = mpmath.mpf(10) ** -10
        return (8 * (function(t + h) - function(t - h)) - (function(t + 2 * h) - function(t - 2 * h))) / (12 * h)


@pytest.fixture(params=[Numbers, Batch, MpMath], ids=["float", "batch", "mpmath"])
def numbers(request: pytest.FixtureRequest) -> Iterator[Numbers]:
    """One kind of number after the other."""
    with mpmath.workdps(50):
        yield request.param()


@pytest.fixture
def exact() -> Iterator[MpMath]:
    """Numbers of fifty digits, for derivatives by differences."""
    with mpmath.workdps(50):
        yield MpMath()
