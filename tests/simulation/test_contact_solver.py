"""The solver of contact impulses, against a QP solver and against the laws themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixd.simulation.contact.solver import solve, solve_normal
from sixd.simulation.forces.element import Resistance
from tests.simulation.bodies import FEET, quadruped

Array = Any


def problems(n: int = 40) -> tuple[Array, Array]:
    """A and b of a quadruped that hits the ground with its four feet, n times."""
    robot, stand, _ = quadruped("anymal")
    rng = np.random.default_rng(0)
    dv = np.concatenate([0.1 * rng.normal(size=(n, 6)), 0.3 * rng.normal(size=(n, 12))], axis=-1)
    q, qd = robot.integrate(np.tile(stand, (n, 1)), dv), 0.3 * rng.normal(size=(n, robot.nv))
    J = np.concatenate([robot.jacobian(q, foot, expressed_in="aligned")[:, 3:] for foot in FEET["anymal"]], axis=1)
    A = J @ robot.inverse_mass_matrix(q) @ np.swapaxes(J, 1, 2)
    b = (J @ qd[:, :, None])[:, :, 0]
    b[:, 2::3] -= 0.5
    return A, b


def solved(
    A: Array, b: Array, friction: float, sweeps: int, bounds: Array | None = None, threshold: float = 0.0
) -> Array:
    """The impulses of all problems: the solver runs on arrays of samples."""
    n = b.shape[-1]
    rows, numbers = [[A[:, r, c] for c in range(n)] for r in range(n)], [b[:, r] for r in range(n)]
    limits = [] if bounds is None else [Resistance(bound, threshold) for bound in bounds.T]
    p = solve(rows, numbers, friction, limits, [np.zeros(len(b))] * n, sweeps)
    return np.stack(np.broadcast_arrays(*p), axis=-1)


def minimized(A: Array, b: Array, lower: Array, upper: Array) -> Array:
    """The p between bounds with the least p^T A p / 2 + b^T p, by an active-set method."""
    import daqp

    none = np.zeros((0, len(b)))
    found, _, status, _ = daqp.solve(A, b, none, upper, lower, np.zeros(len(b), dtype=np.int32))
    assert status == 1
    return found


def test_frictionless_contact_is_a_quadratic_program() -> None:
    A, b = problems()
    normal = np.arange(2, 12, 3)
    found = solved(A, b, 0.0, 300)[:, normal]
    alone = solve_normal([[A[:, r, c] for c in normal] for r in normal], [b[:, r] for r in normal], 300)
    for k in range(len(b)):
        N, c = np.ascontiguousarray(A[k][np.ix_(normal, normal)]), np.ascontiguousarray(b[k, normal])
        exact = minimized(N, c, np.zeros(4), np.full(4, 1e30))
        assert np.allclose(found[k], exact, atol=1e-12)
        assert np.allclose([x[k] for x in alone], exact, atol=1e-12)


def test_joint_friction_is_a_quadratic_program() -> None:
    """With no site in the way, dry friction has bounds that do not depend on other impulses."""
    rng, (A, b) = np.random.default_rng(1), problems()
    bounds = rng.uniform(0.0, 0.3, size=b.shape)
    found = solved(A, b, 0.5, 2000, bounds)
    for k in range(len(b)):
        assert np.allclose(found[k], minimized(A[k], b[k], -bounds[k], bounds[k]), atol=1e-11)


@pytest.mark.parametrize("threshold", [1e-6, 1e-2, 1.0])
def test_smooth_joint_friction_obeys_its_law(threshold: float) -> None:
    """p = -bound v / sqrt(v^2 + e^2), for joints that hardly move and for those that slip."""
    rng, (A, b) = np.random.default_rng(1), problems()
    bounds = rng.uniform(0.0, 0.3, size=b.shape)
    bounds[:, 0] = 0.0
    p = solved(A, b, 0.5, 500, bounds, threshold)
    v = (A @ p[..., None])[..., 0] + b
    np.testing.assert_allclose(p, -bounds * v / np.hypot(v, threshold), atol=1e-10)
    slow = np.abs(v) < 10 * threshold
    assert slow.any()
    assert threshold == 1.0 or not slow.all()


@pytest.mark.parametrize("friction", [0.1, 0.4, 0.8, 1.2])
def test_laws_of_coulomb(friction: float) -> None:
    """Complementarity along the normal, the round cone, and slip against friction, each to rounding."""
    A, b = problems()
    p = solved(A, b, friction, 1000).reshape(-1, 4, 3)
    v = ((A @ p.reshape(-1, 12, 1))[..., 0] + b).reshape(-1, 4, 3)
    push, speed = p[..., 2], v[..., 2]
    assert push.min() >= 0.0
    assert speed.min() >= -1e-11
    assert abs(push * speed).max() < 1e-11
    hold, slip = np.linalg.norm(p[..., :2], axis=-1), np.linalg.norm(v[..., :2], axis=-1)
    assert (hold - friction * push).max() < 1e-12
    assert (slip * (friction * push - hold)).max() < 1e-11  # slips only with full friction
    power = (p[..., :2] * v[..., :2]).sum(axis=-1)
    assert np.allclose(power, -hold * slip, atol=1e-11)  # against the slip: the most power that friction can take
    sliding = (slip > 1e-6) & (push > 1e-6)
    holding = (slip < 1e-9) & (push > 1e-6)
    assert sliding.sum() > 10
    assert friction < 0.4 or holding.sum() > 10


def test_more_sweeps_are_more_exact() -> None:
    A, b = problems()
    exact = solved(A, b, 0.6, 2000)
    errors = [np.median(abs(solved(A, b, 0.6, sweeps) - exact).max(axis=-1)) for sweeps in (5, 10, 20, 40)]
    assert errors[1] < 2e-2 * abs(exact).max()
    assert errors[3] < 1e-3 * errors[1] < 1e-4 * errors[0] * 1e2


def test_a_block_that_cannot_move_in_one_direction() -> None:
    """A planar mechanism: its sites have no motion across the plane, and no impulse there."""
    A = np.zeros((1, 3, 3))
    A[0] = [[2.0, 0.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.0, 1.0]]
    p = solved(A, np.array([[0.1, 0.0, -1.0]]), 0.9, 50)[0]
    assert p[1] == 0.0
    assert np.allclose((A[0] @ p)[[0, 2]], [-0.1, 1.0], atol=1e-12)
