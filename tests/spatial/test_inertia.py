"""Rigid-body and articulated-body inertia: F10a (23)-(30)."""

import math

import numpy as np
import pytest

from sixd.spatial import (
    ArticulatedInertia,
    Force,
    Forces,
    Inertia,
    Matrix,
    Motion,
    Transform,
    Vector,
    symmetric_product,
)


def swap(matrix):
    return np.swapaxes(matrix, -1, -2)


def particles(numbers, n=5):
    """Masses and places of a few particles, the rigid body they make, and its velocity."""
    masses, places = [numbers.positive() for _ in range(n)], [numbers.vector() for _ in range(n)]
    bodies = [Inertia.from_mass_com(m, p, Matrix.zero()) for m, p in zip(masses, places, strict=True)]
    return masses, places, sum(bodies[1:], bodies[0]), numbers.motion()


def test_momentum_is_the_matrix_times_the_velocity(numbers):
    """F10a (23)."""
    I, v = numbers.inertia(), numbers.motion()
    numbers.assert_close(I @ v, numbers.apply(I, v), 10)
    assert isinstance(I @ v, Force)


def test_momentum_and_energy_of_a_body_of_particles(numbers):
    """F10a (23), (24), (28): sums over particles with velocity v_O + w x r."""
    masses, places, I, v = particles(numbers)
    linear, angular, energy = Vector.zero(), Vector.zero(), 0.0
    for m, p in zip(masses, places, strict=True):
        velocity = v.lin + v.ang.cross(p)
        linear = linear + velocity * m
        angular = angular + p.cross(velocity) * m
        energy = energy + 0.5 * m * (velocity @ velocity)
    numbers.assert_close(I @ v, Force(angular, linear), 10)
    numbers.assert_close(I.kinetic_energy(v), energy, 10)


def test_inertias_add(numbers):
    """F10a (24)."""
    I, J, x = numbers.inertia(), numbers.inertia(), numbers.positive()
    numbers.assert_close(I + J, I.matrix() + J.matrix())
    numbers.assert_close((I + J) - J, I)
    numbers.assert_close(x * I, I.matrix() * x)


def test_the_matrix_has_the_blocks_of_the_tutorial(numbers):
    """F10a (25)."""
    m, c, I_c = numbers.positive(), numbers.vector(), numbers.spd()
    A = Inertia.from_mass_com(m, c, I_c).matrix().array()
    x, y, z = c
    cx = Matrix(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))).array()
    wide = np.asarray(m)[..., None, None]
    numbers.assert_close(A[..., :3, :3], I_c.array() + wide * cx @ swap(cx), 10)
    numbers.assert_close(A[..., :3, 3:], wide * cx)
    numbers.assert_close(A[..., 3:, :3], wide * swap(cx))
    numbers.assert_close(A[..., 3:, 3:], wide * np.eye(3))
    numbers.assert_close(A, swap(A))


def test_inertia_is_positive_definite(numbers):
    """F10a (25): v . I v > 0."""
    I, v = numbers.inertia(), numbers.motion()
    assert np.all(numbers.dense(I.kinetic_energy(v)) > 0)


def test_conversions_round_trip(numbers):
    m, c, I_c = numbers.positive(), numbers.vector(), numbers.spd()
    I = Inertia.from_mass_com(m, c, I_c)
    numbers.assert_close(I.com, c, 10)
    numbers.assert_close(I.I_com, I_c, 100)
    assert np.array_equal(Inertia.from_parameters(I.parameters()).parameters(), I.parameters())
    assert np.array_equal(Inertia.from_matrix(I.matrix().array()).parameters(), I.parameters())
    assert len(I.components()) == Inertia.size() == I.parameters().shape[-1]


def test_the_order_of_the_ten_parameters():
    I = Inertia.from_parameters(np.arange(1.0, 11.0))
    assert I.m == 1.0
    assert list(I.h) == [2.0, 3.0, 4.0]
    assert np.array_equal(I.I.array(), [[5, 6, 7], [6, 8, 9], [7, 9, 10]])


def test_massless_bodies_have_no_centre_of_mass():
    assert all(math.isnan(x) for x in Inertia.zero().com)
    assert np.isnan(Inertia.zero().I_com.array()).all()


def test_inertia_changes_coordinates(numbers):
    """F10a (26): X* I X^-1, and the inverse rule X^T I X."""
    X = numbers.transform()
    M, F = X.matrix().array(), X.force_matrix().array()
    for I in (numbers.inertia(), numbers.articulated()):
        dense = I.matrix().array()
        numbers.assert_close(X @ I, F @ dense @ X.inverse().matrix().array(), 100)
        numbers.assert_close(X.inv @ I, swap(M) @ dense @ M, 100)
        numbers.assert_close(X.inv @ (X @ I), I, 100)
        assert type(X @ I) is type(I)


def test_momentum_and_energy_do_not_depend_on_the_frame(numbers):
    """F10a (26), (28)."""
    X, I, v = numbers.transform(), numbers.inertia(), numbers.motion()
    numbers.assert_close((X @ I) @ (X @ v), X @ (I @ v), 100)
    numbers.assert_close((X @ I).kinetic_energy(X @ v), I.kinetic_energy(v), 100)


