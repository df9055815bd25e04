"""What inverse kinematics says when it fails, and what it refuses."""

import time

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.errors import NameNotFoundError, ShapeError
from sixd.ik import Status, inverse_kinematics
from sixd.joints import Revolute
from tests.ik.arms import REAL, planar_arm, real_arm


@pytest.mark.parametrize("name", REAL)
def test_targets_too_far_are_out_of_reach_and_soon(name):
    robot, frame = real_arm(name)
    target = robot.pose(robot.random(2, 5), frame)
    target[:, :3, 3] += [0.0, 2.0, 2.0]
    inverse_kinematics(robot, frame, target[0])  # the first call compiles
    for each in target:
        start = time.process_time()
        result = inverse_kinematics(robot, frame, each)
        assert time.process_time() - start < 1.0
        assert not result.success
        assert result.status == Status.OUT_OF_REACH
        assert "out of reach" in result.message
        assert np.all((robot.lower <= result.q) & (result.q <= robot.upper))


def test_the_distance_is_proved_by_lengths():
    result = inverse_kinematics(planar_arm(), "tip", [5.0, 0.0, 0.0])
    assert result.message == (
        "out of reach: frame 'tip' would have to be 5 m from joint 'joint1', and nothing brings it farther than 2 m"
    )
    assert abs(result.residual - 3.0) < 1e-6
    hole = inverse_kinematics(planar_arm(1), "tip", [0.5, 0.0, 0.0])
    assert hole.status == Status.OUT_OF_REACH
    assert "nearer than 1 m" in hole.message


def test_the_body_of_the_frame_must_reach_too():
    """The tip would be within reach, but only with the last link reaching back from beyond."""
    target = np.eye(4)
    target[:3, :3] = np.diag([-1.0, -1.0, 1.0])
    target[0, 3] = 0.8
    result = inverse_kinematics(planar_arm(), "tip", target)
    assert result.status == Status.OUT_OF_REACH
    assert "the body of frame 'tip' would have to be 1.8 m" in result.message


def test_out_of_the_plane_is_out_of_reach():
    """Not a matter of distance: no proof by lengths, but every start ends at the same closest point."""
    result = inverse_kinematics(planar_arm(), "tip", [1.0, 1.0, 0.5])
    assert result.status == Status.OUT_OF_REACH
    assert "0.5 m remain" in result.message
    assert result.restarts == 64


def test_a_limit_in_the_way_is_named():
    arm = planar_arm(2, limit=1.0)
    result = inverse_kinematics(arm, "tip", [-1.0, 1.0, 0.0])
    assert result.status == Status.LIMIT_ACTIVE
    assert "limit active" in result.message
    assert "'joint1' at its upper limit" in result.message
    assert np.array_equal(result.q, [1.0, 1.0])
    assert inverse_kinematics(arm, "tip", [-1.0, 1.0, 0.0], limits=False).success


def test_a_singular_arm_is_said_to_be_singular():
    """Stretched along the error the arm has no way to shorten itself to first order; a restart helps."""
    arm = planar_arm()
    stuck = inverse_kinematics(arm, "tip", [1.0, 0.0, 0.0], q0=[0.0, 0.0], restarts=0)
    assert stuck.status == Status.SINGULAR
    assert "singular" in stuck.message
    assert np.array_equal(stuck.q, [0.0, 0.0])
    freed = inverse_kinematics(arm, "tip", [1.0, 0.0, 0.0], q0=[0.0, 0.0])
    assert freed.success
    assert freed.restarts > 0


def test_iterations_that_run_out_are_said_to():
    result = inverse_kinematics(planar_arm(), "tip", [1.0, 1.0, 0.0], q0=[0.1, 0.1], max_iterations=2, restarts=0)
    assert result.status == Status.ITERATIONS
    assert "2 iterations" in result.message
    assert result.nit == 2


def test_without_success_the_closest_configuration_is_returned():
    arm = planar_arm()
    result = inverse_kinematics(arm, "tip", [0.0, 4.0, 0.0])
    assert np.abs(arm.pose(result.q, "tip")[:3, 3] - [0.0, 2.0, 0.0]).max() < 1e-3


def test_a_frame_on_the_base_is_where_it_is():
    b = sixd.Builder("arm")
    b.body("link", joint=Revolute())
    b.frame("plate", on="base", xyz=(0.1, 0.2, 0.3))
    robot = b.build()
    here = inverse_kinematics(robot, "plate", robot.pose([0.0], "plate"))
    assert here.success
    assert inverse_kinematics(robot, "plate", [1.0, 0.0, 0.0]).status == Status.OUT_OF_REACH


