"""SE(3): PBP95 (1)-(11), (15)-(17) and the Jacobians of screw motions."""

import mpmath
import numpy as np
import pytest

from sixd.errors import SpatialTypeError
from sixd.lie import se3, so3
from sixd.spatial import Force, Motion, Transform, Vector

V = Vector((0.3, -1.1, 0.7))


def random_motion(rng, shape=()):
    return Motion.from_array(rng.normal(size=(*shape, 6)))


def random_transform(rng):
    return Transform.from_quaternion(rng.normal(size=4), rng.normal(size=3))


def exact_motion(rng):
    """A motion in numbers of the working precision."""
    return Motion.from_components([mpmath.mpf(int(n)) / 2**61 for n in rng.integers(-(2**62), 2**62, size=6)])


def hat(m):
    """The 4x4 matrix of a motion, PBP95 section 2.1."""
    x, y, z = m.ang
    a, b, c = m.lin
    return np.array([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def vee(matrix):
    """The motion of a 4x4 matrix of se(3)."""
    return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0], *matrix[:3, 3]])


def test_the_bracket_is_the_commutator_of_matrices():
    """PBP95 (1), (5), (6)."""
    rng = np.random.default_rng(0)
    x, y = random_motion(rng), random_motion(rng)
    commutator = vee(hat(x) @ hat(y) - hat(y) @ hat(x))
    assert se3.ad(x, y).array() == pytest.approx(commutator, abs=1e-14)
    assert se3.ad_matrix(x).array() @ y.array() == pytest.approx(commutator, abs=1e-14)


def test_ad_has_the_blocks_of_the_paper():
    """PBP95 (6), (7)."""
    rng = np.random.default_rng(1)
    x, f = random_motion(rng), Force.from_array(rng.normal(size=6))
    w, v, zero = hat(x)[:3, :3], hat(Motion(x.lin, x.ang))[:3, :3], np.zeros((3, 3))
    assert np.array_equal(se3.ad_matrix(x).array(), np.block([[w, zero], [v, w]]))
    assert np.array_equal(se3.ad_dual_matrix(x).array(), np.block([[-w, -v], [zero, -w]]))
    assert se3.ad_dual(x, f).array() == pytest.approx(se3.ad_dual_matrix(x).array() @ f.array(), abs=1e-14)


def test_the_dual_of_ad_pairs_with_ad():
    """PBP95 (7): (ad*_x F) . y = F . (ad_x y)."""
    rng = np.random.default_rng(2)
    x, y, f = random_motion(rng), random_motion(rng), Force.from_array(rng.normal(size=6))
    assert se3.ad_dual(x, f).dot(y) == pytest.approx(f.dot(se3.ad(x, y)), abs=1e-14)


def test_adjoint_is_conjugation_of_matrices():
    """PBP95 (2): Ad_f x = f x f^-1."""
    rng = np.random.default_rng(3)
    X, x = random_transform(rng), random_motion(rng)
    f = X.pose()
    expected = vee(f @ hat(x) @ np.linalg.inv(f))
    assert se3.Ad(X, x).array() == pytest.approx(expected, abs=1e-14)
    assert se3.Ad_matrix(X).array() @ x.array() == pytest.approx(expected, abs=1e-14)


def test_adjoint_has_the_blocks_of_the_paper():
    """PBP95 (3), (4)."""
    X = random_transform(np.random.default_rng(4))
    Theta, b, zero = X.pose()[:3, :3], hat(Motion(X.r, X.r))[:3, :3], np.zeros((3, 3))
    expected = np.block([[Theta, zero], [b @ Theta, Theta]])
    assert np.abs(se3.Ad_matrix(X).array() - expected).max() < 1e-15
    assert np.abs(se3.Ad_dual_matrix(X).array() - np.block([[Theta.T, Theta.T @ b.T], [zero, Theta.T]])).max() < 1e-15
    assert np.abs(np.linalg.inv(X.matrix().array()) - expected).max() < 1e-14


def test_adjoint_is_a_homomorphism():
    """PBP95 after (3): Ad_f Ad_g = Ad_fg and Ad_f^-1 = Ad_(f^-1); the pose product f g is X_g @ X_f."""
    rng = np.random.default_rng(5)
    f, g, x = random_transform(rng), random_transform(rng), random_motion(rng)
    assert np.abs((g @ f).pose() - f.pose() @ g.pose()).max() < 1e-14
    assert se3.Ad(f, se3.Ad(g, x)).array() == pytest.approx(se3.Ad(g @ f, x).array(), abs=1e-14)
    assert se3.Ad(f.inverse(), se3.Ad(f, x)).array() == pytest.approx(x.array(), abs=1e-14)


