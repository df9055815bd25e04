"""Forward dynamics of closed robots: the laws, on mechanisms and on random trees closed by every joint type."""

import numpy as np
import pytest

import sixd
from sixd import Builder, Loop, algorithms
from sixd.joints import Revolute
from sixd.robot.closed import dynamics, lapack
from tests.constraints.closing import LOOP_JOINTS, closed_by
from tests.constraints.mechanisms import MECHANISMS, bricard, four_bar, standing
from tests.constraints.states import consistent, largest

EVERY = pytest.mark.parametrize("name", MECHANISMS)


def times(A, x):
    return (A @ x[..., None])[..., 0]


@EVERY
def test_the_equations_of_motion_hold(name):
    closed, q, qd, tau = consistent(name)
    qdd, found = closed.forward_dynamics(q, qd, tau), closed.constraint_forces(q, qd, tau)
    L, H, C = closed.constraint_jacobian(q), closed.tree.mass_matrix(q), closed.tree.bias_forces(q, qd)
    pulled = times(np.swapaxes(L, -1, -2), found.multipliers)
    assert largest(times(H, qdd) + C, tau + pulled) < 1e-10
    assert largest(times(L, qdd), closed.constraint_bias(q, qd)) < 1e-10
    power = (pulled * qd).sum(axis=-1)
    assert np.abs(power).max() < 1e-9 * np.abs(pulled).max()
    assert (found.rank == closed.mobility(q[0]).rank).all()


@EVERY
def test_the_methods_agree(name):
    closed, q, qd, tau = consistent(name)
    qdd = closed.forward_dynamics(q, qd, tau)
    for method in (algorithms.constrained_forward_dynamics_kkt, algorithms.constrained_forward_dynamics_nullspace):
        assert largest(method(closed, q, qd, tau), qdd) < 1e-10
    for method in ("embedding", "articulated"):
        assert largest(closed.forward_dynamics(q, qd, tau, method=method), qdd) < 1e-10
    e = closed._dense(q, qd, tau, {})
    for method in lapack.METHODS.values():
        assert largest(method(e), qdd) < 1e-10
    assert largest(lapack.by_embedding(e, closed.independent()), qdd) < 1e-10


@pytest.mark.parametrize("joint", LOOP_JOINTS, ids=repr)
def test_random_trees_with_every_loop_joint(joint):
    closed, q = closed_by(joint, seed=6)
    rng = np.random.default_rng(0)
    qd, tau = rng.normal(size=(2, closed.nv))
    H, C, L = closed.tree.mass_matrix(q), closed.tree.bias_forces(q, qd), closed.constraint_jacobian(q)
    m = closed.n_rows
    K = np.block([[H, L.T], [L, np.zeros((m, m))]])
    exactly = np.linalg.lstsq(K, np.concatenate([tau - C, closed.constraint_bias(q, qd)]), rcond=1e-13)[0]
    for method in ("schur", "kkt", "nullspace", "embedding", "articulated"):
        algorithm, _ = dynamics._METHODS[method]
        fixed = {"independent": closed.independent(q)} if method == "embedding" else {}
        assert largest(algorithm(closed, q, qd, tau, **fixed), exactly[: closed.nv]) < 1e-10


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-7])
def test_positions_that_are_a_little_off_do_not_lock_an_over_constrained_mechanism(off):
    closed, q = bricard()
    moved = closed.project(closed.tree.integrate(q, 0.3 * closed.mobility(q).freedoms[0]))
    rng = np.random.default_rng(3)
    q = moved + off * rng.normal(size=5)
    found = closed.constraint_forces(q, np.zeros(5), np.zeros(5))
    assert found.rank == 4
    assert closed.mobility(q).dof == 1
    for method in ("schur", "kkt", "nullspace", "articulated"):
        qdd = closed.forward_dynamics(q, np.zeros(5), np.zeros(5), method=method)
        assert np.abs(qdd).max() > 1.0, "it falls"
        assert largest(qdd, closed.forward_dynamics(moved, np.zeros(5), np.zeros(5))) < 1e-10 + 10 * off


