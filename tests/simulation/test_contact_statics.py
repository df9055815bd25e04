"""Contact to rounding: blocks that slide, stop, stand and tip, balls that roll; what is reported is what acts."""

from __future__ import annotations

from math import atan, cos, sin
from typing import Any

import numpy as np
import pytest

import sixd
from sixd.simulation import Trajectory, simulate
from sixd.simulation.contact import Capsule, Compliant, Contacts, Plane, Point, Rigid, Sphere
from tests.simulation.bodies import G, ball, body

MASS, MU = 2.0, 0.3


#: A homogeneous block, and the corners on which it stands.
SIZE = np.array([0.2, 0.3, 0.4])
CORNERS = [Point("body", center=(x, y, -0.2)) for x in (-0.1, 0.1) for y in (-0.15, 0.15)]
BLOCK = body(MASS, MASS / 12 * np.diag(SIZE @ SIZE - SIZE**2))


def standing(duration: float, angle: Any, speed: float = 0.0, mu: float = MU, com: Any = (0, 0, 0)) -> Trajectory:
    """The block on a slope that rises along x, with a speed up the slope; gravity leans by the angle instead."""
    q = BLOCK.neutral()
    q[6] = 0.2
    moved = BLOCK.with_inertia("body", com=com)
    numbers = {"inertia": sixd.parameters(moved, "inertia"), "gravity": np.array([-G * sin(angle), 0, -G * cos(angle)])}
    contacts = Contacts(CORNERS, law=Rigid(friction=mu))
    return simulate(BLOCK, q, [0, 0, 0, speed, 0, 0], duration, contacts=contacts, parameters=numbers)


@pytest.mark.parametrize("angle", [0.0, 0.2])
def test_a_block_slides_stops_and_stays(angle: float) -> None:
    """It slows down by g (sin a + mu cos a), and after it has stopped there is no creep."""
    found = standing(1.0, angle, speed=1.0)
    slows = G * (sin(angle) + MU * cos(angle))
    sliding, after = found.t < 1.0 / slows - 2e-3, found.t > 1.0 / slows + 0.2
    np.testing.assert_allclose(found.qd[sliding, 3], 1.0 - slows * found.t[sliding], atol=1e-9)
    assert np.abs(found.qd[after]).max() < 1e-12
    assert np.ptp(found.q[after], axis=0).max() < 1e-12


def test_the_load_of_a_block_is_below_its_middle_of_mass() -> None:
    """Four corners carry the weight, in whatever shares; the moment tells where, and nothing moves for a minute."""
    found = standing(60.0, 0.0, com=(0.05, -0.1, 0.0))
    assert np.abs(found.q - found.q[0]).max() < 1e-8
    assert np.ptp(found.q[found.t > 1.0], axis=0).max() < 1e-13
    f, p = found.contact_forces[-1], found.contact_points[-1]
    np.testing.assert_allclose(f.sum(axis=0), [0.0, 0.0, MASS * G], atol=1e-9)
    np.testing.assert_allclose(f[:, 2] @ p[:, :2] / (MASS * G), [0.05, -0.1], atol=1e-9)
    assert (f[:, 2] >= 0.0).all()


def test_a_block_tips_where_its_middle_leaves_its_base() -> None:
    """tan(a) = width / height; beyond, by a small angle b, it turns about its edge: b'' = m g d b / I."""
    angle, beyond, d = atan(0.5), 0.02, np.hypot(0.1, 0.2)
    held = standing(0.5, angle - 1e-3, mu=2.0)
    assert np.abs(held.q - held.q[0]).max() < 1e-8
    tips = standing(0.05, angle + beyond, mu=2.0)
    rate = np.sqrt(G * d / ((0.2**2 + 0.4**2) / 12 + d * d))
    np.testing.assert_allclose(-tips.qd[-1, 1], beyond * rate * np.sinh(rate * 0.05), rtol=2e-3)


def rolled(robot: sixd.Robot, shape: Any, q: Any, way: Any, ground: Plane, mu: float) -> float:
    """The speed after a second on a ground, from the speed ``way`` along the world's axes without rotation."""
    start = robot.pose(q, "body")[:3, :3].T @ way
    contacts = Contacts([shape], ground, Rigid(friction=mu))
    found = simulate(robot, q, [0, 0, 0, *start], 1.0, contacts=contacts, record=None)
    return float(np.linalg.norm(found.qd[-1, 3:]))


