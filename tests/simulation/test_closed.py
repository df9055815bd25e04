"""Closed robots over time: every integrator keeps the constraints and its order."""

import numpy as np
import pytest

import sixd
from sixd import Loop, ModelError, Prescribed
from sixd.errors import ArgumentError
from sixd.simulation import INTEGRATORS
from tests.constraints.mechanisms import bricard, four_bar

EVERY = (*INTEGRATORS, "dopri5")


def start(mechanism, seed=0):
    closed, q = mechanism
    q, qd = closed.project(q, np.random.default_rng(seed).normal(size=closed.nv))
    return closed, q, qd


def off(closed, trajectory):
    """The largest errors of position and velocity."""
    L = closed.constraint_jacobian(trajectory.q)
    speed = (L @ trajectory.qd[..., None])[..., 0]
    return np.abs(closed.constraint_error(trajectory.q)).max(), np.abs(speed).max()


@pytest.mark.parametrize("integrator", EVERY)
@pytest.mark.parametrize("mechanism", [four_bar(), bricard()], ids=["four-bar", "Bricard"])
def test_every_integrator_keeps_the_constraints(mechanism, integrator):
    closed, q, qd = start(mechanism)
    run = sixd.simulate(closed, q, qd, 0.5, dt=2.5e-3, integrator=integrator)
    position, velocity = off(closed, run)
    # between the steps of dopri5, states are interpolated, within its tolerance
    assert position < (1e-8 if integrator == "dopri5" else 1e-12)
    assert velocity < (1e-6 if integrator == "dopri5" else 1e-11)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_has_its_order(integrator):
    closed, q, qd = start(four_bar())
    wanted = sixd.simulate(closed, q, qd, 0.4, dt=0.4, integrator="dopri5", rtol=1e-12, atol=1e-13).q[-1]
    how = {"integrator": integrator, "record": None}
    if INTEGRATORS[integrator].takes_tolerances:  # no step is made in parts
        how |= {"rtol": 1.0, "atol": 1.0}
    errors = [np.abs(sixd.simulate(closed, q, qd, 0.4, dt=dt, **how).q[-1] - wanted).max() for dt in (0.02, 0.01)]
    order = np.log2(errors[0] / errors[1])
    assert order > INTEGRATORS[integrator].order - 0.35


def test_energy_and_constraints_over_a_minute():
    closed, q, qd = start(four_bar())
    run = sixd.simulate(closed, q, qd, 60.0, dt=1e-3, integrator="rk4", record=100)
    E = closed.kinetic_energy(run.q, run.qd) + closed.potential_energy(run.q)
    assert np.abs(E - E[0]).max() < 1e-9 * np.abs(E[0])
    assert off(closed, run)[0] < 1e-13


def test_the_motion_is_that_of_the_open_robot_with_the_forces_of_the_constraints():
    """Along a motion, inverse dynamics of the tree is the force of the loop: it does no work."""
    closed, q, qd = start(four_bar())
    run = sixd.simulate(closed, q, qd, 0.2, integrator="rk4", record=20)
    qdd = closed.forward_dynamics(run.q, run.qd, np.zeros(3))
    tau = closed.tree.inverse_dynamics(run.q, run.qd, qdd)
    power = (tau * run.qd).sum(axis=-1)
    assert np.abs(power).max() < 1e-11 * np.abs(tau).max() * np.abs(run.qd).max()


def test_baumgartes_factors_let_errors_decay_and_steps_are_not_projected():
    (_, q), (closed, _) = four_bar(), four_bar()
    loop = closed.constraint_list[0]
    soft = closed.tree.close(Loop(loop.frame_a, loop.frame_b, loop.joint, name="pin", stabilisation=20.0))
    wrong = q + np.array([0.0, 2e-7, 0.0])
    run = sixd.simulate(soft, wrong, np.zeros(3), 1.0, integrator="rk4", record=100)
    error = np.abs(soft.constraint_error(run.q)).max(axis=-1)
    assert error[0] > 1e-7
    assert error[-1] < 1e-3 * error[0]
    exact = sixd.simulate(soft, wrong, np.zeros(3), 1.0, integrator="rk4", record=100, projection=True)
    assert np.abs(soft.constraint_error(exact.q[1:])).max() < 1e-13
    drifting = sixd.simulate(closed, q, np.ones(3) * 0.0, 1.0, dt=1e-2, projection=False)
    assert np.abs(closed.constraint_error(drifting.q[-1])).max() > 1e-9


