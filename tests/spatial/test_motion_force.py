"""Motions and forces: F10a (1)-(10), (13)-(22)."""

import mpmath
import numpy as np
import pytest

from sixd.errors import SpatialTypeError
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector, rate_in_moving_frame
from sixd.spatial.linear import skew

ONE = np.eye(6)


def swap(matrix):
    return np.swapaxes(matrix, -1, -2)


def test_the_bases_of_motions_and_forces_are_dual():
    """F10a (1), (4)-(6)."""
    powers = [[Motion.from_array(d).dot(Force.from_array(e)) for e in ONE] for d in ONE]
    assert np.array_equal(powers, ONE)


def test_the_scalar_product_is_that_of_coordinates_and_commutes(numbers):
    """F10a (1)."""
    m, f = numbers.motion(), numbers.force()
    expected = np.sum(m.array() * f.array(), axis=-1)
    numbers.assert_close(m.dot(f), expected)
    numbers.assert_close(f.dot(m), expected)


def test_the_scalar_product_does_not_depend_on_the_frame(numbers):
    """F10a (3)."""
    X, m, f = numbers.transform(), numbers.motion(), numbers.force()
    numbers.assert_close((X @ m).dot(X @ f), m.dot(f), 10)


def test_vectors_are_sums_over_their_basis(numbers):
    """F10a (7), (8)."""
    for kind, vector in ((Motion, numbers.motion()), (Force, numbers.force())):
        total = kind.zero()
        for coordinate, basis in zip(vector.components(), ONE, strict=True):
            total = total + kind.from_array(basis) * coordinate
        numbers.assert_close(total, vector)


def test_coordinates_are_angular_first(numbers):
    """F10a (9), (10)."""
    w, v = numbers.vector(), numbers.vector()
    for kind in (Motion, Force):
        assert kind(w, v).components() == [*w, *v]
        found = kind(w, v).array()
        assert all(np.all(found[..., k] == x) for k, x in enumerate((*w, *v)))


def test_vector_space_operations_act_on_coordinates(numbers):
    for a, b in ((numbers.motion(), numbers.motion()), (numbers.force(), numbers.force())):
        x = numbers.scalar()
        wide = np.asarray(x)[..., None]
        numbers.assert_close(a + b, a.array() + b.array())
        numbers.assert_close(a - b, a.array() - b.array())
        numbers.assert_close(-a, -a.array())
        numbers.assert_close(a * x, a.array() * wide)
        numbers.assert_close(x * a, a.array() * wide)
        assert type(a + b) is type(x * a) is type(a)


def test_vectors_survive_the_way_through_arrays(numbers):
    m = numbers.motion()
    assert np.array_equal(Motion.from_array(m.array()).array(), m.array())
    assert np.array_equal(np.asarray(m), m.array())
    assert Motion.from_array(m) is m
    assert len(m.components()) == Motion.size()


def test_a_cross_product_is_its_matrix(numbers):
    """F10a (17), (18)."""
    v, m, f = numbers.motion(), numbers.motion(), numbers.force()
    numbers.assert_close(v.cross(m), numbers.apply(v.cross_matrix(), m))
    numbers.assert_close(v.cross(f), numbers.apply(v.cross_force_matrix(), f))
    numbers.assert_close(v.cross_force_matrix(), -swap(v.cross_matrix().array()))
    assert isinstance(v.cross(m), Motion)
    assert isinstance(v.cross(f), Force)


def test_the_blocks_of_the_cross_matrices(numbers):
    """F10a (13), (17), (18)."""
    v = numbers.motion()
    M, F = v.cross_matrix().array(), v.cross_force_matrix().array()
    w = [0.0, -v.ang[2], v.ang[1], v.ang[2], 0.0, -v.ang[0], -v.ang[1], v.ang[0], 0.0]
    wx = Matrix.from_components(w, 3).array()
    for block in (M[..., :3, :3], M[..., 3:, 3:], F[..., :3, :3], F[..., 3:, 3:]):
        numbers.assert_close(block, wx)
    numbers.assert_close(M[..., 3:, :3], F[..., :3, 3:])
    assert not np.any(M[..., :3, 3:])
    assert not np.any(F[..., 3:, :3])


def test_laws_of_the_cross_product(numbers):
    """F10a (17), (18): v x v = 0, anticommutes, Jacobi identity, and power is not changed by a common motion."""
    u, v, m, f = numbers.motion(), numbers.motion(), numbers.motion(), numbers.force()
    numbers.assert_close(v.cross(v), Motion.zero())
    numbers.assert_close(u.cross(v), -v.cross(u))
    numbers.assert_close(u.cross(v.cross(m)) - v.cross(u.cross(m)), u.cross(v).cross(m), 10)
    numbers.assert_close(v.cross(m).dot(f) + m.dot(v.cross(f)), 0.0, 10)


def test_the_cross_product_does_not_depend_on_the_frame(numbers):
    """F10a (17), (18) with (11), (12): X (v x m) = X v x X m."""
    X, v, m, f = numbers.transform(), numbers.motion(), numbers.motion(), numbers.force()
    numbers.assert_close(X @ v.cross(m), (X @ v).cross(X @ m), 10)
    numbers.assert_close(X @ v.cross(f), (X @ v).cross(X @ f), 10)


@pytest.mark.parametrize("kind", [Motion, Force])
def test_the_rate_of_a_vector_from_its_coordinates_in_a_moving_frame(exact, kind):
    """F10a (14), (15), (16): A moves with a velocity v that is constant in A coordinates, from A = 0 at t = 0."""
    v, start, rate = exact.motion(), exact.motion().array(), exact.motion().array()
    matrix = (v.cross_matrix() if kind is Motion else v.cross_force_matrix()).array()
    now = mpmath.mpf("0.7")

    def in_A(t):
        return exact.exponential(-t * matrix) @ (start + t * rate)

    expected = exact.exponential(-now * matrix) @ rate
    found = rate_in_moving_frame(kind.from_array(exact.derivative(in_A, now)), v, kind.from_array(in_A(now)))
    assert np.max(np.abs(found.array() - expected)) < 1e-28


