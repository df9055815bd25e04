"""Model-based controllers on bases that move and in closed robots: what they ask for is what happens."""

import numpy as np
import pytest

import sixd
from sixd import mechanisms
from sixd.simulation import forces
from sixd.simulation.controllers import (
    ComputedTorque,
    GravityCompensation,
    HybridForceControl,
    JointPD,
    OperationalSpaceControl,
)
from sixd.simulation.moment import Moment
from sixd.simulation.system import System

ARM = sixd.gallery.seven_axis_arm().with_gravity((1.0, -2.0, -9.0))
SWELL = forces.MovingBase(forces.Oscillation((0.3, 0.2, 0.4, 0.1, 0.2, 0.3), (0.5, 0.7, 0.9, 1.0, 0.6, 0.8), phase=0.3))
LIST = forces.MovingBase(forces.PolynomialMotion(((0.5,), (-0.3,), (0.7,), (0.0,), (0.0,), (0.0,))))


def acceleration(controller, base, q, qd):
    """qdd of the arm on a base that moves, at the time 0.3."""
    system = System(ARM, [0.0] * ARM.nv, controller, [base])
    moment = system.moment(0.3, list(map(float, q)), list(map(float, qd)))
    return np.array(system.acceleration(moment, system.loads(moment)), dtype=float)


def test_gravity_compensation_knows_where_gravity_pulls_on_a_base_that_leans():
    q = ARM.random(1)
    found = acceleration(GravityCompensation(), LIST, q, np.zeros(7))
    np.testing.assert_allclose(found, 0.0, atol=1e-9)


def test_computed_torque_on_a_base_that_moves():
    rng = np.random.default_rng(2)
    q, q_target = ARM.random(rng, 2)
    qd, qd_target, qdd_target = rng.normal(size=(3, 7))
    control = ComputedTorque(30.0, 11.0, q=q_target, qd=qd_target, qdd=qdd_target)
    wanted = qdd_target + 11.0 * (qd_target - qd) + 30.0 * (q_target - q)
    np.testing.assert_allclose(acceleration(control, SWELL, q, qd), wanted, rtol=1e-9)


@pytest.mark.parametrize("kind", [OperationalSpaceControl, HybridForceControl])
def test_the_hand_on_a_base_that_moves(kind):
    rng = np.random.default_rng(3)
    q, qd, goal = ARM.random(rng), rng.normal(size=7), rng.normal(size=3)
    more = {} if kind is OperationalSpaceControl else {"force_along": "", "force": None}
    found = acceleration(kind("tool", 7.0, 2.0, target=goal, null_damping=3.0, **more), SWELL, q, qd)
    x = ARM.acceleration(q, qd, found, "tool", "aligned", conventional=True)[3:]
    wanted = 7.0 * (goal - ARM.pose(q, "tool")[:3, 3]) - 2.0 * ARM.velocity(q, qd, "tool", "aligned")[3:]
    np.testing.assert_allclose(x, wanted, rtol=1e-9, atol=1e-9)


def torque(controller, robot, q, qd):
    """The joint forces of a controller without inputs."""
    moment = Moment(robot, 0.0, list(map(float, q)), list(map(float, qd)), {})
    return np.array(list(controller.torque(moment)), dtype=float)


@pytest.mark.parametrize(
    ("make", "motors"),
    [
        (mechanisms.four_bar, ["crank_joint"]),
        (mechanisms.four_bar, ["crank_joint", "rocker_joint"]),
        (mechanisms.four_bar, None),
        (mechanisms.five_bar, ["left", "right"]),
    ],
    ids=["as many motors as freedoms", "more", "all", "five-bar"],
)
def test_a_closed_robot_is_held_and_led_by_its_motors(make, motors):
    made = make()
    robot, rng = made.robot, np.random.default_rng(4)
    tau = torque(GravityCompensation(joints=motors), robot, made.q, np.zeros(robot.nv))
    np.testing.assert_allclose(robot.forward_dynamics(made.q, np.zeros(robot.nv), tau), 0.0, atol=1e-9)
    q, qd = robot.project(made.q, rng.normal(size=robot.nv))
    qdd = robot.forward_dynamics(q, qd, rng.normal(size=robot.nv))  # some motion that keeps the constraints
    along = ComputedTorque(5.0, 2.0, q=q, qd=qd, qdd=qdd, joints=motors)
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, torque(along, robot, q, qd)), qdd, rtol=1e-8, atol=1e-9)
    without = [k for k, joint in enumerate(robot.joints) if motors is not None and joint.name not in motors]
    assert not torque(along, robot, q, qd)[without].any()


