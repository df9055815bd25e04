"""Methods of robots about derivatives: shapes, kinds of arrays, large and singular robots, linear systems."""

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.model.random import random_tree
from sixd.robot import derivatives as module

METHODS = ["inverse_dynamics_derivatives", "forward_dynamics_derivatives"]


def states(robot, *lead, seed=0):
    rng = np.random.default_rng(seed)
    return robot.random(rng, lead), rng.normal(size=(*lead, robot.nv)), rng.normal(size=(*lead, robot.nv))


def close(found, wanted, rtol=1e-12):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * np.abs(wanted).max())


@pytest.mark.parametrize("method", METHODS)
def test_batches_of_any_shape(method):
    robot = gallery.quadruped()
    q, qd, x = states(robot, 3, 5)
    run = getattr(robot, method)
    found = run(q, qd[:, :1], x[0])
    one = run(q[2, 4], qd[2, 0], x[0, 4])
    for batch, single in zip(found, one, strict=True):
        assert batch.shape == (3, 5, robot.nv, robot.nv)
        np.testing.assert_array_equal(batch[2, 4], single)
    single = run(*(a.astype(np.float32) for a in (q, qd, x)))
    for a, b in zip(single, run(q, qd, x), strict=True):
        assert a.dtype == np.float32
        close(a, b, 2e-5)


@pytest.mark.parametrize("method", METHODS)
def test_later_on_dask_arrays(method):
    import dask.array as da

    robot = gallery.quadruped()
    given = states(robot, 10)
    later = getattr(robot, method)(*(da.from_array(a, chunks=(4, -1)) for a in given))
    for a, b in zip(later, getattr(robot, method)(*given), strict=True):
        assert isinstance(a, da.Array)
        np.testing.assert_array_equal(a.compute(), b)


@pytest.mark.parametrize("method", METHODS)
def test_a_sample_that_is_not_finite_is_nan_alone(method):
    robot = gallery.seven_axis_arm()
    q, qd, x = states(robot, 3)
    whole = getattr(robot, method)(q, qd, x)
    qd[1, 2] = np.nan
    for found, wanted in zip(getattr(robot, method)(q, qd, x), whole, strict=True):
        assert np.isnan(found[1]).all()
        np.testing.assert_array_equal(found[[0, 2]], wanted[[0, 2]])


def test_robots_too_large_for_unrolled_code(monkeypatch):
    """The same by rolled code and LAPACK."""
    robot = sixd.Robot.of(random_tree(4, 2, joints=["revolute", "spherical"], rotors=True))
    state = states(robot, 4)
    force = {"body4": np.arange(6.0)}
    whole = [robot.forward_dynamics_derivatives(*state, f) for f in (None, force)]
    monkeypatch.setattr(module, "LARGEST", 10)
    large = sixd.Robot.of(robot)
    bound = 1e-14 * max(np.linalg.cond(robot.mass_matrix(state[0])))
    for wanted, f in zip(whole, (None, force), strict=True):
        for a, b in zip(large.forward_dynamics_derivatives(*state, f), wanted, strict=True):
            close(a, b, bound)
    import dask.array as da

    for a, b in zip(large.forward_dynamics_derivatives(*(da.from_array(x) for x in state)), whole[0], strict=True):
        close(a.compute(), b, bound)


def test_singular_robots():
    b = sixd.Builder("massless")
    b.body("first", parent="base", joint=sixd.joints.Revolute("y"))
    b.body("second", parent="first", joint=sixd.joints.Revolute("y"), xyz=(0, 0, 1), mass=1.0, inertia=(1, 1, 1))
    b.body("third", parent="base", joint=sixd.joints.Prismatic("x"))
    robot = b.build()
    with pytest.raises(sixd.SingularError):
        robot.forward_dynamics_derivatives(np.zeros(3), np.zeros(3), np.zeros(3))
    assert np.isfinite(robot.inverse_dynamics_derivatives(np.zeros(3), np.zeros(3), np.zeros(3)).dq).all()


