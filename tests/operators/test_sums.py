"""The sums of F10b (18)-(42) as printed, against the recursive algorithms, on random trees of every joint type."""

import numpy as np
import pytest

from sixd import algorithms
from sixd.operators import (
    acceleration_over_path,
    kinetic_energy_over_bodies,
    kinetic_energy_over_pairs,
    mass_matrix_over_subtrees,
    velocity_over_joints,
    velocity_over_path,
    velocity_product_acceleration,
)
from tests.laws.trees import ALL, states, tree


def close(found, wanted, tolerance=1e-12):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def at(kind):
    robot = tree(kind)
    return robot, *(x[0] for x in states(robot, 1))


@pytest.mark.parametrize("kind", ALL)
def test_velocities(kind):
    """F10b (18), (19)."""
    robot, q, qd, _ = at(kind)
    X, v = algorithms.forward_kinematics(robot, q), algorithms.velocities(robot, q, qd)
    for b in range(robot.n_bodies + 1):
        close((X[b] @ velocity_over_path(robot, q, qd, b)).array(), v[b].array())
        close((X[b] @ velocity_over_joints(robot, q, qd, b)).array(), v[b].array())


@pytest.mark.parametrize("kind", ALL)
def test_accelerations(kind):
    """F10b (28)-(30)."""
    robot, q, qd, qdd = at(kind)
    X, a = algorithms.forward_kinematics(robot, q), algorithms.accelerations(robot, q, qd, qdd)
    products = algorithms.bias_accelerations(robot, q, qd)
    for b in range(robot.n_bodies + 1):
        close((X[b] @ acceleration_over_path(robot, q, qd, qdd, b)).array(), a[b].array())
        close((X[b] @ velocity_product_acceleration(robot, q, qd, b)).array(), products[b].array())


@pytest.mark.parametrize("kind", ALL)
def test_kinetic_energy(kind):
    """F10b (40), (41)."""
    robot, q, qd, _ = at(kind)
    T = algorithms.kinetic_energy(robot, q, qd)
    close(kinetic_energy_over_bodies(robot, q, qd), T)
    close(kinetic_energy_over_pairs(robot, q, qd), T)


@pytest.mark.parametrize("kind", ALL)
def test_mass_matrix(kind):
    """F10b (42)."""
    robot, q, _, _ = at(kind)
    close(mass_matrix_over_subtrees(robot, q), algorithms.crba(robot, q))
