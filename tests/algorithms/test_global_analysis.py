"""FO00 section 3.5: the equations of a whole tree as one matrix equation in 6N dimensions, in world coordinates.

What the recursive algorithms compute body by body must solve the big sparse systems that these matrices make.
"""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.linalg import block_diag, null_space

from sixd import Robot, algorithms
from sixd.model import ModelTree
from sixd.model.random import random_tree


class System(NamedTuple):
    """A tree in a random state, stacked: 6N x 6N inertias I, 6N x n joint axes H, the incidence matrix P, ..."""

    robot: Robot
    q: np.ndarray
    qd: np.ndarray
    I: np.ndarray
    P: np.ndarray
    H: np.ndarray
    #: (dH/dt) qd, 6N.
    Hd_qd: np.ndarray
    #: v x* I v, 6N.
    gyroscopic: np.ndarray
    #: I a_g, 6N.
    weight: np.ndarray
    #: Bases of the forces that each joint can transmit without doing work, 6N x (6N - n).
    constraints: np.ndarray

    @property
    def S(self):
        """P^-1 H: bodies' motions per joint rate."""
        return np.linalg.solve(self.P, self.H)

    @property
    def T(self):
        """P^T diag(T_i): constraint forces on the bodies, since what acts on a body acts back on its parent."""
        return self.P.T @ self.constraints

    @property
    def a0(self):
        return np.linalg.solve(self.P, self.Hd_qd)

    def to_world(self, vectors):
        """Vectors by body, in body coordinates, as one vector of 6N world coordinates."""
        X = algorithms.forward_kinematics(self.robot, self.q)
        return np.concatenate([(X[i].inv @ m).array() for i, m in enumerate(vectors) if i])


@pytest.fixture(params=range(6))
def system(request):
    rng = np.random.default_rng(request.param)
    robot = Robot.of(random_tree(6, rng, branching=request.param / 5))
    q, qd = robot.random(rng), rng.normal(size=robot.nv)
    view, N = ModelTree(robot), robot.n_bodies
    Q, V = view.positions(q), view.velocities(qd)
    X, v = algorithms.forward_kinematics(robot, q), algorithms.velocities(robot, q, qd)
    P = np.eye(6 * N)
    axes, rates, inertias, gyroscopic, weight = [], [], [], [], []
    for i, p in view.outward():
        if p:
            P[6 * i - 6 : 6 * i, 6 * p - 6 : 6 * p] = -np.eye(6)
        joint = view.joint(i)
        s, vi, I = X[i].inv @ joint.subspace(Q[i]), X[i].inv @ v[i], X[i].inv @ view.inertia(i)
        axes.append(s.array())
        rates.append((vi.cross(s @ V[i]) + X[i].inv @ joint.bias(Q[i], V[i])).array())
        inertias.append(I.matrix().array())
        gyroscopic.append(I.bias_force(vi).array())
        weight.append((I @ robot.gravity_acceleration).array())
    return System(
        robot,
        q,
        qd,
        block_diag(*inertias),
        P,
        block_diag(*axes),
        *(np.concatenate(x) for x in (rates, gyroscopic, weight)),
        block_diag(*(null_space(s.T) for s in axes)),
    )


def close(found, wanted, tolerance=1e-11):
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def active_forces(system, tau):
    """Forces on the bodies that gravity and motors make: any joint force with S^T f = tau will do."""
    return system.weight + system.P.T @ (system.H @ np.linalg.solve(system.H.T @ system.H, tau))


def test_accelerations_of_all_bodies_at_once(system):
    """FO00 (24), (29): P a = H qdd + (dH/dt) qd, so a = a_0 + S qdd."""
    qdd = np.random.default_rng(9).normal(size=system.robot.nv)
    a = system.to_world(algorithms.accelerations(system.robot, system.q, system.qd, qdd))
    close(system.P @ a, system.H @ qdd + system.Hd_qd)
    close(system.a0 + system.S @ qdd, a)


