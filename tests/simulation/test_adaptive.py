"""Steps of variable length, events, and the equations of motion for other solvers."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sixd
from sixd.errors import ArgumentError, ModelError, ShapeError, SimulationError, SimulationWarning
from sixd.simulation import EquationsOfMotion, Event, simulate
from sixd.simulation.forces import Field
from tests.simulation.test_simulate import FLOATING, PENDULUM, start


@pytest.mark.parametrize("robot", [PENDULUM, FLOATING], ids=["pendulum", "floating"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_errors_follow_the_tolerance(robot, tolerance):
    q, qd = start(robot, (3,))
    exact = simulate(robot, q, qd, 0.5, dt=2.5e-4, integrator="rk4", record=40)
    found = simulate(robot, q, qd, 0.5, dt=1e-2, integrator="dopri5", rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(found.t, exact.t, rtol=1e-12, atol=1e-15)
    size = 1.0 + np.abs(exact.qd).max()
    assert np.abs(robot.difference(exact.q, found.q)).max() < 60 * tolerance * size + 2e-11
    assert np.abs(exact.qd - found.qd).max() < 600 * tolerance * size + 2e-10


def test_each_sample_takes_its_own_steps():
    q, qd = start(PENDULUM, (4,))
    batch = simulate(PENDULUM, q, qd, 0.3, dt=1e-2, integrator="dopri5")
    for k in range(4):
        one = simulate(PENDULUM, q[k], qd[k], 0.3, dt=1e-2, integrator="dopri5")
        assert np.array_equal(one.q, batch.q[k])


def test_events_are_where_the_function_is_zero():
    """A pendulum released at rest passes the bottom again and again; each time its energy is the same."""
    bottom = Event(lambda t, q, qd: q[..., 0], "bottom")
    falling = Event(lambda t, q, qd: q[..., 0], "from the right", direction=-1)
    run = simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], 3.0, dt=0.1, integrator="dopri5", events=[bottom, falling])
    both = [x for x in run.happened if x.name == "bottom"]
    down = [x for x in run.happened if x.name == "from the right"]
    assert len(both) >= 3
    assert [x.time for x in down] == [x.time for x in both if x.qd[0] < 0.0]
    for x in both:
        assert abs(x.q[0]) < 1e-12
        fine = simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], x.time, dt=x.time / 4000, integrator="rk4", record=None)
        assert abs(fine.q[-1, 0]) < 1e-8


def test_a_terminal_event_ends_the_run():
    stop = Event(lambda t, q, qd: q[..., 0], "bottom", terminal=True)
    run = simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], 3.0, dt=0.05, integrator="dopri5", events=[stop])
    assert run.t[-1] == run.happened[0].time < 3.0
    assert abs(run.q[-1, 0]) < 1e-12
    assert np.isfinite(run.q).all()
    assert (np.diff(run.t) > 0.0).all()


def test_the_end_is_on_record_and_no_event_is_lost():
    """A record that does not divide the run does not cut it short."""
    given = {"dt": 1e-3, "integrator": "dopri5", "events": [Event(lambda t, q, qd: q[..., 0], "down")]}
    whole = simulate(PENDULUM, [0.01, 0.0], [-0.105, 0.0], 0.1, **given)
    assert [round(x.time, 3) for x in whole.happened] == [0.092]
    for record, times in ((30, [0.0, 0.03, 0.06, 0.09, 0.1]), (1000, [0.0, 0.1]), (None, [0.1])):
        run = simulate(PENDULUM, [0.01, 0.0], [-0.105, 0.0], 0.1, record=record, **given)
        np.testing.assert_allclose(run.t, times, rtol=1e-15)
        assert np.array_equal(run.q[-1], whole.q[-1])
        assert [x.time for x in run.happened] == [x.time for x in whole.happened]
    assert len(simulate(PENDULUM, [0.1, 0.0], [0.0, 0.0], 0.0, record=None, **given)) == 1


def test_a_sample_that_cannot_go_on_leaves_the_others_alone():
    """x'' = 50 x^2 reaches infinity in a finite time, the later the smaller x is."""
    b = sixd.Builder("bead")
    b.body("bead", joint=sixd.joints.Prismatic("x"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    given = {"integrator": "dopri5", "dt": 0.01, "forces": [Field(lambda p, v, t: p * (50.0 * p[0]))]}
    robot, alone = b.build(), simulate(b.build(), [0.1], [0.0], 0.3, **given)
    with pytest.warns(SimulationWarning, match=r"1 of 2 samples blew up: at t = 0.144.* of sample \(1,\) would have"):
        run = simulate(robot, [[0.1], [5.0]], [[0.0], [100.0]], 0.3, **given)
    assert "blew up" in run.ended
    assert np.array_equal(run.q[0], alone.q)
    assert np.isfinite(run.q[1, :15]).all()
    assert np.isnan(run.q[1, 15:]).all()
    with pytest.raises(SimulationError, match=r"at t = 0.144") as caught:
        simulate(robot, [5.0], [100.0], 0.3, **given)
    assert caught.value.time == pytest.approx(0.1445, abs=1e-4)
    assert np.array_equal(caught.value.trajectory.q[:15], run.q[1, :15])


def test_solve_ivp_agrees():
    q, qd = start(FLOATING)
    equations = EquationsOfMotion(FLOATING)
    ours = simulate(FLOATING, q, qd, 0.4, dt=0.1, integrator="dopri5", rtol=1e-11, atol=1e-12)
    for vectorized in (False, True):
        theirs = solve_ivp(
            equations,
            (0.0, 0.4),
            equations.join(q, qd),
            "DOP853",
            ours.t,
            rtol=1e-11,
            atol=1e-12,
            vectorized=vectorized,
        )
        found = equations.split(theirs.y)
        np.testing.assert_allclose(FLOATING.difference(ours.q, found.q), 0.0, atol=1e-9)
        np.testing.assert_allclose(found.qd, ours.qd, atol=1e-9)


def test_a_stiff_solver_takes_columns():
    equations = EquationsOfMotion(PENDULUM, control=[0.1, 0.0])
    y = equations.join(*start(PENDULUM, (6,)))
    assert y.shape == (4, 6)
    columns = np.stack([equations(0.0, y[:, k]) for k in range(6)], axis=1)
    assert np.array_equal(equations(0.0, y), columns)
    radau = solve_ivp(equations, (0.0, 0.1), y[:, 0], "Radau", rtol=1e-8, atol=1e-10, vectorized=True)
    ours = simulate(PENDULUM, *equations.split(y[:, 0]), 0.1, dt=1e-3, control=[0.1, 0.0], integrator="rk4")
    np.testing.assert_allclose(radau.y[:2, -1], ours.q[-1], rtol=1e-6)


def test_long_quaternions_turn_as_fast_as_short_ones():
    """Solvers let their length drift, which must not change the motion: the rate grows with it."""
    q, qd = start(FLOATING)
    equations, longer = EquationsOfMotion(FLOATING), q.copy()
    longer[:4] *= 2.0
    one, two = (equations(0.0, equations.join(x, qd)) for x in (q, longer))
    np.testing.assert_allclose(two[:4], 2.0 * one[:4], rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(two[4:], one[4:], rtol=1e-12, atol=1e-12)


def test_mistakes_are_named():
    given = {
        "robot": PENDULUM,
        "q0": [0.0, 0.0],
        "qd0": [0.0, 0.0],
        "duration": 0.1,
        "dt": 0.01,
        "integrator": "dopri5",
    }
    bottom = Event(lambda t, q, qd: q[..., 0], terminal=True)
    for change, error, message in (
        ({"rtol": 0.0}, ModelError, "rtol must be a positive number"),
        ({"atol": np.nan}, ModelError, "atol must be a positive number"),
        ({"control": np.zeros((9, 2))}, ShapeError, "9 values along the axis of steps, but there are 10"),
        ({"events": [3]}, ArgumentError, "each of events"),
        ({"events": [bottom], "q0": np.zeros((2, 2))}, ArgumentError, "one sample"),
        ({"q0": np.zeros((2, 2)), "qd0": np.zeros((3, 2))}, ShapeError, "broadcast"),
        ({"events": [Event(lambda t, q, qd: 1.0)]}, ShapeError, "returned shape"),
        ({"events": [Event(lambda t, q, qd: "low")]}, ArgumentError, "the result of the event 'event'"),
        ({"events": [Event(lambda t, q, qd: 1 / 0, "e")]}, SimulationError, "at t = 0 s the event 'e' raised"),
        ({"events": [Event(lambda t, q, qd: t * np.nan, "e")]}, SimulationError, "at t = 0 s the event 'e' is NaN"),
        ({"duration": 1e13}, ModelError, "records of 1 samples would take"),
        ({"events": [bottom], "integrator": "rk4"}, ArgumentError, "dopri5"),
    ):
        with pytest.raises(error, match=message):
            simulate(**{**given, **change})
    for change, error in (
        ({"direction": 2}, ModelError),
        ({"direction": np.array([1, 2])}, ModelError),
        ({"name": 5}, ModelError),
        ({"terminal": "yes"}, ArgumentError),
    ):
        with pytest.raises(error, match=next(iter(change))):
            Event(lambda t, q, qd: 0.0, **change)
    with pytest.raises(ArgumentError, match="cut or resampled, or an event ended it"):
        simulate(**given)[:5].resume(0.1)
    equations = EquationsOfMotion(PENDULUM)
    with pytest.raises(ShapeError, match=r"nq \+ nv rows"):
        equations(0.0, np.zeros(3))
    for wrong in ("abcd", np.ones(4) * 1j):
        with pytest.raises(ArgumentError, match="y must be an array of real numbers"):
            equations(0.0, wrong)
    with pytest.raises(ShapeError, match="broadcast"):
        equations.join(np.zeros((3, 2)), np.zeros((2, 2)))
    assert equations.join(np.zeros((3, 2)), np.ones(2)).shape == (4, 3)
    with pytest.raises(SimulationError, match=r"not finite|shorter"):
        simulate(**{**given, "control": [1e200, 0.0]})
