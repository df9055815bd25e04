"""Events: crossings inside steps, however short, in the order of time."""

import numpy as np
import pytest

import sixd
from sixd.errors import ArgumentError
from sixd.simulation import Event, simulate
from sixd.simulation.events import crossings
from tests.simulation.test_simulate import PENDULUM, start

G = 9.80665


def particle(axis="z", gravity=(0.0, 0.0, -G)):
    b = sixd.Builder("particle")
    b.body("particle", joint=sixd.joints.Prismatic(axis), mass=1.0, inertia=(0.1, 0.1, 0.1))
    return b.build(gravity=gravity)


@pytest.mark.parametrize("below", [1e-2, 1e-5, 1e-8, 1e-11])
@pytest.mark.parametrize("dt", [1.0, 0.25])
def test_crossing_and_returning_within_a_step_is_noticed(below, dt):
    """A throw is one long step. Just below its top the particle passes twice: at v / g -+ sqrt(2 d / g)."""
    v = 3.0
    top, apart = v / G, np.sqrt(2.0 * below / G)
    height = v * v / (2.0 * G) - below
    events = [Event(lambda t, q, qd: qd[..., 0], "top"), Event(lambda t, q, qd: q[..., 0] - height, "near the top")]
    run = simulate(particle(), [0.0], [v], 1.0, dt=dt, integrator="dopri5", events=events)
    assert [x.name for x in run.happened] == ["near the top", "top", "near the top"]
    # The height is known to 1e-16, so the time on its side of the parabola to 1e-16 / (g apart).
    np.testing.assert_allclose([x.time - top for x in run.happened], [-apart, 0.0, apart], atol=1e-15 + 1e-16 / apart)
    for direction, which in ((1, 0), (-1, 1)):
        one = Event(lambda t, q, qd: q[..., 0] - height, "near the top", direction)
        found = simulate(particle(), [0.0], [v], 1.0, dt=dt, integrator="dopri5", events=[one]).happened
        assert [x.time for x in found] == [run.happened[2 * which].time]


def test_the_run_ends_at_the_first_of_two_crossings_in_a_step():
    event = Event(lambda t, q, qd: q[..., 0] - 0.4, "up", terminal=True)
    run = simulate(particle(), [0.0], [3.0], 1.0, dt=0.5, integrator="dopri5", events=[event])
    assert [x.name for x in run.happened] == ["up"]
    assert run.t[-1] == run.happened[0].time == pytest.approx((3.0 - np.sqrt(9.0 - 0.8 * G)) / G, abs=1e-14)
    assert run.q[-1, 0] == pytest.approx(0.4, abs=1e-14)


def test_many_turns_within_a_step_are_seen_at_the_pace_of_dt():
    """A wheel that turns freely takes steps of any length: places to look at are at most dt apart."""
    b = sixd.Builder("wheel")
    b.body("wheel", joint=sixd.joints.Revolute("z"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    event = Event(lambda t, q, qd: np.sin(q[..., 0]), "half a turn")
    run = simulate(b.build(), [0.5], [100.0], 2.0, dt=0.02, integrator="dopri5", events=[event])
    wanted = (np.pi * np.arange(1, 64) - 0.5) / 100.0
    np.testing.assert_allclose([x.time for x in run.happened], wanted, rtol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_all_crossings_of_all_samples_are_found(seed):
    """As many as on a fine grid, and where a fine grid has them, for levels near the turning points of the motion."""
    q, qd = start(PENDULUM, (3,), seed)
    fine = simulate(PENDULUM, q, qd, 2.0, dt=1e-3, integrator="rk4")
    turns = np.flatnonzero(np.diff(np.sign(fine.qd[0, :, 0])))
    levels = [fine.q[0, k, 0] + offset for k in turns for offset in (-1e-4, 1e-4)]
    assert levels
    for level in levels:
        event = Event(lambda t, q, qd, level=level: q[..., 0] - level)
        run = simulate(PENDULUM, q, qd, 2.0, dt=0.25, integrator="dopri5", events=[event])
        for sample in range(3):
            side = fine.q[sample, :, 0] > level
            wanted = fine.t[np.flatnonzero(side[1:] != side[:-1])]
            found = [x.time for x in run.happened if x.sample == sample]
            assert len(found) == len(wanted)
            assert ((found - wanted > -1e-5) & (found - wanted < 1e-3 + 1e-5)).all()


def test_rounding_at_the_joint_of_two_steps_hides_nothing():
    """The end of a step and the beginning of the next are one moment, and may lie on both sides of zero."""
    sides = {0: (-1.0, -1e-17), 1: (1e-17, 1.0)}
    found = crossings(
        lambda k, s: np.array([np.interp(x, (0, 1), sides[i]) for i, x in zip(k, s, strict=True)]),
        np.ones(2, int),
        0,
        None,
    )
    assert list(zip(found.step, found.share, strict=True)) == [(1, 0.0)]
    later = crossings(lambda k, s: 1e-17 + s, np.ones(1, int), 1, -1e-17)
    assert list(zip(later.step, later.share, strict=True)) == [(0, 0.0)]
    assert later.last == 1.0


def test_what_is_found_does_not_depend_on_what_else_is_looked_for():
    """A search for a turning point that has been successful is over, though others go on."""
    tops = np.array([1e-3, -1.0, 1e-6, 1e-7, 1e-8])

    def g(step, share):
        """(share - middle)^2 - top, multiplied out: near its zeros the sign is that of rounding."""
        middle = 0.3 + 0.05 * step
        return share**2 - 2.0 * share * middle + middle**2 - tops[step]

    found = crossings(g, np.ones(5, int), 0, None)
    for k in (0, 2, 3, 4):
        alone = crossings(lambda step, share, k=k: g(step + k, share), np.ones(1, int), 0, None)
        assert len(alone.share) == 2
        assert np.array_equal(alone.share, found.share[found.step == k])


def test_parts_of_a_trajectory_have_their_events():
    crossing = Event(lambda t, q, qd: q[..., 0], "zero")
    q = -np.array([[0.1], [0.05], [0.02]])
    run = simulate(particle(gravity=(0, 0, 0)), q, [1.0], 0.2, dt=0.01, integrator="dopri5", events=[crossing])
    assert [x.sample for x in run.happened] == [2, 1, 0]
    assert [x.sample for x in run[:8].happened] == [2, 1]
    assert [x.sample for x in run.between(0.04, 0.12).happened] == [1, 0]
    assert [x.sample for x in run.resample([0.03, 0.07]).happened] == [1]
    assert run[:0].happened == ()
    assert [(x.sample, x.time) for x in run.sample(1).happened] == [(0, run.happened[1].time)]
    assert [x.sample for x in run.sample(slice(1, None)).happened] == [1, 0]


def test_an_event_that_is_true_or_false_is_refused():
    """It never changes its sign, so nothing would ever happen."""
    for answer in (lambda t, q, qd: q[..., 0] > 0.0, lambda t, q, qd: (q[..., 0] > 0.0).tolist()):
        with pytest.raises(ArgumentError, match=r"the event 'low' returned true or false.*let it return a number"):
            simulate(particle(), [0.1], [0.0], 0.1, dt=0.01, integrator="dopri5", events=[Event(answer, "low")])
