"""Force elements: the laws that every registered one obeys, on random trees of every joint type."""

import pickle
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq

import sixd
import sixd.simulation
from sixd.joints import Free, Prismatic, Revolute
from sixd.simulation.forces import (
    ELEMENTS,
    Buoyancy,
    CentralGravity,
    Drag,
    JointFriction,
    JointStops,
    MovingBase,
    Passive,
    PointSpring,
    PolynomialMotion,
    Thruster,
    Wind,
)
from sixd.simulation.system import System
from tests.laws.trees import ALL, states, tree
from tests.simulation.bodies import slider
from tests.simulation.laws import energy_rate, in_arrays, loads_of, moment_of, power

CASES = list(product(ELEMENTS, ALL))


def each(name, kind):
    """The examples of an element, with a robot and some states."""
    robot = tree(kind)
    q, qd, _ = states(robot)
    for element in ELEMENTS[name].examples(robot):
        yield element, robot, q, 2.0 * qd


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_energy(name, kind):
    """Conservative elements give out what they stored, passive ones less, at every state."""
    for element, robot, q, qd in each(name, kind):
        for x, v in zip(q, qd, strict=True):
            found = power(element, robot, 0.7, x, v)
            scale = 1e-10 * max(1.0, abs(found))
            if element.law == "conservative":
                assert abs(found + energy_rate(element, robot, 0.7, x, v)) < scale
            elif element.law == "passive":
                assert found + energy_rate(element, robot, 0.7, x, v) < scale


@pytest.mark.parametrize("name", ELEMENTS)
def test_eager_and_compiled_agree(name):
    for element, robot, q, qd in each(name, "tree of all joints"):
        loads = in_arrays(element)
        kernel = sixd.compile(loads, robot, shapes={"t": ()})
        found = kernel(q, qd, 0.3)
        for k in range(len(q)):
            wanted = loads(robot, q[k].tolist(), qd[k].tolist(), 0.3)
            for a, b in zip((found[0][k], found[1][k]), wanted, strict=True):
                np.testing.assert_allclose(a, b.astype(float), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements_are_frozen_values(name):
    robot = tree("tree of all joints")
    for element, again in zip(ELEMENTS[name].examples(robot), ELEMENTS[name].examples(robot), strict=True):
        assert element == again
        assert hash(element) == hash(again)
        assert pickle.loads(pickle.dumps(element)) == element
        assert element.law in ("conservative", "passive", "active")
        assert ELEMENTS[element.name] is type(element)
        element.check(robot)
        with pytest.raises(AttributeError):
            element.name = "other"


def two_bodies():
    b = sixd.Builder("pair", gravity=(0, 0, 0))
    for name in ("left", "right"):
        b.body(name, "base", Free(), mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.1, 0.0, 0.2), joint_name=f"{name}_joint")
    return b.frame("hook", on="left", xyz=(0.3, 0.1, -0.2)).frame("eye", on="right", xyz=(-0.2, 0.2, 0.1)).build()


def test_action_and_reaction():
    """The forces of a spring between two bodies have no sum and no moment: momentum is conserved."""
    robot = two_bodies()
    q, qd, _ = states(robot, 5)
    spring = PointSpring("hook", "eye", 30.0, damping=3.0, rest_length=0.2)
    for x, v in zip(q, qd, strict=True):
        moment = moment_of(spring, robot, 0.0, x.tolist(), v.tolist())
        left, right = (moment.X[i].inv @ loads_of(spring, moment).bodies[i] for i in (1, 2))
        scale = np.abs(left.array()).max()
        assert scale > 1.0
        np.testing.assert_allclose((left + right).array(), 0.0, atol=1e-14 * scale)


def test_springs_whose_ends_meet_give_no_nan():
    robot = two_bodies()
    q = robot.neutral()
    q[7 + 4 : 7 + 7] = robot.pose(q, "hook")[:3, 3] - robot.pose(q, "eye")[:3, 3]
    spring = PointSpring("hook", "eye", 30.0, damping=3.0, rest_length=0.2)
    loads = loads_of(spring, moment_of(spring, robot, 0.0, q.tolist(), np.ones(robot.nv).tolist()))
    assert all(np.isfinite(f.array()).all() for f in loads.bodies)


