"""Sets of motions and forces: F10a (31)-(34)."""

import numpy as np
import pytest

from sixd.errors import SpatialTypeError
from sixd.spatial import Force, Forces, Motion, Motions


def swap(matrix):
    return np.swapaxes(matrix, -1, -2)


def test_relative_velocity_is_a_combination_of_the_columns(numbers):
    """F10a (31)."""
    S, rates = numbers.motions(3), numbers.vector(3)
    numbers.assert_close(S @ rates, numbers.apply(S, rates), 10)
    assert isinstance(S @ rates, Motion)


def test_relative_acceleration_of_axes_fixed_in_the_second_body(exact):
    """F10a (32): a_2 - a_1 = dS/dt qd + S qdd with dS/dt = v_2 x S, by differentiating v_2 - v_1 = S qd."""
    S, qd, qdd, v2 = exact.motions(2), exact.vector(2), exact.vector(2), exact.motion()

    def relative_velocity(t):
        return exact.exponential(t * v2.cross_matrix().array()) @ S.array() @ (qd + qdd * t).array()

    acceleration = v2.cross(S) @ qd + S @ qdd
    assert np.max(np.abs(acceleration.array() - exact.derivative(relative_velocity))) < 1e-28


def test_the_rate_of_an_axis_times_its_rate_is_a_product_of_velocities(numbers):
    """F10a after (22): with v_2 = v_1 + s qd and s fixed in body 2 (or 1), ds/dt qd = v_1 x v_2."""
    v1, s, qd = numbers.motion(), numbers.motion(), numbers.scalar()
    v2 = v1 + s * qd
    numbers.assert_close(v2.cross(s) * qd, v1.cross(v2), 10)
    numbers.assert_close(v1.cross(s) * qd, v1.cross(v2), 10)


def test_a_constraint_force_does_no_work(numbers):
    """F10a (33): a revolute joint about z passes on every force without a moment about z."""
    S = Motions([Motion((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))])
    f = numbers.force()
    constraint = Force((f.ang[0], f.ang[1], 0.0), f.lin)
    X, rate = numbers.transform(), numbers.vector(1)
    numbers.assert_close((X @ S).T @ (X @ constraint), np.zeros(1))
    numbers.assert_close(((X @ S) @ rate).dot(X @ constraint), 0.0)


def test_joint_force_is_the_transpose_and_gives_the_power(numbers):
    """F10a (34): S^T f = tau, and tau . qd is the power f . (S qd)."""
    S, f, rates = numbers.motions(3), numbers.force(), numbers.vector(3)
    tau = S.T @ f
    numbers.assert_close(tau, numbers.apply(swap(S.array()), f), 10)
    numbers.assert_close(tau @ rates, f.dot(S @ rates), 10)


def test_products_of_sets(numbers):
    S, U, A = numbers.motions(3), numbers.forces(2), numbers.matrix(3, 2)
    numbers.assert_close(S.T @ U, swap(S.array()) @ U.array(), 10)
    numbers.assert_close(U.T @ S, swap(U.array()) @ S.array(), 10)
    numbers.assert_close(S @ A, S.array() @ A.array(), 10)


def test_sets_transform_column_by_column(numbers):
    X, v, S, U = numbers.transform(), numbers.motion(), numbers.motions(2), numbers.forces(2)
    numbers.assert_close(X @ S, X.matrix().array() @ S.array(), 10)
    numbers.assert_close(X @ U, X.force_matrix().array() @ U.array(), 10)
    numbers.assert_close(X.inv @ (X @ S), S, 10)
    numbers.assert_close(X.inv @ (X @ U), U, 10)
    numbers.assert_close(v.cross(S), v.cross_matrix().array() @ S.array(), 10)
    numbers.assert_close(v.cross(U), v.cross_force_matrix().array() @ U.array(), 10)


def test_sets_form_a_vector_space(numbers):
    S, Z = numbers.motions(2), numbers.motions(2)
    numbers.assert_close(S + Z, S.array() + Z.array())
    numbers.assert_close(S - Z, S.array() - Z.array())
    numbers.assert_close(-S, -S.array())


def test_sets_are_sequences_and_arrays(numbers):
    S = numbers.motions(3)
    assert len(S) == 3
    assert list(S)[1] is S[1]
    assert Motions.from_components(S.components()).components() == S.components()
    assert len(S.components()) == Motions.size(3)
    assert np.asarray(S).shape[-2:] == (6, 3)
    assert repr(S).startswith("Motions([Motion(")


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (lambda S, U: Motions(U), "Motions holds Motion, not Force"),
        (lambda S, U: Forces(S), "Forces holds Force, not Motion"),
        (lambda S, U: S.T @ S, "not a Motion with a Motion"),
        (lambda S, U: U.T @ U[0], "not a Force with a Force"),
    ],
)
def test_meaningless_products_say_what_is_wrong(operation, words):
    S, U = Motions([Motion((1, 0, 0), (0, 0, 0))]), Forces([Force((1, 0, 0), (0, 0, 0))])
    with pytest.raises(SpatialTypeError, match=words):
        operation(S, U)