def test_prescribed_motion_is_followed():
    closed, q = four_bar()
    driven = closed.tree.close(*closed.constraint_list, Prescribed("crank_joint", name="motor"))
    t = np.arange(500) * 1e-3
    goal = np.stack([q[0] + 0.4 * np.sin(3 * t), 1.2 * np.cos(3 * t), -3.6 * np.sin(3 * t)], axis=-1)[:, None, :]
    q0, qd0 = driven.project(q, np.zeros(3), targets={"motor": goal[0, 0]})
    run = sixd.simulate(driven, q0, qd0, 0.5, integrator="rk4", inputs={"targets": goal})
    # a step goes on with constant acceleration: a h^3 / 6 off at its end
    assert np.abs(run.q[:-1, 0] - goal[:, 0, 0]).max() < 10.8 * 1e-9 / 6 * 1.01
    with pytest.raises(ModelError, match="qd0 does not keep the constraint 'motor'"):
        sixd.simulate(driven, q0, 0 * qd0, 0.5, inputs={"targets": goal})


def test_samples_of_a_batch_are_alone():
    closed, q, qd = start(four_bar())
    speeds = np.stack([0.5 * qd, qd])
    both = sixd.simulate(closed, q, speeds, 0.1, record=None)
    alone = sixd.simulate(closed, q, qd, 0.1, record=None)
    np.testing.assert_array_equal(both.q[1], alone.q)


def test_what_is_refused():
    closed, q, qd = start(four_bar())
    with pytest.raises(ModelError, match=r"q0 does not keep the constraint 'pin': .* closed.assemble\(q\)"):
        sixd.simulate(closed, q + 0.1, qd, 0.1)
    with pytest.raises(ModelError, match="qd0 does not keep the constraint 'pin'"):
        sixd.simulate(closed, q, qd + 0.1, 0.1)
    with pytest.raises(ArgumentError, match="this robot has none"):
        sixd.simulate(closed.tree, q, qd, 0.1, projection=True)


def test_derivatives_of_the_end_forward_and_backward():
    """The end is that of `simulate`: on the constraints, also where steps alone would leave them."""
    closed, q, qd = start(four_bar())
    rng = np.random.default_rng(1)
    tau, dtau, still = *rng.normal(size=(2, 30, 3)), np.zeros(3)
    run = sixd.simulation.Differentiable(closed)
    last, along = run.jvp(q, qd, tau, still, still, dtau)
    q_bar, qd_bar = rng.normal(size=(2, 3))
    _, back = run.vjp(q, qd, tau, q_bar, qd_bar)
    wanted = q_bar @ along.q + qd_bar @ along.qd
    assert abs((back.tau * dtau).sum() - wanted) < 1e-13

    def end(step):
        found = sixd.simulate(closed, q, qd, 0.03, control=tau + step * dtau, record=None)
        return np.concatenate([found.q[-1], found.qd[-1]])

    np.testing.assert_allclose(np.concatenate(last), end(0.0), rtol=0, atol=1e-14 * np.abs(end(0.0)).max())
    slope = (end(1e-3) - end(-1e-3)) / 2e-3
    np.testing.assert_allclose(np.concatenate([along.q, along.qd]), slope, rtol=0, atol=1e-8 * np.abs(slope).max())
    # the end keeps the constraints whatever the forces are, so its derivative is a motion that does
    assert np.abs(closed.constraint_jacobian(end(0.0)[:3]) @ along.q).max() < 1e-12