def test_stops_never_pull():
    robot = sixd.gallery.double_pendulum()
    stops, rng = JointStops(100.0, 2.0, lower=-0.5, upper=0.5), np.random.default_rng(0)
    for q, qd in zip(rng.uniform(-2, 2, (200, 2)), rng.uniform(-9, 9, (200, 2)), strict=True):
        tau = np.array(loads_of(stops, moment_of(stops, robot, 0.0, q.tolist(), qd.tolist())).tau)
        beyond = np.sign(q) * (np.abs(q) > 0.5)
        assert (tau * beyond <= 0.0).all()
        assert (tau[beyond == 0.0] == 0.0).all()


@pytest.mark.parametrize("c", [0.01, 0.5, 20.0])
def test_a_stop_leaves_the_restitution_of_hunt_and_crossley(c):
    """m v dv = -k p (1 + c v) dp: F(v) = v / c - ln(1 + c v) / c^2 is the same before and after, whatever k and m."""
    robot, v = slider(friction=0.0, mass=2.0), 0.8
    stop = JointStops(5e3, c, lower=-1.0, upper=0.01)
    run = sixd.simulate(robot, [0.0], [v], 1.0, dt=1.0, integrator="dopri5", rtol=1e-11, atol=1e-13, forces=[stop])

    def F(x):
        return x / c - np.log1p(c * x) / c**2

    after = brentq(lambda x: F(-x) - F(v), 0.0, min(v, (1.0 - 1e-15) / c))
    assert run.qd[-1, 0] == pytest.approx(-after, rel=1e-9)
    assert c > 0.1 or after / v == pytest.approx(1.0 - 2.0 / 3.0 * c * v, abs=1e-4)


def test_stops_take_the_limits_of_the_robot():
    stops, body = JointStops(100.0, 0.0), {"joint": Revolute(), "mass": 1.0, "inertia": (1, 1, 1)}
    for limits, wanted in (({"lower": -0.1, "upper": 0.2}, -10.0), ({}, 0.0)):
        model = sixd.Builder("arm").body("a", **body, **limits).build()
        loads = loads_of(stops, moment_of(stops, model, 0.0, [0.3], [0.0]))
        assert loads.tau[0] == pytest.approx(wanted)


def test_a_moving_base_is_a_joint_that_is_driven():
    """The same accelerations as a robot whose base hangs on a joint with given motion: FO00, v_0 and a_0."""
    base, arm = MovingBase.examples(two_bodies())[0], tree("tree of all joints")
    mounted = sixd.Builder("ground").body("deck", joint=Free(), joint_name="deck_joint", mass=1.0, inertia=(1, 1, 1))
    whole = mounted.build().join(arm, at="deck", prefix="arm_").with_gravity(arm.gravity)
    q, qd, qdd = states(arm, 2)
    for x, v, a, t in zip(q, qd, qdd, (0.0, 0.9), strict=True):
        now = base.base(t)
        deck = np.concatenate([now.X.quaternion().array(), now.X.r.array()])
        state = [np.concatenate(pair) for pair in ((deck, x), (now.v.array(), v), (now.a.array(), a))]
        tau = whole.inverse_dynamics(*state)[6:]
        system = System(arm, tau, None, (base,))
        moment = system.moment(t, x, v)
        found = np.array(system.acceleration(moment, system.loads(moment)), dtype=float)
        np.testing.assert_allclose(found, a, rtol=0, atol=1e-9 * np.abs(a).max())
        frame = arm.frames[-1]
        name = f"arm_{frame.name}"
        there = moment.position(frame.body, frame.offset.r).array().astype(float)
        np.testing.assert_allclose(there, whole.pose(state[0], name)[:3, 3], atol=1e-12)
        moving = moment.velocity(frame.body, frame.offset.r).array().astype(float)
        wanted = whole.velocity(*state[:2], name, expressed_in="aligned")[3:]
        np.testing.assert_allclose(moving, wanted, atol=1e-12 * np.abs(wanted).max())


