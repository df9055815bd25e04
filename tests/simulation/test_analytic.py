"""Motions that are known in closed form, or to thirty digits."""

import mpmath
import numpy as np
import pytest
from scipy.special import ellipj

import sixd
from sixd.joints import Free, Revolute, Spherical
from sixd.simulation import INTEGRATORS, simulate


def rigid_body(inertia, joint, com=(0, 0, 0), mass=1.0, gravity=(0, 0, 0)):
    b = sixd.Builder("top")
    b.body("top", joint=joint, mass=mass, com=com, inertia=inertia)
    return b.build(gravity=gravity)


# ---- Euler's top


@pytest.mark.parametrize("joint", [Spherical(), Free()], ids=["spherical", "free"])
def test_euler_top(joint):
    """omega = (a cn, b sn, c dn)(p t | m), L. D. Landau, E. M. Lifshitz, "Mechanics", section 37: it flips over."""
    I1, I2, I3 = 1.0, 2.0, 2.5  # I3 > I2 > I1, and L^2 > 2 E I2
    robot = rigid_body((I1, I2, I3), joint)
    omega = np.array([0.4, 0.0, 1.2])
    E2 = I1 * omega[0] ** 2 + I3 * omega[2] ** 2
    L2 = (I1 * omega[0]) ** 2 + (I3 * omega[2]) ** 2
    assert L2 > E2 * I2
    p = np.sqrt((I3 - I2) * (L2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - L2) / ((I3 - I2) * (L2 - E2 * I1))
    b = np.sqrt((E2 * I3 - L2) / (I2 * (I3 - I2)))
    qd0 = np.concatenate([omega, np.zeros(robot.nv - 3)])
    run = simulate(robot, robot.neutral(), qd0, 20.0, dt=0.1, integrator="dopri5", rtol=1e-12, atol=1e-13)
    sn, cn, dn, _ = ellipj(p * run.t, m)
    wanted = np.stack([omega[0] * cn, b * sn, omega[2] * dn], axis=1)
    if abs(run.qd[1, 1] + wanted[1, 1]) < abs(run.qd[1, 1] - wanted[1, 1]):
        wanted[:, 1] *= -1.0  # the direction in which it sets out
    np.testing.assert_allclose(run.qd[:, :3], wanted, atol=2e-10)


def test_unstable_axis_flips():
    """Turned about the middle axis, a top flips over again and again (Dzhanibekov), and keeps its energy."""
    robot = rigid_body((1.0, 2.0, 2.5), Spherical())
    run = simulate(robot, robot.neutral(), [1e-3, 3.0, 0.0], 60.0, dt=2e-3, integrator="variational4", record=50)
    middle = run.qd[:, 1]
    assert np.count_nonzero(np.diff(np.sign(middle))) >= 3
    assert np.ptp(run.energy) < 1e-8 * run.energy[0]


# ---- the heavy top


def test_heavy_top_precesses_steadily():
    """A top that leans by theta and spins with n (along its axis) precesses with W where
    A W^2 cos(theta) - C n W + m g l = 0: H. Goldstein, "Classical Mechanics", section 5.7.
    """
    m, g, l, A, C, theta, W = 1.0, 9.81, 0.3, 0.15, 0.04, 0.5, 2.0
    n = (A * W**2 * np.cos(theta) + m * g * l) / (C * W)
    robot = rigid_body((A - m * l**2, A - m * l**2, C), Spherical(), com=(0, 0, l), mass=m, gravity=(0, 0, -g))
    q0 = np.array([np.sin(theta / 2), 0.0, 0.0, np.cos(theta / 2)])  # leaning about x
    # omega = precession about the vertical + the rest of the spin along the top's axis, in its own coordinates
    vertical = np.array([0.0, np.sin(theta), np.cos(theta)])
    qd0 = W * vertical + (n - W * np.cos(theta)) * np.array([0.0, 0.0, 1.0])
    run = simulate(robot, q0, qd0, 3.0, dt=0.05, integrator="dopri5", rtol=1e-12, atol=1e-13)
    axis = run.robot.pose(run.q, "top")[:, :3, 2]
    np.testing.assert_allclose(axis[:, 2], np.cos(theta), atol=1e-9)
    start = np.arctan2(axis[0, 1], axis[0, 0])
    angle = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0])) - start
    np.testing.assert_allclose(angle, W * run.t, atol=1e-8)


