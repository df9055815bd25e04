"""The equations of motion of frames of closed robots."""

from functools import cache

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.algorithms.tasks import TASKS as TASK_ROWS
from sixd.mechanisms import MECHANISMS
from tests.constraints.mechanisms import four_bar, standing, stewart
from tests.constraints.states import largest


@pytest.mark.parametrize(
    ("mechanism", "frame", "kind"),
    [(stewart(), "platform", "pose"), (standing(), "base", "pose"), (stewart(), ["platform"], ["position"])],
    ids=["Stewart", "standing", "a list"],
)
@pytest.mark.parametrize("expressed_in", ["body", "aligned"])
def test_forces_at_a_frame_move_it_as_its_equations_say(mechanism, frame, kind, expressed_in):
    closed, q = mechanism
    frame = closed.bodies[1].name if frame == "base" else frame
    rng = np.random.default_rng(0)
    q, qd = closed.project(q, 0.3 * rng.normal(size=closed.nv))
    Lambda, mu, p = closed.operational_space(q, qd, frame, kind, expressed_in)
    name, rows = (frame, slice(0, 6)) if isinstance(frame, str) else (frame[0], slice(3, 6))
    J = closed.jacobian(q, name, expressed_in)[rows]
    f = rng.normal(size=len(J))
    qdd = closed.forward_dynamics(q, qd, J.T @ f)
    drift = closed.bias_acceleration(q, qd, name, expressed_in, expressed_in == "aligned")[rows]
    found = Lambda @ (J @ qdd + drift) + mu + p
    np.testing.assert_allclose(found, f, rtol=0, atol=1e-9 * (np.abs(mu) + np.abs(p) + np.abs(f)).max())
    np.testing.assert_allclose(Lambda, Lambda.T, rtol=0, atol=1e-10 * np.abs(Lambda).max())


def test_batches_and_frames_that_cannot_move():
    closed, q = four_bar()
    with pytest.raises(sixd.SingularError, match="cannot move in every direction"):
        closed.operational_space(q, np.zeros(3), "coupler end", "position")
    with pytest.raises(sixd.SixdError, match="frame must be the name"):
        closed.operational_space(q, np.zeros(3), [])
    platform, q = stewart()
    both = platform.operational_space(np.stack([q, q]), np.zeros(platform.nv), "platform")
    assert both.Lambda.shape == (2, 6, 6)


#: Mechanisms with a frame that can move in every direction of its task.
TASKS = {
    "delta_robot": ("platform", "position"),
    "stewart_platform": ("platform", "pose"),
    "two_handed_grasp": ("box", "pose"),
    "standing_quadruped": ("trunk", "pose"),
}


@cache
def states(name, n=4):
    m, rng = MECHANISMS[name](), np.random.default_rng(5)
    moved = m.robot.tree.integrate(m.q, rng.uniform(-0.05, 0.05, size=(n, m.robot.nv)))
    return m.robot, *m.robot.project(moved, rng.normal(size=(n, m.robot.nv)))


@cache
def mobility_of_joints(name):
    """W, (..., nv, nv), with W tau the accelerations that joint forces make: H^-1 less what the constraints hold."""
    closed, q, _ = states(name)
    H_inv, L = closed.tree.inverse_mass_matrix(q), closed.constraint_jacobian(q)
    LT = np.swapaxes(L, -1, -2)
    return H_inv - H_inv @ LT @ np.linalg.pinv(L @ H_inv @ LT, rcond=1e-9, hermitian=True) @ L @ H_inv


@pytest.mark.parametrize("name", MECHANISMS)
def test_how_forces_at_a_frame_move_it(name):
    closed, q, _ = states(name)
    frame = TASKS.get(name, (closed.bodies.names[-1],))[0]
    found = algorithms.constrained_inverse_operational_inertia(closed, q, frames=(frame,))
    J = closed.jacobian(q, frame)
    wanted = J @ mobility_of_joints(name) @ np.swapaxes(J, -1, -2)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
    np.testing.assert_allclose(found, np.swapaxes(found, -1, -2), rtol=0, atol=1e-10 * np.abs(wanted).max())
    assert (np.linalg.eigvalsh(found)[..., 0] > -1e-10 * np.trace(wanted, axis1=-2, axis2=-1)).all()
    if closed.nv <= 7:
        assert largest(closed.inverse_operational_inertia(q, frame), found) < 1e-10


@pytest.mark.parametrize("name", TASKS)
def test_consistent_inverses_and_projectors(name):
    closed, q, qd = states(name)
    frame, kind = TASKS[name]
    J, L = closed.jacobian(q, frame)[:, TASK_ROWS[kind]], closed.constraint_jacobian(q)
    asked = {"frames": (frame,), "kinds": kind}
    Jbar = algorithms.constrained_dynamically_consistent_inverse(closed, q, **asked)
    N_T = algorithms.constrained_null_space_projector(closed, q, **asked)
    np.testing.assert_allclose(J @ Jbar, np.broadcast_to(np.eye(J.shape[1]), (len(q), *2 * J.shape[1:2])), atol=1e-10)
    np.testing.assert_allclose(L @ Jbar, 0.0, rtol=0, atol=1e-10 * np.abs(Jbar).max())
    np.testing.assert_allclose(N_T @ N_T, N_T, rtol=0, atol=1e-9 * np.abs(N_T).max() ** 2)
    # forces that were projected do not accelerate the task
    tau = np.random.default_rng(0).normal(size=qd.shape)
    still = (N_T @ tau[..., None])[..., 0]
    moved, left = (algorithms.constrained_forward_dynamics(closed, q, qd, x) for x in (still, np.zeros(qd.shape)))
    task = (J @ (moved - left)[..., None])[..., 0]
    np.testing.assert_allclose(task, 0.0, rtol=0, atol=1e-10 * np.abs(moved).max())


def test_where_no_constraint_acts_the_results_are_those_of_the_tree():
    """Two arms on one base, of which the other has constraints."""
    tree = sixd.mechanisms.two_handed_grasp().robot.tree
    closed = tree.close(sixd.Coupling({"left_joint1": 1.0, "left_joint3": -0.5}), sixd.Loop("base", "left4", "point"))
    q = tree.random(0, size=2)
    for ask in ("inverse_operational_inertia", "dynamically_consistent_inverse", "null_space_projector"):
        found, wanted = (getattr(robot, ask)(q, "right7") for robot in (closed, tree))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())


def test_projectors_of_frames_that_cannot_move_and_out():
    closed, q = four_bar()
    for ask in (closed.dynamically_consistent_inverse, closed.null_space_projector):
        with pytest.raises(sixd.SingularError, match="cannot move in every direction"):
            ask(q, "coupler end", "position")
    arms = sixd.mechanisms.five_bar().robot.tree  # a tree: rows of joints that do not move the frame are NaN, too
    with pytest.raises(sixd.SingularError, match="cannot move in every direction"):
        arms.null_space_projector(np.full(4, 0.3), "right_distal", "position")
    out = np.empty((3, 3))
    assert closed.inverse_operational_inertia(q, "coupler end", "position", out=out) is out
