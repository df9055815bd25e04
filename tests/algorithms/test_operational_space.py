"""Operational space: Lambda, mu and p against their definition, Newton's law at a frame, and Pinocchio."""

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.algorithms.operational_space import TASKS
from sixd.layouts import pinocchio_layout
from sixd.robot import operational_space as methods
from tests.laws.test_trees import close
from tests.laws.trees import TREES, states, tree
from tests.robots import example_urdf

EXPRESSIONS = ("body", "world", "aligned")


def by_definition(robot, q, qd, frame, kind, expressed_in):
    rows = TASKS[kind]
    J = robot.jacobian(q, frame, expressed_in)[..., rows, :]
    JH = J @ robot.inverse_mass_matrix(q)
    Lambda = np.linalg.inv(JH @ np.swapaxes(J, -1, -2))
    c = robot.bias_forces(q, qd) - robot.gravity_forces(q)
    drift = robot.bias_acceleration(q, qd, frame, expressed_in, conventional=expressed_in == "aligned")[..., rows]
    mu = np.einsum("...ij,...j", Lambda, np.einsum("...ij,...j", JH, c) - drift)
    return Lambda, mu, np.einsum("...ij,...jk,...k", Lambda, JH, robot.gravity_forces(q))


def movable(robot, q, kind):
    J = robot.jacobian(q, "flange")[..., TASKS[kind], :]
    return np.linalg.cond(J @ np.swapaxes(J, -1, -2)).max() < 1e8


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("trees", TREES)
def test_definition(trees, kind):
    robot = tree(trees)
    q, qd, _ = states(robot)
    if not movable(robot, q, kind):
        with pytest.raises(sixd.SingularError, match="'flange' cannot move in every direction"):
            robot.operational_space(q, qd, "flange", kind)
        return
    for expressed_in in EXPRESSIONS:
        found = robot.operational_space(q, qd, "flange", kind, expressed_in)
        for a, b in zip(found, by_definition(robot, q, qd, "flange", kind, expressed_in), strict=True):
            close(a, b, rtol=1e-11, scale=1.0 + np.abs(b).max())


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_a_force_at_the_frame_moves_it_as_the_equations_say(expressed_in):
    """tau = J^T f gives x'' = Lambda^-1 (f - mu - p)."""
    robot, rng = sixd.gallery.seven_axis_arm(), np.random.default_rng(1)
    q, qd, f = robot.random(rng, 4), rng.normal(size=(4, 7)), rng.normal(size=(4, 6))
    Lambda, mu, p = robot.operational_space(q, qd, "tool", expressed_in=expressed_in)
    tau = robot.frame_forces(q, "tool", f, expressed_in)
    qdd = robot.forward_dynamics(q, qd, tau)
    x = robot.acceleration(q, qd, qdd, "tool", expressed_in, conventional=expressed_in == "aligned")
    close(np.einsum("...ij,...j", Lambda, x) + mu + p, f, rtol=1e-10, scale=np.abs(mu + p).max())


def test_pinocchio_has_the_same_lambda():
    """The inverse of the Delassus matrix J H^-1 J^T, from Pinocchio's own mass matrix and Jacobian."""
    pin = pytest.importorskip("pinocchio")
    path = str(example_urdf("panda_description/panda"))
    model, robot = pin.buildModelFromUrdf(path), sixd.load(path, mimic=False)
    data, frame, q = model.createData(), "panda_hand", robot.random(3)
    qp = pinocchio_layout(robot, model).q_to(q)
    pin.computeMinverse(model, data, qp)
    Hi = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    J = pin.computeFrameJacobian(model, data, qp, model.getFrameId(frame), pin.LOCAL)
    linear_last = np.r_[3:6, 0:3]
    wanted = np.linalg.inv((J @ Hi @ J.T)[np.ix_(linear_last, linear_last)])
    close(robot.operational_space(q, np.zeros(robot.nv), frame).Lambda, wanted, rtol=1e-11)


def test_some_singular_states_are_nan_with_a_warning():
    robot = sixd.gallery.puma560()
    q = np.stack([robot.random(0), np.zeros(6)])
    with pytest.warns(sixd.ModelWarning, match="in 1 of 2 states"):
        Lambda, mu, p = robot.operational_space(q, np.ones((2, 6)), robot.frames[-1].name)
    assert all(np.isfinite(x[0]).all() and np.isnan(x[1]).all() for x in (Lambda, mu, p))


def test_nan_in_nan_out():
    robot = sixd.gallery.seven_axis_arm()
    q = np.stack([robot.random(0), np.full(7, np.nan)])
    found = robot.operational_space(q, np.ones(7), "tool")
    assert all(np.isfinite(x[0]).all() and np.isnan(x[1]).all() for x in found)


def test_large_robots_go_by_lapack(monkeypatch):
    robot, arm = sixd.gallery.seven_axis_arm().with_name("large"), sixd.gallery.seven_axis_arm()
    q, qd = robot.random(0, 3), np.ones((3, 7))
    monkeypatch.setattr(methods, "DIRECT", 10)
    for kind in TASKS:
        for a, b in zip(*(r.operational_space(q, qd, "tool", kind, "aligned") for r in (robot, arm)), strict=True):
            close(a, b, rtol=1e-10)
    planar = sixd.gallery.double_pendulum()
    with pytest.raises(sixd.SingularError):
        planar.operational_space([0.1, 0.2], [0.0, 0.0], "tip")


def test_coriolis_forces_are_what_velocity_adds():
    robot = tree("tree of all joints")
    q, qd, _ = states(robot)
    wanted = robot.bias_forces(q, qd) - robot.gravity_forces(q)
    close(algorithms.coriolis_forces(robot, q, qd), wanted, rtol=1e-12)