def test_a_quadruped_on_feet_that_are_held_stands_by_its_legs():
    """Twelve motors for six freedoms: nothing at the base, least squares elsewhere, and the ground does the rest.

    g = tau + L^T lambda
    """
    made = mechanisms.standing_quadruped()
    robot, q = made.robot, made.q
    tau = torque(GravityCompensation(), robot, q, np.zeros(robot.nv))
    assert not tau[:6].any()
    L, g = robot.constraint_jacobian(q), robot.tree.gravity_forces(q)
    held = np.linalg.lstsq(L.T, g - tau)[0]
    np.testing.assert_allclose(tau + L.T @ held, g, atol=1e-9)
    inner = np.linalg.svd(L[:, :6].T)[2][6:]  # forces of the feet that do not move the base, with motors against them
    np.testing.assert_allclose(inner @ (L[:, 6:] @ tau[6:]), 0.0, atol=1e-9)


def test_the_error_of_a_driven_joint_of_a_closed_robot():
    """e'' + k_d e' + k_p e = 0 at the motor, wherever its set point is."""
    made, rng = mechanisms.four_bar(), np.random.default_rng(5)
    robot = made.robot
    q, qd = robot.project(made.q, rng.normal(size=robot.nv))
    control = ComputedTorque(30.0, 11.0, q=q + 0.2, qd=0.5, qdd=0.3, joints="crank_joint")
    tau = torque(control, robot, q, qd)
    found = robot.forward_dynamics(q, qd, tau)
    assert found[0] == pytest.approx(0.3 + 11.0 * (0.5 - qd[0]) + 30.0 * 0.2, rel=1e-9)
    compiled = sixd.simulate(robot, q, qd, 0.0, control=control).tau[0]
    np.testing.assert_allclose(compiled, tau, rtol=1e-10)


@pytest.mark.parametrize("motors", [["motor0", "motor1", "motor2"], None])
def test_the_platform_of_a_delta_robot_goes_where_it_is_sent(motors):
    made, rng = mechanisms.delta_robot(), np.random.default_rng(6)
    robot = made.robot
    q, qd = robot.project(made.q, rng.normal(size=robot.nv))
    place, v = robot.pose(q, "platform")[:3, 3], robot.velocity(q, qd, "platform", "aligned")[3:]
    way = np.array([0.1, -0.05, 0.08])
    control = OperationalSpaceControl("platform", 7.0, 2.0, target=place + way, joints=motors)
    qdd = robot.forward_dynamics(q, qd, torque(control, robot, q, qd))
    x = robot.acceleration(q, qd, qdd, "platform", "aligned", conventional=True)[3:]
    np.testing.assert_allclose(x, 7.0 * way - 2.0 * v, rtol=1e-7)


def test_a_sum_with_gravity_compensation_settles_a_closed_robot():
    """One motor holds a four-bar linkage where its set point is: without an error at rest."""
    made = mechanisms.four_bar()
    motor = "crank_joint"
    control = JointPD(400.0, 60.0, q=made.q, joints=motor) + GravityCompensation(joints=motor)
    start = made.robot.assemble(made.q + np.array([0.1, 0.0, 0.0]))
    run = sixd.simulate(made.robot, start, np.zeros(3), 3.0, control=control, record=None)
    np.testing.assert_allclose(run.q[-1], made.q, atol=1e-6)
