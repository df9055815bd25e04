"""Plücker transforms: F10a (2), (3), (11), (12), and the conversions to what people write."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sixd.spatial import InverseTransform, Motion, Transform, Vector, rate_of_transform


def swap(matrix):
    return np.swapaxes(matrix, -1, -2)


def random_poses(n, seed=0):
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, :3] = Rotation.random(n, random_state=rng).as_matrix()
    poses[:, :3, 3] = rng.normal(size=(n, 3))
    return poses


def angle_between(q, p):
    """The angle between two attitudes, accurate for small ones."""
    return 2 * min(np.linalg.norm(q - p), np.linalg.norm(q + p))


def test_the_matrices_have_the_blocks_of_the_tutorial(numbers):
    """F10a (11), (12), (13)."""
    X = numbers.transform()
    E, (x, y, z) = X.E.array(), X.r
    zero = 0.0 * x
    rx = np.moveaxis(np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]), (0, 1), (-2, -1))
    M, F = X.matrix().array(), X.force_matrix().array()
    for block in (M[..., :3, :3], M[..., 3:, 3:], F[..., :3, :3], F[..., 3:, 3:]):
        numbers.assert_close(block, E)
    numbers.assert_close(M[..., 3:, :3], -E @ rx)
    numbers.assert_close(F[..., :3, 3:], -E @ rx)
    assert not np.any(M[..., :3, 3:])
    assert not np.any(F[..., 3:, :3])


def test_the_force_transform_is_the_inverse_transpose(numbers):
    """F10a (2)."""
    X = numbers.transform()
    numbers.assert_close(swap(X.force_matrix().array()) @ X.matrix().array(), np.eye(6), 10)


def test_transforms_act_as_their_matrices(numbers):
    """F10a (11), (12)."""
    X, m, f = numbers.transform(), numbers.motion(), numbers.force()
    numbers.assert_close(X @ m, numbers.apply(X.matrix(), m), 10)
    numbers.assert_close(X @ f, numbers.apply(X.force_matrix(), f), 10)
    numbers.assert_close(X.inv @ m, numbers.apply(X.inverse().matrix(), m), 10)
    numbers.assert_close(X.inv @ f, numbers.apply(X.inverse().force_matrix(), f), 10)
    numbers.assert_close(X.inv @ f, numbers.apply(swap(X.matrix().array()), f), 10)


def test_composition_multiplies_matrices(numbers):
    X_CB, X_BA, m = numbers.transform(), numbers.transform(), numbers.motion()
    numbers.assert_close(X_CB @ X_BA, X_CB.matrix() @ X_BA.matrix(), 10)
    numbers.assert_close((X_CB @ X_BA) @ m, X_CB @ (X_BA @ m), 10)


def test_the_inverse_and_its_promise_agree(numbers):
    X, Y, m = numbers.transform(), numbers.transform(), numbers.motion()
    numbers.assert_close(X @ X.inverse(), np.eye(6), 10)
    numbers.assert_close(X.inv @ X, np.eye(6), 10)
    numbers.assert_close(X @ Y.inv, X @ Y.inverse(), 10)
    numbers.assert_close(X.inv @ Y.inv, (Y @ X).inverse(), 10)
    numbers.assert_close(X.inv @ (X @ m), m, 10)
    assert isinstance(X.inv, InverseTransform)
    assert X.inv.inv is X


def test_a_turned_and_moved_frame():
    """B is at (1, 2, 3) with its x axis along A's y axis: the convention, by hand."""
    X = Transform.from_pose(np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]))
    spin_about_y_through_origin_of_B = X.inv @ Motion((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert spin_about_y_through_origin_of_B.components() == [0.0, 1.0, 0.0, -3.0, 0.0, 1.0]


def test_poses_and_matrices_round_trip(numbers):
    X = numbers.transform()
    assert np.array_equal(Transform.from_pose(X.pose()).pose(), X.pose())
    numbers.assert_close(Transform.from_matrix(X.matrix().array()), X, 10)
    assert Transform.from_components(X.components()).components() == X.components()
    assert len(X.components()) == Transform.size()


def test_the_rotation_about_an_axis_is_scipys():
    rng = np.random.default_rng(3)
    axis = rng.normal(size=(50, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = rng.uniform(-6, 6, size=50)
    X = Transform.rotation(axis, angle)
    assert np.abs(X.pose()[:, :3, :3] - Rotation.from_rotvec(axis * angle[:, None]).as_matrix()).max() < 1e-15


def test_rotations_about_coordinate_axes_keep_exact_zeros_and_ones():
    E = Transform.rotation((0.0, 0.0, 1.0), 0.3).E.array()
    assert np.array_equal(E[2], [0, 0, 1])
    assert np.array_equal(E[:, 2], [0, 0, 1])
    assert np.array_equal(Transform.translation((1.0, 2.0, 3.0)).pose()[:3], np.c_[np.eye(3), [1, 2, 3]])


def test_quaternions_are_scipys():
    poses = random_poses(200)
    q = Transform.from_pose(poses).quaternion().array()
    expected = Rotation.from_matrix(poses[:, :3, :3]).as_quat(canonical=True)
    assert np.abs(q - expected).max() < 1e-15
    assert (q[:, 3] >= 0).all()
    back = Transform.from_quaternion(q, poses[:, :3, 3])
    assert np.abs(back.pose() - poses).max() < 2e-15


@pytest.mark.parametrize("short", [0.0, 1e-16, 1e-12, 1e-8, 1e-4])
def test_quaternions_keep_their_accuracy_near_half_a_turn(short):
    rng = np.random.default_rng(4)
    for _ in range(50):
        axis = rng.normal(size=3) * rng.choice([1.0, 1e-3, 1e-9, 0.0], size=3)
        if not axis.any():
            continue
        axis /= np.linalg.norm(axis)
        half = 0.5 * (math.pi - short)
        q = np.array([*(axis * math.sin(half)), math.cos(half)])
        assert angle_between(Transform.from_quaternion(q).quaternion().array(), q) < 3e-15


def test_quaternions_of_any_length_count_and_round_trip(numbers):
    q = numbers.vector(4)
    X, Y = Transform.from_quaternion(q), Transform.from_quaternion(q * 3.7)
    numbers.assert_close(X, Y)
    numbers.assert_close(Transform.from_quaternion(X.quaternion()), X, 10)
    numbers.assert_close(X.quaternion() @ X.quaternion(), 1.0)


def test_roll_pitch_yaw_are_scipys():
    rpy = np.random.default_rng(5).uniform([-3, -1.5, -3], [3, 1.5, 3], size=(100, 3))
    X = Transform.from_rpy(rpy, np.zeros(3))
    assert np.abs(X.pose()[:, :3, :3] - Rotation.from_euler("xyz", rpy).as_matrix()).max() < 1e-15
    assert np.abs(X.rpy().array() - rpy).max() < 1e-13


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("distance", [0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-10, 1e-8, 1e-4, 1.0])
def test_roll_pitch_yaw_give_the_attitude_back_at_and_near_gimbal_lock(sign, distance):
    rng = np.random.default_rng(6)
    for _ in range(20):
        exact = Transform.from_rpy([rng.uniform(-3, 3), sign * (math.pi / 2 - distance), rng.uniform(-3, 3)])
        turn = Transform.from_quaternion(rng.normal(size=4))
        X = turn.inverse() @ (turn @ exact)  # with the rounding noise of a computed attitude
        assert np.abs(Transform.from_rpy(X.rpy()).pose() - X.pose()).max() < 4e-15


def test_roll_is_zero_at_gimbal_lock():
    roll, pitch, yaw = Transform.from_rpy([0.4, math.pi / 2, 1.0]).rpy()
    assert roll == 0.0
    assert pitch == pytest.approx(math.pi / 2, abs=1e-15)
    assert yaw == pytest.approx(0.6, abs=1e-15)


def test_the_rate_of_a_transform(exact):
    """d/dt X_BA = -(v x) X_BA, what F10a (15) says of the coordinates of a constant vector."""
    X, v = exact.transform(), exact.motion()
    rate = exact.derivative(lambda t: exact.exponential(-t * v.cross_matrix().array()) @ X.matrix().array())
    assert np.max(np.abs(rate_of_transform(X, v).array() - rate)) < 1e-28


def test_single_precision_samples_stay_in_single_precision():
    poses = random_poses(4).astype(np.float32)
    X = Transform.from_pose(poses)
    for result in ((X @ X).pose(), X.matrix(), X.quaternion(), X.rpy(), X.inverse().pose()):
        assert np.asarray(result).dtype == np.float32


def test_nan_stays_in_its_sample():
    poses = random_poses(3)
    poses[1, 0, 1] = np.nan
    X = Transform.from_pose(poses)
    for result in (X @ X, X.inverse(), X.inv @ X, Transform.from_quaternion(X.quaternion())):
        assert list(np.isnan(result.pose()).any(axis=(1, 2))) == [False, True, False]


def test_makers_take_lists_arrays_and_vectors():
    expected = Transform.translation(Vector((1.0, 2.0, 3.0))).components()
    assert Transform.translation([1.0, 2.0, 3.0]).components() == expected
    assert Transform.translation(np.array([1, 2, 3])).components() == expected
    assert repr(Transform.identity()).startswith("Transform(E=[[1.0, 0.0, 0.0]")
