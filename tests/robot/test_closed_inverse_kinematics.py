"""Inverse kinematics of closed robots."""

import numpy as np
import pytest

import sixd
from sixd.ik import Status
from sixd.mechanisms import MECHANISMS
from tests.constraints.mechanisms import four_bar


def keeps_constraints(closed, q):
    return np.abs(closed.constraint_error(q)).max() < 1e-11


@pytest.mark.parametrize(("name", "height"), [("delta_robot", -0.5), ("stewart_platform", 1.0)])
def test_platforms_as_their_formulas_say(name, height):
    """Angles of arms and lengths of legs against the formulas by which the mechanisms are built."""
    make = MECHANISMS[name]
    m, rng = make(), np.random.default_rng(0)
    places = np.array([0.0, 0.0, height]) + rng.uniform(-0.08, 0.08, size=(2, 5, 3))
    poses = np.tile(np.eye(4), (2, 5, 1, 1))
    poses[..., :3, 3] = places
    found = m.robot.inverse_kinematics("platform", poses, m.q, tolerance=1e-11)
    wanted = np.array([make(place).q for place in places.reshape(-1, 3)]).reshape(2, 5, -1)
    assert found.success.all()
    assert (found.status == Status.REACHED).all()
    assert found.q.shape == wanted.shape
    np.testing.assert_allclose(m.robot.difference(found.q, wanted), 0.0, atol=1e-9)
    assert keeps_constraints(m.robot, found.q)
    far = m.robot.inverse_kinematics("platform", places)  # from afar: perhaps in another mode of assembly
    assert far.success.all()
    np.testing.assert_allclose(m.robot.pose(far.q, "platform")[..., :3, 3], places, atol=1e-8)


@pytest.mark.parametrize("name", MECHANISMS)
def test_positions_are_found_again(name):
    m = MECHANISMS[name]()
    rng = np.random.default_rng(2)
    moved = m.robot.tree.integrate(m.q, rng.uniform(-0.05, 0.05, size=(3, m.robot.nv)))
    q = m.robot.project(moved)
    frame = "platform" if "platform" in m.robot.bodies.names else m.robot.bodies.names[-1]
    found = m.robot.inverse_kinematics(frame, m.robot.pose(q, frame), m.q)
    assert found.success.all()
    np.testing.assert_allclose(m.robot.pose(found.q, frame), m.robot.pose(q, frame), atol=1e-7)
    assert keeps_constraints(m.robot, found.q)


def test_the_coupler_of_a_four_bar():
    closed, q0 = four_bar()
    tree = closed.tree.with_frame("tracer", "coupler", xyz=(0.9, 0.0, 0.5))
    closed = tree.close(*closed.constraint_list)
    q = closed.assemble([2.5, -1.0, -1.0])
    found = closed.inverse_kinematics({"tracer": closed.pose(q, "tracer")[:3, 3]}, q0=q0)
    assert found.success
    np.testing.assert_allclose(found.q, q, atol=1e-7)


def test_targets_out_of_reach_come_with_the_nearest_position():
    """The rocker's end stays on its circle, as far as crank and coupler in line let it."""
    closed, q0 = four_bar()
    found = closed.inverse_kinematics("coupler end", [[9.0, 0.0, 0.0], [np.nan, 0.0, 0.0]], q0)
    assert found.success.tolist() == [False, False]
    assert found.status.tolist() == [Status.OUT_OF_REACH, Status.NOT_FINITE]
    assert "remain at the closest position found" in found.message[0]
    assert np.isnan(found.q[1]).all()
    x = (2.4**2 - 1.4**2 + 2.0**2) / 4.0  # where circles about the two pivots meet
    at = closed.pose(found.q[0], "coupler end")[:3, 3]
    np.testing.assert_allclose([at[0], abs(at[2])], [x, np.sqrt(2.4**2 - x**2)], atol=1e-5)
    assert keeps_constraints(closed, found.q[0])
    assert np.isclose(found.residual[0], np.linalg.norm(at - [9.0, 0.0, 0.0]))


def test_limits_hold_and_are_named():
    b = sixd.Builder("pair")
    for name, x in (("left", 0.0), ("right", 1.0)):
        b.body(
            name, "base", sixd.joints.Revolute("y"), mass=1.0, inertia=(1, 1, 1), xyz=(x, 0, 0), lower=-0.5, upper=0.5
        )
        b.frame(f"{name} tip", on=name, xyz=(1.0, 0.0, 0.0))
    closed = b.build().close(sixd.Distance("left tip", "right tip", 1.0))
    target = [np.cos(0.8), 0.0, -np.sin(0.8)]
    found = closed.inverse_kinematics("left tip", target, [0.1, 0.1])
    assert found.status == Status.LIMIT_ACTIVE
    np.testing.assert_allclose(found.q, 0.5, atol=1e-8)
    assert closed.inverse_kinematics("left tip", target, [0.1, 0.1], limits=False).success


def test_what_is_asked_wrongly():
    closed, q0 = four_bar()
    with pytest.raises(sixd.NameNotFoundError, match="no frame named 'hand'"):
        closed.inverse_kinematics("hand", [0, 0, 0], q0)
    with pytest.raises(sixd.ShapeError, match="q0"):
        closed.inverse_kinematics("coupler end", np.zeros((2, 3)), np.zeros((3, 3)))
    apart = sixd.gallery.double_pendulum().close(sixd.Distance("base", "tip", 99.0))
    with pytest.raises(sixd.AssemblyError, match="cannot be assembled"):
        apart.inverse_kinematics("tip", [0, 0, 0])
    with pytest.raises(sixd.ModelError, match=r"closed\.inverse_kinematics keeps them"):
        sixd.ik.inverse_kinematics(closed, "coupler end", [0, 0, 0])
