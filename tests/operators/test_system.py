"""FO00 (23)-(29) by operators, on random trees of every joint type, against the recursive algorithms."""

import numpy as np
import pytest

from sixd import algorithms
from sixd.operators import (
    ForceStack,
    Identity,
    Innovations,
    MotionStack,
    System,
    inverse_dynamics_operators,
    inverse_mass_matrix_innovations,
    mass_matrix_operators,
)
from sixd.spatial import Force
from tests.laws.trees import ALL, KINDS, states, tree

TREES = [*KINDS]


def close(found, wanted, tolerance=1e-12):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max(initial=0.0) <= tolerance * max(1.0, np.abs(wanted).max(initial=0.0))


def dense(operator):
    return operator.matrix().array()


def at(kind):
    """A tree in a state, and its system."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    return robot, q, qd, qdd, System.of(robot, q, qd)


def fallen(robot, q, qd, qdd):
    """The accelerations of the bodies in their coordinates, relative to free fall."""
    X, a = algorithms.forward_kinematics(robot, q), algorithms.accelerations(robot, q, qd, qdd)
    return MotionStack(a[i] - X[i] @ robot.gravity_acceleration for i in range(1, robot.n_bodies + 1))


def external(robot):
    return np.random.default_rng(3).normal(size=(robot.n_bodies, 6))


@pytest.mark.parametrize("kind", TREES)
def test_accelerations_of_all_bodies(kind):
    """FO00 (24), (29): P a = H qdd + (dH/dt) qd where nothing falls, so a = a_0 + S qdd."""
    robot, q, qd, qdd, system = at(kind)
    rates, a = system.joints(qdd), fallen(robot, q, qd, qdd)
    close(system.accelerations(rates).array(), a.array())
    close((system.a0 + system.S @ rates).array(), a.array())
    plain = MotionStack(algorithms.accelerations(robot, q, qd, qdd)[1:])
    close((system.P @ plain).array(), (system.H @ rates + system.Hd_qd).array())


@pytest.mark.parametrize("kind", TREES)
def test_rows_of_S_are_the_jacobians(kind):
    """FO00 (24): S = P^-1 H has the Jacobians of the bodies, in their coordinates."""
    robot, q, _, _, system = at(kind)
    S = dense(system.S)
    for i in range(1, robot.n_bodies + 1):
        close(S[6 * i - 6 : 6 * i], algorithms.jacobian(robot, q, i, expressed_in="body"))


@pytest.mark.parametrize("kind", TREES)
def test_forces_on_all_bodies(kind):
    """FO00 (23), (25): P^T joint forces + external ones = I a + v x I v, and H^T of them is tau less rotors."""
    robot, q, qd, qdd, system = at(kind)
    f = external(robot)
    given = ForceStack(Force.from_array(x) for x in f)
    found = system.joint_forces(fallen(robot, q, qd, qdd), given)
    close(found.array(), np.ravel(algorithms.joint_forces(robot, q, qd, qdd, f)[1:]))
    sums = (system.P.T @ found + given).array()
    close(sums, system.forces(fallen(robot, q, qd, qdd)).array())
    tau = algorithms.rnea(robot, q, qd, qdd, f)
    close((system.H.T @ found + system.R @ system.joints(qdd)).array(), tau)
    others = found - system.V @ system.joints(tau)  # what joints transmit beside the force of their motors
    close((system.H.T @ others).array(), -(system.R @ system.joints(qdd)).array(), 1e-11)
    close((system.active(system.joints(tau), given) + system.P.T @ others).array(), sums, 1e-11)


@pytest.mark.parametrize("kind", TREES)
def test_projected_equation_of_motion(kind):
    """FO00 (26): (S^T I S + R) qdd = S^T (f_a - I a_0 - v x I v)."""
    robot, q, qd, qdd, system = at(kind)
    f = external(robot)
    tau = algorithms.rnea(robot, q, qd, qdd, f)
    right = system.projected(system.active(system.joints(tau), ForceStack(Force.from_array(x) for x in f)))
    close(right.array(), algorithms.crba(robot, q) @ qdd, 1e-11)


@pytest.mark.parametrize("kind", TREES)
def test_newton_euler_factorization(kind):
    """FO00 after (29): M = H^T P^-T I P^-1 H, with the rotors of the joints."""
    robot, q, _, _, s = at(kind)
    H = algorithms.crba(robot, q)
    close(dense(s.M), H)
    factors = [dense(x) for x in (s.H.T, s.P.T.inv, s.I, s.P.inv, s.H)]
    close(np.linalg.multi_dot(factors) + dense(s.R), H)


@pytest.mark.parametrize("kind", ALL)
def test_algorithms(kind):
    """The same as algorithms, also for coupled joints."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    f = external(robot)
    close(mass_matrix_operators(robot, q), algorithms.crba(robot, q))
    close(inverse_mass_matrix_innovations(robot, q), algorithms.inverse_mass_matrix(robot, q), 1e-11)
    close(inverse_dynamics_operators(robot, q, qd, qdd, f), algorithms.rnea(robot, q, qd, qdd, f))


