"""Steps of variable length, events, and the equations of motion for other solvers."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sixd.errors import ArgumentError, ModelError, ShapeError, SimulationError
from sixd.simulation import EquationsOfMotion, Event, simulate
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
        ({"control": lambda t, q, qd: [0.0, 0.0]}, ArgumentError, "compiled"),
        ({"control": np.zeros((10, 2))}, ArgumentError, "have no number"),
        ({"events": [3]}, ArgumentError, "each of events"),
        ({"events": [bottom], "q0": np.zeros((2, 2))}, ArgumentError, "one sample"),
        ({"events": [Event(lambda t, q, qd: 1.0)]}, ShapeError, "returned shape"),
        ({"events": [bottom], "integrator": "rk4"}, ArgumentError, "dopri5"),
        ({"books": True}, ArgumentError, "books"),
    ):
        with pytest.raises(error, match=message):
            simulate(**{**given, **change})
    with pytest.raises(ModelError, match="direction"):
        Event(lambda t, q, qd: 0.0, direction=2)
    with pytest.raises(ShapeError, match=r"nq \+ nv rows"):
        EquationsOfMotion(PENDULUM)(0.0, np.zeros(3))
    with pytest.raises(SimulationError, match=r"not finite|shorter"):
        simulate(**{**given, "control": [1e200, 0.0]})
