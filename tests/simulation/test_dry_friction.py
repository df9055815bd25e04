"""Dry friction: joints, however light, come to rest and stay there; friction never drives."""

from itertools import pairwise

import numpy as np
import pytest

import sixd
from sixd.errors import ModelError, SimulationWarning
from sixd.joints import Prismatic, Revolute
from sixd.simulation import Moment, braking, simulate
from sixd.simulation.contact import Contacts, HeightField, Plane, Point, Rigid, Slope
from sixd.simulation.controllers import JointPD, Motor
from sixd.simulation.forces import JointFriction, JointSpring, Passive
from sixd.simulation.forces.element import Resistance
from tests.constraints.mechanisms import four_bar
from tests.simulation.bodies import slider
from tests.simulation.test_closed import off
from tests.simulation.test_simulate import FLOATING, start

LEVEL, THRESHOLD = 0.5, 1e-2


def chain(mass, links=3, friction=0.0):
    """Links of 10 cm on hinges, the axes in turn along y and x."""
    b, parent = sixd.Builder("chain"), "base"
    for k in range(links):
        b.body(
            f"link{k}",
            parent=parent,
            joint=Revolute("xy"[(k + 1) % 2]),
            xyz=(0.1 * (k > 0), 0, 0),
            mass=mass,
            com=(0.05, 0.01, 0),
            inertia=(1e-4 * mass, 1e-3 * mass, 1e-3 * mass),
            friction=friction,
        )
        parent = f"link{k}"
    return b.build()


