"""Loops in forward dynamics by constraint forces and by pieces, against the equations of motion with multipliers."""

import numpy as np
import pytest

import sixd
from sixd import Robot, SixdError, Transform, algorithms
from sixd.gallery import chain
from sixd.joints import Cylindrical, Prismatic, Revolute, Spherical, Universal
from sixd.model.random import random_tree
from sixd.operators import (
    Assembly,
    constraint_force_algorithm,
    divide_and_conquer,
    forward_dynamics_constraint_forces,
)
from sixd.operators.mechanism import ClosingJoint

WAYS = (divide_and_conquer, constraint_force_algorithm, forward_dynamics_constraint_forces)
AT = Transform.rotation((0.6, 0.0, 0.8), 0.7) @ Transform.translation((0.1, -0.2, 0.3))


def complement(S):
    """An orthonormal basis of the forces that do no work on S, 6 x (6 - n), by NumPy."""
    return np.linalg.svd(S)[0][:, S.shape[1] :] if S.size else np.eye(6)


def constraint(robot, q, qd, loop):
    """L and c of L qdd = c, for one closing joint, in NumPy."""
    s, p = loop.successor, loop.predecessor
    X = algorithms.forward_kinematics(robot, q)
    X_sp = (X[s] @ X[p].inv).matrix().array()
    J = algorithms.jacobian(robot, q, s) - (X_sp @ algorithms.jacobian(robot, q, p) if p else 0.0)
    v, a = (f(robot, q, qd) for f in (algorithms.velocities, algorithms.bias_accelerations))
    relative = sixd.Motion.from_array(v[s].array() - X_sp @ v[p].array())
    bias = a[s].array() - X_sp @ a[p].array() - v[s].cross(relative).array()
    own = np.zeros((6, 0)) if loop.joint is None else loop.joint.subspace(loop.joint.neutral()).array()
    T = complement(np.linalg.solve(loop.at.matrix().array(), own)) if own.size else np.eye(6)
    return T.T @ J, -T.T @ bias


def by_multipliers(robot, q, qd, tau, f, loops):
    """qdd from FO00 (20): [M, L^T; L, 0] (qdd, -lambda) = (tau - C, c)."""
    rows, right = zip(*(constraint(robot, q, qd, loop) for loop in loops), strict=True)
    L, c = np.vstack(rows), np.concatenate(right)
    assert np.linalg.matrix_rank(L) == len(L)
    zero = np.zeros((len(L), len(L)))
    matrix = np.block([[algorithms.crba(robot, q), L.T], [L, zero]])
    return np.linalg.solve(matrix, [*(tau - algorithms.bias_forces(robot, q, qd, f)), *c])[: robot.nv]


def made(n, branching, kinds, **more):
    return Robot.of(random_tree(n, 7, joints=kinds, branching=branching, **more))