@pytest.mark.parametrize(("mu", "rolls"), [(0.5, True), (0.05, False)])
def test_balls_on_a_slope(mu: float, rolls: bool) -> None:
    """a = 5/7 g sin a where friction is more than 2/7 tan a, else g (sin a - mu cos a)."""
    angle, robot = 0.3, ball(MASS, 0.1)
    n = np.array([-sin(angle), 0.0, cos(angle)])
    q = robot.neutral()
    q[4:7] = 0.1 * n
    wanted = 5 / 7 * G * sin(angle) if rolls else G * (sin(angle) - mu * cos(angle))
    found = rolled(robot, Sphere("body", 0.1), q, np.zeros(3), Plane(tuple(n)), mu)
    assert found == pytest.approx(wanted, rel=1e-12)


def test_a_cylinder_ends_rolling_at_two_thirds() -> None:
    b = sixd.Builder("roller")
    b.body("body", joint=sixd.joints.Free(), mass=1.0, inertia=np.diag([0.02, 0.02, 0.5 * 0.1**2]))
    robot = b.build()
    q = robot.neutral()
    q[:4], q[6] = (-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)), 0.1
    found = rolled(robot, Capsule("body", 0.1, 0.5), q, np.array([1.0, 0.0, 0.0]), Plane(), MU)
    assert found == pytest.approx(2 / 3, rel=1e-9)


def test_a_ball_that_spins_upright_goes_on() -> None:
    """There is no friction against turning about the normal: a ball touches in a point."""
    robot = ball(MASS, 0.1)
    q, qd = robot.neutral(), np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0])
    q[6] = 0.1
    found = simulate(robot, q, qd, 1.0, contacts=Contacts([Sphere("body", 0.1)], law="rigid"), record=None)
    np.testing.assert_allclose(found.qd[-1], qd, atol=1e-12)


def test_a_bouncing_ball_comes_to_rest_in_finite_time() -> None:
    """After infinitely many bounces, at sqrt(2 h / g) (1 + e) / (1 - e)."""
    robot, e, dt = ball(MASS, 0.1), 0.5, 2e-4
    q = robot.neutral()
    q[6] = 0.6
    found = simulate(robot, q, np.zeros(6), 1.5, dt=dt, contacts=Contacts([Sphere("body", 0.1)], law=Rigid(0.3, e)))
    last = found.t[np.abs(found.qd[:, 5]) > 1e-3][-1]
    assert last == pytest.approx(np.sqrt(2 * 0.5 / G) * (1 + e) / (1 - e), abs=30 * dt)
    assert np.abs(found.qd[-1]).max() < 1e-12


@pytest.mark.parametrize("law", [Rigid(0.4, 0.6), Compliant(stiffness=2e4)])
def test_momentum_changes_by_the_forces_that_are_reported(law: Any) -> None:
    """Of a rough ball that spins and bounces, in every step: m dv = h (f + m g), I dw = h r x f."""
    robot, dt, r = ball(MASS, 0.1), 1e-3, 0.1
    q = robot.neutral()
    q[6] = 0.15
    contacts = Contacts([Sphere("body", r)], law=law)
    how = {"dt": dt, "contacts": contacts, "integrator": "semi_implicit_euler"}
    found = simulate(robot, q, [3.0, -8.0, 5.0, 1.0, 0.5, 0.0], 0.6, **how)
    v = robot.velocity(found.q, found.qd, "body", expressed_in="aligned")
    # Rigid contact reports the mean over the step that ends, compliant contact the force at its beginning.
    f = (found.contact_forces[1:] if isinstance(law, Rigid) else found.contact_forces[:-1])[:, 0]
    assert np.abs(f).max() > 5 * MASS * G
    arm, weight = np.array([[0.0, 0.0, -r], [0.0, 0.0, -MASS * G]])
    np.testing.assert_allclose(MASS * np.diff(v[:, 3:], axis=0), dt * (f + weight), atol=1e-12)
    np.testing.assert_allclose(0.4 * MASS * r * r * np.diff(v[:, :3], axis=0), dt * np.cross(arm, f), atol=1e-12)


def test_friction_reported_is_against_the_slip() -> None:
    """While the ball slips: |f_t| = mu f_n, opposite to the velocity of its lowest point."""
    robot = ball(MASS, 0.1)
    q = robot.neutral()
    q[6] = 0.1
    contacts = Contacts([Sphere("body", 0.1)], law=Rigid(MU))
    found = simulate(robot, q, [4.0, -8.0, 1.0, 1.0, 0.5, 0.0], 0.05, contacts=contacts)
    v = robot.velocity(found.q, found.qd, "body", expressed_in="aligned")[1:]
    slip = v[:, 3:] + np.cross(v[:, :3], [0.0, 0.0, -0.1])
    f = found.contact_forces[1:, 0]
    np.testing.assert_allclose(f[:, :2], -MU * MASS * G * slip[:, :2] / np.hypot(*slip.T[:2])[:, None], rtol=1e-6)
