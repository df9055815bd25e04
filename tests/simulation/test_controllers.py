"""Controllers: each does what it is for, eager and compiled."""

import pickle

import numpy as np
import pytest

import sixd
import sixd.simulation
from sixd.joints import Free, Revolute, Spherical
from sixd.simulation import simulate
from sixd.simulation.contact import Compliant, Contacts, Plane, Point
from sixd.simulation.controllers import (
    CONTROLLERS,
    LQR,
    ComputedTorque,
    GravityCompensation,
    HybridForceControl,
    JointPD,
    Motor,
    OperationalSpaceControl,
    Saturated,
    Total,
)
from sixd.simulation.forces import JointDamper
from tests.laws.trees import states, tree
from tests.simulation.bodies import slider
from tests.simulation.laws import inputs_for, moment_of

ARM = sixd.gallery.seven_axis_arm()


def torque(controller, robot, q, qd, inputs=None):
    """The joint forces of a controller on floats."""
    moment = moment_of(controller, robot, 0.3, list(map(float, q)), list(map(float, qd)), inputs)
    return np.array(list(controller.torque(moment)), dtype=float)


@pytest.mark.parametrize("name", CONTROLLERS)
def test_eager_and_compiled_agree(name):
    ball = sixd.Builder("ball").body("ball", joint=Spherical(), mass=0.1, inertia=(1e-3,) * 3).build()
    robot = ARM.join(ball, "tool", prefix="b_")
    q, qd, _ = states(robot)
    for controller in CONTROLLERS[name].examples(robot):
        given = inputs_for(controller, robot)

        def function(model, q, qd, controller=controller, given=given):
            out = np.empty(model.nv, dtype=object)
            out[:] = list(controller.torque(moment_of(controller, model, 0.0, list(q), list(qd), given)))
            return out

        kernel = sixd.compile(function, robot, controller=controller, given=given)
        found = kernel(q, qd)
        wanted = np.array([torque(controller, robot, x, v, given) for x, v in zip(q, qd, strict=True)])
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
        assert np.abs(wanted).max() > 0.01


@pytest.mark.parametrize("name", CONTROLLERS)
def test_controllers_are_frozen_values(name):
    robot = tree("tree of all joints")
    for controller, again in zip(*(CONTROLLERS[name].examples(robot) for _ in range(2)), strict=True):
        assert controller == again
        assert hash(controller) == hash(again)
        assert pickle.loads(pickle.dumps(controller)) == controller
        controller.check(robot)
        with pytest.raises(AttributeError):
            controller.name = "other"


def test_pd_with_gravity_compensation_regulates():
    goal, start = ARM.random(1), ARM.random(2)
    inertia = ARM.mass_matrix(goal).diagonal()
    controller = JointPD(16.0 * inertia, 8.0 * inertia) + GravityCompensation()
    run = simulate(ARM, start, np.zeros(7), 12.0, dt=2e-3, control=controller, inputs={"q_target": goal}, record=6000)
    np.testing.assert_allclose(run.q[-1], goal, atol=1e-4)
    np.testing.assert_allclose(run.qd[-1], 0.0, atol=1e-4)


def test_pd_turns_a_ball_joint_the_short_way():
    robot = sixd.Builder("b").body("b", joint=Spherical(), mass=1.0, inertia=(0.1, 0.2, 0.3)).build()
    goal = robot.integrate(robot.neutral(), [0.3, -2.0, 0.5])
    pd = JointPD(2.0, 1.0, q=goal)
    run = simulate(robot, robot.neutral(), np.zeros(3), 20.0, dt=2e-3, control=pd, integrator="rk4", record=10000)
    np.testing.assert_allclose(robot.difference(run.q[-1], goal), 0.0, atol=1e-6)


def test_pd_leaves_a_free_base_alone():
    dog = sixd.gallery.quadruped()
    q = dog.random(0)
    assert (torque(JointPD(10.0, 1.0, q=dog.neutral()), dog, q, np.ones(dog.nv))[:6] == 0.0).all()
    assert (torque(GravityCompensation(), dog, q, np.ones(dog.nv))[:6] == 0.0).all()


def test_computed_torque_makes_the_acceleration_that_it_is_asked_for():
    """In its own model the error obeys e'' + k_d e' + k_p e = 0, to rounding."""
    rng = np.random.default_rng(0)
    q, q_target = ARM.random(rng), ARM.random(rng)
    qd, qd_target, qdd_target = rng.normal(size=(3, 7))
    inputs = {"q_target": q_target, "qd_target": qd_target, "qdd_target": qdd_target}
    tau = torque(ComputedTorque(30.0, 11.0), ARM, q, qd, inputs)
    wanted = qdd_target + 11.0 * (qd_target - qd) + 30.0 * (q_target - q)
    np.testing.assert_allclose(ARM.forward_dynamics(q, qd, tau), wanted, rtol=1e-10)