@pytest.mark.parametrize("kind", TREES)
def test_constraint_forces_do_no_work(kind):
    """FO00 before (27): T^T S = 0, and both together span 6N dimensions."""
    robot, _, _, _, system = at(kind)
    T, S = dense(system.T), dense(system.S)
    assert T.shape[1] + S.shape[1] == 6 * robot.n_bodies
    close(T.T @ S, np.zeros((T.shape[1], S.shape[1])))
    assert np.linalg.matrix_rank(T) == T.shape[1]
    basis = dense(system.joint_constraints)
    close(basis.T @ basis, np.eye(T.shape[1]))
    close(dense(system.V).T @ dense(system.H), np.eye(robot.nv))


@pytest.mark.parametrize("kind", TREES)
def test_innovations_factorization(kind):
    """Rodriguez, Jain, Kreutz-Delgado: M = (1 + H^T P^-T K) D (1 + H^T P^-T K)^T, and the inverses of the factors."""
    robot, q, _, _, system = at(kind)
    found = Innovations.of(system)
    H = algorithms.crba(robot, q)
    close(dense(found.M), H)
    close(dense(found.A.T), dense(system.P.T) + dense(found.K) @ dense(system.H.T))
    close(dense(found.factor) @ dense(found.inverse_factor), np.eye(robot.nv), 1e-11)
    close(dense(found.Minv), algorithms.inverse_mass_matrix(robot, q), 1e-11)
    close(dense(found.D) @ dense(found.Dinv), np.eye(robot.nv))


@pytest.mark.parametrize("kind", TREES)
def test_the_articulated_inertias_obey_their_equation(kind):
    """I^A - I = (1 - P)^T (1 - G H^T) I^A (1 - P), the Riccati equation of the factorisation."""
    _, _, _, _, system = at(kind)
    found = Innovations.of(system)
    IA, E = dense(found.articulated), np.eye(6 * len(system.X)) - dense(system.P)
    G, H = dense(found.G), dense(system.H)
    close(IA, dense(system.I) + E.T @ (np.eye(len(E)) - G @ H.T) @ IA @ E)


def test_operators_and_their_matrices():
    """Products, sums, transposes and inverses of operators are those of their matrices."""
    *_, s = at("two bodies")
    rng = np.random.default_rng(0)
    m, f = (space.of(rng.normal(size=space.dimension)) for space in (s.P.domain, s.P.domain.dual))
    close(dense(s.P.inv), np.linalg.inv(dense(s.P)))
    close(dense(s.P.T), dense(s.P).T)
    close(dense(s.P.T.inv), np.linalg.inv(dense(s.P)).T)
    close(dense(s.P.inv.T), np.linalg.inv(dense(s.P)).T)
    close(dense(s.I.inv), np.linalg.inv(dense(s.I)), 1e-11)
    close(dense(s.I @ s.P - s.P.T.T.T @ s.I), dense(s.I) @ dense(s.P) - dense(s.P).T @ dense(s.I))
    close(dense((s.I @ s.P).inv), np.linalg.inv(dense(s.I) @ dense(s.P)), 1e-11)
    close(dense((s.I @ s.P).T.inv), np.linalg.inv(dense(s.I) @ dense(s.P)).T, 1e-11)
    close(dense(-s.P), -dense(s.P))
    close(dense((-s.P).inv.T), -np.linalg.inv(dense(s.P)).T)
    assert s.P.T.T is s.P
    assert s.P.inv.inv is s.P
    close((s.P @ m).dot(f), m.dot(s.P.T @ f))
    one = Identity(s.P.domain)
    close(dense(one.inv @ one.T.T + one), 2.0 * np.eye(one.domain.dimension))
    close(dense(one.T.inv), np.eye(one.domain.dimension))
    close(dense(one.inv.T), np.eye(one.domain.dimension))
