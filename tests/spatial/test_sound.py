"""What is given as a rotation, a pose, a transform or an axis is one, or is refused with what is wrong."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import sixd
from sixd import PoseError, Transform
from sixd.dual import Dual
from sixd.joints import Revolute
from sixd.spatial import Matrix, pose_fault, rotation_fault, table1

TURN = Transform.from_rpy((0.3, -0.4, 0.5), (1.0, 2.0, 3.0))
POSE = TURN.pose()


def changed(**entries: float) -> np.ndarray:
    """The pose with some entries changed: r23=5 is row 2, column 3."""
    pose = POSE.copy()
    for name, value in entries.items():
        pose[int(name[1]), int(name[2])] = value
    return pose


def scaled(factor: float) -> np.ndarray:
    pose = POSE.copy()
    pose[:3, :3] *= factor
    return pose


WRONG = {
    "transposed": (POSE.T, "its last row is 1, 2, 3, 1, not 0, 0, 0, 1; is the matrix transposed?"),
    "last row": (changed(r33=2.0), "its last row is 0, 0, 0, 2, not"),
    "mirror image": (POSE @ np.diag([1.0, 1.0, -1.0, 1.0]), "its rotation has the determinant -1, not 1"),
    "scaled": (scaled(2.0), "columns of its rotation have the lengths 2, 2, 2, not 1"),
    "barely scaled": (scaled(1.001), "lengths 1.001, 1.001, 1.001"),
    "zero": (scaled(0.0), "lengths 0, 0, 0"),
    "infinite": (changed(r00=math.inf), "lengths inf"),
    "sheared": (np.array([[1, 0.6, 0, 0], [0, 0.8, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), "not at right angles: .* 0.6"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_poses_are_refused(case: str) -> None:
    pose, message = WRONG[case]
    with pytest.raises(PoseError, match=message):
        Transform.from_pose(pose)
    with pytest.raises(PoseError, match=f"in sample 1, .*{message}"):
        Transform.from_pose(np.stack([POSE, pose, pose]))
    with pytest.raises(PoseError, match=message):
        Transform.from_pose([[mpmath.mpf(x) for x in row] for row in pose.tolist()])
    arm = sixd.gallery.seven_axis_arm()
    for call in (
        lambda: sixd.Builder().body("a", joint=Revolute(), at=pose),
        lambda: sixd.Builder().body("a", joint=Revolute()).frame("f", on="a", at=pose),
        lambda: arm.with_frame("f", "tool", pose),
        lambda: arm.join(sixd.gallery.pendulum(), "tool", offset=pose),
    ):
        with pytest.raises(sixd.ModelError, match=message):
            call()


@pytest.mark.parametrize("case", [case for case in WRONG if case not in ("transposed", "last row")])
def test_wrong_rotations_are_refused(case: str) -> None:
    R, message = WRONG[case][0][:3, :3], WRONG[case][1]
    with pytest.raises(PoseError, match=message):
        Transform(R.T, (0.0, 0.0, 0.0))
    E = Matrix.from_array(R.T)
    with pytest.raises(sixd.ModelError, match=message if case != "infinite" else "not finite"):
        sixd.Builder().body("a", joint=Revolute(), at=Transform(E, (0.0, 0.0, 0.0)))


def test_good_poses_pass_in_every_kind_of_number() -> None:
    for pose in (POSE, POSE.astype(np.float32), np.stack([POSE, np.eye(4)]), np.eye(4, dtype=int), POSE.tolist()):
        np.testing.assert_array_equal(Transform.from_pose(pose).pose(), np.asarray(pose, float))
    assert pose_fault(Matrix.from_array(POSE)) == rotation_fault(Matrix.from_array(POSE[:3, :3])) == ""
    long = sixd.gallery.chain(200)
    q = long.random(0, 50).astype(np.float32)
    Transform.from_pose(long.pose(q, "tip"))  # single precision at the end of a long chain


def test_numbers_without_a_value_are_not_looked_at() -> None:
    dual = [[Dual(2.0 * x, 1.0) for x in row] for row in POSE.tolist()]
    assert Transform.from_pose(dual).r[0].value == 2.0

    def height(model: sixd.Robot, q: np.ndarray) -> np.ndarray:
        pose = [[q[0], 0.0, 0.0, 0.0], [0.0, q[0], 0.0, 0.0], [0.0, 0.0, q[0], q[0]], [0.0, 0.0, 0.0, 1.0]]
        return Transform.from_pose(pose).r.array() + Transform.rotation((q[0], 0.0, 0.0), q[0]).r.array()

    kernel = sixd.compile(height, sixd.gallery.pendulum(), name="height")
    np.testing.assert_array_equal(kernel(np.array([0.5])), [0.0, 0.0, 0.5])


def test_nan_stays_nan_in_a_batch_and_is_no_place() -> None:
    poses = np.stack([POSE, np.full((4, 4), np.nan)])
    found = Transform.from_pose(poses).pose()
    assert np.isnan(found[1, :3]).all()
    np.testing.assert_array_equal(found[0], POSE)
    arm = sixd.gallery.seven_axis_arm()
    for pose in (np.full((4, 4), np.nan), changed(r00=np.nan), changed(r03=np.nan), changed(r23=np.inf)):
        with pytest.raises(sixd.ModelError, match="not finite"):
            arm.with_frame("f", "tool", pose)
    with pytest.raises(sixd.ModelError, match="not finite"):
        arm.with_frame("f", "tool", Transform.from_quaternion((np.nan, 0.0, 0.0, 1.0)))


@pytest.mark.parametrize("axis", [(0.0, 0.0, 2.0), (0, 0, 2), (0.0, 0.0, 0.0), (1.0, 1.0, 0.0), np.array([0, 0, 0.5])])
def test_axes_of_rotations_are_unit_vectors(axis: object) -> None:
    with pytest.raises(PoseError, match=r"the axis of a rotation is no unit vector: it has length .*; divide it by"):
        Transform.rotation(axis, 0.3)
    with pytest.raises(PoseError, match="in sample 1, it has length 2"):
        Transform.rotation(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]), 0.3)
    with pytest.raises(PoseError, match="length 2"):
        Transform.rotation((0.0, mpmath.mpf(2), 0.0), 0.3)
    assert Revolute((0, 0, 2)) == Revolute((0, 0, 1))  # the axis of a joint is a direction


def test_matrices_of_transforms() -> None:
    X = TURN.matrix().array()
    np.testing.assert_allclose(Transform.from_matrix(X).pose(), POSE, atol=1e-15)
    bent = X.copy()
    bent[3, 0] += 0.5
    for matrix, message in (
        (X.T, "its upper right block is not zero; is it transposed, or a transform for forces"),
        (TURN.force_matrix().array(), "its upper right block is not zero"),
        (2.0 * X, "lengths 2, 2, 2"),
        (X + np.diag([0, 0, 0, 1.0, 0, 0]), "its two blocks E differ"),
        (bent, "its lower left block is not"),
    ):
        for call in (Transform.from_matrix, table1.XtoV):
            with pytest.raises(PoseError, match=message):
                call(matrix)