def test_the_dual_adjoint_moves_forces_to_the_new_frame():
    """PBP95 (4), (8), (11): (m', f') = (Theta^T (m - b x f), Theta^T f), and it pairs with Ad."""
    rng = np.random.default_rng(6)
    X, x, F = random_transform(rng), random_motion(rng), Force.from_array(rng.normal(size=6))
    Theta, b = X.pose()[:3, :3], X.r.array()
    moment, force = F.ang.array(), F.lin.array()
    expected = np.concatenate([Theta.T @ (moment - np.cross(b, force)), Theta.T @ force])
    assert se3.Ad_dual(X, F).array() == pytest.approx(expected, abs=1e-14)
    assert se3.Ad_dual_matrix(X).array() @ F.array() == pytest.approx(expected, abs=1e-14)
    assert se3.Ad_dual(X, F).dot(x) == pytest.approx(F.dot(se3.Ad(X, x)), abs=1e-14)


def test_forces_written_backwards_transform_as_velocities():
    """PBP95 (9), (10): (f', m') = Ad_T^-1 (f, m), which is why some write forces that way round."""
    rng = np.random.default_rng(7)
    X, F = random_transform(rng), Force.from_array(rng.normal(size=6))
    backwards = se3.Ad(X.inverse(), Motion(F.lin, F.ang))
    moved = se3.Ad_dual(X, F)
    assert [*backwards.lin, *backwards.ang] == pytest.approx(moved.components(), abs=1e-14)


def test_exp_is_the_matrix_exponential(reference, turns, angle):
    """PBP95 (15), (16), (17): the pose of exp(m) is exp of the 4x4 matrix."""
    for phi in turns:
        pose = reference.exp(reference.hat(Motion(phi, V)))
        X = se3.exp(Motion(phi, V))
        assert reference.ulps(X.E.T, pose[:3, :3]) < 3 + angle
        assert reference.ulps(list(X.r), pose[:3, 3], scale=1.1) < 4


def test_exp_as_the_paper_prints_it():
    """PBP95 (16), (17), with a unit axis w and the angle apart."""
    w, v, angle = np.array([0.6, 0.0, 0.8]), np.array([1.0, 2.0, 3.0]), 1.3
    W, sin, cos = hat(Motion(w, v))[:3, :3], np.sin(angle), np.cos(angle)
    X = se3.exp(Motion(w, v) * angle)
    R = np.eye(3) + sin * W + (1 - cos) * W @ W
    b = (angle * np.eye(3) + (1 - cos) * W + (angle - sin) * W @ W) @ v
    assert np.abs(X.E.T.array() - R).max() < 1e-15
    assert np.abs(X.r.array() - b).max() < 4e-15


def test_exp_of_a_translation_and_of_nothing():
    X = se3.exp(Motion((0.0, 0.0, 0.0), (1.0, 2.0, 3.0)))
    assert np.array_equal(X.pose(), Transform.translation([1.0, 2.0, 3.0]).pose())
    assert np.array_equal(se3.exp(Motion.zero()).pose(), np.eye(4))


def test_a_motion_is_the_same_in_both_frames_of_its_exponential():
    m = random_motion(np.random.default_rng(8))
    assert (se3.exp(m) @ m).array() == pytest.approx(m.array(), abs=1e-14)


def test_the_adjoint_of_an_exponential_is_the_exponential_of_ad(reference, turns, angle):
    """Ad_exp(m) = exp(ad_m)."""
    for phi in turns:
        m = Motion(phi, V)
        assert reference.ulps(se3.Ad_matrix(se3.exp(m)), reference.exp(reference.ad(m))) < 5 + angle


def test_log_gives_the_motion_back(reference, short_turns):
    """The pose is rounded from the exact exponential, so that only log is judged. Half a turn has two logarithms."""
    for phi in short_turns:
        pose = reference.exp(reference.hat(Motion(phi, V))).astype(float)
        found = se3.log(Transform.from_pose(pose))
        if phi @ found.ang >= 0:
            assert reference.ulps(list(found.ang), reference.vector(phi)) < 5
            assert reference.ulps(list(found.lin), reference.vector(V)) < 8
        assert np.abs(se3.exp(found).pose() - pose).max() < 4e-15


