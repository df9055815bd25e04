"""Calibration: perturbed placements are found again, as far as poses tell, and what cannot be told apart is named."""

from dataclasses import replace

import numpy as np
import pytest

import sixd
from sixd import Motion, SixdError
from sixd.identification import calibrate
from sixd.identification.placements import Placements
from sixd.joints import Prismatic, Revolute
from sixd.lie import se3


def moved(robot, size, seed):
    """The robot with each joint placed a little differently."""
    rng, bodies = np.random.default_rng(seed), list(robot.body_list)
    for i in range(1, len(bodies)):
        step = se3.exp(Motion.from_array(size * rng.normal(size=6)))
        bodies[i] = replace(bodies[i], placement=step @ bodies[i].placement)
    return replace(robot, body_list=tuple(bodies))


def gantry():
    builder, parent = sixd.Builder("gantry"), "base"
    axes = [Prismatic((1, 0, 0)), Prismatic((0, 1, 0)), Revolute((0, 0, 1)), Revolute((0, 1, 0)), Revolute((1, 0, 0))]
    for k, joint in enumerate(axes, 1):
        builder.body(f"b{k}", parent, joint, f"j{k}", xyz=(0.1, 0.2, 0.3), rpy=(0.1 * k, 0.3, -0.2 * k))
        parent = f"b{k}"
    return builder.frame("probe", on=parent, xyz=(0.0, 0.1, 0.2)).build()


CASES = {
    "seven axes": (sixd.gallery.seven_axis_arm, "tool", 4 * 7 + 6),
    "puma": (sixd.gallery.puma560, "dh6", 4 * 6 + 6),
    "gantry": (gantry, "probe", 4 * 3 + 2 * 2 + 6),
}


@pytest.mark.parametrize("case", list(CASES))
def test_poses_are_met_and_the_count_is_known(case):
    """4 R + 2 P + 6: L. Everett, A. Suryohadiprojo, "A Study of Kinematic Models for Forward Calibration", 1988."""
    make, frame, count = CASES[case]
    robot = make()
    true, q = moved(robot, 0.01, 1), robot.random(2, 40)
    found = calibrate(robot, frame, q, true.pose(q, frame))
    assert found.base.count == count
    assert found.base.gap > 1e6
    new = robot.random(3, 30)
    np.testing.assert_allclose(found.robot.pose(new, frame), true.pose(new, frame), atol=1e-12)
    assert min(found.error_before) > 1e-3
    assert max(found.error) < 1e-12


def test_positions_alone():
    robot = sixd.gallery.seven_axis_arm()
    true, q = moved(robot, 0.01, 1), robot.random(2, 60)
    found = calibrate(robot, "tool", q, true.pose(q, "tool")[:, :3, 3])
    new = robot.random(3, 30)
    np.testing.assert_allclose(found.robot.pose(new, "tool")[:, :3, 3], true.pose(new, "tool")[:, :3, 3], atol=1e-12)
    assert np.isnan(found.error[0])
    assert found.error[1] < 1e-12
    assert {"tool.rx", "tool.ry", "tool.rz"} <= set(found.base.without_effect)


def test_noise():
    """Errors after the fit are those of the measurements; deviations cover the errors of the combinations."""
    robot, rng, size = sixd.gallery.seven_axis_arm(), np.random.default_rng(0), 1e-4
    true, q = moved(robot, 0.01, 1), robot.random(2, 200)
    steps = [se3.exp(Motion.from_array(size * rng.normal(size=6))).pose() for _ in q]
    found = calibrate(robot, "tool", q, true.pose(q, "tool") @ np.array(steps))
    assert found.error == pytest.approx((size * np.sqrt(3.0),) * 2, rel=0.1)
    new = robot.random(3, 50)
    assert np.abs(found.robot.pose(new, "tool") - true.pose(new, "tool")).max() < 3.0 * size
    exact = calibrate(robot, "tool", q, true.pose(q, "tool"))
    error = found.base.matrix @ (found.corrections - exact.corrections) / found.deviations
    assert 0.3 < np.sqrt(np.mean(error**2)) < 2.0


def test_an_encoder_offset_is_found():
    robot = sixd.gallery.seven_axis_arm()
    q = robot.random(2, 30)
    offset = np.zeros(7)
    offset[3] = 0.02  # joint 4 turns about -y
    found = calibrate(robot, "tool", q, robot.pose(q + offset, "tool"), joints="joint4", tool=False)
    np.testing.assert_allclose(found.corrections, [0.0, -0.02, 0.0, 0.0, 0.0, 0.0], atol=1e-12)
    assert found.base.count == 6
    assert found.robot.frame("tool") == robot.frame("tool")


