"""SO(3): PBP95 (16) and the Jacobians of rotations."""

import math

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sixd.lie import so3
from sixd.spatial import Matrix, Transform, Vector


def axial(R):
    """The skew part of a matrix as a vector, which is all there is of a small rotation."""
    R = np.asarray(R)
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])


def test_exp_is_the_matrix_exponential(reference, turns, angle):
    """PBP95 (16)."""
    for phi in turns:
        expected = reference.exp(reference.skew(phi))
        assert reference.ulps(so3.exp(phi), expected) < 3 + angle
        if 0 < angle < 2:
            assert reference.ulps(axial(so3.exp(phi)), axial(expected)) < 3


def test_exp_is_a_rotation(turns):
    for phi in turns:
        R = so3.exp(phi).array()
        assert np.abs(R @ R.T - np.eye(3)).max() < 2e-15
        assert np.linalg.det(R) == pytest.approx(1.0, abs=2e-15)


def test_exp_turns_the_frame_as_transform_rotation_does():
    """R is the attitude of B in A: E = R^T."""
    axis, angle = np.array([0.6, 0.0, 0.8]), 0.7
    assert np.abs(so3.exp(axis * angle).array() - Transform.rotation(axis, angle).E.T.array()).max() < 1e-15
    assert np.abs(so3.exp(axis * angle).array() - Rotation.from_rotvec(axis * angle).as_matrix()).max() < 1e-15


def test_log_gives_the_rotation_vector_back(reference, short_turns):
    """R is rounded from the exact exponential, so that only log is judged. Half a turn has two logarithms."""
    for phi in short_turns:
        found = so3.log(reference.exp(reference.skew(phi)).astype(float))
        sign = -1.0 if phi @ phi > 9.8 and found @ phi < 0 else 1.0
        assert reference.ulps(list(found * sign), reference.vector(phi)) < 5


def test_log_of_longer_turns_is_the_shorter_turn():
    for angle in (4.0, 6.0, 7.0, 20.0):
        phi = np.array([2 / 3, -1 / 3, 2 / 3]) * angle
        found = so3.log(so3.exp(phi)).array()
        assert np.abs(found - Rotation.from_rotvec(phi).as_rotvec()).max() < 1e-14
        assert np.linalg.norm(found) <= math.pi


@pytest.mark.parametrize(
    "axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0], [0, -0.6, 0.8], [1 / 3, 2 / 3, -2 / 3]]
)
def test_log_at_exactly_half_a_turn(axis):
    R = 2 * np.outer(axis, axis) - np.eye(3)
    phi = so3.log(R).array()
    assert np.abs(np.abs(phi @ axis) - math.pi) < 1e-15
    assert np.abs(so3.exp(phi).array() - R).max() < 1e-15


def test_jacobians_are_the_series(reference, turns, angle):
    """PBP95 (17): J = sum [phi]^k / (k+1)!."""
    for phi in turns:
        left = reference.jacobian(reference.skew(phi))
        right = reference.jacobian(-reference.skew(phi))
        assert reference.ulps(so3.left_jacobian(phi), left) < 5
        assert reference.ulps(so3.right_jacobian(phi), right) < 5
        if angle < 6:
            assert reference.ulps(so3.left_jacobian_inverse(phi), reference.inverse(left)) < 8
            assert reference.ulps(so3.right_jacobian_inverse(phi), reference.inverse(right)) < 8


@pytest.mark.parametrize("angle", [1e-20, 1e-3, 1, 3, 5], indirect=True)
def test_jacobians_relate_rotation_vectors_to_angular_velocity(turns):
    """dR/dt R^T = [J(phi) dphi/dt] and R^T dR/dt = [J(-phi) dphi/dt]."""
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -15
        rate = Vector(mpmath.mpf(x) for x in (0.3, -0.5, 0.7))
        for turn in turns:
            phi = Vector(mpmath.mpf(x) for x in turn)
            R = so3.exp(phi).array()
            dR = (so3.exp(phi + rate * h).array() - so3.exp(phi - rate * h).array()) / (2 * h)
            in_A, in_B = axial(dR @ R.T) / 2, axial(R.T @ dR) / 2
            assert np.max(np.abs((so3.left_jacobian(phi) @ rate).array() - in_A)) < 1e-27
            assert np.max(np.abs((so3.right_jacobian(phi) @ rate).array() - in_B)) < 1e-27


@pytest.mark.parametrize("size", ["0", "1e-300", "1e-25", "1e-8", "1e-3", "0.1", "1", "3.1415926535", "3.99", "4.01"])
def test_numbers_of_fifty_digits_get_fifty_digits(reference, size):
    with mpmath.workdps(50):
        phi = Vector(mpmath.mpf(size) * mpmath.mpf(x) / 7 for x in (2, -3, 6))
        with mpmath.workdps(100):
            expected = reference.exp(reference.skew(phi))
            jacobian = reference.jacobian(reference.skew(phi))
        assert np.max(np.abs(so3.exp(phi).array() - expected)) < 1e-48
        assert np.max(np.abs(so3.left_jacobian(phi).array() - jacobian)) < 1e-48
        assert np.max(np.abs((so3.left_jacobian_inverse(phi) @ so3.left_jacobian(phi)).array() - np.eye(3))) < 1e-47
        if mpmath.mpf(size) < mpmath.pi:
            back = so3.log(so3.exp(phi))
            assert np.max(np.abs((back - phi).array())) <= 1e-48 * mpmath.mpf(size)


FUNCTIONS = [so3.exp, so3.left_jacobian, so3.right_jacobian, so3.left_jacobian_inverse, so3.right_jacobian_inverse]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_samples_are_treated_one_by_one(function):
    sizes = np.array([[0.0, 1e-300, 1e-5], [0.3, 3.0, np.nan]])
    phi = sizes[..., None] * np.array([0.6, -0.48, 0.64])
    found = function(phi).array()
    assert found.shape == (2, 3, 3, 3)
    for k in np.ndindex(2, 3):
        assert found[k] == pytest.approx(function(phi[k]).array(), abs=1e-15, nan_ok=True)
    assert np.isnan(found[1, 2]).any()
    assert not np.isnan(found[0]).any()


def test_log_treats_samples_one_by_one():
    R = so3.exp(np.array([[0.0, 0.0, 0.0], [1e-9, 0.0, 0.0], [3.1, 0.0, 0.3], [1.0, 2.0, -1.0]])).array()
    R[3, 1, 1] = np.nan
    found = so3.log(R).array()
    for k in range(3):
        assert found[k] == pytest.approx(so3.log(R[k]).array(), abs=1e-15)
    assert np.isnan(found[3]).all()


def test_single_precision_samples_stay_in_single_precision():
    phi = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]], np.float32)
    assert all(function(phi).array().dtype == np.float32 for function in FUNCTIONS)
    assert so3.log(so3.exp(phi).array()).array().dtype == np.float32


def test_arguments_may_be_lists_arrays_or_typed():
    expected = so3.exp(Vector((0.1, 0.2, 0.3)))
    assert so3.exp([0.1, 0.2, 0.3]).rows == so3.exp(np.array([0.1, 0.2, 0.3])).rows == expected.rows
    assert list(so3.log(expected)) == list(so3.log(expected.array())) == list(so3.log(Matrix(expected.rows)))