def test_a_flat_four_bar_gains_a_freedom_only_where_it_is_singular():
    closed, q = four_bar()
    angles = np.linspace(0, 2 * np.pi, 33)
    for angle in angles:
        closed, q = four_bar(angle=float(angle))
        assert closed.mobility(q).dof == 1
    flat, q = four_bar(ground=2.0, crank=0.5, coupler=2.0, rocker=0.5, angle=0.0)  # a parallelogram, all in line
    found = flat.mobility(q)
    assert (found.dof, len(found.singular)) == (2, 1)
    slightly, q = four_bar(ground=2.0, crank=0.5, coupler=2.0, rocker=0.5, angle=1e-3)
    assert slightly.mobility(q).dof == 1


def test_redundant_forces_are_told():
    closed, q = four_bar()
    found = closed.constraint_forces(q, np.zeros(3), np.zeros(3))
    assert found.ambiguous.sum() == 3
    assert np.abs(found.multipliers[found.ambiguous]).max() < 1e-14
    point, _ = four_bar(joint="point")
    through_a_point = point.constraint_forces(q, np.zeros(3), np.zeros(3)).forces["pin"]
    assert largest(found.forces["pin"][3:], through_a_point[3:]) < 1e-12


def test_the_forces_in_a_loop_joint_are_those_of_the_joint_in_a_tree():
    """A rod that hangs on a loop joint instead of a joint of the tree."""
    b = Builder("rod").body("rod", "base", sixd.joints.Free(), mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    closed = b.build().close(Loop("base", "rod", "revolute", axis="y", name="hinge"))
    hung = (
        Builder("hung").body("rod", "base", Revolute("y"), mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)).build()
    )
    angle, speed = 0.7, 1.3
    q = np.array([0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2), 0.0, 0.0, 0.0])
    qd = np.array([0.0, speed, 0.0, 0.0, 0.0, 0.0])
    qdd = hung.forward_dynamics([angle], [speed], [0.0])
    assert np.isclose(closed.forward_dynamics(q, qd, np.zeros(6))[1], qdd[0], rtol=1e-12)
    force = closed.constraint_forces(q, qd, np.zeros(6)).forces["hinge"]
    np.testing.assert_allclose(force, hung.joint_forces([angle], [speed], qdd)[0], atol=1e-12)


def test_forces_in_a_loop_joint_act_on_both_frames():
    """A motor in the pin, tau_a of FO00 (19), drives the mechanism as the motor of a joint of the tree would."""
    closed, q = four_bar()
    moment = np.array([0, 3.0, 0, 0, 0, 0])  # about y, the axis of the pin, in both frames
    still = np.zeros(3)
    found = closed.forward_dynamics(q, still, still, f_ext={"coupler end": moment, "rocker end": -moment})
    relative = closed.velocity(q, np.eye(3), "coupler end")[:, 1] - closed.velocity(q, np.eye(3), "rocker end")[:, 1]
    assert largest(found, closed.forward_dynamics(q, still, 3.0 * relative)) < 1e-12


def test_stabilisation_pulls_back():
    closed, q = four_bar()
    stable = closed.tree.close(Loop("rocker end", "coupler end", "revolute", axis="y", stabilisation=(3.0, 5.0)))
    rng = np.random.default_rng(1)
    q, qd, tau = q + 1e-3 * rng.normal(size=3), rng.normal(size=3), np.zeros(3)
    L, phi, c = stable.constraint_jacobian(q), stable.constraint_error(q), stable.constraint_bias(q, qd)
    kept = [k for k in range(5) if L[k].any()]
    for method in ("schur", "kkt", "nullspace", "embedding", "articulated"):
        qdd = stable.forward_dynamics(q, qd, tau, method=method)
        np.testing.assert_allclose((L @ qdd)[kept], (c - 6.0 * (L @ qd) - 25.0 * phi)[kept], atol=1e-10)
    e = stable._dense(q, qd, tau, {})
    assert largest(lapack.by_schur(e), stable.forward_dynamics(q, qd, tau)) < 1e-12


def test_external_forces_and_springs():
    closed, q = standing()
    rng = np.random.default_rng(2)
    qd, tau, push = closed.project(q, rng.normal(size=18))[1], rng.normal(size=18), rng.normal(size=6)
    with_force = closed.forward_dynamics(q, qd, tau, f_ext={"trunk": push}, expressed_in="aligned")
    pulled = closed.tree.frame_forces(q, "trunk", push, "aligned")
    assert largest(with_force, closed.forward_dynamics(q, qd, tau + pulled)) < 1e-12
    passive = closed.forward_dynamics(q, qd, tau, passive=True)
    assert largest(passive, closed.forward_dynamics(q, qd, tau + closed.passive_forces(q, qd))) < 1e-12