# ---- the double pendulum to thirty digits


def precise_motion(robot, q, qd, t, pieces):
    """The state at time t in 40 digits: the modified midpoint rule, extrapolated (Gragg, Bulirsch, Stoer)."""
    n = robot.nv

    def slope(y):
        return np.concatenate([y[n:], sixd.algorithms.aba(robot, y[:n], y[n:], [mpmath.mpf(0)] * n)])

    def midpoint(y, span, number):
        h = span / number
        before, now = y, y + slope(y) * h
        for _ in range(number - 1):
            before, now = now, before + slope(now) * (2 * h)
        return (before + now + slope(now) * h) / 2

    with mpmath.workdps(45):
        y = np.array([mpmath.mpf(float(x)) for x in (*q, *qd)], dtype=object)
        span = mpmath.mpf(t) / pieces
        for _ in range(pieces):
            numbers, row = [2 * k for k in range(1, 13)], []
            for k, number in enumerate(numbers):
                new = [midpoint(y, span, number)]
                for j in range(1, k + 1):
                    ratio = mpmath.mpf(numbers[k]) / numbers[k - j]
                    new.append(new[-1] + (new[-1] - row[j - 1]) / (ratio**2 - 1))
                row = new
            y = row[-1]
        return y.astype(float)


REFERENCE_TIME = 0.25


@pytest.fixture(scope="module")
def reference():
    robot = sixd.gallery.double_pendulum()
    q, qd = np.array([1.5, -0.7]), np.array([0.3, -2.0])
    return robot, q, qd, precise_motion(robot, q, qd, REFERENCE_TIME, 4)


def test_the_reference_is_precise(reference):
    robot, q, qd, wanted = reference
    assert np.array_equal(precise_motion(robot, q, qd, REFERENCE_TIME, 3), wanted)


def test_double_pendulum_against_thirty_digits(reference):
    robot, q, qd, wanted = reference
    run = simulate(robot, q, qd, REFERENCE_TIME, dt=REFERENCE_TIME, integrator="dopri5", rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(np.concatenate([run.q[-1], run.qd[-1]]), wanted, rtol=1e-11)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_every_integrator_against_thirty_digits(reference, name):
    robot, q, qd, wanted = reference
    order = INTEGRATORS[name].order
    bound = {1: 5e-3, 2: 5e-6, 4: 1e-10}[order]
    run = simulate(robot, q, qd, REFERENCE_TIME, dt=REFERENCE_TIME / 1000, integrator=name, record=None)
    assert np.abs(np.concatenate([run.q[-1], run.qd[-1]]) - wanted).max() < bound


# ---- a harmonic oscillator and a pendulum of large amplitude


def test_pendulum_period():
    """T = 4 K(sin(a / 2)^2) sqrt(I / (m g l)): the time from rest to rest."""
    b = sixd.Builder("pendulum")
    b.body("bob", joint=Revolute("y"), mass=2.0, com=(0, 0, -0.7), inertia=(0.1, 0.1, 0.05))
    robot = b.build(gravity=(0, 0, -9.81))
    amplitude = 2.5
    quarter = mpmath.ellipk(mpmath.sin(mpmath.mpf(amplitude) / 2) ** 2)
    period = float(4 * quarter * mpmath.sqrt((0.1 + 2.0 * 0.7**2) / (2.0 * 9.81 * 0.7)))
    run = simulate(robot, [amplitude], [0.0], period, dt=period, integrator="dopri5", rtol=1e-12, atol=1e-13)
    assert run.q[-1, 0] == pytest.approx(amplitude, abs=1e-9)
    assert run.qd[-1, 0] == pytest.approx(0.0, abs=1e-8)