def flow(robot, q, qd, tau, dt, steps=200):
    """The state after a time, by Runge-Kutta steps in the tangent space."""
    h = dt / steps
    for _ in range(steps):
        k1 = robot.forward_dynamics(q, qd, tau)
        v2, q2 = qd + h / 2 * k1, robot.integrate(q, h / 2 * qd)
        k2 = robot.forward_dynamics(q2, v2, tau)
        v3, q3 = qd + h / 2 * k2, robot.integrate(q, h / 2 * v2)
        k3 = robot.forward_dynamics(q3, v3, tau)
        v4, q4 = qd + h * k3, robot.integrate(q, h * v3)
        k4 = robot.forward_dynamics(q4, v4, tau)
        q, qd = robot.integrate(q, h / 6 * (qd + 2 * v2 + 2 * v3 + v4)), qd + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return q, qd


def test_a_linear_system_follows_neighbouring_motions():
    """Along a motion of a floating robot that turns: x' = A x after a short time, for each direction of x and u."""
    robot = gallery.quadruped()
    q, qd, tau = states(robot, seed=3)
    qd, tau, dt, size = 0.5 * qd, 0.1 * tau, 1e-3, 1e-4
    A, B = robot.linearize(q, qd, tau, dt=dt)
    n = robot.nv
    for which in range(3):
        step = np.zeros((3, 2 * n, n))
        step[which] = size * np.concatenate([np.eye(n), -np.eye(n)])
        q1, qd1 = flow(robot, robot.integrate(q, step[0]), qd + step[1], tau + step[2], dt, 4)
        q0, qd0 = flow(robot, q, qd, tau, dt, 4)
        x = np.concatenate([robot.difference(q0, q1), qd1 - qd0], axis=-1)
        slope = (x[:n] - x[n:]).T / (2 * size)
        wanted = B if which == 2 else A[:, which * n : which * n + n]
        # A and B are those at the beginning: they change by a part dt in the time dt.
        np.testing.assert_allclose(slope, wanted, rtol=0, atol=20 * dt * np.abs(wanted - np.eye(2 * n)[:, :n]).max())


def test_a_turning_body_needs_the_bracket():
    """A free body without gravity: the way e to a neighbour with the same velocity obeys de/dt = -ad e."""
    robot = sixd.Robot.of(random_tree(1, 0, joints=["free"])).with_gravity((0, 0, 0))
    q, qd, tau = states(robot, seed=1)
    A = robot.linearize(q, qd, tau).A
    e, dt = 1e-6 * np.arange(1.0, 7.0), 1e-5
    away = robot.integrate(q, e)
    ends = [robot.difference(robot.integrate(q, s * dt * qd), robot.integrate(away, s * dt * qd)) for s in (1, -1)]
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * dt), A[:6, :6] @ e, rtol=1e-5, atol=1e-10)


def test_a_regulator_from_the_linear_system_holds_a_pendulum_upright():
    robot = gallery.double_pendulum()
    up = np.array([np.pi, 0.0])
    tau = robot.gravity_forces(up)
    A, B = robot.linearize(up, np.zeros(2), tau)
    assert np.linalg.eigvals(A).real.max() > 1.0  # it falls by itself
    from scipy.linalg import solve_continuous_are

    P = solve_continuous_are(A, B, np.eye(4), np.eye(2))
    K = B.T @ P
    assert np.linalg.eigvals(A - B @ K).real.max() < 0.0
    q, qd = up + np.array([0.1, -0.05]), np.zeros(2)
    for _ in range(600):
        u = tau - K @ np.concatenate([robot.difference(up, q), qd])
        q, qd = flow(robot, q, qd, u, 0.01, 2)
    assert np.abs(robot.difference(up, q)).max() < 1e-3


def test_the_control_package_takes_the_linear_system():
    import control

    robot = gallery.seven_axis_arm()
    q = robot.random(0)
    A, B = robot.linearize(q, np.zeros(7), robot.gravity_forces(q))
    system = control.ss(A, B, np.eye(14), np.zeros((14, 7)))
    gain, _, poles = control.lqr(system, np.eye(14), np.eye(7))
    assert gain.shape == (7, 14)
    assert poles.real.max() < 0.0
    sampled = control.c2d(system, 0.01, "zoh")
    found = robot.linearize(q, np.zeros(7), robot.gravity_forces(q), dt=0.01)
    close(found.A, sampled.A)
    close(found.B, sampled.B)


