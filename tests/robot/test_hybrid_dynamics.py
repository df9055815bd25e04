"""Hybrid dynamics: between inverse and forward dynamics, for every choice of what is known."""

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.robot import hybrid_dynamics as methods
from tests.laws.test_trees import close
from tests.laws.trees import TREES, states, tree

#: What is not known: any number, since it is not used.
ANY = 7.0


def choices(robot, seed=0):
    """Names of joints: all, none, and some of them by chance."""
    rng, names = np.random.default_rng(seed), [j.name for j in robot.joints if j.mimic is None]
    return [names, [], *([n for n in names if rng.random() < 0.5] for _ in range(2))]


def flags_of(robot, names):
    flags = np.zeros(robot.nv, dtype=bool)
    for name in names:
        flags[robot.joint(name).v] = True
    return flags


def bound(robot, q):
    return max(1e-12, 1e-15 * np.linalg.cond(robot.mass_matrix(q)).max() * robot.nv)


@pytest.mark.parametrize("kind", TREES)
def test_agrees_with_inverse_and_forward_dynamics(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot)
    cases = [*((names, None) for names in choices(robot)), (choices(robot)[-1], {"flange": np.arange(6.0)})]
    for names, f_ext in cases:
        tau = robot.inverse_dynamics(q, qd, qdd, f_ext, expressed_in="aligned")
        flags = flags_of(robot, names)
        given = np.where(flags, qdd, ANY), np.where(flags, ANY, tau)
        found = robot.hybrid_dynamics(q, qd, *given, names, f_ext, "aligned")
        close(found.qdd, qdd, rtol=bound(robot, q))
        close(found.tau, tau, rtol=1e-10)
        again = robot.forward_dynamics(q, qd, found.tau, f_ext, expressed_in="aligned")
        close(again, found.qdd, rtol=1e-10, scale=1.0 + np.abs(again).max())
        assert (found.qdd[:, flags] == given[0][:, flags]).all()
        assert (found.tau[:, ~flags] == tau[:, ~flags]).all()


def test_all_known_and_none_known():
    robot = sixd.gallery.quadruped()
    q, qd, qdd = states(robot, 5)
    tau = np.random.default_rng(4).normal(size=(5, robot.nv))
    everything = tuple(j.name for j in robot.joints)
    close(robot.hybrid_dynamics(q, qd, qdd, tau, everything).tau, robot.inverse_dynamics(q, qd, qdd), rtol=1e-13)
    close(robot.hybrid_dynamics(q, qd, qdd, tau, ()).qdd, robot.forward_dynamics(q, qd, tau), rtol=1e-11)


def test_a_floating_base_follows_from_its_legs_and_the_reverse():
    """No force acts on the base, and the legs move as told; or the base moves as told, and the legs are limp."""
    robot = sixd.gallery.quadruped()
    q, qd, qdd = states(robot, 4)
    legs, zero = [j.name for j in robot.joints if j.name != "base"], np.zeros(robot.nv)
    found = robot.hybrid_dynamics(q, qd, qdd, zero, known=legs)
    assert (found.tau[:, :6] == 0.0).all()
    assert (found.qdd[:, 6:] == qdd[:, 6:]).all()
    H, C = robot.mass_matrix(q), robot.bias_forces(q, qd)
    b = -C[:, :6] - np.einsum("nij,nj->ni", H[:, :6, 6:], qdd[:, 6:])
    close(found.qdd[:, :6], np.linalg.solve(H[:, :6, :6], b[..., None])[..., 0], rtol=1e-11)
    led = robot.hybrid_dynamics(q, qd, qdd, zero, known="base")
    assert (led.tau[:, 6:] == 0.0).all()
    assert (led.qdd[:, :6] == qdd[:, :6]).all()
    close(robot.inverse_dynamics(q, qd, led.qdd), led.tau, rtol=1e-10)


@pytest.mark.parametrize("kind", ["tree of all joints", "quaternion joints", "mimic joints"])
def test_flags_choose_by_degree_of_freedom_and_sample(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot, 6)
    tau = robot.inverse_dynamics(q, qd, qdd)
    flags = np.random.default_rng(2).random((6, robot.nv)) < 0.5
    found = robot.hybrid_dynamics(q, qd, np.where(flags, qdd, ANY), np.where(flags, ANY, tau), flags)
    close(found.qdd, qdd, rtol=bound(robot, q))
    close(found.tau, tau, rtol=1e-10)