def test_named_methods_of_many_loops_are_solved_by_lapack(monkeypatch):
    closed, q, qd, tau = consistent("standing")
    qdd = closed.forward_dynamics(q, qd, tau)
    large = closed.tree.with_name("large").close(*closed.constraint_list)
    monkeypatch.setattr(dynamics, "STRAIGHT", 3)
    bad = qd.copy()
    bad[1, 2] = np.nan
    for method in ("schur", "kkt", "nullspace", "embedding"):
        assert largest(large.forward_dynamics(q, qd, tau, method=method), qdd) < 1e-11
        found = large.forward_dynamics(q, bad, tau, method=method)
        assert np.isnan(found[1]).all()
        assert np.isfinite(np.delete(found, 1, axis=0)).all()
        assert np.isnan(large.forward_dynamics(q[1], bad[1], tau[1], method=method)).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c, q: c.forward_dynamics(q, q, q, method="fast"), "method must be one of 'auto', 'schur', 'kkt'"),
        (
            lambda c, q: c.forward_dynamics(q, q, q, independent=["crank_joint"]),
            "independent is for method",
        ),
        (lambda c, q: c.forward_dynamics(q, q, q, method="embedding", independent=["a"]), "no joint named 'a'"),
        (
            lambda c, q: c.forward_dynamics(q, q, q, method="embedding", independent=["crank_joint", "rocker_joint"]),
            "independent names 2 degrees of freedom, but four-bar has 1",
        ),
        (lambda c, q: c.forward_dynamics(q, q, [1.0]), "tau has shape"),
        (lambda c, q: c.forward_dynamics(q, q, q, targets={"pin": 1.0}), "targets names 'pin', but .* are: none"),
        (lambda c, q: c.mobility(q[None]), "q must be one position"),
    ],
)
def test_mistakes(call, words):
    with pytest.raises(sixd.SixdError, match=words):
        call(*four_bar())


def test_a_choice_of_coordinates_that_is_singular_gives_nan():
    b = Builder("slider-crank").body("crank", "base", Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    b.body("rod", "crank", Revolute("y"), mass=1.0, inertia=(1, 1, 1), xyz=(1, 0, 0)).frame(
        "end", on="rod", xyz=(2, 0, 0)
    )
    b.body("slider", "base", sixd.joints.Prismatic("x"), mass=1.0)
    closed = b.build().close(Loop("slider", "end", "point"))
    still = np.zeros(3)
    q = np.array([[0.0, 0.0, 3.0], closed.assemble([0.5, -0.7, 2.5])])
    slider = closed.forward_dynamics(q, still, np.ones(3), method="embedding", independent="slider_joint")
    assert np.isnan(slider[0]).any()
    assert largest(slider[1], closed.forward_dynamics(q[1], still, np.ones(3))) < 1e-12


def test_without_constraints_every_method_is_that_of_the_tree():
    arm, rng = sixd.gallery.puma560(), np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, arm.nv))
    qdd, every = arm.forward_dynamics(q, qd, tau), tuple(range(arm.nv))
    solvers = [a for name, a in algorithms.ALGORITHMS.items() if name.startswith("constrained_forward_dynamics")]
    assert len(solvers) > 3
    for solver in solvers:
        how = {"independent": every} if "independent" in solver.arguments else {}
        assert largest(solver(arm, q, qd, tau, **how), qdd) < 1e-10
    assert largest(algorithms.constrained_inverse_dynamics(arm, q, qd, qdd, actuated=every), tau) < 1e-10
    for method, how in (
        (algorithms.constrained_forward_dynamics_embedding, {"independent": (0, 1)}),
        (algorithms.constrained_inverse_dynamics, {"actuated": (0, 1)}),
    ):
        with pytest.raises(sixd.ModelError, match=r"2 of 6 .* 0 rows of constraints: name at least 6"):
            method(arm, q, qd, tau, **how)
