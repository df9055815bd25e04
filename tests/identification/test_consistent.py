"""Bodies that can exist, and least squares among them."""

import numpy as np
import pytest

from sixd.identification.consistent import _E, consistent_least_squares, is_consistent, pseudo_inertia
from sixd.spatial import Inertia


def of_points(mass, r):
    """The inertia of some point masses."""
    points = [
        Inertia.from_mass_com(float(m), tuple(map(float, x)), np.zeros((3, 3))) for m, x in zip(mass, r, strict=True)
    ]
    return np.array(sum(points[1:], points[0]).components(), dtype=float)


def test_pseudo_inertia_is_the_second_moment_of_mass():
    rng = np.random.default_rng(0)
    mass, r = rng.uniform(0.1, 1.0, 7), rng.normal(size=(7, 3))
    wanted = sum(m * np.outer([*x, 1.0], [*x, 1.0]) for m, x in zip(mass, r, strict=True))
    np.testing.assert_allclose(pseudo_inertia(of_points(mass, r)), wanted, rtol=1e-13)


def test_what_can_exist():
    rng = np.random.default_rng(1)
    assert is_consistent(of_points(rng.uniform(0.1, 1.0, 7), rng.normal(size=(7, 3))))
    assert not is_consistent(of_points([1.0], [(0.1, 0.2, 0.3)]))  # a point has no density
    assert not is_consistent(np.array([1.0, 0, 0, 0, 1.0, 0, 0, 1.0, 0, 2.1]))  # the triangle inequality
    assert not is_consistent(np.array([1.0, 2.0, 0, 0, 1.0, 0, 0, 1.0, 0, 1.0]))  # the centre of mass is too far out


@pytest.mark.parametrize("seed", range(5))
def test_the_minimum_is_one(seed):
    """The gradient of 1/2 |A p - z|^2 + w sum D vanishes, where few equations leave most parameters open."""
    rng, w = np.random.default_rng(seed), 0.01
    start = np.concatenate([of_points(rng.uniform(0.1, 1.0, 6), rng.normal(size=(6, 3))) for _ in range(2)])
    start = np.append(start, 0.5)
    A = rng.normal(size=(8, 21)) * 30.0
    z = A @ start + rng.normal(size=8) * 20.0
    p = consistent_least_squares(A, z, start, 2, w)
    by_data, by_D = A.T @ (A @ p - z), np.zeros(21)
    for own in (slice(0, 10), slice(10, 20)):
        P, P0 = pseudo_inertia(p[own]), pseudo_inertia(start[own])
        by_D[own] = [np.trace((np.linalg.inv(P0) - np.linalg.inv(P)) @ E) for E in _E]
        assert is_consistent(p[own])
    by_D[20] = 1.0 / start[20] - 1.0 / p[20]
    assert p[20] > 0.0
    np.testing.assert_allclose(by_data + w * by_D, 0.0, atol=1e-5 * np.abs(w * by_D).max())


def test_equations_that_no_body_meets():
    """The mass should be negative: it becomes small."""
    start = of_points([1.0, 1.0, 1.0, 1.0], [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, -1)])
    A = np.zeros((1, 10))
    A[0, 0] = 100.0
    p = consistent_least_squares(A, np.array([-500.0]), start, 1, 0.01)
    assert 0.0 < p[0] < 1e-3
    assert is_consistent(p)