def test_computed_torque_tracks():
    steps, dt = 1000, 1e-3
    t = dt * np.arange(steps)[:, None]
    amplitude, w = np.linspace(0.1, 0.4, 7), 2.0
    path = amplitude * np.sin(w * t), amplitude * w * np.cos(w * t), -amplitude * w * w * np.sin(w * t)
    inputs = dict(zip(("q_target", "qd_target", "qdd_target"), path, strict=True))
    run = simulate(ARM, path[0][0], path[1][0], 1.0, dt=dt, control=ComputedTorque(400.0, 40.0), inputs=inputs)
    np.testing.assert_allclose(run.q[:-1], path[0], atol=2e-3)  # of first order in the step


def test_gravity_compensation_holds_still():
    q = ARM.random(3)
    run = simulate(ARM, q, np.zeros(7), 1.0, dt=1e-3, control=GravityCompensation(), record=1000)
    np.testing.assert_allclose(run.q[-1], q, atol=1e-10)


def test_lqr_is_its_linear_system_near_the_set_point():
    """x' = (A - B K) x, whose poles are stable; the cost to go is x^T P x."""
    robot = sixd.gallery.double_pendulum()
    top = np.array([np.pi, 0.0])
    lqr = LQR.of(robot, top, Q=1.0, R=(1.0, 0.5))
    A, B = robot.linearize(top, np.zeros(2), np.zeros(2))
    K = np.array(lqr.gain)
    assert np.linalg.eigvals(A - B @ K).real.max() < 0.0
    x = 1e-6 * np.array([1.0, -0.5, 0.3, 0.7])
    q, qd = top + x[:2], x[2:]
    found = robot.forward_dynamics(q, qd, torque(lqr, robot, q, qd))
    np.testing.assert_allclose(found, ((A - B @ K) @ x)[2:], rtol=1e-5)
    run = simulate(robot, top + 0.1, np.zeros(2), 20.0, dt=1e-3, control=lqr, record=20000)
    np.testing.assert_allclose(run.q[-1], top, atol=1e-5)


def test_lqr_of_a_mass_on_a_rail_by_hand():
    """k1 = sqrt(q1 / r), k2 = sqrt(q2 / r + 2 m k1)."""
    robot, k1 = slider(friction=0.0, mass=2.0), np.sqrt(4.0 / 0.5)
    found = LQR.of(robot, [0.0], Q=[4.0, 9.0], R=0.5).gain
    np.testing.assert_allclose(found, [[k1, np.sqrt(9.0 / 0.5 + 2 * 2.0 * k1)]], rtol=1e-12)


def test_lqr_with_one_motor_balances_the_acrobot():
    robot = sixd.gallery.double_pendulum()
    top, elbow = np.array([np.pi, 0.0]), robot.joints[1].name
    lqr = LQR.of(robot, top, Q=1.0, R=1.0, joints=elbow)
    assert torque(lqr, robot, top + 0.01, np.zeros(2))[0] == 0.0
    run = simulate(robot, top + 0.003, np.zeros(2), 20.0, dt=1e-3, control=lqr, record=20000)
    np.testing.assert_allclose(run.q[-1], top, atol=1e-4)


def test_operational_space_moves_the_hand_along_a_line():
    q = np.array([0.1, 0.6, 0.2, -1.2, 0.3, 0.8, 0.1])
    start = ARM.pose(q, "tool")[:3, 3]
    way, duration, dt = np.array([0.05, -0.1, 0.08]), 1.0, 1e-3
    s = np.linspace(0.0, 1.0, round(duration / dt))[:, None]
    inputs = {"x_target": start + s * way, "xd_target": np.broadcast_to(way / duration, (len(s), 3))}
    control = OperationalSpaceControl("tool", 900.0, 60.0, velocity="xd_target", null_damping=5.0)
    run = simulate(ARM, q, np.zeros(7), duration, dt=dt, control=control, inputs=inputs, integrator="rk4")
    hand = ARM.pose(run.q, "tool")[:, :3, 3] - start
    off = hand - (hand @ way)[:, None] * way / (way @ way)
    assert np.abs(off).max() < 1e-4
    np.testing.assert_allclose(hand[-1], way, atol=2e-3)


def test_operational_space_takes_a_pose():
    q = np.array([0.1, 0.6, 0.2, -1.2, 0.3, 0.8, 0.1])
    goal = ARM.pose(q + 0.1, "tool")
    control = OperationalSpaceControl("tool", 100.0, 20.0, kind="pose", null_damping=5.0)
    run = simulate(ARM, q, np.zeros(7), 3.0, dt=1e-3, control=control, inputs={"x_target": goal}, record=3000)
    np.testing.assert_allclose(ARM.pose(run.q[-1], "tool"), goal, atol=1e-6)