def test_rolled_code_is_for_all_choices(monkeypatch):
    monkeypatch.setattr(methods, "LARGE", 10)
    robot = sixd.gallery.chain(5).with_name("large")
    q, qd, qdd = states(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    before = len(robot._code)
    for names in choices(robot):
        flags = flags_of(robot, names)
        found = robot.hybrid_dynamics(q, qd, np.where(flags, qdd, ANY), np.where(flags, ANY, tau), names)
        close(found.qdd, qdd, rtol=1e-11)
        close(found.tau, tau, rtol=1e-10)
    assert len(robot._code) == before + 1


def test_derivatives():
    """By sixd.jacobian, against the derivatives of inverse dynamics: H_uu d qdd_u = -(d ID)_u."""
    robot = sixd.gallery.seven_axis_arm()
    q, qd, qdd = (x[0] for x in states(robot, 1))
    tau, flags = robot.inverse_dynamics(q, qd, qdd), np.array([1.0, 0, 0, 1, 0, 1, 0])
    kernel = sixd.compile(sixd.jacobian(algorithms.hybrid_dynamics, ("q", "tau")), robot, known=tuple(flags))
    (qdd_q, qdd_tau), (tau_q, tau_tau) = _pairs(kernel(q, qd, qdd, tau))
    d, known, free = robot.inverse_dynamics_derivatives(q, qd, qdd), flags > 0.5, flags < 0.5
    inv = np.linalg.inv(d.dqdd[np.ix_(free, free)])
    close(qdd_q[free], -inv @ d.dq[free], rtol=1e-10)
    close(qdd_tau[np.ix_(free, free)], inv, rtol=1e-10)
    assert not qdd_q[known].any()
    assert not qdd_tau[:, known].any()
    assert not tau_q[free].any()
    close(tau_q[known], (d.dq + d.dqdd @ qdd_q)[known], rtol=1e-10)
    close(tau_tau[known], (d.dqdd @ qdd_tau)[known], rtol=1e-10)


def _pairs(found):
    return (found[0], found[1]), (found[2], found[3])


def test_a_massless_link_may_be_led_but_not_driven():
    b = sixd.Builder("b").body("light", joint=sixd.joints.Revolute((0, 0, 1)), joint_name="a")
    robot = b.body("heavy", "light", sixd.joints.Revolute((0, 1, 0)), joint_name="b", mass=1.0, com=(0, 0, 0.4)).build()
    assert robot.may_be_singular
    q, zero = np.array([0.3, 0.0]), np.zeros(2)  # the mass is on the first axis
    with pytest.raises(sixd.SingularError, match="moves no inertia"):
        robot.hybrid_dynamics(q, zero, zero, zero, ["b"])
    found = robot.hybrid_dynamics(q, zero, zero, zero, ["a"])
    assert np.isfinite(found).all()
    with pytest.warns(sixd.ModelWarning, match="in 1 of 2 states"):
        some = robot.hybrid_dynamics([q, [0.3, 0.5]], zero, zero, zero, ["b"])
    assert np.isnan(some.qdd[0]).all()
    assert np.isnan(some.tau[0]).all()
    assert np.isfinite(some.tau[1]).all()


def test_mistakes_are_named():
    robot, zero = tree("mimic joints"), np.zeros(8)
    state = robot.neutral(), zero, zero, zero
    with pytest.raises(sixd.NameNotFoundError, match="arm_joint"):
        robot.hybrid_dynamics(*state, ["arm_join"])
    with pytest.raises(sixd.ModelError, match="'forearm_joint' mimics 'arm_joint'"):
        robot.hybrid_dynamics(*state, ["forearm_joint"])
    with pytest.raises(sixd.ArgumentError, match="known must be a name or several"):
        robot.hybrid_dynamics(*state, [1.0, 0.0])
    with pytest.raises(sixd.ShapeError, match="known has shape"):
        robot.hybrid_dynamics(*state, np.ones(3, dtype=bool))
    with pytest.raises(sixd.ShapeError, match="tau has shape"):
        robot.hybrid_dynamics(*state[:3], np.zeros(3), ["arm_joint"])
    bad = robot.hybrid_dynamics(robot.neutral(), zero, zero, np.full(8, np.nan), ["arm_joint"])
    assert np.isnan(bad).all()