def test_jacobians_are_the_series(reference, turns, angle):
    """J = sum ad^k / (k+1)!, 6x6."""
    for phi in turns:
        m = Motion(phi, V)
        left, right = reference.jacobian(reference.ad(m)), reference.jacobian(-reference.ad(m))
        assert reference.ulps(se3.left_jacobian(m), left) < 6
        assert reference.ulps(se3.right_jacobian(m), right) < 6
        if angle < 6:
            assert reference.ulps(se3.left_jacobian_inverse(m), reference.inverse(left)) < 12
            assert reference.ulps(se3.right_jacobian_inverse(m), reference.inverse(right)) < 12


def test_jacobians_relate_the_rate_of_a_logarithm_to_velocity():
    """df/dt f^-1 = J(m) dm/dt (A coordinates) and f^-1 df/dt = J(-m) dm/dt (B coordinates)."""
    with mpmath.workdps(60):
        rng = np.random.default_rng(9)
        h = mpmath.mpf(10) ** -15
        for _ in range(3):
            m, rate = exact_motion(rng), exact_motion(rng)
            back = se3.exp(m).inverse().pose()
            df = (se3.exp(m + rate * h).pose() - se3.exp(m - rate * h).pose()) / (2 * h)
            left, right = se3.left_jacobian(m).array(), se3.right_jacobian(m).array()
            assert np.max(np.abs(left @ rate.array() - vee(df @ back))) < 1e-26
            assert np.max(np.abs(right @ rate.array() - vee(back @ df))) < 1e-26


def test_left_and_right_jacobians_differ_by_the_adjoint():
    """J(m) = Ad_exp(m) J(-m)."""
    m = random_motion(np.random.default_rng(10))
    expected = (se3.Ad_matrix(se3.exp(m)) @ se3.right_jacobian(m)).array()
    assert se3.left_jacobian(m).array() == pytest.approx(expected, abs=1e-14)


def test_numbers_of_fifty_digits_get_fifty_digits():
    with mpmath.workdps(50):
        m = exact_motion(np.random.default_rng(11))
        for size in ("1e-300", "1e-20", "1e-8", "1e-3", "1"):
            small = Motion(m.ang * mpmath.mpf(size), m.lin)
            difference = se3.log(se3.exp(small)) - small
            assert np.max(np.abs(difference.array())) < 1e-47
            product = se3.left_jacobian_inverse(small) @ se3.left_jacobian(small)
            assert np.max(np.abs(product.array() - np.eye(6))) < 1e-47


def test_samples_are_treated_one_by_one():
    m = random_motion(np.random.default_rng(12), (2, 3)).array()
    m[0, 0, :3] = 0.0
    m[1, 1, 2] = np.nan
    batch = Motion.from_array(m)
    functions = [
        lambda x: se3.exp(x).pose(),
        lambda x: se3.log(se3.exp(x)).array(),
        lambda x: se3.left_jacobian(x).array(),
        lambda x: se3.right_jacobian_inverse(x).array(),
    ]
    for function in functions:
        found = function(batch)
        for k in np.ndindex(2, 3):
            assert found[k] == pytest.approx(function(Motion.from_array(m[k])), abs=1e-14, nan_ok=True)
            assert np.isnan(found[k]).any() == (k == (1, 1))


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (lambda X, m, f: se3.exp(f), "exp acts on a Motion, not on a Force"),
        (lambda X, m, f: se3.Ad(X, f), "Ad acts on a Motion, not on a Force"),
        (lambda X, m, f: se3.Ad_dual(X, m), r"Ad\* acts on a Force, not on a Motion"),
        (lambda X, m, f: se3.ad(m, f), "ad acts on a Motion, not on a Force"),
        (lambda X, m, f: se3.ad_dual(m, m), r"ad\* acts on a Force, not on a Motion"),
        (lambda X, m, f: se3.left_jacobian(f), "not on a Force"),
        (lambda X, m, f: se3.right_jacobian_inverse(f), "not on a Force"),
    ],
)
def test_forces_and_motions_are_not_confused(operation, words):
    with pytest.raises(SpatialTypeError, match=words):
        operation(Transform.identity(), Motion.zero(), Force.zero())


def test_the_rotation_part_is_so3():
    m = random_motion(np.random.default_rng(13))
    assert se3.exp(m).E.T.rows == so3.exp(m.ang).rows
    assert list(se3.log(se3.exp(m)).ang) == list(so3.log(so3.exp(m.ang)))
