"""Steps of variable length with Python controllers, values by step, books and parameters; and at the edge of forces."""

import numpy as np
import pytest

import sixd
from sixd import ops
from sixd.errors import SimulationError, SimulationWarning
from sixd.simulation import Event, simulate
from sixd.simulation.contact import Bump, Compliant, Contacts, HeightField, Sphere
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Field, JointDamper, JointSpring
from sixd.spatial import Vector
from tests.simulation.test_events import particle
from tests.simulation.test_simulate import FLOATING, PENDULUM, start

DOPRI5 = {"integrator": "dopri5"}
#: A force away from the plane x = 0, which is defined on one side of it alone; its potential is -2 sqrt(x).
EDGE = Field(lambda p, v, t: Vector((ops.divide(1.0, ops.sqrt(p[0])), 0.0, 0.0)))


def edge_start(energy):
    return [1.0], [-np.sqrt(2.0 * (energy + 2.0))]


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-8])
def test_a_trial_beyond_the_edge_of_a_force_is_made_again_shorter(tolerance):
    """The particle turns round at x = (E / 2)^2, just before forces end: trial steps reach beyond."""
    q, qd = edge_start(-0.02)
    run = simulate(particle("x"), q, qd, 1.5, dt=0.01, forces=[EDGE], rtol=tolerance, atol=tolerance, **DOPRI5)
    assert run.finished
    energy = 0.5 * run.qd[:, 0] ** 2 - 2.0 * np.sqrt(run.q[:, 0])
    assert np.ptp(energy) < 100.0 * tolerance
    assert run.q[-1, 0] > 0.5


def test_where_no_step_is_short_enough_the_error_says_when_and_which_forces():
    robot, given = particle("x"), {"dt": 0.01, "forces": [EDGE], **DOPRI5}
    with pytest.raises(SimulationError, match=r"at t = 0.363.*forces of field are not finite there; joint 'parti") as e:
        simulate(robot, [1.0], [-3.0], 1.5, **given)
    assert e.value.time == pytest.approx(0.36339, abs=1e-5)
    assert np.isfinite(e.value.trajectory.q[:37]).all()
    assert np.isnan(e.value.trajectory.q[37:]).all()
    with pytest.raises(SimulationError, match=r"at t = 0 s the acceleration is not finite: the forces of field"):
        simulate(robot, [-1.0], [0.0], 1.5, **given)
    alone = simulate(robot, [1.0], [1.0], 0.5, **given)
    with pytest.warns(SimulationWarning, match="2 of 3 samples blew up"):
        run = simulate(robot, [[1.0], [1.0], [-1.0]], [[-3.0], [1.0], [1.0]], 0.5, **given)
    assert np.array_equal(run.q[1], alone.q)


def test_a_python_controller_is_asked_at_its_own_rate():
    """From one tick to the next joint forces are held: with the same answers, rk4 at small steps agrees."""
    q, qd = start(PENDULUM, (2,))
    asked = []

    def control(t, q, qd):
        asked.append(t)
        return -3.0 * q - 0.5 * qd

    given = {"dt": 0.01, "control": control, "control_dt": 0.02}
    run = simulate(PENDULUM, q, qd, 0.3, **given, **DOPRI5)
    np.testing.assert_allclose(asked, 0.02 * np.arange(15), atol=1e-15)
    fine = simulate(PENDULUM, q, qd, 0.3, dt=1e-3, control=control, control_dt=0.02, integrator="rk4", record=10)
    np.testing.assert_allclose(run.q, fine.q, atol=1e-9)
    np.testing.assert_allclose(run.tau, fine.tau, atol=1e-8)
    np.testing.assert_allclose(run.tau[:, 4], -3.0 * run.q[:, 4] - 0.5 * run.qd[:, 4], rtol=1e-14)
    assert np.array_equal(run.tau[:, 5], run.tau[:, 4])
    one = simulate(PENDULUM, q[1], qd[1], 0.3, **given, **DOPRI5)
    assert np.array_equal(one.q, run.q[1])


def test_no_sample_changes_while_others_go_on_to_the_next_tick():
    """Attempts at the end of a tick change nothing: not even the last bit of a quaternion that is moved by nothing."""
    q, qd = start(FLOATING, (3,))
    tau = 0.01 * np.random.default_rng(1).normal(size=(8, FLOATING.nv))
    given = {"dt": 0.02, "control": tau, **DOPRI5}
    speeds = qd * np.array([[1e-2], [1.0], [40.0]])
    batch = simulate(FLOATING, q, speeds, 0.16, **given)
    for k in range(3):
        assert np.array_equal(simulate(FLOATING, q[k], speeds[k], 0.16, **given).q, batch.q[k])


def test_a_controller_that_fails_leaves_the_trajectory_so_far():
    def control(t, q, qd):
        if t > 0.055:
            raise ValueError("no more")
        return np.zeros(2)

    with pytest.raises(SimulationError, match=r"at t = 0.06 s the controller raised ValueError: no more") as caught:
        simulate(PENDULUM, [0.1, 0.0], [0.0, 0.0], 0.1, dt=0.01, control=control, **DOPRI5)
    assert np.isfinite(caught.value.trajectory.q[:7]).all()
    for answer, text in (([0.0], "shape"), ([np.nan, 0.0], "NaN"), ("x", "no array of numbers")):
        with pytest.raises(SimulationError, match=text):
            simulate(PENDULUM, [0.1, 0.0], [0.0, 0.0], 0.1, control=lambda t, q, qd, a=answer: a, **DOPRI5)


