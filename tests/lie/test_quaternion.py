"""Quaternions (x, y, z, w): exp, log, product."""

import math

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sixd.lie import quaternion_conjugate, quaternion_exp, quaternion_log, quaternion_multiply, so3
from sixd.spatial import Transform, Vector


def exact_exp(phi):
    """(u sin(theta/2), cos(theta/2)) with many digits."""
    theta = mpmath.sqrt(sum(x * x for x in phi))
    factor = mpmath.sin(theta / 2) / theta if theta else mpmath.mpf(0.5)
    return np.array([*(factor * x for x in phi), mpmath.cos(theta / 2)], dtype=object)


def exact_log(q):
    q = [mpmath.mpf(x) for x in q]
    n = mpmath.sqrt(sum(x * x for x in q[:3]))
    factor = 2 * mpmath.atan2(n, abs(q[3])) / n if n else 2 / abs(q[3])
    return np.array([x * factor * (-1 if q[3] < 0 else 1) for x in q[:3]], dtype=object)


def test_exp_is_accurate_in_both_parts(reference, turns, angle):
    for phi in turns:
        q, expected = list(quaternion_exp(phi)), exact_exp(reference.vector(phi))
        assert reference.ulps(q, expected) < 2 + angle
        if 0 < angle < 4:
            assert reference.ulps(q[:3], expected[:3]) < 3


def test_exp_is_the_quaternion_of_the_rotation(turns):
    for phi in turns:
        R = Transform.from_quaternion(quaternion_exp(phi)).E.T.array()
        assert np.abs(R - so3.exp(phi).array()).max() < 2e-15


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_log_is_accurate_for_both_signs(reference, short_turns, sign):
    for phi in short_turns:
        q = exact_exp(reference.vector(phi)).astype(float) * sign
        found = quaternion_log(q)
        assert reference.ulps(list(found), exact_log(q)) < 3
        if phi @ phi < 9.8:
            assert reference.ulps(list(found), reference.vector(phi)) < 3


def test_log_does_not_mind_the_length_of_the_quaternion():
    q = np.array([0.1, -0.2, 0.3, 0.4])
    assert quaternion_log(q * 7.0).array() == pytest.approx(quaternion_log(q).array(), rel=1e-15)
    assert all(math.isnan(x) for x in quaternion_log([0.0, 0.0, 0.0, 0.0]))


def test_log_never_exceeds_half_a_turn():
    q = np.random.default_rng(0).normal(size=(1000, 4))
    q[:10, 3] = 0.0
    q[10:20, 3] = -0.0
    found = quaternion_log(q).array()
    assert np.abs(np.linalg.norm(found[:20], axis=1) - math.pi).max() < 1e-15
    assert np.linalg.norm(found, axis=1).max() <= math.pi * (1 + 4e-16)
    assert np.abs(found[20:] - Rotation.from_quat(q[20:]).as_rotvec()).max() < 1e-14


def test_the_product_composes_rotations():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 20, 4))
    found = Transform.from_quaternion(quaternion_multiply(a, b)).E.T.array()
    expected = (Rotation.from_quat(a) * Rotation.from_quat(b)).as_matrix()
    assert np.abs(found - expected).max() < 2e-15


def test_the_conjugate_is_the_inverse_of_a_unit_quaternion():
    q = quaternion_exp([0.3, -0.4, 0.5])
    assert quaternion_multiply(q, quaternion_conjugate(q)).array() == pytest.approx([0, 0, 0, 1], abs=1e-16)
    assert quaternion_multiply(quaternion_conjugate(q), q).array() == pytest.approx([0, 0, 0, 1], abs=1e-16)


@pytest.mark.parametrize("size", ["0", "1e-300", "1e-25", "1e-8", "0.124", "0.125", "0.126", "1", "3.1415926535"])
def test_numbers_of_fifty_digits_get_fifty_digits(size):
    with mpmath.workdps(50):
        phi = Vector(mpmath.mpf(size) * mpmath.mpf(x) / 7 for x in (2, -3, 6))
        q = quaternion_exp(phi)
        assert np.max(np.abs(q.array() - exact_exp(phi))) < 1e-49
        assert np.max(np.abs((quaternion_log(-q) - phi).array())) <= 1e-48 * mpmath.mpf(size)


def test_samples_are_treated_one_by_one():
    phi = np.array([[0.0, 0.0, 0.0], [1e-300, 0.0, 0.0], [1.0, 2.0, 0.5], [np.nan, 0.0, 0.0]])
    q = quaternion_exp(phi).array()
    assert list(np.isnan(q).any(axis=1)) == [False, False, False, True]
    back = quaternion_log(q).array()
    assert back[:3] == pytest.approx(phi[:3], rel=1e-15)
    assert np.isnan(back[3]).all()
    for k in range(3):
        assert list(quaternion_exp(phi[k])) == pytest.approx(list(q[k]), abs=1e-16)


def test_single_precision_samples_stay_in_single_precision():
    phi = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]], np.float32)
    q = quaternion_exp(phi).array()
    assert q.dtype == quaternion_log(q).array().dtype == quaternion_multiply(q, q).array().dtype == np.float32