@pytest.mark.parametrize("kind", [Motion, Force])
def test_the_rate_of_a_vector_that_is_fixed_in_a_body(exact, kind):
    """F10a (19), (20): the coordinates of the vector in a fixed frame, as the body moves by exp(t v x)."""
    v, fixed = exact.motion(), kind.from_array(exact.motion().array())
    matrix = (v.cross_matrix() if kind is Motion else v.cross_force_matrix()).array()
    rate = exact.derivative(lambda t: exact.exponential(t * matrix) @ fixed.array())
    assert np.max(np.abs(v.cross(fixed).array() - rate)) < 1e-28


def body_motion(exact):
    """A body on a curve, R(t) = exp(t W) exp(t^2 V) and p(t) quadratic: its pose and its velocity at O."""
    W, V = (skew(exact.vector()).array() for _ in range(2))
    p0, p1, p2 = (exact.vector().array() for _ in range(3))

    def pose(t):
        return exact.exponential(t * W) @ exact.exponential(t * t * V), p0 + t * p1 + t * t * p2

    def velocity(t):
        R, p = pose(t)
        dR = exact.derivative(lambda s: pose(s)[0], t)
        dp = exact.derivative(lambda s: pose(s)[1], t)
        spin = dR @ R.T
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        return np.concatenate([w, dp - np.cross(w, p)])

    return pose, velocity


def test_spatial_acceleration_is_the_conventional_one_less_a_product(exact):
    """F10a (21), (22): a = (dw, r'' - w x r') for the body-fixed point that passes through O; and both ways round."""
    with mpmath.workdps(60):
        pose, velocity = body_motion(exact)
        now = mpmath.mpf("0.3")
        R, p = pose(now)
        point = -R.T @ p

        def r(t):
            R, p = pose(t)
            return R @ point + p

        v = Motion.from_array(velocity(now))
        a = Motion.from_array(exact.derivative(velocity, now))
        conventional = Motion(a.ang, Vector(exact.derivative(lambda t: exact.derivative(r, t), now)))
        assert np.max(np.abs(exact.derivative(r, now) - v.lin.array())) < 1e-25
        assert np.max(np.abs((a.conventional(v) - conventional).array())) < 1e-25
        assert np.max(np.abs((Motion.from_conventional(conventional, v) - a).array())) < 1e-25


def test_conventional_acceleration_and_back(numbers):
    """F10a (22)."""
    a, v = numbers.motion(), numbers.motion()
    numbers.assert_close(Motion.from_conventional(a.conventional(v), v), a)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (lambda m, f, I: m.dot(m), "pairs a Motion with a Force, not a Motion with a Motion"),
        (lambda m, f, I: f.dot(f), "pairs a Motion with a Force, not a Force with a Force"),
        (lambda m, f, I: m + f, "cannot add a Motion and a Force"),
        (lambda m, f, I: f - m, "cannot subtract a Force and a Motion"),
        (lambda m, f, I: m * f, "use motion.dot"),
        (lambda m, f, I: m * m.ang, "cannot multiply a Motion by a Vector"),
        (lambda m, f, I: m.cross(3.0), "cross product of a Motion with a float has no meaning"),
        (lambda m, f, I: m.cross(m.ang), "cross product of a Motion with a Vector has no meaning"),
        (lambda m, f, I: I @ f, "acts on a Motion, not on a Force"),
        (lambda m, f, I: I.articulated() @ f, "acts on a Motion, not on a Force"),
        (lambda m, f, I: I + I.articulated(), "cannot add Inertia and ArticulatedInertia"),
        (lambda m, f, I: I.articulated() - I, "cannot subtract ArticulatedInertia and Inertia"),
        (lambda m, f, I: m.cross(I.articulated()), "with an ArticulatedInertia has no meaning"),
        (lambda m, f, I: Transform.identity() @ m.ang, "cannot act on a Vector"),
        (lambda m, f, I: Transform.identity().inv @ 3.0, "cannot act on a float"),
    ],
)
def test_meaningless_operations_say_what_is_wrong(operation, words):
    m, f = Motion((1, 2, 3), (4, 5, 6)), Force((1, 2, 3), (4, 5, 6))
    with pytest.raises(SpatialTypeError, match=words):
        operation(m, f, Inertia(1.0, (0.0, 0.0, 0.0), Matrix.identity()))


def test_numpy_scalars_and_arrays_on_the_left_leave_the_operation_to_the_vector():
    m = Motion((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert isinstance(np.float64(2.0) * m, Motion)
    batch = np.array([1.0, 2.0]) * m
    assert isinstance(batch, Motion)
    assert batch.array().shape == (2, 6)


def test_nan_stays_in_its_sample():
    values = np.random.default_rng(0).normal(size=(3, 6))
    values[1, 4] = np.nan
    v, f = Motion.from_array(values), Force.from_array(values[::-1].copy())
    X = Transform.from_quaternion(np.ones((3, 4)), values[:, :3])
    for result in (v.cross(v), v.cross(f), X @ v, X.inv @ f, v.conventional(v)):
        assert list(np.isnan(result.array()).any(axis=-1)) == [False, True, False]


def test_reprs_show_the_parts():
    assert repr(Motion((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))) == "Motion(ang=[1.0, 2.0, 3.0], lin=[4.0, 5.0, 6.0])"
    assert repr(Force((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))).startswith("Force(")