BALLS = ("spherical", "free", "cylindrical")
CASES = {
    "a chain with both ends on the base": (chain(9), [ClosingJoint(0, 9, Spherical(), AT)]),
    "a chain welded to the base": (made(8, 0.0, ("revolute",), rotors=True), [ClosingJoint(0, 8, None, AT)]),
    "a ring that hangs from a chain": (made(9, 0.0, BALLS), [ClosingJoint(2, 9, Revolute((0, 1, 0)), AT)]),
    "neighbours": (made(3, 0.0, ("free",)), [ClosingJoint(2, 3, Prismatic((0, 0, 1)), AT)]),
    "two loops in a tree": (
        made(9, 0.6, BALLS, rotors=True),
        [ClosingJoint(3, 9, Cylindrical((1, 0, 0))), ClosingJoint(0, 7, Spherical(), AT)],
    ),
    "two arms that hold each other": (
        made(8, 1.0, BALLS),
        [ClosingJoint(4, 8, None, AT), ClosingJoint(5, 6, Revolute(), AT)],
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_accelerations(way, case):
    robot, loops = CASES[case]
    rng = np.random.default_rng(1)
    q, (qd, tau), f = robot.random(rng), rng.normal(size=(2, robot.nv)), rng.normal(size=(robot.n_bodies, 6))
    wanted = by_multipliers(robot, q, qd, tau, f, loops)
    found = way(robot, q, qd, tau, f, loops=loops)
    assert np.abs(found - wanted).max() <= 1e-10 * np.abs(wanted).max()
    assert np.abs(found - robot.forward_dynamics(q, qd, tau)).max() > 1e-3 * np.abs(wanted).max()


@pytest.mark.parametrize("way", WAYS[:2], ids=[way.__name__ for way in WAYS[:2]])
def test_compiled_with_a_loop(way):
    robot, loops = CASES["neighbours"]
    rng = np.random.default_rng(1)
    q, (qd, tau) = robot.random(rng, 3), rng.normal(size=(2, 3, robot.nv))
    kernel = sixd.compile(way, robot, loops=tuple(loops))
    wanted = [by_multipliers(robot, *state, None, loops) for state in zip(q, qd, tau, strict=True)]
    np.testing.assert_allclose(kernel(q, qd, tau), wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
@pytest.mark.parametrize("name", ["stewart_platform", "standing_quadruped"])
def test_closed_robots(way, name):
    m = sixd.mechanisms.MECHANISMS[name]()
    rng = np.random.default_rng(0)
    qd, tau = rng.normal(size=(2, m.robot.nv))
    qd = m.robot.project(m.q, qd)[1]
    wanted = algorithms.constrained_forward_dynamics(m.robot, m.q, qd, tau)
    found = way(m.robot, m.q, qd, tau)
    assert np.abs(found - wanted).max() <= 1e-9 * np.abs(wanted).max()
    opened = way(m.robot.tree, m.q, qd, tau, loops=list(m.robot.constraint_list))
    assert np.array_equal(found, opened)


def test_loops_seen_from_either_side():
    robot = chain(9).with_frame("anchor", on="base", xyz=(1, 0, 0)).with_frame("end", on="link9", xyz=(0, 0, -0.5))
    rng = np.random.default_rng(0)
    q = robot.close(sixd.Loop("anchor", "end", "point")).assemble(robot.random(rng))
    state = q, np.zeros(9), rng.normal(size=9)
    found = [
        divide_and_conquer(robot.close(sixd.Loop(*ends, "point")), *state)
        for ends in (("anchor", "end"), ("end", "anchor"))
    ]
    np.testing.assert_allclose(*found, rtol=1e-9)


def test_constraints_of_other_kinds_are_refused():
    grasp = sixd.mechanisms.two_handed_grasp()
    state = grasp.q, *np.zeros((2, grasp.robot.nv))
    with pytest.raises(SixdError, match=r"sixd\.Loop here, not constraint .* a grasp"):
        divide_and_conquer(grasp.robot, *state)
    held = chain(9).close(sixd.Loop("base", "link9", "point", stabilisation=2.0))
    with pytest.raises(SixdError, match="has a stabilisation, which is not known here"):
        divide_and_conquer(held, *np.zeros((3, 9)))


def test_a_chain_with_both_ends_on_the_base_is_as_shallow():
    """The loop is one more joint of the last round."""
    assert Assembly.of(chain(64)).depth == 7
    assert Assembly.of(chain(64), [ClosingJoint(0, 64, Spherical())]).depth == 8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: ClosingJoint(1, 1), "two bodies"),
        (lambda: ClosingJoint(1, 0), "second of which is not the base"),
        (lambda: ClosingJoint(0.5, 1), "by their numbers"),
        (lambda: ClosingJoint(-1, 1), "by their numbers"),
        (lambda: ClosingJoint(0, 1, "revolute"), r"sixd\.joints"),
        (lambda: ClosingJoint(0, 1, Universal()), "universal joint cannot close a loop"),
        (lambda: ClosingJoint(0, 1, None, np.eye(4)), "Transform"),
        (lambda: divide_and_conquer(chain(2), *np.zeros((3, 2)), loops=[ClosingJoint(0, 3)]), "the bodies 0 to 2"),
        (lambda: divide_and_conquer(chain(2), *np.zeros((3, 2)), loops=ClosingJoint(0, 1)), "list of sixd.Loop"),
        (lambda: divide_and_conquer(chain(2), *np.zeros((3, 2)), loops=[1]), "each loop is a sixd.Loop"),
    ],
)
def test_wrong_loops(wrong, message):
    with pytest.raises(SixdError, match=message):
        wrong()


def test_mimic_joints_are_no_part_of_loops():
    from tests.laws.trees import coupled

    robot = coupled()
    state = robot.neutral(), *np.zeros((2, robot.nv))
    with pytest.raises(SixdError, match="mimic"):
        divide_and_conquer(robot, *state, loops=[ClosingJoint(0, 6)])
