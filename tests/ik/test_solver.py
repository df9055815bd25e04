"""Inverse kinematics finds what is there, within limits, for one target and for many."""

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.ik import Status, inverse_kinematics
from sixd.joints import Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from tests.ik.arms import REAL, planar_arm, real_arm


def assert_reached(robot, frame, result, target):
    assert np.all(result.success), result
    assert np.all(result.status == Status.REACHED)
    assert np.abs(robot.pose(result.q, frame) - target).max() < 1e-7
    assert np.all((robot.lower <= result.q) & (result.q <= robot.upper))


@pytest.mark.parametrize("name", REAL)
def test_random_poses_within_limits_are_reached(name):
    robot, frame = real_arm(name)
    target = robot.pose(robot.random(np.random.default_rng(1), 100), frame)
    result = inverse_kinematics(robot, frame, target)
    assert_reached(robot, frame, result, target)
    assert result.q.shape == (100, robot.nq)
    assert result.residual.max() < 2e-8


def test_the_start_decides_among_solutions():
    arm = planar_arm()
    for sign in (1.0, -1.0):
        result = inverse_kinematics(arm, "tip", [1.0, 1.0, 0.0], q0=[0.7, sign * 0.5])
        expected = [0.0, np.pi / 2] if sign > 0 else [np.pi / 2, -np.pi / 2]
        assert np.abs(result.q - expected).max() < 1e-7
        assert result.restarts == 0


def test_convergence_is_quadratic():
    """From a start nearby a handful of iterations gives all digits."""
    robot, frame = real_arm("ur5")
    q = np.array([0.3, -1.0, 1.2, -0.4, 0.9, 0.2])
    result = inverse_kinematics(robot, frame, robot.pose(q, frame), q0=q + 0.05, tolerance=1e-12, restarts=0)
    assert result.success
    assert result.nit <= 5
    assert np.abs(result.q - q).max() < 1e-10


def test_a_target_that_only_a_singular_configuration_reaches_is_reached():
    """At the edge of the workspace convergence is linear, and good enough."""
    arm = planar_arm()
    result = inverse_kinematics(arm, "tip", [2.0, 0.0, 0.0], q0=[0.5, 0.5], restarts=0)
    assert result.success
    robot, frame = real_arm("ur5")
    stretched = robot.pose(np.zeros(6), frame)
    assert_reached(robot, frame, inverse_kinematics(robot, frame, stretched, q0=np.full(6, 0.4)), stretched)


def test_position_only():
    robot, frame = real_arm("panda")
    target = robot.pose(robot.random(3), frame)[:3, 3]
    result = inverse_kinematics(robot, frame, target)
    assert result.success
    assert result.error.shape == (3,)
    assert np.abs(robot.pose(result.q, frame)[:3, 3] - target).max() < 1e-7


def test_orientation_only():
    robot, frame = real_arm("panda")
    target = robot.pose(robot.random(3), frame)[:3, :3]
    result = inverse_kinematics(robot, frame, target)
    assert result.success
    assert np.abs(robot.pose(result.q, frame)[:3, :3] - target).max() < 1e-7


def test_three_positions_in_one_array_need_their_kind():
    robot, frame = real_arm("panda")
    positions = robot.pose(robot.random(5, 3), frame)[:, :3, 3]
    result = inverse_kinematics(robot, frame, positions, kind="position")
    assert result.success.shape == (3,)
    assert result.success.all()


def test_a_row_of_weight_zero_does_not_count():
    """The turn about the tool's axis is left free: five rows are met, the sixth is not."""
    robot, frame = real_arm("ur5")
    target = robot.pose(robot.random(11), frame)
    result = inverse_kinematics(robot, frame, target, weights=[1, 1, 0, 1, 1, 1])
    assert result.success
    found = robot.pose(result.q, frame)
    assert np.abs(found[:3, 2:] - target[:3, 2:]).max() < 1e-7
    assert result.error[2] == 0.0
    height = inverse_kinematics(robot, frame, [9.0, 9.0, 0.4], weights=[0, 0, 1])
    assert height.success
    assert abs(robot.pose(height.q, frame)[2, 3] - 0.4) < 1e-7


def test_weights_decide_the_compromise():
    """Two tips of one link pulled apart: the heavier one is nearer to its target."""
    arm = planar_arm().with_frame("other", on="link2")
    targets = {"tip": [1.5, 1.0, 0.0], "other": [-1.0, 0.5, 0.0]}
    left = {}
    for heavy in ("tip", "other"):
        result = inverse_kinematics(arm, targets, weights={heavy: 100.0})
        assert result.status == Status.OUT_OF_REACH
        left[heavy] = np.linalg.norm(result.error.reshape(2, 3), axis=1)
    assert left["tip"][0] < 0.1 * left["tip"][1]
    assert left["other"][1] < 0.1 * left["other"][0]


