"""The equations of motion of closed robots in independent coordinates."""

from functools import cache

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.mechanisms import MECHANISMS
from tests.constraints.mechanisms import four_bar
from tests.constraints.states import largest


@cache
def states(name, n=8):
    m = MECHANISMS[name]()
    rng = np.random.default_rng(3)
    moved = m.robot.tree.integrate(m.q, rng.uniform(-0.05, 0.05, size=(n, m.robot.nv)))
    q, qd = m.robot.project(moved, rng.normal(size=(n, m.robot.nv)))
    return m, q, qd, rng.normal(size=(n, m.robot.nv))


def reduced(m, q, qd):
    """Compiled if that takes a moment, else by the algorithm on arrays."""
    if m.robot.nv <= 7:
        return m.robot.reduced_dynamics(q, qd, independent=m.independent)
    free = m.robot._independent(m.independent)
    return algorithms.constrained_reduced_dynamics(m.robot, q, qd, independent=free)


@pytest.mark.parametrize("name", MECHANISMS)
def test_they_give_the_motion_that_forward_dynamics_gives(name):
    m, q, qd, tau = states(name)
    H, C, g, G, drift = reduced(m, q, qd)
    qdd = algorithms.constrained_forward_dynamics(m.robot, q, qd, tau)
    free = list(m.robot._independent(m.independent))
    GT = np.swapaxes(G, -1, -2)
    y = np.linalg.solve(H, ((GT @ tau[..., None])[..., 0] - C - g)[..., None])[..., 0]
    assert largest(y, qdd[:, free]) < 1e-10
    assert largest((G @ y[..., None])[..., 0] + drift, qdd) < 1e-10
    assert largest((G @ qd[:, free, None])[..., 0], qd) < 1e-10


@pytest.mark.parametrize("name", MECHANISMS)
def test_energy_and_power_are_those_of_the_tree(name):
    m, q, qd, _ = states(name)
    tree, rng = m.robot.tree, np.random.default_rng(0)
    H, C, g, G, drift = reduced(m, q, qd)
    assert largest(H, np.swapaxes(G, -1, -2) @ tree.mass_matrix(q) @ G) < 1e-10
    np.testing.assert_allclose(m.robot.constraint_jacobian(q) @ G, 0.0, rtol=0, atol=1e-10 * np.abs(G).max())
    y, y2 = qd[:, list(m.robot._independent(m.independent))], rng.normal(size=C.shape)
    energy = 0.5 * np.einsum("bi,bij,bj->b", y, H, y)
    assert largest(energy, tree.kinetic_energy(q, qd)) < 1e-10
    # the rate of the kinetic energy, and the power of gravity, along any motion that keeps the constraints
    qdd = (G @ y2[..., None])[..., 0] + drift
    power = np.einsum("bi,bi->b", qd, tree.with_gravity((0, 0, 0)).inverse_dynamics(q, qd, qdd))
    assert largest(np.einsum("bi,bi->b", y, (H @ y2[..., None])[..., 0] + C), power) < 1e-10
    weight = np.einsum("bi,bi->b", qd, tree.gravity_forces(q))
    np.testing.assert_allclose(np.einsum("bi,bi->b", y, g), weight, rtol=0, atol=1e-10 * np.abs(weight).max())


def test_prescribed_motions_and_coordinates_by_number():
    closed, q = four_bar()
    driven = closed.tree.close(*closed.constraint_list, sixd.Prescribed("crank_joint", name="drive"))
    arm = sixd.gallery.seven_axis_arm().close(sixd.Prescribed("joint2", name="drive"))
    q, rng = arm.random(0), np.random.default_rng(0)
    q[1] = 0.3
    targets, qd = {"drive": [0.3, 0.7, 2.0]}, rng.normal(size=7)
    qd[1] = 0.7
    tau = rng.normal(size=7)
    found = arm.reduced_dynamics(q, qd, targets=targets, independent=[0, 2, 3, 4, 5, 6])
    y = np.linalg.solve(found.H, found.G.T @ tau - found.C - found.g)
    np.testing.assert_allclose(found.G @ y + found.drift, arm.forward_dynamics(q, qd, tau, targets=targets), rtol=1e-10)
    assert np.isclose(found.drift[1], 2.0, rtol=1e-14)
    with pytest.raises(sixd.SixdError, match="no freedom is left"):
        driven.reduced_dynamics(four_bar()[1], np.zeros(3))
    for wrong in ([7, 0, 1, 2, 3, 4], [0.5], None.__class__):
        with pytest.raises(sixd.SixdError, match=r"independent (must be|names)"):
            arm.reduced_dynamics(q, qd, independent=wrong)
