"""Constraints within the articulated-body recursion: the same solution as by the Schur complement, in O(N)."""

import numpy as np
import pytest

import sixd
from sixd import Coupling, Distance, Loop, Prescribed, algorithms
from sixd.algorithms.articulated_loops import ArticulatedLoops
from sixd.algorithms.schur_complement import SchurComplement
from sixd.compiler.request import Request, without_methods
from sixd.compiler.unrolled import record_unrolled
from sixd.joints import Revolute
from sixd.model import ModelTree
from sixd.model.random import random_tree
from tests.constraints.ladder import ladder
from tests.constraints.states import largest
from tests.laws.trees import tree


def both(model, q):
    """The two factorisations at a position."""
    walked = ModelTree(without_methods(model))
    at = walked.positions(q)
    L, H = algorithms.constraint_jacobian(walked, at).rows, algorithms.crba(walked, at).rows
    tolerances = [1e-10] * len(L)
    return ArticulatedLoops(walked, at, L, tolerances), SchurComplement(H, L, tolerances, walked.model.dof_parent)


def tied(seed):
    """A random tree of every joint type, with loops that share bodies, a rod, a gear, and a joint that is led."""
    robot, rng = sixd.Robot.of(random_tree(14, seed, rotors=True)), np.random.default_rng(seed)
    names = [body.name for body in robot.bodies[1:]]
    ends = [tuple(rng.choice(names, size=2, replace=False)) for _ in range(3)]
    single = [j.name for j in robot.joints if j.type.nv == 1 and j.type.nq == 1]
    more = [Coupling({single[0]: 2.0, single[-1]: -3.0}), Prescribed(single[1])] if len(single) > 2 else []
    loops = [
        Loop(*ends[0], Revolute("z")),
        Loop(*ends[1], "point"),
        Distance(*ends[2], 0.5),
        Loop("base", names[-1], "point"),
    ]
    return robot.close(*loops, *more), robot.random(rng)


@pytest.mark.parametrize("seed", range(12))
def test_loops_that_share_bodies_gears_and_led_joints(seed):
    closed, q = tied(seed)
    rng = np.random.default_rng(seed)
    L, H = closed.constraint_jacobian(q), closed.tree.mass_matrix(q)
    u, c = rng.normal(size=closed.nv), L @ rng.normal(size=closed.nv)  # rows may depend on others, but not contradict
    articulated, schur = both(closed, q)
    x, multipliers = articulated.solve(c, u)
    size = np.abs(H @ x).max() + np.abs(L.T @ multipliers).max()
    assert np.abs(H @ x - u - L.T @ multipliers).max() < 1e-12 * size
    assert np.abs(L @ x - c).max() < 1e-11 * np.abs(x).max() * np.abs(L).max()
    s = np.linalg.svd(L @ np.linalg.solve(H, L.T), compute_uv=False)
    rank = int((s > 1e-10 * s[0]).sum())
    assert articulated.rank == schur.rank == rank
    conditioning = s[0] / s[rank - 1]
    assert largest(np.array(x), np.array(schur.solve(c, u).x)) < 1e-14 * conditioning
    assert largest(np.array(articulated.solve(c).x), np.array(schur.solve(c).x)) < 1e-14 * conditioning


@pytest.mark.parametrize("joint", ["revolute", "point"])
def test_a_chain_of_loops(joint):
    closed, q = ladder(6, joint)
    rng = np.random.default_rng(1)
    q, qd = closed.project(closed.integrate(q, rng.uniform(-0.1, 0.1, size=closed.nv)), rng.normal(size=closed.nv))
    tau = rng.normal(size=closed.nv)
    qdd, found = closed.forward_dynamics(q, qd, tau), closed.constraint_forces(q, qd, tau)
    L, H, C = closed.constraint_jacobian(q), closed.tree.mass_matrix(q), closed.tree.bias_forces(q, qd)
    assert largest(H @ qdd + C, tau + L.T @ found.multipliers) < 1e-11
    assert np.abs(L @ qdd - closed.constraint_bias(q, qd)).max() < 1e-11 * np.abs(qdd).max()
    assert found.rank == 2 * 6
    assert closed.mobility(q).redundant == ({f"pin {k}": 3 if joint == "revolute" else 1 for k in range(6)})


def test_operations_grow_with_the_number_of_loops_only():
    def operations(n):
        request = Request(algorithms.constrained_forward_dynamics, without_methods(ladder(n, "point")[0]), {}, {})
        return record_unrolled(request).operations

    ten, twenty, forty = operations(10), operations(20), operations(40)
    assert forty - twenty == pytest.approx(2 * (twenty - ten), rel=0.01)


def test_mimic_joints_are_left_to_the_schur_complement():
    robot = tree("mimic joints")
    closed = robot.close(Loop("base", robot.bodies[-1].name, "point"))
    q, still = robot.random(0), np.zeros(robot.nv)
    assert np.isfinite(closed.forward_dynamics(q, still, still)).all()
    with pytest.raises(sixd.SixdError, match="mimic joints have no articulated-body recursion"):
        closed.forward_dynamics(q, still, still, method="articulated")
