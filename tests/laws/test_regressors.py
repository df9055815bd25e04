"""Regressors times the inertial parameters are what the algorithms compute, on random trees of every joint type."""

from dataclasses import replace

import numpy as np
import pytest

from sixd import Robot, algorithms
from sixd.joints import Free, Spherical
from sixd.model import ModelTree
from sixd.spatial import Vector
from sixd.testing import derivative
from tests.laws.test_trees import close, moved
from tests.laws.trees import TREES, states, tree

pytestmark = pytest.mark.parametrize("kind", TREES)


def bare(kind) -> Robot:
    """The tree without rotors, which are no part of the inertial parameters."""
    robot = tree(kind)
    bodies = [b if b.joint is None else replace(b, joint=replace(b.joint, rotor_inertia=())) for b in robot.body_list]
    return replace(robot, body_list=tuple(bodies))


def bracket(robot, x, y):
    """[x, y] in the velocities of the joints: zero where qd is dq/dt, else that of se(3) or so(3)."""
    found = np.zeros_like(x)
    for joint in robot.joints:
        if isinstance(joint.type, Free | Spherical):
            S = joint.type.subspace(joint.type.neutral())
            for k in range(len(x)):
                u, v = (S @ Vector(numbers[k, joint.v].tolist()) for numbers in (x, y))
                product = u.cross(v).array()
                found[k, joint.v] = product if isinstance(joint.type, Free) else product[:3]
    return found


def test_torques(kind):
    """F10b (9)-(13): tau = Y p, and the rotors."""
    robot = bare(kind)
    q, qd, qdd = states(robot)
    Y = robot.regressor(q, qd, qdd)
    assert Y.shape == (3, robot.nv, 10 * robot.n_bodies)
    close(Y @ robot.inertial_parameters, robot.inverse_dynamics(q, qd, qdd))
    with_rotors = tree(kind)
    rotors = (with_rotors.mass_matrix(q) - robot.mass_matrix(q)) @ qdd[..., None]
    close(
        with_rotors.regressor(q, qd, qdd) @ robot.inertial_parameters + rotors[..., 0],
        with_rotors.inverse_dynamics(q, qd, qdd),
    )


def test_a_body_loads_only_the_joints_that_carry_it(kind):
    robot = tree(kind)
    Y = robot.regressor(*states(robot)).reshape(3, robot.nv, robot.n_bodies, 10)
    for b in range(1, robot.n_bodies + 1):
        carrying = {k for j in robot.path(b) if j for k in range(robot.nv)[robot.coordinates[j].v]}
        others = [k for k in range(robot.nv) if k not in carrying]
        assert not Y[:, others, b - 1].any()


def test_energies(kind):
    """F10b (39), PBP95 (58)."""
    robot = bare(kind)
    q, qd, _ = states(robot)
    T, U = (robot.energy_regressor(q, qd) @ robot.inertial_parameters).T
    close(T, robot.kinetic_energy(q, qd))
    close(U, robot.potential_energy(q))


def test_momentum(kind):
    """F10a (23)."""
    robot = tree(kind)
    q, qd, _ = states(robot)
    close(robot.momentum_regressor(q, qd) @ robot.inertial_parameters, robot.momentum(q, qd))


def test_slotine_li_is_the_torque_regressor_along_the_motion_itself(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot)
    close(robot.slotine_li_regressor(q, qd, qd, qdd), robot.regressor(q, qd, qdd))


def test_slotine_li_has_the_christoffel_symbols(kind):
    """PBP95 (29), (52): C(x) y is half of c(x + y) - c(x) - c(y), where c(x) = C(x) x; and half of H [x, y]."""
    robot = bare(kind)
    q, qd, qdd = states(robot)
    qd_r = np.random.default_rng(7).normal(size=qd.shape)
    H, g = robot.mass_matrix(q), robot.gravity_forces(q)

    def c(x):
        return robot.bias_forces(q, x) - g

    C_qd_r = 0.5 * (c(qd + qd_r) - c(qd) - c(qd_r) + (H @ bracket(robot, qd, qd_r)[..., None])[..., 0])
    wanted = (H @ qdd[..., None])[..., 0] + C_qd_r + g
    close(robot.slotine_li_regressor(q, qd, qd_r, qdd) @ robot.inertial_parameters, wanted)


def test_slotine_li_makes_a_skew_matrix(kind):
    """dH/dt = C + C^T."""
    robot = bare(kind)
    q, qd, _ = (x[0] for x in states(robot))
    unit, p = np.eye(robot.nv), robot.inertial_parameters
    C = (robot.slotine_li_regressor(q, qd, unit, np.zeros(robot.nv)) @ p - robot.gravity_forces(q)).T
    close(C + C.T, derivative(lambda h: algorithms.crba(ModelTree(robot), moved(robot, q, qd, h)).rows))


def test_parameters_and_back(kind):
    robot = tree(kind)
    p = robot.inertial_parameters
    assert robot.with_inertial_parameters(p) == robot
    q, qd, _ = states(robot)
    heavier = robot.with_inertial_parameters(1.5 * p)
    close(heavier.momentum(q, qd), 1.5 * robot.momentum(q, qd))
    with pytest.raises(ValueError):
        p[0] = 3.0
