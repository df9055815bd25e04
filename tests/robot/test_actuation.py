"""Inverse dynamics of closed robots: exact, with too few actuators, with too many, within bounds."""

import numpy as np
import pytest

import sixd
from tests.constraints.mechanisms import MECHANISMS, four_bar
from tests.constraints.states import consistent, largest

#: As many actuated joints as each mechanism has freedoms.
ACTUATED = {
    "four-bar": ["crank_joint"],
    "Bricard": ["bar1_joint"],
    "Stewart": [f"upper{k}_joint" for k in range(6)],
    "standing": ["base"],
}
EVERY = pytest.mark.parametrize("name", MECHANISMS)


@EVERY
def test_forward_dynamics_undoes_inverse_dynamics(name):
    closed, q, qd, tau = consistent(name)
    qdd = closed.forward_dynamics(q, qd, tau)
    found = closed.inverse_dynamics(q, qd, qdd, actuated=ACTUATED[name])
    assert largest(closed.forward_dynamics(q, qd, found.tau), qdd) < 1e-10
    idle = [k for joint in closed.joints if joint.name not in ACTUATED[name] for k in range(closed.nv)[joint.v]]
    assert not found.tau[:, idle].any()
    assert not found.residual.any()


@EVERY
def test_too_many_actuators_share_the_work(name):
    closed, q, qd, tau = consistent(name)
    qdd = closed.forward_dynamics(q, qd, tau)
    found = closed.inverse_dynamics(q, qd, qdd)
    assert largest(closed.forward_dynamics(q, qd, found.tau), qdd) < 1e-9
    assert not found.residual.any()
    exact = closed.inverse_dynamics(q, qd, qdd, actuated=ACTUATED[name]).tau
    assert (np.linalg.norm(found.tau, axis=-1) <= np.linalg.norm(exact, axis=-1) + 1e-9).all()
    wide = closed.inverse_dynamics(q, qd, qdd, bounds=1.5 * np.abs(found.tau).max())
    assert largest(wide.tau, found.tau) < 1e-8


def test_bounds_are_kept_and_others_do_more():
    closed, q, qd, tau = consistent("Stewart")
    qdd = closed.forward_dynamics(q, qd, tau)
    bound = 0.9 * np.abs(closed.inverse_dynamics(q, qd, qdd).tau).max()
    found = closed.inverse_dynamics(q, qd, qdd, bounds=bound)
    assert np.abs(found.tau).max() <= bound * (1 + 1e-12)
    assert not found.residual.any()
    assert largest(closed.forward_dynamics(q, qd, found.tau), qdd) < 1e-9
    weak = closed.inverse_dynamics(q, qd, qdd, bounds=1e-3)
    assert np.abs(weak.tau).max() <= 1e-3
    assert largest(closed.forward_dynamics(q, qd, weak.tau + weak.residual), qdd) < 1e-9


def test_what_too_few_actuators_cannot_do_is_told():
    closed, q, qd, tau = consistent("Stewart")
    qdd = closed.forward_dynamics(q, qd, tau)
    found = closed.inverse_dynamics(q, qd, qdd, actuated=["upper0_joint", "upper1_joint"])
    assert np.abs(found.residual).max() > 0.1
    assert largest(closed.forward_dynamics(q, qd, found.tau + found.residual), qdd) < 1e-10
    # No other force of these two comes nearer, in the metric of the mass matrix.
    H = closed.tree.mass_matrix(q)
    lost = closed.forward_dynamics(q, qd, found.tau) - qdd
    for k in (closed.joint("upper0_joint").v.start, closed.joint("upper1_joint").v.start):
        other = found.tau.copy()
        other[:, k] += 1e-3
        worse = closed.forward_dynamics(q, qd, other) - qdd
        assert (np.einsum("bi,bij,bj->b", worse, H, worse) > np.einsum("bi,bij,bj->b", lost, H, lost)).all()


