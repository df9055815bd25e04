"""Rigid contact of closed robots: impulses act through what the constraints leave of the inverse inertia."""

import numpy as np
import pytest

import sixd
from sixd import Loop, mechanisms
from sixd.joints import Free, Revolute
from sixd.simulation import Contacts, simulate
from sixd.simulation.contact import HeightField, Plane, Point, Rigid, Slope, impact, step_limit
from tests.simulation.test_closed import off

BOX = [(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]


def welded():
    """A body with a second one on a hinge, which a weld blocks."""
    b = sixd.Builder("welded")
    b.body("first", joint=Free(), joint_name="base", mass=2.0, com=(0.02, 0, 0), inertia=(0.02, 0.03, 0.04))
    hinge = Revolute((0.6, 0.0, 0.8))
    b.body(
        "second",
        parent="first",
        joint=hinge,
        joint_name="hinge",
        xyz=(0.3, 0.1, 0),
        mass=1.0,
        inertia=(0.01, 0.02, 0.02),
    )
    for k, corner in enumerate(BOX):
        b.frame(f"a{k}", on="first", xyz=corner)
        b.frame(f"b{k}", on="second", xyz=corner)
    b.frame("here", on="first", xyz=(0.3, 0.1, 0.0))
    tree = b.build()
    return tree.close(Loop("here", "second", "weld", name="glue")), tree.lock({"hinge": 0.0})


def linkage():
    """A hull on a free base that stands on a four-bar linkage: two legs and a foot between them, closed by a pin."""
    b = sixd.Builder("linkage")
    b.body("hull", joint=Free(), joint_name="base", mass=1.0, inertia=(0.02, 0.02, 0.03))
    leg = {"mass": 0.3, "com": (0, 0, -0.15), "inertia": (0.003, 0.003, 0.0005)}
    b.body("left", parent="hull", joint=Revolute("y"), xyz=(-0.2, 0, 0), **leg)
    b.body(
        "foot",
        parent="left",
        joint=Revolute("y"),
        xyz=(0, 0, -0.3),
        mass=0.5,
        com=(0.2, 0, 0),
        inertia=(0.002, 0.01, 0.01),
    )
    b.body("right", parent="hull", joint=Revolute("y"), xyz=(0.2, 0, 0), **leg)
    b.frame("ankle", on="right", xyz=(0, 0, -0.3))
    b.frame("pin", on="foot", xyz=(0.4, 0, 0))
    for name, x in (("foot", (0.0, 0.4)), ("hull", (-0.25, 0.25))):
        for k, (along, y) in enumerate((a, s) for a in x for s in (-0.15, 0.15)):
            b.frame(f"{name}{k}", on=name, xyz=(along, y, 0.0 if name == "foot" else -0.08))
    return b.build().close(Loop("ankle", "pin", "revolute", axis="y", name="pin"))


def dense(robot, q):
    """W and the Jacobian of the constraints, by NumPy."""
    inverse, L = np.linalg.inv(robot.tree.mass_matrix(q)), robot.constraint_jacobian(q)
    answer = L @ inverse
    return inverse - answer.T @ np.linalg.pinv(answer @ L.T, rcond=1e-10) @ answer, L


@pytest.mark.parametrize("make", [mechanisms.four_bar, mechanisms.stewart_platform, mechanisms.delta_robot])
def test_an_impact_without_friction_is_that_of_the_felt_mass(make):
    """One site: qd' = qd - W n (n W n)^-1 (n qd), and the constraints hold after it."""
    made = make()
    robot, rng = made.robot, np.random.default_rng(3)
    q, qd = robot.project(made.q, rng.normal(size=robot.nv))
    frame = robot.constraint_list[0].frame_b
    z = robot.pose(q, frame)[2, 3]
    found = impact(robot, q, qd, Contacts([Point(frame)], Plane((0, 0, 1), z), Rigid(friction=0.0)))
    W, L = dense(robot, q)
    n = robot.tree.jacobian(q, frame, expressed_in="aligned")[5]
    wanted = qd - W @ n * min(n @ qd, 0.0) / (n @ W @ n)
    np.testing.assert_allclose(found.qd, wanted, atol=1e-9 * np.abs(qd).max())
    assert np.abs(L @ found.qd).max() < 1e-11 * np.abs(qd).max()
    assert found.lost >= -1e-12


def test_a_weld_makes_two_bodies_one():
    """The closed robot moves as the tree in which the hinge is locked: tumbling, bouncing, sliding."""
    closed, one = welded()
    shapes = [Point(f"{body}{k}") for body in "ab" for k in range(4)]
    contacts = Contacts(shapes, HeightField(Slope(0.1)), Rigid(friction=0.3, restitution=0.2))
    q, qd = one.neutral(), np.array([0.5, -1.0, 0.8, 0.6, 0.2, 0.0])
    q[6] = 0.4
    given = {"contacts": contacts, "dt": 1e-3, "books": True, "record": 20}
    glued = simulate(closed, [*q, 0.0], [*qd, 0.0], 0.8, **given)
    whole = simulate(one, q, qd, 0.8, **given)
    assert np.abs(whole.contact_forces).max() > 10.0
    np.testing.assert_allclose(glued.q[:, :7], whole.q, atol=1e-8)
    np.testing.assert_allclose(glued.qd[:, :6], whole.qd, atol=1e-7)
    np.testing.assert_allclose(glued.work, whole.work, atol=1e-8)
    assert np.abs(glued.q[:, 7]).max() < 1e-14
    np.testing.assert_allclose(glued.contact_forces.sum(axis=-2), whole.contact_forces.sum(axis=-2), atol=1e-4)


def test_a_linkage_dropped_on_the_ground():
    """Constraints to rounding, no penetration, impulses in the cone, energy only lost; at last it lies still."""
    robot = linkage()
    q, qd = robot.neutral(), np.zeros(robot.nv)
    q[6], qd[3], qd[1] = 0.35, 0.3, 0.2
    q, qd = robot.project(robot.assemble(q), qd)
    sites = [f"{name}{k}" for name in ("foot", "hull") for k in range(4)]
    mu = 0.5
    contacts = Contacts.of(robot, sites, law="rigid", friction=mu)
    run = simulate(robot, q, qd, 3.0, contacts=contacts, books=True)
    position, velocity = off(robot, run)
    assert position < 1e-14
    assert velocity < 1e-13
    forces = run.contact_forces
    assert forces[..., 2].min() > -1e-12
    assert (np.hypot(forces[..., 0], forces[..., 1]) <= mu * forces[..., 2] * (1 + 1e-12) + 1e-12).all()
    assert run.contact_points[..., 2].min() > -1e-5
    assert run.contact_points[-1, :, 2].min() > -1e-14
    energy = run.mechanical_energy
    assert np.diff(energy).max() < 1e-6 * np.ptp(energy)
    assert run.work[-1].sum() == pytest.approx(energy[-1] - energy[0], rel=1e-4)
    assert np.abs(run.qd[-1]).max() < 1e-11
    weight = robot.mass * np.array([0.0, 0.0, 9.81])
    np.testing.assert_allclose(forces[-1].sum(axis=0), weight, atol=1e-9)


def test_a_delta_robot_rests_on_the_ground():
    """Its platform sinks by gravity until it touches; at rest forces balance, but for those of the constraints."""
    made = mechanisms.delta_robot()
    robot, q = made.robot, made.q
    frame = robot.constraint_list[0].frame_b
    ground = Plane((0, 0, 1), robot.pose(q, frame)[2, 3] - 0.02)
    contacts = Contacts([Point(c.frame_b) for c in robot.constraint_list], ground, Rigid(sweeps=30))
    damped = sixd.simulation.forces.JointDamper(0.05)
    run = simulate(robot, q, np.zeros(robot.nv), 2.0, contacts=contacts, forces=[damped], record=100)
    assert off(robot, run)[0] < 1e-12
    assert np.abs(run.qd[-1]).max() < 1e-6
    assert run.contact_forces[-1, :, 2].sum() > 0.1
    W, _ = dense(robot, run.q[-1])
    tau = -robot.tree.gravity_forces(run.q[-1])
    for c, force in zip(robot.constraint_list, run.contact_forces[-1], strict=True):
        tau = tau + robot.tree.jacobian(run.q[-1], c.frame_b, expressed_in="aligned")[3:].T @ force
    assert np.abs(W @ tau).max() < 1e-4 * np.abs(W @ robot.tree.gravity_forces(run.q[-1])).max()
    assert run.contact_points[-1, :, 2].min() - ground.offset > -1e-9


def test_the_limit_of_compliant_contact_knows_the_constraints():
    """A body welded to another is felt with the mass of both."""
    closed, one = welded()
    q, shapes = one.neutral(), [Point(f"b{k}") for k in range(4)]
    soft = Contacts(shapes, law="compliant")
    assert step_limit(closed, [*q, 0.0], soft) == pytest.approx(step_limit(one, q, soft), rel=1e-10)