def test_linear_systems_along_a_trajectory():
    import dask.array as da

    robot = gallery.quadruped()
    state = states(robot, 6)
    A, B = robot.linearize(*state)
    assert A.shape == (6, 36, 36)
    assert B.shape == (6, 36, 18)
    one = robot.linearize(*(x[4] for x in state))
    np.testing.assert_array_equal(A[4], one.A)
    np.testing.assert_array_equal(B[4], one.B)
    later = robot.linearize(*(da.from_array(x, chunks=(2, -1)) for x in state), dt=0.01)
    close(later.A.compute(), robot.linearize(*state, dt=0.01).A)


@pytest.mark.parametrize("dt", [0.0, -1.0, float("nan"), float("inf"), "0.1", np.ones(2)])
def test_time_steps_that_are_none(dt):
    robot = gallery.double_pendulum()
    with pytest.raises(sixd.SixdError, match="dt must be"):
        robot.linearize(np.zeros(2), np.zeros(2), np.zeros(2), dt=dt)


def test_the_algorithm_by_joint():
    robot = gallery.quadruped()
    q, qd, _ = states(robot)
    T = algorithms.tangent_rate(robot, q, qd)
    assert np.abs(T[:6, :6]).max() > 0.1
    assert (T[6:] == 0.0).all()
    assert (T[:, 6:] == 0.0).all()


@pytest.mark.parametrize("method", ["inverse_dynamics_second_derivatives", "forward_dynamics_second_derivatives"])
def test_second_derivatives_of_batches_and_with_forces(method):
    robot = sixd.Robot.of(random_tree(3, 2, joints=["revolute", "spherical"], rotors=True))
    run, (q, qd, x) = getattr(robot, method), states(robot, 2, 3)
    force = {"body3": np.arange(6.0)}
    for f in (None, force):
        found = run(q, qd, x, f)
        one = run(q[1, 2], qd[1, 2], x[1, 2], f)
        for batch, single in zip(found, one, strict=True):
            assert batch.shape == (2, 3, *[robot.nv] * 3)
            close(batch[1, 2], single)
        # The first derivatives, a little along every coordinate of q and qd.
        of_first = getattr(robot, method.replace("second_", ""))
        step, h = np.random.default_rng(1).normal(size=(2, robot.nv)), 1e-6
        ends = [of_first(robot.integrate(q, s * h * step[0]), qd + s * h * step[1], x, f) for s in (1, -1)]
        slope = (ends[0].dqd - ends[1].dqd) / (2 * h)
        wanted = np.einsum("...ijk,j->...ik", found.dq_dqd, step[0]) + found.dqd_dqd @ step[1]
        close(wanted, slope, 1e-7)


def _never(*_, **__):
    raise AssertionError("this is to be computed later")


def test_second_derivatives_later_on_dask_arrays():
    import dask
    import dask.array as da

    robot = gallery.double_pendulum()
    given = states(robot, 6)
    with dask.config.set(scheduler=_never):
        later = robot.forward_dynamics_second_derivatives(*(da.from_array(a, chunks=(4, -1)) for a in given))
    for a, b in zip(later, robot.forward_dynamics_second_derivatives(*given), strict=True):
        assert isinstance(a, da.Array)
        close(a.compute(), b)


def test_second_derivatives_of_robots_too_large_are_refused_with_the_remedy():
    robot = gallery.chain(60)
    state = [np.zeros(60)] * 3
    with pytest.raises(sixd.SixdError, match=r"some 11,071,500 operations.*sixd\.jvp"):
        robot.inverse_dynamics_second_derivatives(*state)
    with pytest.raises(sixd.SixdError, match="too many to compile"):
        robot.forward_dynamics_second_derivatives(*state)