def test_what_cannot_be_told_apart_is_named():
    robot = sixd.gallery.pendulum()
    found = calibrate(robot, "tip", np.linspace(-1, 1, 10)[:, None], robot.pose(np.linspace(-1, 1, 10)[:, None], "tip"))
    assert found.base.count == 10
    assert "pivot.y + tip.y" in found.base.lines()
    assert {"pivot.ry - tip.x", "tip.ry + tip.x"} < set(found.base.lines())  # the tip is 1 m below the pivot
    assert "pivot.y + tip.y" in str(found)


def test_mistakes():
    robot = sixd.gallery.seven_axis_arm()
    q = robot.random(0, 20)
    poses = robot.pose(q, "tool")
    with pytest.raises(SixdError, match="no frame named 'tol'"):
        calibrate(robot, "tol", q, poses)
    with pytest.raises(SixdError, match="no joint named 'joint9'"):
        calibrate(robot, "tool", q, poses, joints="joint9")
    with pytest.raises(SixdError, match="joint 'joint5' does not carry frame 'link2'"):
        calibrate(robot, "link2", q, poses, joints="joint5")
    with pytest.raises(SixdError, match="nothing to correct"):
        calibrate(robot, "tool", q, poses, joints=(), tool=False)
    with pytest.raises(SixdError, match="on the base"):
        calibrate(robot, "base", q, poses)
    with pytest.raises(SixdError, match=r"measured has shape \(19, 4, 4\), but \(20, 4, 4\)"):
        calibrate(robot, "tool", q, poses[:19])
    with pytest.raises(SixdError, match="too few measurements: 24 numbers for 48"):
        calibrate(robot, "tool", q[:4], poses[:4])
    with pytest.raises(SixdError, match="measured: "):
        calibrate(robot, "tool", q, poses * 2.0)
    with pytest.raises(SixdError, match="not finite"):
        calibrate(robot, "tool", q, np.full((20, 3), np.nan))
    with pytest.raises(SixdError, match="noise"):
        calibrate(robot, "tool", q, poses, noise=(0.0, 1.0))


def test_large_errors():
    """Half a radian and 0.2 m at each joint."""
    robot = sixd.gallery.seven_axis_arm()
    true, q = moved(robot, 0.2, 4), robot.random(2, 60)
    found = calibrate(robot, "tool", q, true.pose(q, "tool"))
    assert max(found.error) < 1e-10
    assert min(found.error_before) > 0.3


@pytest.mark.parametrize("what", ["poses", "positions"])
def test_derivatives(what):
    """Against differences, where errors are large: then frames that turn count too."""
    robot, rng, h = sixd.gallery.seven_axis_arm(), np.random.default_rng(0), 1e-6
    q = robot.random(rng, 20)
    measured = moved(robot, 0.2, 4).pose(q, "tool")
    measured = measured if what == "poses" else measured[:, :3, 3]
    problem = Placements(robot, "tool", q, measured, None, True, (0.5, 2.0))
    place = sixd.parameters(robot, "placement"), robot.frame("tool").offset.pose()
    along = rng.normal(size=48)
    _, J = problem.errors(*place)
    ahead, behind = (problem.errors(*problem.moved(*place, step * along))[0] for step in (h, -h))
    np.testing.assert_allclose(-J @ along, (ahead - behind) / (2 * h), atol=1e-7)


@pytest.mark.parametrize(("scale", "unit"), [(1e3, "mm"), (1e2, "cm"), (1.0 / 0.0254, "inches"), (1e-3, "km")])
@pytest.mark.parametrize("poses", [True, False])
def test_positions_in_other_units(scale, unit, poses):
    robot = sixd.gallery.seven_axis_arm()
    q = robot.random(2, 60)
    measured = robot.pose(q, "tool")
    measured[:, :3, 3] *= scale
    with pytest.raises(SixdError, match=rf"up to .* m from their mean, .* the robot reaches .*: are they in {unit}\?"):
        calibrate(robot, "tool", q, measured if poses else measured[:, :3, 3])


def test_joint_positions_in_degrees():
    robot = sixd.gallery.seven_axis_arm()
    q = robot.random(2, 60)
    with pytest.raises(SixdError, match="are these degrees"):
        calibrate(robot, "tool", np.degrees(q), robot.pose(q, "tool"))


def test_a_frame_that_hardly_moves():
    """It is on the axis of the joint that carries it: measured positions scatter by their errors alone."""
    arm = sixd.Builder("hinge").body("link", joint=Revolute("z"), joint_name="hinge", mass=1.0)
    robot = arm.frame("probe", on="link", xyz=(0.0, 0.0, 0.3)).build()
    q = np.linspace(-1.0, 1.0, 30)[:, None]
    measured = robot.pose(q, "probe")[:, :3, 3] + 1e-3 * np.random.default_rng(0).normal(size=(30, 3))
    Placements(robot, "probe", q, measured, None, True, (1.0, 1.0))
