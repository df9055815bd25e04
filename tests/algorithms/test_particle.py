"""The worked examples of FDSV: the particle of section 3.1, the jumping lamp of Fig. 1; and textbook pendulums."""

import numpy as np
import pytest

from sixd import Transform, algorithms, gallery
from sixd.spatial import Motion, Vector

M, G = 2.5, 9.8
Q, QD, QDD = np.array([0.3, -0.7]), np.array([1.1, 0.4]), np.array([-0.6, 2.2])


@pytest.fixture
def particle():
    return gallery.particle(M, G)


def test_setup(particle):
    """FDSV (17)-(22): two prismatic axes, a massless slide, gravity as an accelerating frame."""
    x, y = (joint.type.subspace(Vector((0.0,)))[0].array() for joint in particle.joints)
    np.testing.assert_array_equal(x, [0, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(y, [0, 0, 0, 0, 1, 0])
    assert not any(particle.bodies["slide"].inertia.components())
    mass = particle.bodies["particle"].inertia.matrix().array()
    np.testing.assert_array_equal(mass, np.diag([0, 0, 0, M, M, M]))
    np.testing.assert_array_equal((-particle.gravity_acceleration).array(), [0, 0, 0, 0, G, 0])


def test_transforms_between_the_joints(particle):
    """FDSV (19), from children to parents; its 6x6 has the same order, (s, r x s)."""
    (q0, q1), one, zero = Q, np.eye(3), np.zeros((3, 3))
    X0 = Transform.from_pose(particle.pose(Q, "slide")).inverse().matrix().array()
    np.testing.assert_allclose(X0, np.block([[one, zero], [np.array([[0, 0, 0], [0, 0, -q0], [0, q0, 0]]), one]]))
    slide, end = (Transform.from_pose(particle.pose(Q, f)) for f in ("slide", "particle"))
    X1 = (slide @ end.inv).matrix().array()
    np.testing.assert_allclose(X1, np.block([[one, zero], [np.array([[0, 0, q1], [0, 0, 0], [-q1, 0, 0]]), one]]))


def test_velocities(particle):
    """FDSV (23), (24)."""
    v = algorithms.velocities(particle, Q, QD)
    np.testing.assert_allclose(v[1].array(), [0, 0, 0, QD[0], 0, 0])
    np.testing.assert_allclose(v[2].array(), [0, 0, 0, QD[0], QD[1], 0])


def test_accelerations(particle):
    """FDSV (25), (26), with the base accelerating upwards."""
    up = Motion(Vector.zero(), Vector((0.0, G, 0.0)))
    a = algorithms.body_motion(particle, Q, QD, QDD, up).a
    np.testing.assert_allclose(a[1].array(), [0, 0, 0, QDD[0], G, 0])
    np.testing.assert_allclose(a[2].array(), [0, 0, 0, QDD[0], QDD[1] + G, 0])


def test_forces(particle):
    """FDSV (27), (28): forces on the particle, on the slide and on the ground (here moment first)."""
    ground, slide, end = (f.array() for f in algorithms.joint_forces(particle, Q, QD, QDD))
    (q0, q1), (a0, a1) = Q, QDD
    lin = [M * a0, M * (a1 + G), 0.0]
    np.testing.assert_allclose(end, [0, 0, 0, *lin], atol=1e-14)
    np.testing.assert_allclose(slide, [0, 0, -M * q1 * a0, *lin], rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(ground, [0, 0, -M * q1 * a0 + M * q0 * (a1 + G), *lin], rtol=1e-14, atol=1e-15)


def test_newtons_second_law(particle):
    """FDSV (29), (30): Q_0 = m qdd_0, Q_1 = m (qdd_1 + g)."""
    expected = [M * QDD[0], M * (QDD[1] + G)]
    np.testing.assert_allclose(particle.inverse_dynamics(Q, QD, QDD), expected, rtol=1e-15)
    for method in ("aba", "crba", "naive"):
        np.testing.assert_allclose(particle.forward_dynamics(Q, QD, expected, method=method), QDD, rtol=1e-14)


def test_jumping_lamp_coordinates():
    """FDSV (4), (5): q = (x, y, theta, theta_1, theta_2); a force on the base does work along x, y and theta."""
    lamp = gallery.jumping_lamp()
    assert (lamp.nq, lamp.nv) == (5, 5)
    pose = lamp.pose([1.0, 2.0, 0.3, 0.0, 0.0], "foot")
    np.testing.assert_allclose(pose[:2, 3], [1.0, 2.0])
    np.testing.assert_allclose(pose[:2, :2], [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    np.testing.assert_allclose(lamp.gravity_forces(np.zeros(5))[:2], [0.0, lamp.mass * 9.81], atol=1e-12)
    falling = lamp.forward_dynamics([1, 2, 0.3, 0.5, -0.4], np.zeros(5), np.zeros(5))
    np.testing.assert_allclose(falling, [0, -9.81, 0, 0, 0], atol=1e-12)


def test_a_single_body_obeys_newton_and_euler():
    """FDSV (2), (3): one free body, forces and moments about its centre of mass."""
    from sixd import Builder

    I = np.diag([0.2, 0.3, 0.4])
    brick = Builder("brick").link("brick", mass=2.0, inertia=I).build(base="free")
    rng = np.random.default_rng(0)
    w, v, dw, dv = rng.normal(size=(4, 3))
    q = brick.random(rng)
    R = brick.pose(q, "brick")[:3, :3]
    tau = brick.inverse_dynamics(q, [*w, *v], [*dw, *dv])
    acceleration = dv + np.cross(w, v)  # qd is in body coordinates
    np.testing.assert_allclose(tau[:3], I @ dw + np.cross(w, I @ w), rtol=1e-13)
    np.testing.assert_allclose(tau[3:], 2.0 * (acceleration - R.T @ [0, 0, -9.81]), rtol=1e-13)
    H, C = brick.mass_matrix(q), brick.bias_forces(q, [*w, *v])
    np.testing.assert_allclose(H, np.diag([0.2, 0.3, 0.4, 2.0, 2.0, 2.0]), atol=1e-15)
    np.testing.assert_allclose(C[:3], np.cross(w, I @ w), rtol=1e-13)
    np.testing.assert_allclose(C[3:], 2.0 * (np.cross(w, v) - R.T @ [0, 0, -9.81]), rtol=1e-13)


def test_a_simple_pendulum():
    q, qd, qdd, m, l = 0.4, 1.3, -0.7, 1.5, 0.8
    swing = gallery.pendulum(m, l)
    np.testing.assert_allclose(swing.inverse_dynamics([q], [qd], [qdd]), m * l * l * qdd + m * 9.81 * l * np.sin(q))
    np.testing.assert_allclose(swing.forward_dynamics([q], [qd], [0.0]), -9.81 / l * np.sin(q))
    np.testing.assert_allclose(swing.pose([q], "tip")[:3, 3], [-l * np.sin(q), 0, -l * np.cos(q)])
    assert swing.kinetic_energy([q], [qd]) == pytest.approx(0.5 * m * (l * qd) ** 2, rel=1e-14)
    assert swing.potential_energy([q]) == pytest.approx(-m * 9.81 * l * np.cos(q), rel=1e-14)


def test_a_double_pendulum_of_rods():
    """The closed-form mass matrix and Coriolis forces of two uniform thin rods of mass m and length l."""
    from sixd import Builder
    from sixd.joints import Revolute

    m, l = 1.2, 0.7
    b = Builder("thin rods")
    for i, parent in ((1, "base"), (2, "rod1")):
        b.body(
            f"rod{i}",
            parent=parent,
            joint=Revolute((0, 1, 0)),
            xyz=(0, 0, -l if i == 2 else 0),
            mass=m,
            com=(0, 0, -l / 2),
            inertia=(m * l * l / 12, m * l * l / 12, 0),
        )
    robot = b.build()
    (q1, q2), (v1, v2) = (0.3, -1.1), (0.8, 0.5)
    k, c, s = m * l * l, np.cos(q2), np.sin(q2)
    H = np.array([[k * (5 / 3 + c), k * (1 / 3 + c / 2)], [k * (1 / 3 + c / 2), k / 3]])
    coriolis = np.array([-k * s * (v1 * v2 + v2 * v2 / 2), k * s * v1 * v1 / 2])
    gravity = 9.81 * m * l * np.array([1.5 * np.sin(q1) + 0.5 * np.sin(q1 + q2), 0.5 * np.sin(q1 + q2)])
    np.testing.assert_allclose(robot.mass_matrix([q1, q2]), H, rtol=1e-13)
    np.testing.assert_allclose(robot.bias_forces([q1, q2], [v1, v2]), coriolis + gravity, rtol=1e-13)
