"""Mechanisms beside what is known of them: published solutions and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import sixd
from sixd import mechanisms
from sixd.mechanisms.andrews import REFERENCE


def angle(m, joint, q):
    return np.asarray(q)[..., m.robot.joint(joint).q.start]


@pytest.mark.parametrize(("integrator", "dt", "options"), [("rk4", 1e-5, {}), ("dopri5", 1e-3, {"rtol": 1e-11})])
def test_andrews_squeezing_mechanism_meets_the_published_solution(integrator, dt, options):
    """At 0.03 s, where the crank turns with 1140 rad/s: its angle to 1.2e-9 of 15.8 rad, others to 1e-10."""
    m = mechanisms.andrews()
    end = m.simulate(0.03, integrator=integrator, dt=dt, record=None, **options).q[-1]
    errors = {joint: abs(angle(m, joint, end) - wanted) for joint, wanted in REFERENCE.items()}
    assert max(errors.pop("beta"), errors.pop("Theta")) < 2e-9
    assert max(errors.values()) < 1e-10


def test_freudenstein_equation_of_the_four_bar():
    g, a, c, r = 2.0, 0.6, 1.8, 1.4
    m = mechanisms.four_bar(g, a, c, r)
    crank = np.linspace(0.0, 2.0 * np.pi, 101)
    q = np.array([mechanisms.four_bar(g, a, c, r, t).q for t in crank])
    assert np.abs(m.robot.constraint_error(q)).max() < 1e-14
    rocker = q[:, 2]
    k = g / a, g / r, (a * a - c * c + r * r + g * g) / (2.0 * a * r)
    assert np.abs(k[0] * np.cos(rocker) - k[1] * np.cos(crank) + k[2] - np.cos(crank - rocker)).max() < 1e-13


def test_position_velocity_and_acceleration_of_the_slider():
    """x = r cos t + s with s = sqrt(l^2 - r^2 sin^2 t), and its derivatives, on a motion under gravity."""
    r, l = 0.3, 1.0
    m = mechanisms.slider_crank(r, l)
    run = m.simulate(2.0, record=50)
    t, w = run.q[:, 0], run.qd[:, 0]
    s = np.sqrt(l * l - (r * np.sin(t)) ** 2)
    assert np.abs(run.q[:, 2] - (r * np.cos(t) + s)).max() < 1e-14
    slope = -r * np.sin(t) - r * r * np.sin(t) * np.cos(t) / s
    assert np.abs(run.qd[:, 2] - slope * w).max() < 1e-13
    qdd = m.robot.forward_dynamics(run.q, run.qd, np.zeros(3))
    curve = -r * np.cos(t) - r * r * (np.cos(2.0 * t) / s + (r * np.sin(t) * np.cos(t)) ** 2 / s**3)
    assert np.abs(qdd[:, 2] - slope * qdd[:, 0] - curve * w * w).max() < 1e-11


def test_the_tip_of_the_five_bar_is_where_both_arms_say():
    m = mechanisms.five_bar()
    run = m.simulate(1.0, record=50)
    tips = [m.robot.pose(run.q, frame)[..., :3, 3] for frame in ("tip", "right tip")]
    elbows = [np.array([x, 0.0, 0.0]) for x in (0.0, 0.4)]
    for side, tip, pivot in zip(("left", "right"), tips, elbows, strict=True):
        t = angle(m, side, run.q)
        elbow = pivot + 0.4 * np.stack([np.cos(t), 0.0 * t, -np.sin(t)], axis=-1)
        assert np.abs(np.linalg.norm(tip - elbow, axis=-1) - 0.6).max() < 1e-14
    assert np.abs(tips[0] - tips[1]).max() < 1e-13


def test_the_curve_on_which_bricards_mechanism_moves():
    """Neighbouring angles take turns, and cos t_1 + cos t_2 + cos t_1 cos t_2 = 0, counted from bars in one line."""
    m = mechanisms.bricard()
    run = m.simulate(2.0, record=40)
    assert np.ptp(run.q, axis=0).min() > 0.5
    a, b = run.q[:, 0], run.q[:, 1]
    assert np.abs(run.q - np.stack([a, b, a, b, a], axis=-1)).max() < 1e-12
    one, two = np.cos(a + np.pi / 2.0), np.cos(b + np.pi / 2.0)
    assert np.abs(one + two + one * two).max() < 1e-12


def test_the_equilibrium_of_the_governor():
    for spin in (8.0, 12.0):
        m = mechanisms.flyball_governor(spin)
        assert np.abs(m.robot.forward_dynamics(m.q, m.qd, m.tau)).max() < 1e-11
    light = mechanisms.flyball_governor(8.0, 0.4, collar=1e-9, link=1e-9)
    phi = angle(light, "left_arm_joint", light.q)
    assert np.isclose(np.cos(phi), 9.81 / (0.4 * 8.0**2), rtol=1e-8)


def test_a_governor_that_is_pushed_keeps_its_angular_momentum():
    m = mechanisms.flyball_governor(8.0)
    push = np.zeros(m.robot.nv)
    push[m.robot.joint("collar_joint").v] = 0.5
    run = m.simulate(1.0, record=None)
    assert np.abs(run.q[-1, 1:] - m.q[1:]).max() < 1e-10, "in equilibrium it stays"
    start = m.robot.project(m.q, m.qd + push)[1]
    run = sixd.simulate(m.robot, m.q, start, 1.0, dt=m.dt, integrator="rk4", record=20)
    spin = m.robot.momentum(run.q, run.qd)[:, 2]
    assert np.ptp(angle(m, "collar_joint", run.q)) > 0.02
    assert np.ptp(spin) < 1e-9 * np.abs(spin).max()


def test_forward_kinematics_of_the_stewart_platform():
    """Legs of the lengths that the closed form gives carry the platform to the place that it was given."""
    place = np.array([0.08, -0.05, 1.1])
    m = mechanisms.stewart_platform(place)
    start = mechanisms.stewart_platform().q.copy()
    for joint in m.independent:
        start[m.robot.joint(joint).q] = angle(m, joint, m.q)
    found = m.robot.assemble(start, fixed=m.independent)
    pose = m.robot.pose(found, "platform")
    assert np.abs(pose[:3, 3] - place).max() < 1e-10
    assert np.abs(pose[:3, :3] - np.eye(3)).max() < 1e-10


def test_forward_kinematics_of_the_delta_robot():
    """The arms alone determine where the platform is; it does not turn."""
    place = np.array([-0.05, 0.08, -0.45])
    m, start = mechanisms.delta_robot(place), mechanisms.delta_robot().q.copy()
    for joint in m.independent:
        start[m.robot.joint(joint).q] = angle(m, joint, m.q)
    found = m.robot.assemble(start, fixed=m.independent)
    pose = m.robot.pose(found, "platform")
    assert np.abs(pose[:3, 3] - place).max() < 1e-10
    assert np.abs(pose[:3, :3] - np.eye(3)).max() < 1e-10


def test_freedoms_of_the_delta_platform_are_translations():
    m = mechanisms.delta_robot()
    freedoms = m.robot.mobility(m.q).freedoms[:, m.robot.joint("platform_joint").v]
    assert np.abs(freedoms[:, :3]).max() < 1e-12 * np.abs(freedoms[:, 3:]).max()
    assert np.linalg.matrix_rank(freedoms[:, 3:]) == 3


def test_elbows_of_the_grasp_move_while_the_box_is_at_rest():
    m = mechanisms.two_handed_grasp()
    freedoms = m.robot.mobility(m.q).freedoms
    assert np.linalg.matrix_rank(freedoms[:, m.robot.joint("box_joint").v], tol=1e-8) == 6


def test_the_feet_of_the_quadruped_carry_its_weight():
    """Gravity less the rate of momentum is the sum of the forces on the feet."""
    m = mechanisms.standing_quadruped()
    forces = m.robot.constraint_forces(m.q, m.qd, m.tau).forces
    qdd = m.robot.forward_dynamics(m.q, m.qd, m.tau)
    total = np.zeros(3)
    for foot, force in forces.items():
        total += m.robot.pose(m.q, foot)[:3, :3] @ force[3:]
    rate = (m.robot.momentum_matrix(m.q) @ qdd)[3:]  # at rest
    assert np.abs(total + m.robot.mass * np.array([0.0, 0.0, -9.81]) - rate).max() < 1e-9