def test_not_finite_in_not_finite_out_for_that_sample_alone():
    arm = planar_arm()
    for bad in (np.nan, np.inf):
        target = np.array([[1.0, 1.0, 0.0], [1.0, bad, 0.0]])
        result = inverse_kinematics(arm, "tip", target)
        assert result.success.tolist() == [True, False]
        assert result.status[1] == Status.NOT_FINITE
        assert np.isnan(result.q[1]).all()
        assert np.isfinite(result.q[0]).all()
    for argument in ("q0", "posture"):
        result = inverse_kinematics(arm, "tip", [1.0, 1.0, 0.0], **{argument: [[0.1, 0.1], [0.1, np.nan]]})
        assert result.success.tolist() == [True, False]
    pose = np.eye(4)
    pose[0, 0] = np.nan
    assert inverse_kinematics(arm, "tip", pose).status == Status.NOT_FINITE


def test_wrong_frames_are_named_with_the_closest():
    with pytest.raises(NameNotFoundError, match="did you mean 'tip'"):
        inverse_kinematics(planar_arm(), "tipp", [1.0, 1.0, 0.0])
    with pytest.raises(NameNotFoundError, match="did you mean 'tip'"):
        inverse_kinematics(planar_arm(), {"tip": [1.0, 1.0, 0.0]}, weights={"tp": 2.0})


@pytest.mark.parametrize(
    ("target", "options", "match"),
    [
        ([1.0, 2.0], {}, r"target of 'tip' has shape \(2,\)"),
        (np.eye(3), {"kind": "pose"}, r"shape \(3, 3\), but needed for kind='pose' is \(\.\.\., 4, 4\)"),
        (["x", "y", "z"], {}, "must be an array of numbers"),
        ([1.0, 1.0, 0.0], {"q0": [0.0]}, r"q0 has shape \(1,\)"),
        ([1.0, 1.0, 0.0], {"posture": np.zeros(3)}, r"posture has shape \(3,\)"),
        ([1.0, 1.0, 0.0], {"weights": [1.0, 2.0]}, r"weight of 'tip' has shape \(2,\)"),
        (np.zeros((4, 3)), {"q0": np.zeros((5, 2))}, r"do not broadcast: target of 'tip' \(4,\), q0 \(5,\)"),
    ],
)
def test_wrong_shapes_are_refused(target, options, match):
    with pytest.raises(ShapeError, match=match):
        inverse_kinematics(planar_arm(), "tip", target, **options)


@pytest.mark.parametrize(
    ("target", "options", "match"),
    [
        (2.0 * np.eye(3), {}, "kind='position'"),
        (np.diag([1.0, 1.0, -1.0]), {}, "rotation matrix"),
        (np.eye(4) + np.eye(4, k=-3), {}, "last row"),
        ([1.0, 1.0, 0.0], {"weights": -1.0}, "none negative"),
        ([1.0, 1.0, 0.0], {"weights": 0.0}, "one positive"),
        ([1.0, 1.0, 0.0], {"tolerance": 0.0}, "tolerance"),
        ([1.0, 1.0, 0.0], {"kind": "place"}, "'pose', 'position', 'orientation'"),
        ([1.0, 1.0, 0.0], {"restarts": -1}, "restarts"),
        ([1.0, 1.0, 0.0], {"max_iterations": 0}, "max_iterations"),
    ],
)
def test_wrong_values_are_refused(target, options, match):
    with pytest.raises(ValueError, match=match):
        inverse_kinematics(planar_arm(), "tip", target, **options)


def test_frames_and_targets_must_match_in_number():
    robot = gallery.quadruped()
    with pytest.raises(ShapeError, match="one entry for each of 2 frames, found 1"):
        inverse_kinematics(robot, ["trunk", "FL_foot"], [np.eye(4)])
    with pytest.raises(ShapeError, match="no entry for frame 'FL_foot'"):
        inverse_kinematics(robot, ["trunk", "FL_foot"], {"trunk": np.eye(4)})
    with pytest.raises(ShapeError, match="not both"):
        inverse_kinematics(robot, {"trunk": np.eye(4)}, np.eye(4))
    with pytest.raises(ShapeError, match="at least one frame"):
        inverse_kinematics(robot, [], [])