def test_stacked_axes_are_the_jacobians(system):
    """FO00 (24): the rows of S = P^-1 H that belong to a body are its Jacobian in world coordinates."""
    for i in range(1, system.robot.n_bodies + 1):
        close(system.S[6 * i - 6 : 6 * i], algorithms.jacobian(system.robot, system.q, i, expressed_in="world"))


def test_equation_of_motion_of_all_bodies_at_once(system):
    """FO00 (23), (25): f = I a + v x I v, where f sums what joints and gravity exert on each body."""
    qdd = np.random.default_rng(8).normal(size=system.robot.nv)
    a = system.to_world(algorithms.accelerations(system.robot, system.q, system.qd, qdd))
    joints = system.to_world(algorithms.joint_forces(system.robot, system.q, system.qd, qdd))
    close(system.P.T @ joints + system.weight, system.I @ a + system.gyroscopic)


def test_mass_matrix_by_the_newton_euler_factorization(system):
    """FO00 after (29): M = H^T P^-T I P^-1 H."""
    close(system.S.T @ system.I @ system.S, algorithms.crba(system.robot, system.q))


def test_projected_equation_of_motion(system):
    """FO00 (26): S^T I S qdd = S^T (f_a - I a_0 - v x I v) has the accelerations of forward dynamics."""
    tau = np.random.default_rng(7).normal(size=system.robot.nv)
    S, f_a = system.S, active_forces(system, tau)
    qdd = np.linalg.solve(S.T @ system.I @ S, S.T @ (f_a - system.I @ system.a0 - system.gyroscopic))
    close(qdd, algorithms.aba(system.robot, system.q, system.qd, tau), 1e-9)


def test_forces_that_do_no_work_are_orthogonal_to_motions(system):
    """FO00 before (27): T^T S = 0, and together they span all of 6N dimensions."""
    close(system.T.T @ system.S, np.zeros((system.T.shape[1], system.robot.nv)))
    assert system.T.shape[1] + system.robot.nv == 6 * system.robot.n_bodies


def test_accelerations_and_constraint_forces_from_one_system(system):
    """FO00 (27): [I, T; T^T, 0] (a, -beta) = (f_a - v x I v, T^T a_0) has the answer of the recursive algorithms."""
    tau = np.random.default_rng(6).normal(size=system.robot.nv)
    T, f_a = system.T, active_forces(system, tau)
    k = T.shape[1]
    matrix = np.block([[system.I, T], [T.T, np.zeros((k, k))]])
    solution = np.linalg.solve(matrix, np.concatenate([f_a - system.gyroscopic, T.T @ system.a0]))
    a, beta = solution[: -k or None], -solution[len(solution) - k :]
    qdd = algorithms.aba(system.robot, system.q, system.qd, tau)
    close(a, system.to_world(algorithms.accelerations(system.robot, system.q, system.qd, qdd)), 1e-9)
    joints = system.to_world(algorithms.joint_forces(system.robot, system.q, system.qd, qdd))
    close(f_a + T @ beta, system.P.T @ joints + system.weight, 1e-9)


def test_constraint_forces_alone(system):
    """FO00 (28): T^T I^-1 T beta = T^T a_0 - T^T I^-1 (f_a - v x I v), the starting point of O(log N) algorithms."""
    tau = np.random.default_rng(5).normal(size=system.robot.nv)
    T, f_a = system.T, active_forces(system, tau)
    inverse = np.linalg.inv(system.I)
    beta = np.linalg.solve(T.T @ inverse @ T, T.T @ system.a0 - T.T @ inverse @ (f_a - system.gyroscopic))
    a = inverse @ (f_a + T @ beta - system.gyroscopic)
    qdd = algorithms.aba(system.robot, system.q, system.qd, tau)
    close(a, system.to_world(algorithms.accelerations(system.robot, system.q, system.qd, qdd)), 1e-9)


def test_a_uniform_field_is_an_acceleration_of_the_base(system):
    """FO00 after (5): adding -g to a_0 acts like the weight of every body."""
    still = np.zeros(system.robot.nv)
    close(-system.S.T @ system.weight, algorithms.rnea(system.robot, system.q, still, still))