def test_operational_space_makes_the_acceleration_that_it_is_asked_for():
    rng = np.random.default_rng(5)
    q, qd, goal = ARM.random(rng), rng.normal(size=7), rng.normal(size=3)
    for null in (0.0, 3.0):
        control = OperationalSpaceControl("tool", 7.0, 2.0, target=goal, null_damping=null)
        qdd = ARM.forward_dynamics(q, qd, torque(control, ARM, q, qd))
        found = ARM.acceleration(q, qd, qdd, "tool", "aligned", conventional=True)[3:]
        v = ARM.velocity(q, qd, "tool", "aligned")[3:]
        np.testing.assert_allclose(found, 7.0 * (goal - ARM.pose(q, "tool")[:3, 3]) - 2.0 * v, rtol=1e-9, atol=1e-9)


def test_hybrid_control_moves_in_some_directions_and_pushes_in_the_others():
    """In the selected directions the force beyond mu and p is the one set; in the others the acceleration is."""
    rng = np.random.default_rng(6)
    q, qd, goal, force = ARM.random(rng), rng.normal(size=7), rng.normal(size=3), rng.normal(size=3)
    R = ARM.pose(ARM.random(rng), "tool")[:3, :3]
    control = HybridForceControl("tool", 7.0, 2.0, "z", force, target=goal, axes=R, null_damping=3.0)
    tau, n = torque(control, ARM, q, qd), R[:, 2]
    Lambda, mu, p = ARM.operational_space(q, qd, "tool", "position", "aligned")
    Jbar = ARM.dynamically_consistent_inverse(q, "tool", "position", "aligned")
    v = ARM.velocity(q, qd, "tool", "aligned")[3:]
    a = 7.0 * (goal - ARM.pose(q, "tool")[:3, 3]) - 2.0 * v
    wanted = Lambda @ (a - n * (n @ a)) + n * (n @ force) + mu + p
    np.testing.assert_allclose(Jbar.T @ tau, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
    same = HybridForceControl("tool", 7.0, 2.0, "", None, target=goal)
    np.testing.assert_allclose(
        torque(same, ARM, q, qd), torque(OperationalSpaceControl("tool", 7.0, 2.0, target=goal), ARM, q, qd), rtol=1e-12
    )


def test_hybrid_control_presses_and_slides():
    """On a wall with friction, at rest after a second: the force is the one set, and the tool is where it was sent."""
    q = np.array([0.1, 0.6, 0.2, -1.2, 0.3, 0.8, 0.1])
    start = ARM.pose(q, "tool")
    n = np.array([-0.6, 0.0, 0.8])
    wall = Plane(tuple(n), offset=float(n @ start[:3, 3]))
    contacts = Contacts([Point("tool")], wall, Compliant(stiffness=1e4, friction=0.3))
    axes = np.stack([[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], n], axis=1)
    goal = start.copy()
    goal[:3, 3] += 0.05 * axes[:, 0]
    force = np.r_[np.zeros(3), -20.0 * n]
    control = HybridForceControl(
        *("tool", 100.0, 20.0, "z", force), "pose", goal, axes=axes, sensor=contacts.elements()[0], force_gain=1.0,
        force_damping=100.0, null_damping=5.0,
    )  # fmt: skip
    run = simulate(ARM, q, np.zeros(7), 2.0, dt=1e-3, control=control, contacts=contacts, integrator="rk4")
    pose, pressed = ARM.pose(run.q[-1], "tool"), run.contact_forces[-1].reshape(-1, 3).sum(axis=0)
    assert pressed @ n == pytest.approx(20.0, rel=1e-4)
    along = axes[:, :2].T
    np.testing.assert_allclose(along @ (pose - goal)[:3, 3], 0.0, atol=1e-5)
    np.testing.assert_allclose(pose[:3, :3], goal[:3, :3], atol=1e-5)


def lever(**data):
    b = sixd.Builder("lever", gravity=(0, 0, 0))
    return b.body("l", joint=Revolute(), joint_name="j", mass=1.0, inertia=(1, 1, 1), **data).build()


def test_saturation_by_the_effort_limits_of_the_robot():
    pd = JointPD(10.0, 0.0, q=[0.0])
    assert torque(Saturated(pd), lever(effort=3.0), [1.0], [0.0]) == -3.0
    assert torque(Saturated(pd), lever(), [1.0], [0.0]) == -10.0
    assert torque(Saturated(pd, 4.0), lever(effort=3.0), [1.0], [0.0]) == -4.0


@pytest.mark.parametrize(
    ("asked", "speed", "made"),
    [
        (1.0, 0.0, 1.0),
        (99.0, 0.0, 8.0),  # the torque limit
        (99.0, 5.0, 5.0),  # half of the stall torque at half of the no-load speed
        (99.0, 10.0, 0.0),  # nothing at the no-load speed
        (0.0, 12.0, -2.0),  # it brakes beyond it
        (-99.0, 5.0, -8.0),
        (-99.0, -5.0, -5.0),
        (-3.0, -2.0, -3.0),
    ],
)
@pytest.mark.parametrize("gear", [1.0, 20.0])
def test_the_speed_torque_line(asked, speed, made, gear):
    """A motor with 10 N m at stall, 10 rad/s without load and 8 N m at the largest current, at the joint."""
    pd = JointPD(1.0, 0.0, q=[asked])
    motor = Motor(pd, stall_torque=10.0 / gear, no_load_speed=10.0 * gear, torque_limit=8.0 / gear, gear=gear)
    assert torque(motor, lever(), [0.0], [speed])[0] == pytest.approx(made, abs=1e-13)


def test_a_motor_that_is_given_all_voltage_ends_at_its_no_load_speed():
    motor = Motor(JointPD(1.0, 0.0, q=[1e6]), 2.0, 30.0, gear=10.0)
    run = simulate(lever(rotor_inertia=0.5), [0.0], [0.0], 20.0, dt=1e-3, control=motor, record=20000)
    assert run.qd[-1, 0] == pytest.approx(3.0, rel=1e-9)


def test_friction_in_a_gear_is_that_of_the_shaft():
    motor = Motor(JointPD(0.0, 0.0, q=[0.0]), 2.0, 300.0, gear=10.0, damping=0.01, friction=0.02, threshold=1e-9)
    assert torque(motor, lever(), [0.0], [3.0])[0] == pytest.approx(-10.0 * (0.01 * 30.0 + 0.02), rel=1e-9)


def test_controllers_add_up_and_share_inputs():
    pd, gravity = JointPD(3.0, 1.0), GravityCompensation()
    q, qd, goal = ARM.random(0), np.ones(7), ARM.random(1)
    both = pd + gravity
    assert both == Total((pd, gravity))
    assert dict(both.inputs(ARM)) == {"q_target": (7,)}
    parts = [torque(c, ARM, q, qd, {"q_target": goal}) for c in (pd, gravity, both)]
    np.testing.assert_allclose(parts[2], parts[0] + parts[1], rtol=1e-15)
    clash = pd + OperationalSpaceControl("tool", 1.0, 1.0, target="q_target")
    with pytest.raises(sixd.ShapeError, match="'q_target' has shape"):
        clash.inputs(ARM)


def test_controllers_and_elements_run_together():
    goal = ARM.random(4)
    inertia = ARM.mass_matrix(goal).diagonal()
    control = Motor(JointPD(16.0 * inertia, 6.0 * inertia, q=goal) + GravityCompensation(), 300.0, 20.0)
    damper = JointDamper(inertia)
    run = simulate(ARM, goal + 0.2, np.zeros(7), 8.0, dt=1e-3, control=control, forces=[damper], record=8000)
    np.testing.assert_allclose(run.q[-1], goal, atol=1e-4)


def test_a_free_body_is_no_driven_joint():
    robot = sixd.Builder("b").body("b", joint=Free(), mass=1.0, inertia=(1, 1, 1), joint_name="j").build()
    assert (torque(JointPD(1.0, 1.0, q=robot.random(0)), robot, robot.neutral(), np.ones(6)) == 0.0).all()
    named = JointPD(1.0, 1.0, q=robot.neutral(), joints="j")
    np.testing.assert_allclose(torque(named, robot, robot.neutral(), np.ones(6)), -1.0)


def test_set_points_of_quaternions_as_inputs():
    """The check of the step uses the inputs that are given: a zero quaternion would be no position."""
    robot = sixd.Builder("b").body("b", joint=Spherical(), mass=1.0, inertia=(0.1, 0.2, 0.3)).build()
    goal = robot.integrate(robot.neutral(), [0.3, -0.2, 0.5])
    start, given = (robot.neutral(), np.zeros(3)), {"q_target": goal}
    run = simulate(robot, *start, 20.0, dt=2e-3, control=JointPD(2.0, 1.0), inputs=given, record=None)
    np.testing.assert_allclose(robot.difference(run.q[-1], goal), 0.0, atol=1e-6)


def test_a_singular_start_is_told_as_what_it_is():
    """A stretched arm has no Lambda: the forces are NaN, not the step too long."""
    control = OperationalSpaceControl("tool", 100.0, 20.0, kind="pose", target=np.eye(4))
    with pytest.raises(sixd.SimulationError, match="t = 0"):
        sixd.simulate(ARM, ARM.neutral(), np.zeros(7), 0.1, control=control)