def test_a_value_for_each_step_is_held_for_dt():
    rng = np.random.default_rng(1)
    q, qd = start(PENDULUM)
    tau = rng.normal(size=(3, 20, 2))
    run = simulate(PENDULUM, q, qd, 0.2, dt=0.01, control=tau, **DOPRI5)
    fine = simulate(PENDULUM, q, qd, 0.2, dt=1e-3, control=np.repeat(tau, 10, axis=1), integrator="rk4", record=10)
    np.testing.assert_allclose(run.q, fine.q, atol=1e-9)
    assert np.array_equal(run.tau[:, :-1], tau)
    goals = rng.normal(size=(20, 2))
    given = {"control": JointPD(20.0, 2.0, "goal"), "dt": 0.01}
    run = simulate(PENDULUM, q, qd, 0.2, inputs={"goal": goals}, **given, **DOPRI5)
    given["dt"] = 1e-3
    fine = simulate(
        PENDULUM, q, qd, 0.2, inputs={"goal": np.repeat(goals, 10, 0)}, **given, integrator="rk4", record=10
    )
    np.testing.assert_allclose(run.q, fine.q, atol=1e-8)


@pytest.mark.parametrize("robot", [PENDULUM, FLOATING], ids=["pendulum", "floating"])
def test_books_balance_and_do_not_change_the_motion(robot):
    q, qd = start(robot, (2,))
    given = {"dt": 0.02, "forces": [JointDamper(0.3), JointSpring(2.0)], "control": 0.2 * np.ones(robot.nv), **DOPRI5}
    run = simulate(robot, q, qd, 0.5, books=True, **given)
    plain = simulate(robot, q, qd, 0.5, **given)
    np.testing.assert_allclose(run.q, plain.q, atol=1e-12)
    assert plain.work is None
    assert run.work.shape == (2, 26, 3)
    change = run.mechanical_energy - run.mechanical_energy[:, :1]
    scale = np.abs(run.mechanical_energy).max()
    np.testing.assert_allclose(run.work.sum(axis=-1), change, atol=2e-7 * scale)
    np.testing.assert_allclose(run.work[:, -1].sum(axis=-1), change[:, -1], atol=1e-8 * scale)
    stored = np.asarray(run.potential_energy - run.mechanical_energy + run.kinetic_energy)
    np.testing.assert_allclose(run.work[..., 2], stored[:, :1] - stored, atol=2e-7 * scale)


def test_books_go_on_through_ticks_and_up_to_an_event():
    event = Event(lambda t, q, qd: q[..., 0], "bottom", terminal=True)
    given = {"dt": 0.02, "control": lambda t, q, qd: 0.1 * np.sin(20.0 * t) + 0.0 * q, "books": True, **DOPRI5}
    run = simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], 3.0, events=[event], **given)
    assert run.t[-1] == run.happened[-1].time
    change = run.mechanical_energy - run.mechanical_energy[0]
    np.testing.assert_allclose(run.work[:, 0], change, atol=1e-7)


def test_parameters_differ_from_sample_to_sample():
    robots = [PENDULUM.with_gravity((0.0, 0.0, -g)) for g in (1.6, 3.7, 9.8)]
    numbers = {"gravity": np.stack([sixd.parameters(r, "gravity") for r in robots])}
    q, qd = start(PENDULUM)
    given = {"dt": 0.05, "books": True, "forces": [JointDamper(0.1)], **DOPRI5}
    together = simulate(PENDULUM, q, qd, 0.5, parameters=numbers, **given)
    for k, robot in enumerate(robots):
        alone = simulate(robot, q, qd, 0.5, **given)
        for name in ("q", "qd", "work", "energy"):
            np.testing.assert_allclose(getattr(together, name)[k], getattr(alone, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("at", [1.03, 2.5])
def test_a_short_push_after_a_long_rest_is_not_missed(at):
    """Its work is that of a constant force f along the way f s^2 / 2 m."""
    push = Field(lambda p, v, t: Vector((ops.where(t > at, ops.where(t < at + 0.1, 3.0, 0.0), 0.0), 0.0, 0.0)))
    run = simulate(particle("x"), [0.0], [0.0], 4.0, dt=0.01, forces=[push], books=True, **DOPRI5)
    assert run.qd[-1, 0] == pytest.approx(0.3, rel=1e-8)
    assert run.work[-1, 1] == pytest.approx(0.045, rel=2e-8)


def test_a_bump_in_the_way_of_a_ball_is_not_missed():
    """It is reached after a long way on which nothing happens."""
    b = sixd.Builder("ball")
    b.body("ball", joint=sixd.joints.Translational(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    bump = Contacts([Sphere("ball", 0.02)], HeightField(Bump(3.0, 0.0, 0.2, 0.1)), Compliant(1e3))
    robot, given = b.build(gravity=(0, 0, 0)), {"contacts": bump, "record": None}
    state = [0.0, 0.0, 0.05], [1.0, 0.0, 0.0]
    run = simulate(robot, *state, 4.0, dt=0.01, **given, **DOPRI5)
    fine = simulate(robot, *state, 4.0, dt=2e-4, integrator="rk4", **given)
    assert run.qd[-1, 2] > 0.1
    np.testing.assert_allclose(run.qd, fine.qd, atol=1e-6)
