"""Derivatives of the dynamics of closed robots."""

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, Loop, algorithms
from sixd.compiler.request import without_methods
from sixd.robot.closed import derivatives
from tests.constraints.ladder import ladder
from tests.constraints.mechanisms import bricard, four_bar, standing


def state(mechanism, seed=0):
    closed, q = mechanism
    rng = np.random.default_rng(seed)
    q, qd, _ = closed.project(q, rng.normal(size=closed.nv))
    return closed, q, qd, rng.normal(size=closed.nv)


def stabilised():
    """A four-bar with Baumgarte's terms, which change with position and velocity."""
    closed, q = four_bar()
    loop = Loop("rocker end", "coupler end", "revolute", axis="y", stabilisation=(3.0, 7.0))
    return closed.tree.close(loop), q


@pytest.mark.parametrize(
    "mechanism",
    [four_bar(), four_bar(joint="point"), bricard(), stabilised()],
    ids=["pin", "point", "Bricard", "Baumgarte"],
)
def test_forward_dynamics_by_automatic_derivatives(mechanism):
    closed, q, qd, tau = state(mechanism)
    found = closed.forward_dynamics_derivatives(q, qd, tau)
    by = ("q", "qd", "tau")
    derivative = sixd.jacobian(algorithms.constrained_forward_dynamics, by, tangent=True)
    wanted = sixd.compile(derivative, without_methods(closed))(q, qd, tau)
    assert found._fields == ("dq", "dqd", "dtau")
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * np.abs(b).max())


def test_external_forces_and_batches():
    closed, q, qd, tau = state(four_bar())
    force = {"coupler end": np.arange(6.0)}
    found = closed.forward_dynamics_derivatives(np.stack([q, q]), qd, tau, force)
    # along tau the dynamics are linear
    step = np.array([0.3, -0.2, 0.5])
    wanted = closed.forward_dynamics(q, qd, tau + step, force) - closed.forward_dynamics(q, qd, tau, force)
    np.testing.assert_allclose(found.dtau[1] @ step, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    assert found.dq.shape == (2, 3, 3)


@pytest.mark.parametrize("mechanism", [four_bar(), bricard(), standing()], ids=["four-bar", "Bricard", "standing"])
def test_linear_systems_follow_the_motion_nearby(mechanism):
    """x(h) of a neighbouring motion, less x(h) of the motion itself, to first order in the distance, O(h^2) in time."""
    closed, q, qd, tau = state(mechanism)
    free = list(closed.independent(q))
    A, B = closed.linearize(q, qd, tau)
    m = len(free)
    assert A.shape == (2 * m, 2 * m)
    assert B.shape == (2 * m, closed.nv)
    K, N = closed._followers(q, qd, free)
    rng, eps = np.random.default_rng(1), 1e-6
    y, z, u = rng.normal(size=m), rng.normal(size=m), rng.normal(size=closed.nv)

    def rates(sign):
        """Velocity and acceleration of the independent coordinates at a consistent state beside."""
        there = closed.integrate(q, sign * eps * (K @ y))
        for _ in range(3):  # back to the manifold by the dependent coordinates, so that the independent ones stay
            rest = [k for k in range(closed.nv) if k not in free]
            step = np.zeros(closed.nv)
            step[rest] = -np.linalg.pinv(closed.constraint_jacobian(there)[:, rest]) @ closed.constraint_error(there)
            there = closed.integrate(there, step)
        L = closed.constraint_jacobian(there)
        speed = np.zeros(closed.nv)
        speed[free] = (qd + sign * eps * (K @ z + N @ y))[free]
        rest = [k for k in range(closed.nv) if k not in free]
        speed[rest] = -np.linalg.pinv(L[:, rest]) @ (L[:, free] @ speed[free])
        qdd = closed.forward_dynamics(there, speed, tau + sign * eps * u)
        return speed, qdd

    (v1, a1), (v0, a0) = rates(1.0), rates(-1.0)
    T = algorithms.tangent_rate(closed, q, qd)
    wanted = np.concatenate([((v1 - v0) / (2 * eps) + T @ (K @ y))[free], ((a1 - a0) / (2 * eps))[free]])
    found = A @ np.concatenate([y, z]) + B @ u
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


def test_linear_systems_in_joints_that_are_named_and_in_discrete_time():
    closed, q, qd, tau = state(four_bar())
    by_rocker = closed.linearize(q, qd, tau, independent=["rocker_joint"])
    assert by_rocker.A.shape == (2, 2)
    pytest.importorskip("scipy")
    step = closed.linearize(q, qd, tau, dt=1e-3)
    np.testing.assert_allclose((step.A - np.eye(2)) / 1e-3, closed.linearize(q, qd, tau).A, atol=0.1)
    with pytest.raises(ArgumentError, match="dt must be a time step"):
        closed.linearize(q, qd, tau, dt=0.0)


@pytest.mark.parametrize("mechanism", [four_bar(), bricard()], ids=["four-bar", "Bricard"])
def test_inverse_dynamics_undoes_forward_dynamics_to_first_order(mechanism):
    """tau = ID(q, qd, FD(q, qd, tau)) at all consistent states, so along the freedoms the derivatives cancel."""
    closed, q, qd, _ = state(mechanism)
    free = list(closed.independent(q))
    names = [joint.name for joint in closed.joints if joint.v.start in free]
    tau = np.zeros(closed.nv)
    tau[free] = 0.7
    qdd = closed.forward_dynamics(q, qd, tau)
    forward = closed.forward_dynamics_derivatives(q, qd, tau)
    inverse = closed.inverse_dynamics_derivatives(q, qd, qdd, actuated=names)
    K, N = closed._followers(q, qd, free)
    scale = np.abs(inverse.dq).max() + np.abs(inverse.dqdd).max() * np.abs(forward.dq).max()
    along_q = inverse.dq @ K + inverse.dqd @ N + inverse.dqdd @ (forward.dq @ K + forward.dqd @ N)
    along_qd = inverse.dqd @ K + inverse.dqdd @ forward.dqd @ K
    for found in (along_q, along_qd):
        np.testing.assert_allclose(found[free], 0.0, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose((inverse.dqdd @ forward.dtau)[np.ix_(free, free)], np.eye(len(free)), atol=1e-9)
    force = {closed.frames.names[-1]: np.zeros(6)}
    again = closed.inverse_dynamics_derivatives(q, qd, qdd, force, actuated=names)
    np.testing.assert_allclose(again.dq, inverse.dq, rtol=0, atol=1e-12 * scale)
    with pytest.raises(ArgumentError, match="have derivatives, only with as many"):
        closed.inverse_dynamics_derivatives(q, qd, qdd, actuated=[joint.name for joint in closed.joints])


@pytest.mark.parametrize("pushed", [False, True])
def test_derivatives_of_large_robots_are_put_together_of_batches(monkeypatch, pushed):
    closed, q = ladder(3)
    rng = np.random.default_rng(4)
    q, qd, _ = closed.project(q + 0.1 * rng.normal(size=(2, closed.nv)), rng.normal(size=(2, closed.nv)))
    tau, f_ext = rng.normal(size=closed.nv), {"c1": rng.normal(size=6)} if pushed else None
    wanted = closed.forward_dynamics_derivatives(q, qd, tau, f_ext)
    monkeypatch.setattr(derivatives, "DIRECT", 10)
    large = closed.tree.with_name("large").close(*closed.constraint_list)
    for a, b in zip(large.forward_dynamics_derivatives(q, qd, tau, f_ext), wanted, strict=True):
        assert np.abs(a - b).max() < 1e-11 * np.abs(b).max()
