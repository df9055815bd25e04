"""Laws of contact against what textbooks say: bounces, slopes, rolling, depth at rest, dry friction of joints."""

from __future__ import annotations

from math import atan, cos, sin, sqrt, tan
from typing import Any

import numpy as np
import pytest

import sixd
from sixd.simulation import Trajectory, simulate
from sixd.simulation.contact import (
    Box,
    Compliant,
    Contacts,
    HeightField,
    Plane,
    Point,
    Rigid,
    Slope,
    Sphere,
    impact,
    step_limit,
)
from tests.simulation.bodies import FEET, G, ball, body, quadruped, slider

RADIUS, MASS = 0.1, 1.5


def dropped(law: Any, height: float, duration: float, dt: float, **options: Any) -> Trajectory:
    robot = ball(MASS, RADIUS)
    q = robot.neutral()
    q[6] = RADIUS + height
    contacts = Contacts([Sphere("body", RADIUS)], Plane(), law)
    return simulate(robot, q, np.zeros(6), duration, dt=dt, contacts=contacts, **options)


def apexes(trajectory: Trajectory) -> Any:
    z = trajectory.q[:, 6] - RADIUS
    return z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]


@pytest.mark.parametrize("e", [0.3, 0.7, 0.9])
def test_bouncing_ball(e: float) -> None:
    """The heights of bounces are e^2, e^4, ... of the first; the error is of the first order in the step."""
    height, errors = 0.5, []
    for dt in (1e-3, 1e-4):
        found = apexes(dropped(Rigid(restitution=e), height, 1.2, dt))[:2]
        errors.append(abs(found - height * e ** (2 * np.arange(1, 3))).max())
    assert errors[0] < 5e-3
    assert errors[1] < 5e-4


def test_ball_without_restitution_stays() -> None:
    found = dropped(Rigid(), 0.1, 1.0, 1e-3)
    assert len(apexes(found)) == 0
    assert abs(found.q[-1, 6] - RADIUS) < 1e-12
    assert np.array_equal(found.qd[-1], np.zeros(6))
    assert np.allclose(found.contact_forces[-1], [[0.0, 0.0, MASS * G]], atol=1e-9)


def on_slope(angle: float, friction: float, duration: float, dt: float = 1e-3) -> tuple[sixd.Robot, Trajectory]:
    """A block with four corners on a slope that rises along x, at rest."""
    robot = body(2.0, np.diag([0.02, 0.03, 0.04]))
    corners = [Point("body", center=(x, y, -0.05)) for x in (-0.15, 0.15) for y in (-0.1, 0.1)]
    q = robot.neutral()
    q[:4] = (0.0, -sin(angle / 2), 0.0, cos(angle / 2))
    q[4:7] = np.array([-sin(angle), 0.0, cos(angle)]) * 0.05
    contacts = Contacts(corners, Plane((-sin(angle), 0.0, cos(angle))), Rigid(friction=friction))
    return robot, simulate(robot, q, np.zeros(6), duration, dt=dt, contacts=contacts, record=50)


def test_block_sticks_below_the_friction_angle() -> None:
    angle = 0.3
    _, found = on_slope(angle, 1.05 * tan(angle), 10.0)
    assert abs(found.q - found.q[0]).max() < 1e-9


def test_block_slides_above_the_friction_angle() -> None:
    angle, friction = 0.5, 0.3
    _, found = on_slope(angle, friction, 1.0)
    a = G * (sin(angle) - friction * cos(angle))
    speed = np.linalg.norm(found.qd[:, 3:], axis=-1)
    assert np.allclose(speed, a * found.t, rtol=1e-6, atol=1e-6)
    assert abs(found.qd[:, :3]).max() < 1e-6


def test_a_slope_of_a_height_field_is_a_plane() -> None:
    robot, angle = ball(MASS, RADIUS), 0.2
    q = robot.neutral()
    q[4:7] = RADIUS * np.array([-sin(angle), 0.0, cos(angle)])
    plane, field = Plane((-sin(angle), 0.0, cos(angle))), HeightField(Slope(tan(angle)))
    for law in (Rigid(), Compliant()):
        a, b = (
            simulate(robot, q, np.zeros(6), 0.5, contacts=Contacts([Sphere("body", RADIUS)], ground, law))
            for ground in (plane, field)
        )
        assert np.allclose(a.q[-1], b.q[-1], atol=1e-9)