def ball(**options):
    """A free sphere of 1 kg."""
    return sixd.Builder("ball").body("ball", joint=Free(), mass=1.0, inertia=(0.01, 0.01, 0.01), **options).build()


def acceleration(robot, elements, q=None, qd=None, tau=None, t=0.0):
    """qdd of a robot under force elements."""
    rest = np.zeros(robot.nv)
    system = System(robot, rest if tau is None else tau, None, elements)
    moment = system.moment(t, robot.neutral() if q is None else q, rest if qd is None else qd)
    return np.array(system.acceleration(moment, system.loads(moment)), dtype=float)


def test_a_neutrally_buoyant_body_stays():
    robot = ball(com=(0.1, -0.2, 0.05))
    lift = Buoyancy("ball", volume=1e-3, center=(0.1, -0.2, 0.05))
    for q in robot.random(0, 4):
        np.testing.assert_allclose(acceleration(robot, [lift], q), 0.0, atol=1e-14)


def test_buoyancy_rights_a_body_whose_weight_is_below_its_volume():
    robot = ball(com=(0.0, 0.0, -0.1))
    tilted = robot.neutral()
    tilted[:4] = np.sin(0.1), 0.0, 0.0, np.cos(0.1)  # 0.2 rad about x
    assert acceleration(robot, [Buoyancy("ball", volume=1e-3)], tilted)[0] < -1.0


def test_terminal_velocity():
    """m g = c v + b v^2: nothing accelerates any more."""
    robot, c, b = ball(), 0.3, 0.8
    v = (-c + np.sqrt(c * c + 4.0 * b * 9.81)) / (2.0 * b)
    drag = Drag("ball", linear=c, quadratic=b)
    falling = np.array([0, 0, 0, 0, 0, -v])
    np.testing.assert_allclose(acceleration(robot, [drag], qd=falling), 0.0, atol=1e-14)
    found = sixd.simulation.simulate(
        robot, robot.neutral(), np.zeros(6), 10.0, dt=1e-3, forces=[drag], integrator="rk4"
    )
    assert found.qd[-1, 5] == pytest.approx(-v, rel=1e-12)


def test_a_body_in_a_current_ends_up_going_with_it():
    robot, current = ball().with_gravity((0, 0, 0)), (0.4, -0.3, 0.2)
    np.testing.assert_allclose(
        acceleration(robot, [Drag("ball", 2.0, 3.0, current=current)], qd=[0, 0, 0, *current]), 0.0, atol=1e-15
    )
    pushed = acceleration(robot, [Wind("ball", current, 0.5)])
    np.testing.assert_allclose(pushed[3:], 0.5 * 1.2 * 0.5 * np.linalg.norm(current) * np.array(current), rtol=1e-14)


def test_drag_along_the_axes_of_a_turned_frame():
    robot = ball().with_gravity((0, 0, 0))
    q = robot.neutral()
    q[:4] = 0.0, 0.0, np.sin(np.pi / 4), np.cos(np.pi / 4)  # the body's x axis points along the world's y
    drag = Drag("ball", linear=(5.0, 0.0, 0.0))
    np.testing.assert_allclose(acceleration(robot, [drag], q, [0, 0, 0, 1.0, 2.0, 0])[3:], [-5.0, 0, 0], atol=1e-14)


def test_friction_falls_from_its_static_to_its_kinetic_level():
    friction = JointFriction(0.5, static=1.5, stribeck=0.1, threshold=1e-6)
    robot = sixd.gallery.pendulum()
    for v, wanted in ((1e-3, 0.5 + 1.0 / 1.0001), (0.1, 1.0), (100.0, 0.5 + 1e-6)):
        tau = loads_of(friction, moment_of(friction, robot, 0.0, [0.0], [v])).tau[0]
        assert tau == pytest.approx(-wanted, rel=1e-6)


