"""Forward dynamics by FO00 (26), (27), (28) and in O(log N) steps, against the recursive algorithms."""

import mpmath
import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.gallery import chain
from sixd.ir import interpret
from sixd.model import ModelTree
from sixd.operators import (
    Assembly,
    ConstraintForceSystem,
    SparseSystem,
    System,
    constraint_force_algorithm,
    divide_and_conquer,
    forward_dynamics_constraint_forces,
    forward_dynamics_innovations,
    forward_dynamics_sparse,
)
from sixd.operators.mechanism import mechanism, motion
from sixd.operators.scan import scanned_motion
from sixd.testing import derivative, precise
from sixd.testing.precise import DIGITS
from tests.algorithms.calls import robot as small_tree
from tests.laws.trees import ALL, KINDS, states, tree

WAYS = (
    forward_dynamics_innovations,
    forward_dynamics_sparse,
    forward_dynamics_constraint_forces,
    divide_and_conquer,
    constraint_force_algorithm,
)
NAMES = [way.__name__ for way in WAYS]
TREES = [*KINDS]


def close(found, wanted, tolerance):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def mechanism_of(robot, q, qd, tau, f=None):
    """The mechanism of a robot in a state."""
    view = ModelTree(robot)
    state = view.positions(q), view.velocities(qd), view.velocities(tau), view.forces(f)
    return mechanism(view, *state, motion(view, *state[:2]), ())


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_forward_after_inverse_is_the_identity(way, kind):
    """With external forces, rotors, every joint type, and coupled joints; a batch at once."""
    robot = tree(kind)
    q, qd, qdd = states(robot)
    f = np.random.default_rng(4).normal(size=(3, robot.n_bodies, 6))
    tau = algorithms.rnea(robot, q, qd, qdd, f)
    close(way(robot, q, qd, tau, f), qdd, 1e-11)


@pytest.mark.parametrize("kind", TREES)
def test_accelerations_and_constraint_forces_from_one_sparse_system(kind):
    """FO00 (27): its matrix is [I, T; T^T, 0]; the tips to the base are a perfect elimination order."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    tau = algorithms.rnea(robot, q, qd, qdd)
    view, global_ = ModelTree(robot), System.of(robot, q, qd)
    subspaces = [view.joint(i).subspace(view.positions(q)[i]) for i in range(1, robot.n_bodies + 1)]
    sparse = SparseSystem(mechanism_of(robot, q, qd, tau), subspaces)
    a, constraint, filled = sparse.solve()
    assert filled == 0
    close([x.array() for x in a[1:]], np.reshape(global_.accelerations(global_.joints(qdd)).array(), (-1, 6)), 1e-11)
    joints = algorithms.joint_forces(robot, q, qd, qdd)[1:]
    rotors = global_.joints(tau) - global_.R @ global_.joints(qdd)
    active = np.reshape((global_.V @ rotors).array(), (-1, 6))
    close([x.array() for x in constraint[1:]] + active, joints, 1e-11)
    I, P, T, V, R = (x.matrix().array() for x in (global_.I, global_.P, global_.T, global_.V, global_.R))
    k, places = T.shape[1], iter(range(6 * robot.n_bodies, 6 * robot.n_bodies + T.shape[1]))
    whole = np.block([[I + P.T @ V @ R @ V.T @ P, T], [T.T, np.zeros((k, k))]])
    order = []  # the unknowns of a body next to each other
    for i, size in enumerate(global_.joint_constraints.domain.sizes):
        order += [*range(6 * i, 6 * i + 6), *(next(places) for _ in range(size))]
    close(sparse.system.matrix().array(), whole[np.ix_(order, order)], 1e-13)


@pytest.mark.parametrize("kind", [kind for kind in TREES if not KINDS[kind].get("rotors")])
def test_constraint_forces_alone(kind):
    """FO00 (28): the matrix is T^T I^-1 T where there are no rotors; from the tips to the base nothing is filled in."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    tau = algorithms.rnea(robot, q, qd, qdd)
    system, forces = System.of(robot, q, qd), ConstraintForceSystem(mechanism_of(robot, q, qd, tau))
    T = system.T.matrix().array()
    if T.shape[1]:
        close(forces.system.matrix().array(), T.T @ np.linalg.solve(system.I.matrix().array(), T), 1e-11)
    found = forces.solve(forces.inward)
    assert found.filled == 0
    joints = algorithms.joint_forces(robot, q, qd, qdd)[1:]
    close([found.forces[i + 1].array() for i in range(robot.n_bodies)], joints, 1e-10)


@pytest.mark.parametrize("rotors", [False, True])
def test_constraint_forces_of_a_chain_are_tridiagonal(rotors):
    """FO00 after (28): blocks couple a joint with the one before and after it. Odd-even elimination adds some."""
    robot = sixd.Robot.of(sixd.model.random.random_tree(16, 3, branching=0.0, joints=["revolute"], rotors=rotors))
    rng = np.random.default_rng(0)
    system = ConstraintForceSystem(mechanism_of(robot, robot.random(rng), *rng.normal(size=(2, robot.nv))))
    assert all(abs(i - j) <= 1 for i, j in system.system.blocks)
    assert {len(b) for b in system.system.rhs.values()} == {7 if rotors else 5}
    inward, oddeven = system.solve(system.inward), system.solve(Assembly.of(robot).order)
    assert inward.filled == 0
    assert oddeven.filled == 16 - 1 - 4
    close([x.array() for x in oddeven.accelerations], [x.array() for x in inward.accelerations], 1e-11)