def test_several_frames_at_once():
    robot = gallery.quadruped()
    feet = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
    poses = robot.pose(robot.random(4), "trunk"), [robot.pose(robot.random(4), foot)[:3, 3] for foot in feet]
    as_sequence = inverse_kinematics(robot, ["trunk", *feet], [poses[0], *poses[1]])
    as_mapping = inverse_kinematics(robot, dict(zip(["trunk", *feet], [poses[0], *poses[1]], strict=True)))
    assert as_sequence.success
    assert as_sequence.error.shape == (18,)
    assert np.array_equal(as_sequence.q, as_mapping.q)
    assert np.abs(robot.pose(as_sequence.q, "trunk") - poses[0]).max() < 1e-7
    for foot, position in zip(feet, poses[1], strict=True):
        assert np.abs(robot.pose(as_sequence.q, foot)[:3, 3] - position).max() < 1e-7


def test_kinds_may_be_mixed_and_batched():
    robot = gallery.quadruped()
    q = robot.random(8, (2, 3))
    trunk, foot = robot.pose(q, "trunk"), robot.pose(q, "FL_foot")[..., :3, 3]
    result = inverse_kinematics(
        robot, {"trunk": trunk, "FL_foot": foot}, kind={"FL_foot": "position"}, weights={"trunk": [2] * 3 + [1] * 3}
    )
    assert result.success.shape == (2, 3)
    assert result.success.all()


def test_a_batch_gives_what_single_calls_give():
    robot, frame = real_arm("panda")
    target = robot.pose(robot.random(7, (2, 5)), frame)
    target[1, 2, :3, 3] += 3.0
    target[0, 4, 0, 3] = np.nan
    q0 = robot.random(8)
    batch = inverse_kinematics(robot, frame, target, q0)
    assert batch.q.shape == (2, 5, robot.nq)
    for k in np.ndindex(2, 5):
        alone = inverse_kinematics(robot, frame, target[k], q0)
        assert alone.status == batch.status[k]
        assert alone.message == batch.message[k]
        assert alone.nit == batch.nit[k]
        # Sums run in another order in a batch, and a search ends within its tolerance of 1e-8, not at a point.
        assert np.allclose(alone.q, batch.q[k], atol=1e-7, equal_nan=True)


def test_starts_broadcast_over_targets():
    arm = planar_arm()
    q0 = np.array([[0.7, 0.5], [0.7, -0.5]])
    result = inverse_kinematics(arm, "tip", [[[1, 1, 0]], [[1, -1, 0]], [[1.5, 0, 0]]], q0)
    assert result.q.shape == (3, 2, 2)
    assert result.success.all()
    assert np.array_equal(np.sign(result.q[..., 1]), np.broadcast_to([1.0, -1.0], (3, 2)))