def test_passive_elements_are_those_of_the_robot():
    robot = tree("tree of all joints")
    q, qd, _ = states(robot, 1)
    passive = Passive()
    moment = moment_of(passive, robot, 0.0, q[0].tolist(), qd[0].tolist())
    np.testing.assert_allclose(loads_of(passive, moment).tau, robot.passive_forces(q[0], qd[0]), rtol=1e-13, atol=1e-13)


def test_a_circular_orbit():
    """v^2 = mu / r: the acceleration is v^2 / r, and the period that of Kepler."""
    mu, r = 4.0, 2.0
    robot = ball().with_gravity((0, 0, 0))
    q, qd = robot.neutral(), np.zeros(6)
    q[4], qd[4] = r, np.sqrt(mu / r)
    period = 2.0 * np.pi * np.sqrt(r**3 / mu)
    orbit = sixd.simulation.simulate(
        robot, q, qd, period, dt=period / 2000, forces=[CentralGravity(mu)], integrator="rk4", record=500
    )
    np.testing.assert_allclose(np.linalg.norm(orbit.q[:, 4:], axis=-1), r, rtol=1e-9)
    np.testing.assert_allclose(orbit.q[-1, 4:], q[4:], atol=1e-9)


def test_thrusters_take_inputs_for_every_step():
    robot, steps = ball().with_gravity((0, 0, 0)), 100
    thrust = np.linspace(0.0, 2.0, steps)
    push = Thruster("ball", "throttle", axis=(0, 2, 0), torque_ratio=0.01)
    found = sixd.simulation.simulate(
        robot, robot.neutral(), np.zeros(6), 1.0, dt=0.01, forces=[push], inputs={"throttle": thrust}
    )
    np.testing.assert_allclose(found.qd[-1, 4], 0.01 * thrust.sum(), rtol=1e-13)
    np.testing.assert_allclose(found.qd[-1, 1], 0.01 * 0.01 * thrust.sum() / 0.01, rtol=1e-13)


def test_a_turning_base_makes_centrifugal_force():
    """A bead on a rod that turns with w: r'' = w^2 r."""
    b = sixd.Builder("bead", gravity=(0, 0, 0))
    robot = b.body("bead", joint=Prismatic((1, 0, 0)), mass=2.0, inertia=(0.1, 0.1, 0.1)).build()
    turn = MovingBase(PolynomialMotion(((0.0,), (0.0,), (0.0, 3.0), (0.0,), (0.0,), (0.0,))))
    assert acceleration(robot, [turn], [0.7])[0] == pytest.approx(9.0 * 0.7, rel=1e-13)


def test_a_tilted_base_tilts_gravity():
    swing = sixd.gallery.pendulum(length=1.0)
    tilt = MovingBase(PolynomialMotion(((0.0,), (0.3,), (0.0,), (0.0,), (0.0,), (0.0,))))
    again = [acceleration(swing, [tilt], [x])[0] for x in (-0.3, 0.3)]
    assert min(np.abs(again)) < 1e-13  # hanging straight down in the world


def test_two_elements_cannot_move_the_base():
    base = MovingBase(PolynomialMotion([[0.0]] * 6))
    with pytest.raises(sixd.ArgumentError, match="2 elements move the base"):
        acceleration(ball(), [base, base])


def test_books_balance_on_a_moving_base():
    """The change of the robot's energy, relative to the base, is the work of all sources."""
    robot = sixd.gallery.double_pendulum()
    parts = [MovingBase.examples(robot)[0], PointSpring("tip", (0.5, 0.0, -1.0), 20.0, damping=1.0), JointFriction(0.1)]
    run = sixd.simulate(robot, [0.5, 0.2], [0.3, 0.1], 2.0, dt=1e-3, forces=parts, integrator="rk4", books=True)
    energy = robot.kinetic_energy(run.q, run.qd) + robot.potential_energy(run.q)
    assert (np.abs(run.work[-1, 1:]) > 1e-3).all()
    np.testing.assert_allclose(energy - energy[0], run.work.sum(axis=-1), atol=1e-9 * np.abs(energy).max())