@pytest.mark.parametrize("law", ["rigid", "compliant"])
def test_sliding_ball_ends_rolling_at_five_sevenths(law: str) -> None:
    """The angular momentum about the point of contact is conserved: v = 5/7 v0, whatever the friction."""
    robot, dt, mu = ball(MASS, RADIUS), 2e-5, 0.4
    parameters = {"friction": mu} if law == "rigid" else {"friction": mu, "viscosity": 1e4, "damping": 2.0}
    q = robot.neutral()
    contacts = Contacts.of(robot, "body", radius=RADIUS, law=law, **parameters)
    q[6] = RADIUS - (0.0 if law == "rigid" else step_limit(robot, q, contacts).depth)
    found = simulate(robot, q, [0, 0, 0, 1.0, 0, 0], 0.15, dt=dt, contacts=contacts, record=250)
    v = robot.velocity(found.q, found.qd, "body", expressed_in="aligned")
    end = 2.0 / (7.0 * mu * G)  # when the slip ends
    early = found.t < 0.9 * end
    assert np.allclose(v[early, 3], 1.0 - mu * G * found.t[early], atol=2e-3)
    assert v[-1, 3] == pytest.approx(5.0 / 7.0, abs=1e-3)
    assert v[-1, 1] * RADIUS == pytest.approx(v[-1, 3], abs=1e-3)


def test_depth_at_rest_of_compliant_contact() -> None:
    law = Compliant(stiffness=2e4, damping=2.0)
    found = dropped(law, 0.0, 4.0, 1e-3)
    assert RADIUS - found.q[-1, 6] == pytest.approx((MASS * G / 2e4) ** (2 / 3), rel=1e-9)
    assert found.contact_forces[-1, 0, 2] == pytest.approx(MASS * G, rel=1e-9)
    limit = step_limit(ball(MASS, RADIUS), found.q[-1], Contacts([Sphere("body", RADIUS)], Plane(), law))
    assert limit.depth == pytest.approx(RADIUS - found.q[-1, 6], rel=1e-9)


def test_frequency_of_compliant_contact() -> None:
    """Small oscillations about the depth at rest have the estimated frequency."""
    robot, law = ball(MASS, RADIUS), Compliant(stiffness=2e4, damping=0.0)
    contacts = Contacts([Sphere("body", RADIUS)], Plane(), law)
    limit = step_limit(robot, robot.neutral(), contacts)
    q = robot.neutral()
    q[6] = RADIUS - limit.depth
    found = simulate(robot, q, [0, 0, 0, 0, 0, 1e-5], 1.0, dt=1e-4, contacts=contacts)
    z = found.q[:, 6] - q[6]
    crossings = found.t[1:][(z[:-1] < 0.0) & (z[1:] >= 0.0)]
    assert np.diff(crossings).mean() == pytest.approx(2 * np.pi / limit.frequency, rel=1e-3)


def test_compliant_impact_leaves_the_restitution_of_hunt_and_crossley() -> None:
    damping, height = 0.1, 0.05
    law = Compliant(stiffness=1e7, damping=damping)
    found = dropped(law, height, 0.25, 2e-6, record=50)
    e = sqrt(apexes(found)[0] / height)
    assert e == pytest.approx(1 - 2 / 3 * damping * sqrt(2 * G * height), abs=3e-3)


def test_energy_books_of_contact() -> None:
    """The work of contact is what the energy changes by."""
    robot = ball(MASS, RADIUS)
    for law, dt in ((Compliant(stiffness=1e5), 1e-5), (Rigid(restitution=0.5), 1e-5)):
        found = dropped(law, 0.1, 0.3, dt, record=1000, books=True)
        energy = robot.kinetic_energy(found.q, found.qd) + robot.potential_energy(found.q)
        assert found.work is not None
        assert found.sources == ("motors", "contact")
        assert np.allclose(energy - energy[0], found.work[:, 1], atol=2e-4 * MASS * G * 0.1)