@pytest.mark.parametrize("kind", TREES)
def test_velocities_by_pieces(kind):
    robot = tree(kind)
    q, qd, _ = (x[0] for x in states(robot, 1))
    view = ModelTree(robot)
    found = scanned_motion(view, view.positions(q), view.velocities(qd), Assembly.of(robot))
    X, v = algorithms.forward_kinematics(robot, q), algorithms.velocities(robot, q, qd)
    for i in range(1, robot.n_bodies + 1):
        close(found.v[i].array(), v[i].array(), 1e-13)
        close(found.X_0[i].pose(), X[i].pose(), 1e-13)


def program(way, robot):
    return record_unrolled(Request(way, robot, {}, {}))


def numbers(way):
    """Operations, and the longest chain of them, for chains of 8, 16 and 32 bodies."""
    programs = [program(way, chain(n)) for n in (8, 16, 32)]
    return [p.operations for p in programs], [p.depth for p in programs]


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_operations_and_depth_against_the_number_of_bodies(way):
    """All take O(N) operations. The depth grows by the same from 8 to 16 as from 16 to 32 if it is O(log N)."""
    operations, depth = numbers(way)
    assert (operations[2] - operations[1]) / (operations[1] - operations[0]) == pytest.approx(2.0, abs=0.25)
    growth = (depth[2] - depth[1]) / (depth[1] - depth[0])
    logarithmic = way in (divide_and_conquer, constraint_force_algorithm)
    assert growth == pytest.approx(1.0 if logarithmic else 2.0, abs=0.25)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_compiled(way):
    robot = small_tree()
    rng = np.random.default_rng(2)
    q, (qd, tau) = robot.random(rng, 5), rng.normal(size=(2, 5, robot.nv))
    kernel = sixd.compile(way, robot)
    close(kernel(q, qd, tau), robot.forward_dynamics(q, qd, tau), 1e-11)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_derivatives(way):
    """The derivative by q of what is recorded, against differences in 60 digits of the articulated-body algorithm."""
    robot = small_tree()
    rng = np.random.default_rng(2)
    q, (qd, tau), along = robot.random(rng), rng.normal(size=(2, robot.nv)), rng.normal(size=robot.nq)

    def moved(h):
        there = [x + h * float(a) for x, a in zip(precise(q), along, strict=True)]
        return list(algorithms.aba(robot, there, precise(qd), precise(tau)))

    (found,) = interpret(
        record_unrolled(Request(sixd.jvp(way, "q"), robot, {"tangent": (robot.nq,)}, {})), q, qd, tau, along
    )
    close(found, derivative(moved), 1e-10)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_bodies_without_inertia(way):
    """The first link of the Puma has inertia about one axis only: what needs an inverse says so, the others work."""
    robot = sixd.gallery.puma560()
    rng = np.random.default_rng(1)
    q, (qd, tau) = robot.random(rng), rng.normal(size=(2, robot.nv))
    if way in (forward_dynamics_innovations, forward_dynamics_sparse):
        close(way(robot, q, qd, tau), robot.forward_dynamics(q, qd, tau), 1e-11)
    else:
        with pytest.raises(sixd.ModelError, match=r"'link1'.*has no inverse"):
            way(robot, q, qd, tau)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_other_numbers(way):
    """Numbers of mpmath go in and come out. What depends on the robot alone stays in floats, so 16 digits agree."""
    robot = small_tree()
    rng = np.random.default_rng(3)
    with mpmath.workdps(DIGITS):
        q, qd, tau = (precise(x) for x in (robot.random(rng), *rng.normal(size=(2, robot.nv))))
        found, wanted = way(robot, q, qd, tau), algorithms.aba(robot, q, qd, tau)
    assert all(isinstance(x, mpmath.mpf) for x in found)
    close(found.astype(float), wanted.astype(float), 1e-12)


@pytest.mark.parametrize("parameters", ["inertia", "rotor"])
@pytest.mark.parametrize("way", WAYS[2:4], ids=NAMES[2:4])
def test_numbers_of_the_robot_by_sample(way, parameters):
    """Inertias and rotors may be inputs: then no one can look whether they are zero."""
    robot = sixd.Robot.of(sixd.model.random.random_tree(2, 1, joints=["revolute", "spherical"]))
    rng = np.random.default_rng(3)
    state = robot.random(rng), *rng.normal(size=(2, robot.nv))
    numbers = sixd.parameters(robot, parameters) + 0.1 * rng.uniform(size=sixd.parameters(robot, parameters).shape)
    found = sixd.compile(way, robot, parameters=parameters)(*state, numbers)
    close(found, sixd.compile(algorithms.aba, robot, parameters=parameters)(*state, numbers), 1e-10)
