"""Contact inside compiled code: batches, recorded forces, height fields, planar robots, robots with mimic joints."""

from __future__ import annotations

import numpy as np
import pytest

import sixd
from sixd.simulation import Moment, State, System, simulate
from sixd.simulation.contact import (
    Bump,
    Capsule,
    Compliant,
    Contacts,
    Grid,
    HeightField,
    Point,
    Rigid,
    Sphere,
    Stair,
    Wave,
)
from sixd.simulation.integrators import SemiImplicitEuler
from tests.simulation.bodies import FEET, ball, body, quadruped
from tests.simulation.test_contact_geometry import coupled


@pytest.mark.parametrize("law", ["rigid", "compliant"])
def test_a_sample_does_not_depend_on_its_batch(law: str) -> None:
    robot, stand, control = quadruped("anymal")
    contacts = Contacts.of(robot, FEET["anymal"], law=law)
    qd = 0.3 * np.random.default_rng(0).normal(size=(11, robot.nv))
    q = np.tile(stand, (11, 1))
    together = simulate(robot, q, qd, 0.1, control=control, contacts=contacts)
    some = simulate(robot, q[3:6], qd[3:6], 0.1, control=control, contacts=contacts)
    assert np.array_equal(together.q[3:6], some.q)
    assert together.contact_forces.shape == (11, 101, 4, 3)
    assert np.array_equal(together.contact_forces[3:6], some.contact_forces)


@pytest.mark.parametrize("law", [Rigid(restitution=0.3), Compliant()])
def test_compiled_steps_are_those_on_floats(law: Rigid | Compliant) -> None:
    """Two steps on Python's floats, which touch the ground."""
    robot, dt = ball(), 1e-3
    contacts = Contacts([Sphere("body", 0.1)], HeightField(Wave(0.05, 0.8)), law)
    q, qd = robot.neutral(), np.array([0.5, 2.0, 0.1, 1.0, -0.2, -1.0])
    q[6] = 0.1
    found = simulate(robot, q, qd, 2 * dt, dt=dt, contacts=contacts, integrator="semi_implicit_euler")
    memory = [0.0] * contacts.memory(robot)
    state = State(q.tolist(), qd.tolist(), [], memory)
    system = System(robot, [0.0] * 6, elements=contacts.elements(), impulses=contacts if contacts.is_rigid else None)
    for _ in range(2):
        state = SemiImplicitEuler().step(system, 0.0, state, dt)
    assert np.allclose(np.array(state.q, dtype=float), found.q[-1], atol=1e-13)
    assert np.allclose(np.array(state.qd, dtype=float), found.qd[-1], atol=1e-11)


@pytest.mark.parametrize("law", ["rigid", "compliant"])
def test_a_ball_rolls_to_and_fro_in_a_hollow(law: str) -> None:
    robot = ball(1.0, 0.2)
    x = np.linspace(-1.0, 1.0, 7)
    ground = HeightField(Grid(0.4 * (x[:, None] ** 2 + x[None, :] ** 2), x[1] - x[0], (-1.0, -1.0), "cubic"))
    contacts = Contacts.of(robot, "body", radius=0.2, ground=ground, law=law)
    q = robot.neutral()
    q[4:7] = (0.3, -0.2, ground.height(0.3, -0.2) + 0.22)
    found = simulate(robot, q, np.zeros(6), 3.0, dt=2e-4, contacts=contacts, record=50)
    assert np.isfinite(found.q).all()
    assert abs(found.q[..., 4:6]).max() < 0.32
    assert found.energy.max() <= found.energy[0] + 1e-12  # it gets no higher than it was
    rolling = found.energy[found.t > 0.2]
    assert law == "compliant" or np.ptp(rolling) < 3e-3 * found.kinetic_energy.max()
    assert found.q[:, 4].min() < -0.2
    least = found.q[:, 6] - np.array([ground.height(a, b) for a, b in found.q[:, 4:6]])
    assert least.min() > 0.18


def test_a_large_grid_is_the_ground_that_it_was_measured_on() -> None:
    """A ball on a million points of a wave moves as on the wave.

    Between them, 4 mm apart, the height of a spline is off by less than 1e-10 m, its slope by less than 1e-7.
    """
    robot, wave = ball(1.0, 0.1), Wave(0.05, 1.5)
    x = np.linspace(-2.0, 2.0, 1024)
    heights = np.array([wave(a, 0.0) for a in x])[:, None] * np.ones(1024)
    grid = Grid(heights, x[1] - x[0], (-2.0, -2.0), "cubic")
    q = robot.neutral()
    q[4:7] = (0.3, -0.2, 0.16)
    runs = [
        simulate(robot, q, np.zeros(6), 1.0, dt=1e-3, contacts=Contacts.of(robot, "body", radius=0.1, ground=ground))
        for ground in (HeightField(wave), HeightField(grid))
    ]
    assert runs[0].q[-1, 4] < 0.25  # it rolls
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-7)


def test_a_ball_rolls_over_a_bump_and_is_as_fast_as_before() -> None:
    robot, ground = ball(1.0, 0.1), HeightField(Bump(0.0, 0.0, 0.02, 0.3))
    q, qd = robot.neutral(), np.array([0.0, 10.0, 0.0, 1.0, 0.0, 0.0])
    q[4:7] = (-0.4, 0.0, 0.1)
    contacts = Contacts.of(robot, "body", radius=0.1, ground=ground, law="rigid")
    found = simulate(robot, q, qd, 1.0, dt=2e-4, contacts=contacts, record=50)
    speed = np.linalg.norm(found.qd[:, 3:], axis=-1)
    assert speed.min() ** 2 == pytest.approx(1.0 - 10 / 7 * 9.81 * 0.02, rel=2e-3)  # 7/10 m v^2 + m g h
    assert speed[-1] == pytest.approx(1.0, abs=1e-3)


