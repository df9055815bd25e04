"""Runs that stop and go on: the same to the bit as in one run, wherever they stopped."""

import warnings

import numpy as np
import pytest

import sixd
from sixd.compiler.rollout import Rollout
from sixd.errors import ArgumentError, SimulationError, SimulationWarning
from sixd.simulation import Event, adaptive, run, simulate
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Field, JointDamper
from tests.simulation.test_events import particle
from tests.simulation.test_simulate import FLOATING, PENDULUM, start

DT, STEPS = 0.02, 30
DOPRI5 = {"integrator": "dopri5"}
FOUR_BAR = sixd.mechanisms.four_bar()


def asked(t, q, qd):
    return np.sin(20.0 * t) - 0.5 * qd


def by_step(robot, lead=(), steps=STEPS):
    return np.random.default_rng(3).normal(size=(*lead, steps, robot.nv))


#: A robot, a start and the other arguments of `simulate`.
CASES = {
    "pendulum": (PENDULUM, *start(PENDULUM), {}),
    "quaternions": (FLOATING, *start(FLOATING, (3,)), {"books": True, "forces": [JointDamper(0.2)]}),
    "a controller": (PENDULUM, *start(PENDULUM, (2,)), {"control": JointPD(9.0, 1.0), "inputs": {"q_target": [1, 0]}}),
    "a function": (PENDULUM, *start(PENDULUM, (2,)), {"control": asked, "control_dt": 7 * DT, "books": True}),
    "values by step": (PENDULUM, *start(PENDULUM), {"control": by_step(PENDULUM, (2,))}),
    "parameters": (PENDULUM, *start(PENDULUM), {"parameters": {"gravity": -np.eye(3)[[2, 1]]}}),
    "a closed robot": (FOUR_BAR.robot, FOUR_BAR.q, FOUR_BAR.robot.project(FOUR_BAR.q, np.full(3, 2.0))[1], {}),
    "no sample": (PENDULUM, np.zeros((0, 3, 2)), np.zeros(2), {"control": asked}),
    "at rest": (PENDULUM, np.zeros((2, 2)), np.zeros(2), {}),
}
EVENTS = [Event(lambda t, q, qd: q[..., -1], "down", -1), Event(lambda t, q, qd: qd[..., 0], "turn")]


def assert_same(one, other):
    for name in ("t", "q", "qd", "work", "tau"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None)
        assert a is None or np.array_equal(a, b, equal_nan=True), name
    assert (one.span, len(one.happened)) == (other.span, len(other.happened))
    for x, y in zip(one.happened, other.happened, strict=True):
        assert x[:3] == y[:3]
        assert np.array_equal(x.q, y.q)
        assert np.array_equal(x.qd, y.qd)


@pytest.fixture
def interrupts(monkeypatch):
    """Makes every so-manyth call of compiled code raise an interrupt, before it or after it in turn."""
    going_on, calls = Rollout.run, []

    def every(number):
        def broken(*arguments):
            calls.append(1)
            if len(calls) % number == 0 and len(calls) // number % 2:
                raise KeyboardInterrupt
            going_on(*arguments)
            if len(calls) % number == 0:
                raise KeyboardInterrupt

        monkeypatch.setattr(Rollout, "run", broken if number else going_on)

    monkeypatch.setattr(adaptive, "ATTEMPTS", 5)
    monkeypatch.setattr(run, "STRETCH", 1.0)
    return every


def to_the_end(motion, duration):
    """Resume a run until it is over; how often that was needed."""
    for number in range(1000):
        if not motion.ended.startswith("interrupted"):
            return motion, number
        motion = motion.resume(duration - motion.t[-1])
    raise AssertionError("it comes to no end")


@pytest.mark.parametrize("record", [4, None])
@pytest.mark.parametrize("integrator", ["dopri5", "heun"])
@pytest.mark.parametrize("case", CASES)
def test_wherever_a_run_is_interrupted(case, integrator, record, interrupts):
    robot, q, qd, more = CASES[case]
    given = {"dt": DT, "record": record, "integrator": integrator, **more}
    if integrator == "dopri5":
        given["events"] = EVENTS
    whole = simulate(robot, q, qd, DT * STEPS, **given)
    interrupts(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        motion, stops = to_the_end(simulate(robot, q, qd, DT * STEPS, **given), DT * STEPS)
    assert stops or case in ("at rest", "no sample")  # which take one call and none
    assert motion.finished
    assert_same(motion, whole)


@pytest.mark.parametrize("record", [4, None])
@pytest.mark.parametrize("integrator", ["dopri5", "rk4"])
@pytest.mark.parametrize("case", [name for name in CASES if name != "values by step"])
def test_a_run_that_is_over_goes_on(case, integrator, record):
    """Also where it ended between two answers, two records or two steps."""
    robot, q, qd, more = CASES[case]
    given = {"dt": DT, "record": record, "integrator": integrator, **more}
    if integrator == "dopri5":
        given["events"] = EVENTS
    motion = simulate(robot, q, qd, 0.0, **given)
    for steps in (3, 4, 0, 7, 1, 15):
        motion = motion.resume(DT * steps)
    assert_same(motion, simulate(robot, q, qd, DT * STEPS, **given))


@pytest.mark.parametrize("integrator", ["dopri5", "heun"])
def test_values_by_step_last_as_long_as_there_are_any(integrator):
    given = {"dt": DT, "integrator": integrator, "control": by_step(PENDULUM)}
    motion = simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], DT * STEPS, **given)
    with pytest.raises(ArgumentError, match="control has values for 30 steps, and the run would go on to step 31: sim"):
        motion.resume(DT)
    given["control"] = [[1.0, 0.5]]
    motion = simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], DT, **given).resume(DT)
    assert_same(motion, simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], 2 * DT, **given))