def test_equal_calls_give_equal_results_and_other_seeds_other_ones():
    robot, frame = real_arm("panda")
    target = robot.pose(robot.random(9, 4), frame)
    first, second, other = (inverse_kinematics(robot, frame, target, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(first.q, second.q)
    assert other.success.all()
    assert not np.allclose(first.q, other.q)


def test_an_empty_batch_is_answered():
    result = inverse_kinematics(planar_arm(), "tip", np.empty((0, 3)))
    assert result.q.shape == (0, 2)
    assert result.success.shape == (0,)
    assert "0 of 0" in repr(result)


def test_lists_and_integers_are_numbers():
    result = inverse_kinematics(planar_arm(), "tip", [1, 1, 0], q0=[1, 1])
    assert result.success
    assert result.q.dtype == float


def test_joints_off_the_path_stay():
    robot = gallery.quadruped()
    q0 = robot.random(2)
    target = robot.pose(robot.random(3), "FL_foot")[:3, 3]
    result = inverse_kinematics(robot, "FL_foot", target, q0)
    others = [k for leg in ("FR", "RL", "RR") for k in range(robot.nq) if _is_of(robot, leg, k)]
    assert result.success
    assert np.array_equal(result.q[others], q0[others])


def _is_of(robot, leg, k):
    return any(joint.name.startswith(leg) and joint.q.start <= k < joint.q.stop for joint in robot.joints)


def test_coupled_joints_share_their_coordinate():
    b = sixd.Builder("telescope")
    b.body("a", joint=Revolute((0, 1, 0)), joint_name="swing")
    b.body("b", parent="a", joint=Prismatic((1, 0, 0)), joint_name="first", xyz=(0.5, 0, 0), lower=0.0, upper=0.4)
    b.body("c", parent="b", joint=Prismatic((1, 0, 0)), joint_name="second", mimic=sixd.Mimic("first", 0.5, 0.1))
    b.frame("tip", on="c", xyz=(0.1, 0, 0))
    robot = b.build()
    result = inverse_kinematics(robot, "tip", [0.0, 0.0, -1.0])
    assert result.success
    assert np.abs(result.q - [np.pi / 2, 0.2]).max() < 1e-7
    far = inverse_kinematics(robot, "tip", [0.0, 0.0, -1.4])
    assert far.status == Status.OUT_OF_REACH
    assert "1.3 m" in far.message
    assert inverse_kinematics(robot, "tip", [0.0, 0.0, -1.4], limits=False).success


@pytest.mark.parametrize(
    "joints",
    [(Free(),), (Spherical(), Spherical()), (Planar(), Spherical()), (Universal(), Prismatic((1, 0, 0)), Spherical())],
    ids=["free", "spherical", "planar", "universal"],
)
def test_joints_on_manifolds(joints):
    b = sixd.Builder("arm")
    for k, joint in enumerate(joints):
        b.body(f"link{k}", parent=f"link{k - 1}" if k else "base", joint=joint, xyz=(0.3, 0.1, 0.2))
    b.frame("tip", on=f"link{len(joints) - 1}", xyz=(0.4, 0, 0))
    robot = b.build()
    target = robot.pose(robot.random(5, 10), "tip")
    result = inverse_kinematics(robot, "tip", target)
    assert result.success.all(), result
    assert np.abs(robot.pose(result.q, "tip") - target).max() < 1e-7


def test_a_free_base_goes_anywhere():
    robot = gallery.quadruped()
    target = np.eye(4)
    target[:3, 3] = 1e3, -2e3, 5e2
    for scale in (0.01, 1.0):
        target[:3, 3] *= scale
        result = inverse_kinematics(robot, "FL_foot", target, robot.neutral(), restarts=0)
        assert result.success
        assert np.abs(robot.pose(result.q, "FL_foot") - target).max() < 1e-7


def test_a_screw_and_a_continuous_joint():
    b = sixd.Builder("drill")
    b.body("arm", joint=Revolute(), joint_name="turn")
    b.body("bit", parent="arm", joint=Helical((0, 0, 1), 0.01), joint_name="feed", xyz=(0.5, 0, 0))
    robot = b.build()
    target = robot.pose([2.0, 7.0], "bit")[:3, 3]
    result = inverse_kinematics(robot, "bit", target, q0=[0.0, 0.0])
    assert result.success
    assert abs(result.q[1] - 7.0) < 1e-5


def test_a_posture_is_approached_without_spoiling_the_target():
    robot, frame = real_arm("panda")
    home = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.8, 0.02])
    target = robot.pose(home + 0.3 * np.array([1, -1, 1, 1, -1, 1, -1, 0.0]), frame)
    plain = inverse_kinematics(robot, frame, target, home)
    result = inverse_kinematics(robot, frame, target, posture=home)
    assert_reached(robot, frame, result, target)
    assert np.linalg.norm(result.q - home) < np.linalg.norm(plain.q - home) + 1e-12
    # What is left of the way to the posture would move the frame: the nullspace holds none of it.
    J = robot.jacobian(result.q, frame)
    rest = home - result.q
    assert np.abs(rest - np.linalg.pinv(J) @ J @ rest).max() < 1e-5
    assert result.q[7] == home[7]


def test_a_posture_keeps_to_the_limits():
    arm = planar_arm(3, limit=1.0)
    result = inverse_kinematics(arm, "tip", [2.2, 0.8, 0.0], posture=[3.0, 0.0, 0.0])
    assert result.success
    assert np.all(np.abs(result.q) <= 1.0)
    at_best = min(
        np.linalg.norm(q - [3.0, 0.0, 0.0])
        for q in (inverse_kinematics(arm, "tip", [2.2, 0.8, 0.0], arm.random(k)).q for k in range(30))
    )
    assert np.linalg.norm(result.q - [3.0, 0.0, 0.0]) < at_best + 1e-6


def test_postures_broadcast():
    arm = planar_arm(3)
    postures = np.array([[0.5, 0.5, 0.5], [-0.5, -0.5, -0.5]])
    result = inverse_kinematics(arm, "tip", [2.0, 0.0, 0.0], posture=postures)
    assert result.success.all()
    assert np.array_equal(np.sign(result.q[:, 1]), [1.0, -1.0])


def test_a_start_outside_the_limits_begins_at_the_limit():
    result = inverse_kinematics(planar_arm(2, limit=1.0), "tip", [1.8, 0.3, 0.0], q0=[0.0, 5.0])
    assert result.success
    assert np.all(np.abs(result.q) <= 1.0)