def test_a_ball_rolls_off_a_step_and_is_not_thrown() -> None:
    """The step is steeper than a ball of this size can feel; it falls, and gains no energy."""
    robot, ground = ball(1.0, 0.1), HeightField(Stair(0.0, -0.1))
    q = robot.neutral()
    q[4:7] = (-0.1, 0.0, 0.1)
    contacts = Contacts.of(robot, "body", radius=0.1, ground=ground, law="rigid")
    found = simulate(robot, q, [0.0, 5.0, 0.0, 0.5, 0.0, 0.0], 0.6, contacts=contacts)
    assert np.diff(found.energy).max() < 1e-9
    assert found.q[-1, 6] == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(np.diff(found.q[:, 4:7], axis=0), axis=-1).max() < 2e-3  # no jump: below 2 m/s


def test_a_smooth_wave_pushes_along_its_normal_and_takes_no_energy() -> None:
    """The normal turns from step to step, and what is left of the step before must not become friction."""
    robot, wave = body(1.0, joint=sixd.joints.Translational()), Wave(0.05, 1.0)
    q = np.array([0.3, 0.0, float(wave(0.3, 0.0))])
    contacts = Contacts([Point("body")], HeightField(wave), Rigid(friction=0.0))
    found = simulate(robot, q, np.zeros(3), 1.0, dt=2e-4, contacts=contacts)
    assert np.abs(found.energy - found.energy[0]).max() < 5e-3 * found.kinetic_energy.max()
    x = found.q[:-1, 0]  # where each step begins
    slope = 2 * np.pi * 0.05 * np.cos(2 * np.pi * x)
    f = found.contact_forces[1:, 0]
    np.testing.assert_allclose(f[:, 0], -slope * f[:, 2], atol=1e-9)
    assert f[:, 2].max() > 9.81


def test_a_planar_robot_stands_on_a_capsule() -> None:
    """Its sites cannot move across the plane."""
    robot = body(2.0, joint=sixd.joints.Planar("y"))
    contacts = Contacts([Capsule("body", 0.05, 0.4)], law="rigid")
    q = np.array([0.3, 0.0, np.pi / 2])  # up, along x, turned: it lies
    found = simulate(robot, q, np.zeros(robot.nv), 1.0, contacts=contacts)
    z = robot.pose(found.q[-1], "body")[2, 3]
    assert np.isfinite(found.q).all()
    assert z == pytest.approx(0.05, abs=1e-9)
    assert np.allclose(found.contact_forces[-1].sum(axis=0), [0, 0, 2.0 * 9.81], atol=1e-6)


def test_a_robot_with_mimic_joints_obeys_its_equations() -> None:
    """H (qd' - qd_free) = h J^T f, with the forces that are handed on."""
    robot, h = coupled(), 1e-3
    tip = robot.body_list[-1].name
    q, qd = robot.random(0), np.array([0.3, -0.2, 0.5])
    z = float(robot.pose(q, tip)[2, 3])
    contacts = Contacts([Point(tip)], sixd.simulation.contact.Plane(offset=z + 1e-4), Rigid(sweeps=60, recovery=0.0))
    found = simulate(robot, q, qd, h, dt=h, contacts=contacts)
    free = qd + h * robot.forward_dynamics(q, qd, np.zeros(3))
    J = robot.jacobian(q, tip, expressed_in="aligned")[3:]
    impulse = h * found.contact_forces[-1, 0]
    assert np.allclose(robot.mass_matrix(q) @ (found.qd[-1] - free), J.T @ impulse, atol=1e-11)
    assert (J @ found.qd[-1])[2] >= -1e-9


def test_moment_gives_what_elements_need() -> None:
    robot = ball()
    moment = Moment(robot, 0.0, robot.neutral().tolist(), [0.0] * 6, {})
    (touch,) = Contacts([Sphere("body", 0.1)]).touches(moment)
    assert touch.gap == -0.1
    assert list(touch.point) == [0.0, 0.0, -0.1]


@pytest.mark.parametrize("law", ["rigid", "compliant"])
def test_power_and_going_on(law: str) -> None:
    """The power of contact is a source's; a run that goes on is one run, to the bit."""
    robot = ball()
    contacts = Contacts.of(robot, "body", radius=0.1, law=law)
    q = robot.neutral()
    q[6] = 0.11
    whole = simulate(robot, q, [0, 0, 0, 0.5, 0, 0], 0.2, contacts=contacts)
    assert whole.sources == ("motors", "contact")
    assert whole.power.shape == (201, 2)
    assert np.array_equal(whole.power[:, 0], np.zeros(201))
    assert whole.power[:, 1].min() < -0.1
    half = simulate(robot, q, [0, 0, 0, 0.5, 0, 0], 0.1, contacts=contacts)
    again = half.resume(0.1)
    assert np.array_equal(again.q, whole.q)
    assert np.array_equal(again.contact_forces, whole.contact_forces)


def test_adaptive_steps_take_compliant_contact() -> None:
    robot = ball()
    q = robot.neutral()
    q[6] = 0.15
    contacts = Contacts.of(robot, "body", radius=0.1, stiffness=1e4, damping=0.0)
    found = simulate(robot, q, np.zeros(6), 0.5, dt=0.01, contacts=contacts, integrator="dopri5")
    assert np.allclose(found.energy, found.energy[0], rtol=1e-6)
    assert found.contact_forces[..., 2].max() > 9.81