@pytest.mark.parametrize("integrator", ["dopri5", "heun"])
def test_samples_that_are_lost_stay_so(integrator):
    """x'' = 50 x^2 reaches infinity in a finite time, the later the smaller x is."""
    given = {"dt": 0.01, "forces": [Field(lambda p, v, t: p * (50.0 * p[0]))], "integrator": integrator}
    q, qd = [[0.1], [5.0], [0.2]], [[0.0], [100.0], [0.0]]
    when = "t = 0.144478" if integrator == "dopri5" else "t = 0.22"
    with pytest.warns(SimulationWarning, match=rf"1 of 3 samples blew up: .*({when}|\(1,\)).*({when}|\(1,\))"):
        whole = simulate(particle("x"), q, qd, 0.4, **given)
    motion = simulate(particle("x"), q, qd, 0.1, **given)
    for _ in range(2):
        with pytest.warns(SimulationWarning, match=when) as told:
            motion = motion.resume(0.15)
        assert told[0].filename == __file__
    assert_same(motion, whole)
    assert motion.ended == whole.ended
    assert motion.sample(0).finished
    assert not motion.sample(1).finished
    assert motion.sample(1).lost == {0: whole.lost[1]}
    assert not motion.sample(slice(1, 3)).finished
    with pytest.raises(SimulationError, match=when) as caught:
        simulate(particle("x"), [5.0], [100.0], 0.4, **given)
    with pytest.raises(SimulationError, match=when):
        caught.value.trajectory.resume(0.1)


@pytest.mark.parametrize("integrator", ["dopri5", "heun"])
def test_a_run_goes_on_after_a_controller_has_failed(integrator):
    until = 0.31

    def control(t, q, qd):
        if t > until:
            raise ValueError("no more")
        return -qd

    given = {"dt": DT, "control": control, "control_dt": 0.04, "record": 3, "integrator": integrator}
    with pytest.raises(SimulationError, match="no more") as caught:
        simulate(PENDULUM, [1.0, 0.0], [0.0, 0.0], 0.6, **given)
    early, until = caught.value.trajectory, 0.51
    assert early.t[-1] == pytest.approx(0.3)
    assert np.isfinite(early.q).all()
    with pytest.raises(SimulationError, match="no more") as caught:
        early.resume(0.6 - early.t[-1])
    later, until = caught.value.trajectory, 1.0
    assert later.t.tolist() == [0.0, *(early.t[1:]), *later.t[len(early) :]]
    assert later.t[-1] == pytest.approx(0.48)
    assert_same(later.resume(0.6 - later.t[-1]), simulate(PENDULUM, [1.0, 0.0], [0.0, 0.0], 0.6, **given))


def test_an_event_that_ends_the_run_is_found_later_and_is_the_end():
    stop = Event(lambda t, q, qd: q[..., 0], "bottom", terminal=True)
    given = {"dt": 0.05, "events": [stop], **DOPRI5}
    whole = simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], 3.0, **given)
    motion = simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], 0.1, **given).resume(2.9)
    assert motion.t[-1] == motion.happened[0].time
    assert_same(motion, whole)
    with pytest.raises(ArgumentError, match="or an event ended it; simulate anew from its last state"):
        motion.resume(1.0)


def test_a_run_does_not_end_before_what_was_computed(interrupts):
    """A run to a time between would have cut a step short."""
    interrupts(2)
    given = {"dt": 0.01, "record": 40, **DOPRI5}
    with pytest.warns(SimulationWarning, match=r"interrupted at t = 0.022.* s; trajectory.resume\(...\) goes on"):
        motion = simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], 3.0, **given)
    interrupts(0)
    assert motion.t.tolist() == [0.0]
    with pytest.raises(ArgumentError, match=r"it cannot end at 0.02 s, the least is resume\(0.03\)"):
        motion.resume(0.02)
    assert_same(motion.resume(0.03), simulate(PENDULUM, [0.5, 0.0], [0.0, 0.0], 0.03, **given))
