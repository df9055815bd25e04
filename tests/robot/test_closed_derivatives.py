"""Derivatives of the dynamics of closed robots."""

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, Loop, algorithms
from sixd.compiler.request import without_methods
from sixd.mechanisms import MECHANISMS
from sixd.robot.closed import derivatives
from tests.constraints.following import followers, neighbour
from tests.constraints.ladder import ladder
from tests.constraints.mechanisms import bricard, four_bar, stewart


def state(mechanism, seed=0):
    closed, q = mechanism
    rng = np.random.default_rng(seed)
    q, qd = closed.project(q, rng.normal(size=closed.nv))
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


#: Those that are compiled in seconds; the standing one has a free base.
LINEAR = {
    name: MECHANISMS[name] for name in MECHANISMS if MECHANISMS[name]().robot.nv <= 7 or name.startswith("standing")
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_systems_follow_the_motion_nearby(name):
    """The rates of a neighbouring consistent motion, less those of the motion itself, to first order."""
    m = LINEAR[name]()
    closed, rng, eps = m.robot, np.random.default_rng(1), 1e-6
    q, qd = closed.project(m.q, rng.normal(size=closed.nv))
    free = list(closed.independent())
    A, B = closed.linearize(q, qd, m.tau)
    assert A.shape == (2 * len(free), 2 * len(free))
    assert B.shape == (2 * len(free), closed.nv)
    K, _ = followers(closed, q, qd, free)
    y, z, u = rng.normal(size=len(free)), rng.normal(size=len(free)), rng.normal(size=closed.nv)

    def rates(h):
        there, speed = neighbour(closed, closed.integrate(q, h * (K @ y)), qd, free, 0.0 * y, h * z)
        return speed[free], closed.forward_dynamics(there, speed, m.tau + h * u)[free]

    (v1, a1), (v0, a0) = rates(eps), rates(-eps)
    T = algorithms.tangent_rate(closed, q, qd)
    wanted = np.concatenate([(v1 - v0) / (2 * eps) + (T @ (K @ y))[free], (a1 - a0) / (2 * eps)])
    found = A @ np.concatenate([y, z]) + B @ u
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("passive", [False, True])
@pytest.mark.parametrize("mechanism", [four_bar(), bricard(), stabilised()], ids=["pin", "Bricard", "Baumgarte"])
def test_linear_systems_from_the_derivatives_of_forward_dynamics(mechanism, passive):
    """The kernel against the same by LAPACK, from all nv columns of the derivatives."""
    closed, q, qd, tau = state(mechanism)
    force = {closed.frames.names[-1]: np.arange(6.0)}
    free = list(closed.independent())
    K, N = followers(closed, q, qd, free)
    d, T = closed._with_passive(q, qd, tau, force, passive), algorithms.tangent_rate(closed, q, qd)
    above, below = np.hstack([T @ K + N, K]), np.hstack([d.dq @ K + d.dqd @ N, d.dqd @ K])
    A, B = closed.linearize(np.stack([q, q]), qd, tau, force, passive=passive)
    assert A.shape == (2, 2 * len(free), 2 * len(free))
    wanted = np.vstack([above[free], below[free]])
    np.testing.assert_allclose(A[1], wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
    np.testing.assert_allclose(B[1][len(free) :], d.dtau[free], rtol=0, atol=1e-12 * np.abs(d.dtau).max())


def test_coordinates_that_do_not_determine_the_motion():
    """At its dead centre the rocker of a four-bar stands still while the crank moves."""
    closed = sixd.mechanisms.four_bar().robot
    crank = float(np.pi + np.arccos((1.2**2 + 4.0 - 1.4**2) / (2.0 * 1.2 * 2.0)))  # crank and coupler overlap
    dead = closed.assemble([crank, np.pi, 0.5], fixed="crank_joint", limits=False)
    beside = closed.assemble([crank + 0.2, np.pi, 0.5], fixed="crank_joint", limits=False)
    still = np.zeros(3)
    with pytest.raises(sixd.SingularError, match="joints 'rocker_joint' do not determine the motion of four-bar"):
        closed.linearize(dead, still, still, independent="rocker_joint")
    with pytest.warns(sixd.ModelWarning, match="in 1 of 2 states"):
        A, _ = closed.linearize(np.stack([dead, beside]), still, still, independent="rocker_joint")
    assert np.isnan(A[0]).all()
    assert np.isfinite(A[1]).all()
    assert np.isfinite(closed.linearize(dead, still, still, independent="crank_joint").A).all()
    assert np.isnan(closed.linearize(np.full(3, np.nan), still, still).A).any()


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
    K, N = followers(closed, q, qd, free)
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
    q, qd = closed.project(q + 0.1 * rng.normal(size=(2, closed.nv)), rng.normal(size=(2, closed.nv)))
    tau, f_ext = rng.normal(size=closed.nv), {"c1": rng.normal(size=6)} if pushed else None
    wanted = closed.forward_dynamics_derivatives(q, qd, tau, f_ext)
    monkeypatch.setattr(derivatives, "DIRECT", 10)
    large = closed.tree.with_name("large").close(*closed.constraint_list)
    for a, b in zip(large.forward_dynamics_derivatives(q, qd, tau, f_ext), wanted, strict=True):
        assert np.abs(a - b).max() < 1e-11 * np.abs(b).max()


def test_second_derivatives_are_differences_of_the_first():
    """By central differences, of which two steps give the next order."""
    closed, q, qd, tau = state(stabilised())
    force = {"coupler end": np.arange(6.0)}
    for f_ext in (None, force):
        found = closed.forward_dynamics_second_derivatives(np.stack([q, q]), qd, tau, f_ext)

        def difference(move, which, f_ext=f_ext):
            """The derivative of ``dq``, ``dqd`` or ``dtau`` along a change of the state."""

            def of(h):
                return getattr(closed.forward_dynamics_derivatives(*move(h), f_ext), which)

            one, two = ((of(h) - of(-h)) / (2 * h) for h in (1e-3, 2e-3))
            return (4.0 * one - two) / 3.0

        for k, unit in enumerate(np.eye(3)):
            along_q = lambda h, unit=unit: (closed.integrate(q, h * unit), qd, tau)  # noqa: E731
            along_qd = lambda h, unit=unit: (q, qd + h * unit, tau)  # noqa: E731
            for a, b in (
                (found.dq_dq[1][:, :, k], difference(along_q, "dq")),
                (found.dq_dqd[1][:, k, :], difference(along_q, "dqd")),
                (found.dqd_dqd[1][:, :, k], difference(along_qd, "dqd")),
                (found.dq_dtau[1][:, k, :], difference(along_q, "dtau")),
            ):
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-7 * max(np.abs(b).max(), 1.0))
    with pytest.raises(sixd.SixdError, match=r"24 degrees of freedom, and at most 10"):
        stewart()[0].forward_dynamics_second_derivatives(*np.zeros((3, 24)))