def test_the_rate_of_inertia_is_a_difference_of_products(numbers):
    """F10a (27): v x* I - I v x, in ten numbers."""
    I, v = numbers.inertia(), numbers.motion()
    dense = I.matrix().array()
    expected = v.cross_force_matrix().array() @ dense - dense @ v.cross_matrix().array()
    numbers.assert_close(v.cross(I), expected, 10)
    assert isinstance(v.cross(I), Inertia)


def test_the_rate_of_inertia_of_a_moving_body(exact):
    """F10a (27): the inertia in fixed coordinates as the body moves by exp(t v x)."""
    I, v = exact.inertia(), exact.motion()
    dense, vx, vf = I.matrix().array(), v.cross_matrix().array(), v.cross_force_matrix().array()
    rate = exact.derivative(lambda t: exact.exponential(t * vf) @ dense @ exact.exponential(-t * vx))
    assert np.max(np.abs(v.cross(I).matrix().array() - rate)) < 1e-25


def test_force_is_the_rate_of_momentum(exact):
    """F10a (29): f = d(I v)/dt = I a + v x* I v, for a body whose velocity is v + t a and whose pose follows it."""
    I, v, a = exact.inertia(), exact.motion(), exact.motion()
    dense, vx, vf = I.matrix().array(), v.cross_matrix().array(), v.cross_force_matrix().array()

    def momentum(t):
        return exact.exponential(t * vf) @ dense @ exact.exponential(-t * vx) @ (v + a * t).array()

    assert np.max(np.abs(I.force(a, v).array() - exact.derivative(momentum))) < 1e-25


def test_newton_and_euler_at_the_centre_of_mass(numbers):
    """F10a (29): with the centre of mass at the origin, f = m (a + w x v) and n = I dw + w x I w."""
    m, I_c, a, v = numbers.positive(), numbers.spd(), numbers.motion(), numbers.motion()
    f = Inertia.from_mass_com(m, Vector.zero(), I_c).force(a, v)
    numbers.assert_close(f.lin, a.conventional(v).lin * m, 10)
    numbers.assert_close(f.ang, I_c @ a.ang + v.ang.cross(I_c @ v.ang), 10)


def test_the_bias_force_is_what_acceleration_does_not_explain(numbers):
    """F10a (30): f = I a + p."""
    I, a, v = numbers.inertia(), numbers.motion(), numbers.motion()
    numbers.assert_close(I.force(a, v) - I @ a, I.bias_force(v), 10)
    numbers.assert_close(I.bias_force(v), numbers.apply(v.cross_force_matrix(), I @ v), 10)
    numbers.assert_close(v.dot(I.bias_force(v)), 0.0, 100)


def test_gravity_acts_through_the_centre_of_mass(numbers):
    """F10a after (30): f_g = I a_g."""
    I, g = numbers.inertia(), numbers.vector()
    f = I @ Motion(Vector.zero(), g)
    numbers.assert_close(f.lin, g * I.m)
    numbers.assert_close(f.ang, I.com.cross(g * I.m), 10)


def test_articulated_inertia_is_its_matrix(numbers):
    """F10b (49)."""
    I, J, v, S = numbers.articulated(), numbers.articulated(), numbers.motion(), numbers.motions(2)
    numbers.assert_close(I @ v, numbers.apply(I, v), 10)
    numbers.assert_close(I @ S, I.matrix().array() @ S.array(), 10)
    numbers.assert_close(I + J, I.matrix() + J.matrix())
    numbers.assert_close((I + J) - J, I, 10)
    assert ArticulatedInertia.from_components(I.components()).components() == I.components()
    assert len(I.components()) == ArticulatedInertia.size()


def test_a_rigid_body_is_an_articulated_body(numbers):
    I, v = numbers.inertia(), numbers.motion()
    numbers.assert_close(I.articulated() @ v, I @ v)
    numbers.assert_close(ArticulatedInertia.zero() + I.articulated(), I)


def test_the_symmetric_product_of_force_sets(numbers):
    """F10b (62): U D^-1 U^T."""
    U, D = numbers.forces(3), numbers.spd(3)
    W = Forces(U @ column for column in D.columns())
    dense = U.array()
    numbers.assert_close(symmetric_product(W, U), dense @ D.array() @ swap(dense), 100)


def test_inertia_of_sets_of_motions(numbers):
    I, S = numbers.inertia(), numbers.motions(3)
    numbers.assert_close(I @ S, I.matrix().array() @ S.array(), 10)
    assert isinstance(I @ S, Forces)


def test_nan_stays_in_its_sample():
    parameters = np.random.default_rng(1).normal(size=(3, 10))
    parameters[1, 6] = np.nan
    I = Inertia.from_parameters(parameters)
    v = Motion((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    X = Transform.from_quaternion([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
    for result in (X @ I, X.inv @ I, X @ I.articulated()):
        assert list(np.isnan(result.matrix().array()).any(axis=(1, 2))) == [False, True, False]
    assert list(np.isnan(I.force(v, v).array()).any(axis=1)) == [False, True, False]


@pytest.mark.parametrize("kind", [Inertia, ArticulatedInertia])
def test_reprs_name_the_kind(kind):
    assert repr(kind.zero()).startswith(f"{kind.__name__}(")