@EVERY
@pytest.mark.parametrize("share", [1.0, 0.7, 0.3])
def test_kernels_find_what_lapack_finds(name, share):
    """With all joints, with some too many and with too few, at states with different ranks too."""
    closed, q, qd, tau = consistent(name)
    qdd = closed.forward_dynamics(q, qd, tau)
    names = [joint.name for joint in closed.joints][: max(1, round(share * len(closed.joints)))]
    found = closed.inverse_dynamics(q, qd, qdd, actuated=names)
    needed = closed.tree.inverse_dynamics(q, qd, qdd)
    wanted = closed._least_squares(q, needed, closed._actuated(names), None)
    size = np.abs(wanted.tau).max() + np.abs(wanted.residual).max()
    assert np.abs(found.tau - wanted.tau).max() < 1e-9 * size
    assert np.abs(found.residual - wanted.residual).max() < 1e-9 * size


@EVERY
def test_forces_of_constraints_from_the_kernel_and_by_numpy(name, monkeypatch):
    closed, q, qd, tau = consistent(name)
    found = closed.constraint_forces(q, qd, tau)
    monkeypatch.setattr(type(closed), "_straight", lambda *_: None)
    wanted = closed.constraint_forces(q, qd, tau)
    assert largest(found.multipliers, wanted.multipliers) < 1e-9
    assert np.array_equal(found.ambiguous, wanted.ambiguous)
    assert np.array_equal(found.rank, wanted.rank)
    assert all(largest(found.forces[k], wanted.forces[k]) < 1e-9 for k in wanted.forces)


def test_springs_and_external_forces():
    closed, q, qd, tau = consistent("four-bar")
    qdd = closed.forward_dynamics(q, qd, tau, f_ext={"coupler end": [0, 0, 0, 1, 2, 3]})
    found = closed.inverse_dynamics(q, qd, qdd, f_ext={"coupler end": [0, 0, 0, 1, 2, 3]}, actuated="crank_joint")
    again = closed.forward_dynamics(q, qd, found.tau, f_ext={"coupler end": [0, 0, 0, 1, 2, 3]})
    assert largest(again, qdd) < 1e-11
    robot = sixd.gallery.random_tree(4, 1, joints=("revolute",), passive=True)
    loop = robot.close(sixd.Loop(robot.bodies[0].name, robot.bodies[4].name, "planar", axis="z"))
    q = loop.assemble(robot.random(0))
    rng = np.random.default_rng(1)
    state = loop.project(q, rng.normal(size=4), rng.normal(size=4))
    names = [joint.name for joint in loop.joints if joint.index - 1 in loop.independent(q)]
    for actuated in (names, None):
        found = loop.inverse_dynamics(*state, passive=True, actuated=actuated)
        assert largest(loop.forward_dynamics(*state[:2], found.tau, passive=True), state[2]) < 1e-9


def test_mistakes():
    closed, q = four_bar()
    for arguments, words in (
        ({"actuated": "cranc_joint"}, "no joint named 'cranc_joint'; did you mean 'crank_joint'"),
        ({"bounds": -1.0}, "must not be negative"),
        ({"bounds": "all"}, "must be one of 'effort'"),
        ({"bounds": [1.0, 2.0]}, "must be 3 numbers"),
    ):
        with pytest.raises(sixd.SixdError, match=words):
            closed.inverse_dynamics(q, q, q, **arguments)


def test_actuators_that_do_not_determine_the_motion():
    b = sixd.Builder("slider-crank").body("crank", "base", sixd.joints.Revolute("y"), mass=1.0, inertia=(1, 1, 1))
    b.body("rod", "crank", sixd.joints.Revolute("y"), mass=1.0, inertia=(1, 1, 1), xyz=(1, 0, 0))
    b.frame("end", on="rod", xyz=(2, 0, 0)).body("slider", "base", sixd.joints.Prismatic("x"), mass=1.0)
    closed = b.build().close(sixd.Loop("slider", "end", "point"))
    dead, alive = np.array([0.0, 0.0, 3.0]), closed.assemble([0.5, -0.7, 2.5])
    with pytest.raises(sixd.SingularError, match="joints 'slider_joint' do not determine the motion of slider-crank"):
        closed.inverse_dynamics(dead, np.zeros(3), np.zeros(3), actuated="slider_joint")
    with pytest.warns(sixd.ModelWarning, match="in 1 of 2 states: NaN there"):
        found = closed.inverse_dynamics(np.stack([dead, alive]), np.zeros(3), np.zeros(3), actuated="slider_joint")
    assert np.isfinite(found.tau[1]).all()