def test_a_start_in_the_ground_is_lifted_without_speed() -> None:
    robot = body()
    q = robot.neutral()
    q[6] = 0.05 - 0.02
    contacts = Contacts([Box("body", (0.2, 0.2, 0.1))], law="rigid")
    found = simulate(robot, q, np.zeros(6), 1.0, contacts=contacts)
    assert abs(found.q[-1, 6] - 0.05) < 1e-9
    assert abs(found.qd).max() < 1e-12


def test_dry_friction_of_a_joint_holds_and_slips() -> None:
    friction, mass, dt = 3.0, 2.0, 1e-3
    robot = slider(friction, mass)
    contacts = Contacts([], law=Rigid(joint_friction=True))
    held = simulate(robot, [0.1], [0.0], 1.0, control=[2.9], contacts=contacts)
    assert np.array_equal(held.q, np.full_like(held.q, 0.1))
    driven = simulate(robot, [0.0], [0.0], 1.0, control=[5.0], contacts=contacts)
    assert np.allclose(driven.qd[:, 0], (5.0 - friction) / mass * driven.t, atol=1e-12)
    coasting = simulate(robot, [0.0], [0.6], 1.0, dt=dt, contacts=contacts)
    stop = 0.6 * mass / friction
    assert not coasting.qd[coasting.t > stop + 1.5 * dt].any()
    assert coasting.q[-1, 0] == pytest.approx(0.5 * 0.6 * stop, abs=0.6 * dt)


def test_impacts_of_a_point_mass() -> None:
    """A body that hits with its middle: the normal velocity turns round by e, friction stops or slows the rest."""
    robot = body(MASS, joint=sixd.joints.Translational())
    e, mu = 0.5, 0.2
    contacts = Contacts([Point("body")], law=Rigid(friction=mu, restitution=e))
    qd = np.array([[0.1, 0.0, -1.0], [2.0, 0.0, -1.0], [1.0, 1.0, 1.0]])
    found = impact(robot, np.zeros(3), qd, contacts)
    slowed = 2.0 - mu * (1 + e)
    assert np.allclose(found.qd, [[0.0, 0.0, e], [slowed, 0.0, e], [1.0, 1.0, 1.0]], atol=1e-12)
    assert np.allclose(found.impulses[:, 0], MASS * (found.qd - qd), atol=1e-12)
    assert np.allclose(found.lost, 0.5 * MASS * ((qd**2).sum(-1) - (found.qd**2).sum(-1)), atol=1e-12)
    away = impact(robot, [0.0, 0.0, 0.1], qd[0], contacts)
    assert np.array_equal(away.qd, qd[0])
    assert away.lost == 0.0


def test_impacts_of_a_quadruped_lose_energy() -> None:
    robot, stand, _ = quadruped("anymal")
    rng = np.random.default_rng(2)
    qd = rng.normal(size=(50, robot.nv))
    qd[:, 5] -= 2.0
    contacts = Contacts.of(robot, FEET["anymal"], law="rigid", sweeps=20)
    found = impact(robot, stand, qd, contacts)
    assert found.lost.min() > 0.0
    H = robot.mass_matrix(stand)
    J = np.concatenate([robot.jacobian(stand, f, expressed_in="aligned")[3:] for f in FEET["anymal"]])
    assert np.allclose((found.qd - qd) @ H, found.impulses.reshape(50, 12) @ J, atol=1e-10)
    before, after = (robot.kinetic_energy(np.tile(stand, (50, 1)), v) for v in (qd, found.qd))
    assert np.allclose(found.lost, before - after, atol=1e-10)


def test_friction_angle_is_sharp() -> None:
    """Just below it a block holds, just above it slides."""
    angle = atan(0.5)
    assert abs(on_slope(angle, 0.501, 0.5)[1].q - on_slope(angle, 0.501, 0.05)[1].q[0]).max() < 1e-6
    moved = on_slope(angle, 0.499, 0.5)[1].qd[-1]
    assert np.linalg.norm(moved[3:]) == pytest.approx(G * cos(angle) * 0.001 * 0.5, rel=5e-2)