def test_results_can_be_read():
    arm = planar_arm()
    one = inverse_kinematics(arm, "tip", [1.0, 1.0, 0.0])
    assert isinstance(one.success, bool)
    assert isinstance(one.nit, int)
    assert isinstance(one.residual, float)
    assert isinstance(one.message, str)
    assert repr(one).startswith("IKResult: target reached\n  q: [")
    many = inverse_kinematics(arm, "tip", [[1.0, 1.0, 0.0], [5.0, 0.0, 0.0]])
    assert repr(many).startswith("IKResult: 1 of 2 targets reached\n  1 out of reach")
    assert many.message.shape == (2,)


def test_out_of_reach_from_a_stationary_start_the_closest_is_found():
    """Stretched upright, with the target right below: no step gains anything to first order, yet 4.37 m become 2.58."""
    arm = gallery.seven_axis_arm()
    result = arm.inverse_kinematics("tool", (0.0, 0.0, -3.0), np.zeros(7))
    assert result.status == Status.OUT_OF_REACH
    assert result.residual < arm.inverse_kinematics("tool", (0.0, 0.0, -3.0)).residual + 1e-6
    assert result.residual < 2.5801
    alone = arm.inverse_kinematics("tool", (0.0, 0.0, -3.0), np.zeros(7), restarts=0)
    assert alone.residual == pytest.approx(4.37)


@pytest.mark.parametrize("distance", [5.0, 1e3, 1e5, 1e7, 1e9])
def test_the_arm_points_at_targets_however_far(distance):
    """The closest point of two links of one metre is two metres out, in the direction of the target.

    Distances tell directions to the root of their rounding.
    """
    arm = planar_arm()
    way = np.array([0.6, -0.8, 0.0])
    result = inverse_kinematics(arm, "tip", distance * way, [0.3, 0.1])
    assert result.status == Status.OUT_OF_REACH
    assert np.abs(arm.pose(result.q, "tip")[:3, 3] - 2.0 * way).max() < 1e-6 + 5.0 * np.sqrt(2e-16 * distance)
    assert result.residual == pytest.approx(distance - 2.0, rel=1e-12)


@pytest.mark.parametrize("weight", [1e-300, 1e-155, 1e155, 1e300])
def test_weights_of_any_size_mean_the_same(weight):
    arm = gallery.seven_axis_arm()
    target = arm.pose(arm.random(3), "tool")
    found = arm.inverse_kinematics("tool", target, weights=weight)
    assert np.array_equal(found.q, arm.inverse_kinematics("tool", target).q)


def test_crossed_limits_matter_only_where_limits_do():
    b = sixd.Builder("arm").body("link", joint=Revolute(), joint_name="elbow", lower=1.0, upper=-1.0)
    b.frame("tip", on="link", xyz=(1, 0, 0))
    arm = b.build()
    with pytest.raises(sixd.ModelError, match=r"'elbow' has no positions.*limits=False"):
        arm.inverse_kinematics("tip", [0.0, 1.0, 0.0])
    assert arm.inverse_kinematics("tip", [0.0, 1.0, 0.0], limits=False).success
    assert not arm.inverse_kinematics("tip", [0.0, 1.5, 0.0], limits=False).success


def test_a_robot_without_joints_is_where_it_is():
    b = sixd.Builder("rock").link("base", mass=1, inertia=(1, 1, 1))
    robot = b.frame("plate", on="base", xyz=(0.1, 0.2, 0.3)).build()
    there = [[0.1, 0.2, 0.3], [1.0, 0.0, 0.0]]
    result = robot.inverse_kinematics("plate", there)
    assert result.status.tolist() == [Status.REACHED, Status.OUT_OF_REACH]
    assert result.q.shape == (2, 0)
    assert robot.inverse_kinematics("plate", there[0], np.zeros(0), posture=np.zeros(0)).success
    assert robot.integrate(np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)


@pytest.mark.parametrize("distance", [1e3, 1e7, 1e8, 1e12])
def test_a_free_body_reaches_targets_however_far(distance):
    """To rounding of the position, which at 1e8 m is more than the tolerance."""
    robot = gallery.quadruped()
    frame = robot.frames[1].name
    targets = robot.pose(robot.random(0, 20), frame)
    targets[:, :3, 3] += distance * np.array([0.3, -0.7, 0.61])
    result = robot.inverse_kinematics(frame, targets)
    assert result.success.all()
    assert result.residual.max() <= max(1e-8, 1e-14 * distance)
    assert np.abs(robot.pose(result.q, frame) - targets).max() <= max(1e-8, 1e-14 * distance)