@pytest.mark.parametrize("mass", [0.1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_light_joints_come_to_rest(mass, dt):
    """What is left is the creep of the law: L v / sqrt(v^2 + e^2) balances gravity."""
    robot = chain(mass)
    how = {"dt": dt, "energy_check": "off" if dt > 1e-3 else "warn"}  # the way to rest is coarse in long steps
    run = simulate(robot, [0.1, 0.2, 0.3], [3.0, -5.0, 8.0], 0.5, forces=[JointFriction(LEVEL)], **how)
    share = -robot.gravity_forces(run.q[-1]) / LEVEL
    creep = THRESHOLD * share / np.sqrt(1.0 - share**2)
    np.testing.assert_allclose(run.qd[-1], creep, rtol=1e-3, atol=1e-12)
    assert run.mechanical_energy[-1] < run.mechanical_energy[0]


def test_the_motion_is_that_of_the_law_in_small_steps():
    """First order towards steps of variable length, through slipping and coming to rest."""
    robot, given = chain(1.0), {"forces": [JointFriction(LEVEL)]}
    exact = simulate(robot, [0.1, 0.2, 0.3], [3.0, -5.0, 8.0], 0.1, dt=0.1, integrator="dopri5", rtol=1e-8, **given)
    errors = []
    for dt in (4e-4, 2e-4, 1e-4):
        run = simulate(robot, [0.1, 0.2, 0.3], [3.0, -5.0, 8.0], 0.1, dt=dt, record=None, **given)
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert errors[-1] < 2e-3
    assert all(1.6 < a / b < 2.5 for a, b in pairwise(errors))


@pytest.mark.parametrize("seed", range(4))
def test_a_brake_solves_its_equation_and_takes_energy(seed, monkeypatch):
    """H (v - u) = -h L v / sqrt(v^2 + e^2), whether joints stick or slip; some have no friction.

    With as few steps as a simulation makes, the rest may be of some percent in a step in which joints of a long chain
    begin to stick, but energy is lost.
    """
    rng = np.random.default_rng(seed)
    for robot, level in ((FLOATING, 1.0), (chain(1e-3, 7), 10.0 ** rng.uniform(-4, 0))):
        q, u = start(robot, seed=seed)
        friction = {k: Resistance(level, THRESHOLD) for k in range(6 if robot is FLOATING else 0, robot.nv)}
        moment, H = Moment(robot, 0.0, list(q), list(u), {}), robot.mass_matrix(q)
        for h in (1e-4, 1e-3, 1e-1):
            for steps, rest in ((braking.STEPS, 0.2), (100, 1e-8)):
                with monkeypatch.context() as patch:
                    patch.setattr(braking, "STEPS", steps)
                    v = np.array(braking.brake(moment, [friction], list(u), h).qd, dtype=float)
                left = H @ (v - u)
                for k, r in friction.items():
                    left[k] += h * r.level * v[k] / np.hypot(v[k], r.threshold)
                assert np.sqrt(left @ np.linalg.solve(H, left)) < rest * np.sqrt(u @ H @ u)
                assert v @ H @ v <= u @ H @ u * (1 + 1e-12)


def test_friction_never_adds_energy_in_steps_of_any_length():
    robot = chain(1e-3, 6).with_gravity((0, 0, 0))
    rng = np.random.default_rng(5)
    q, qd = robot.random(rng, size=(20,)), 10.0 ** rng.uniform(-3, 1, size=(20, 1)) * rng.normal(size=(20, 6))
    levels = JointFriction(tuple(10.0 ** rng.uniform(-4, 1, size=6)))
    run = simulate(robot, q, qd, 0.02, dt=1e-3, forces=[levels])
    assert (np.abs(run.qd[:, -1]) <= np.abs(qd).max(axis=1, keepdims=True)).all()
    assert (run.kinetic_energy[:, -1] <= run.kinetic_energy[:, 0]).all()


def test_what_does_not_move_relative_to_anything_is_not_braked():
    """Friction in joints is inner: the momentum of a free robot is conserved."""
    q, qd = start(FLOATING)
    run = simulate(FLOATING, q, qd, 0.2, dt=1e-4, forces=[JointFriction(0.2)], record=200)
    momentum = FLOATING.momentum(run.q, run.qd)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=2e-3)
    assert np.abs(run.qd[-1, 6:]).max() < np.abs(qd[6:]).max()


@pytest.mark.parametrize("force", [1.0, 2.999, 3.001, 10.0])
def test_the_friction_of_the_robot_itself_sticks_and_slips(force):
    """A mass on a rail: it stays up to the level of friction, beyond it a = (F - f) / m."""
    robot = slider(friction=3.0, mass=2.0)
    run = simulate(robot, [0.0], [0.0], 1.0, control=[force], forces=[Passive()], books=True)
    wanted = max(force - 3.0, 0.0) / 2.0
    assert run.qd[-1, 0] == pytest.approx(wanted, abs=5e-4 if 2.9 < force < 3.1 else 1e-5)
    np.testing.assert_allclose(run.work.sum(axis=1), run.mechanical_energy - run.mechanical_energy[0], atol=1e-6)
    back = simulate(robot, [0.0], [2.0], 4.0, forces=[Passive()])
    assert back.q[-1, 0] == pytest.approx(2.0**2 / 2 / 1.5, abs=2e-3)  # v^2 / (2 a), to first order
    assert abs(back.qd[-1, 0]) < 1e-12


@pytest.mark.parametrize("contacts", [None, Contacts([Point("car")], Plane(offset=-1.0), Rigid())])
def test_a_swing_with_dry_friction_ends_where_it_should(contacts):
    """A mass on a spring: each half swing is 2 f / k shorter than that before, until a turn is within f / k of rest."""
    robot, k, f = slider(friction=3.0, mass=2.0), 200.0, 3.0
    x = 0.1
    while abs(x) > f / k:
        x = 2 * f / k * np.sign(x) - x
    run = simulate(robot, [0.1], [0.0], 2.0, forces=[JointSpring(k), Passive()], contacts=contacts)
    assert run.q[-1, 0] == pytest.approx(x, abs=2e-6 if contacts else 3e-5)  # without it, friction creeps at 1e-5 m/s
    assert np.abs(run.qd[-1, 0]) <= (0.0 if contacts else 1e-5)


def wedge(level):
    """A mass of 1 kg on a rail up and down, on a car of 1 kg on a rail to and fro, whose dry friction is ``level``."""
    b = sixd.Builder("wedge")
    b.body("car", joint=Prismatic("x"), joint_name="x", mass=1.0, inertia=np.eye(3), friction=level)
    b.body("mass", parent="car", joint=Prismatic("z"), joint_name="z", mass=1.0, inertia=np.eye(3))
    return b.build()


@pytest.mark.parametrize("level", [10.0, 1.0])
@pytest.mark.parametrize("source", ["JointFriction", "Passive", "Rigid"])
def test_friction_holds_and_slips_under_what_the_ground_pushes(source, level):
    """On a smooth slope the ground pushes the car with m g tan(a), which its friction holds, creeping, or not.

    x'' (2 + tan(a)^2) = -g tan(a) + level
    """
    robot, tan = wedge(level), np.tan(0.3)
    given = {"JointFriction": [JointFriction(level, joints="x", threshold=1e-4)], "Passive": [Passive()]}
    law = Rigid(friction=0.0, joint_friction=source == "Rigid")
    slope = Contacts([Point("mass")], HeightField(Slope(tan)), law)
    forces = given.get(source, [])
    run = simulate(robot, [0.0, 0.0], [0.0, 0.0], 0.5, contacts=slope, forces=forces, books=True)
    push = 9.81 * tan
    if level > push:
        creep = 1e-4 * push / np.sqrt(level**2 - push**2) if source == "JointFriction" else 0.0
        np.testing.assert_allclose(run.qd[-1], [-creep, -creep * tan], rtol=1e-10, atol=1e-16)
        np.testing.assert_allclose(run.contact_forces[-1, 0], [-push, 0.0, 9.81], rtol=1e-10, atol=1e-12)
    else:
        speed = 0.5 * (push - level) / (2.0 + tan**2)
        rtol = 1e-5 if source == "JointFriction" else 1e-12  # the smooth law is slow to begin with
        np.testing.assert_allclose(run.qd[-1], [-speed, -speed * tan], rtol=rtol)
        work = run.work[-1].sum()
        np.testing.assert_allclose(work, level * run.q[-1, 0], rtol=1e-2)  # first order


def test_friction_of_joints_that_follow_others_is_among_that_of_rigid_contact():
    """A force F moves 1 kg, and a second one twice as fast the other way, with a friction of 3 N: 6 N are held."""
    b = sixd.Builder("two")
    b.body("first", joint=Prismatic("x"), joint_name="x", mass=1.0, inertia=np.eye(3))
    double = sixd.Mimic("x", ratio=-2.0)
    b.body("second", joint=Prismatic("x"), joint_name="y", mass=1.0, inertia=np.eye(3), friction=3.0, mimic=double)
    robot, contacts = b.build(), Contacts([], law=Rigid(joint_friction=True))
    for force, speed in ((5.9, 0.0), (7.0, 0.2)):
        run = simulate(robot, [0.0], [0.0], 1.0, control=[force], contacts=contacts, record=None)
        assert run.qd[-1, 0] == pytest.approx(speed, abs=1e-12)


def test_friction_of_a_joint_that_constraints_block():
    """It moves nothing, and hinders nothing."""
    b = sixd.Builder("welded")
    b.body("first", joint=sixd.joints.Free(), mass=2.0, inertia=(0.02, 0.03, 0.04))
    b.body("second", parent="first", joint=Revolute("y"), xyz=(0.3, 0, 0), mass=1.0, inertia=np.eye(3), friction=0.5)
    b.frame("here", on="first", xyz=(0.3, 0, 0))
    robot = b.build().close(sixd.Loop("here", "second", "weld"))
    for law, forces in ((Rigid(joint_friction=True), []), (Rigid(), [JointFriction(0.5)])):
        contacts = Contacts([Point("first")], Plane(offset=-1.0), law)
        run = simulate(robot, robot.neutral(), np.zeros(robot.nv), 0.1, contacts=contacts, forces=forces, record=None)
        np.testing.assert_allclose(run.qd[-1], [0, 0, 0, 0, 0, -0.981, 0], atol=1e-9)


@pytest.mark.parametrize("contacts", [None, Contacts([Point("car")], Plane(offset=-1.0), Rigid())])
def test_friction_of_a_motor_brings_its_joint_to_rest(contacts):
    """n f / m slows down the joint, which then stays where it is; other integrators refuse long steps."""
    robot, still = slider(friction=0.0, mass=2.0), JointPD(0.0, 0.0, q=0.0)
    motor = Motor(still, stall_torque=1.0, no_load_speed=1e3, gear=100.0, friction=0.02)
    run = simulate(robot, [0.0], [1.0], 2.0, control=still + motor, contacts=contacts)
    assert run.qd[500, 0] == pytest.approx(0.5, rel=1e-6)
    assert np.abs(run.qd[run.t > 1.01]).max() < 1e-12
    with pytest.raises(ModelError, match="too long for the dry friction"):
        simulate(robot, [0.0], [1.0], 0.1, dt=5e-3, control=motor, integrator="rk4")


def test_a_closed_robot_comes_to_rest():
    closed, q = four_bar()
    q, qd = closed.project(q, np.array([3.0, 0.0, 0.0]))
    run = simulate(closed, q, qd, 2.0, forces=[JointFriction(50.0)], record=100)
    assert off(closed, run)[0] < 1e-12
    assert np.abs(run.qd[-1]).max() < THRESHOLD


def test_other_integrators_name_the_one_that_works():
    robot, given = chain(1e-2), {"forces": [JointFriction(LEVEL)]}
    for name in ("rk4", "heun", "variational"):
        with pytest.raises(ModelError, match=r"too long for the dry friction.*integrator='semi_implicit_euler' takes"):
            simulate(robot, np.zeros(3), np.ones(3), 0.01, integrator=name, **given)
    with pytest.warns(SimulationWarning, match="dry friction"):
        simulate(robot, np.zeros(3), np.zeros(3), 0.01, integrator="implicit", **given)


@pytest.mark.parametrize("integrator", [None, "semi_implicit_euler"])
def test_books_of_dry_friction_are_those_of_the_motion(integrator):
    """A motor holds a light joint against its friction: neither does work; and a slip loses what it had."""
    robot = slider(friction=3.0, mass=1e-3)
    held = simulate(robot, [0.0], [0.0], 1.0, control=[2.0], forces=[Passive()], integrator=integrator, books=True)
    assert np.abs(held.work).max() < 1e-4  # 2 N along a creep below 1e-5 m/s
    light = chain(1e-3)
    for dt in (1e-3, 1e-4):
        how = {"dt": dt, "integrator": integrator, "books": True}
        run = simulate(light, [0.1, 0.2, 0.3], [3.0, -5.0, 8.0], 0.02, forces=[JointFriction(LEVEL)], **how)
        lost = run.mechanical_energy - run.mechanical_energy[0] - run.work.sum(axis=-1)
        assert np.abs(lost).max() < (2e-5 if integrator is None else 20 * dt) * run.kinetic_energy[0]
