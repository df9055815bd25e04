"""Vectors and matrices of any number."""

import numpy as np
import pytest

from sixd.errors import OutOfRangeError
from sixd.spatial.linear import (
    UPPER,
    Matrix,
    Vector,
    congruence,
    cross,
    cross_columns,
    inverse,
    outer,
    pivots,
    skew,
    symmetric,
    upper,
)


def swap(matrix):
    return np.swapaxes(matrix, -1, -2)


def test_vector_operations(numbers):
    a, b, x = numbers.vector(), numbers.vector(), numbers.scalar()
    wide = np.asarray(x)[..., None]
    numbers.assert_close(a + b, a.array() + b.array())
    numbers.assert_close(a - b, a.array() - b.array())
    numbers.assert_close(-a, -a.array())
    numbers.assert_close(a * x, a.array() * wide)
    numbers.assert_close(x * a, a.array() * wide)
    numbers.assert_close(a @ b, np.sum(a.array() * b.array(), axis=-1))


def test_matrix_operations(numbers):
    A, B, v, x = numbers.matrix(2, 3), numbers.matrix(3, 4), numbers.vector(3), numbers.scalar()
    numbers.assert_close(A @ B, A.array() @ B.array())
    numbers.assert_close(A @ v, numbers.apply(A, v))
    numbers.assert_close(A + A, 2 * A.array())
    numbers.assert_close(A - A, np.zeros((2, 3)))
    numbers.assert_close(-A, -A.array())
    numbers.assert_close(x * A, A.array() * np.asarray(x)[..., None, None])
    numbers.assert_close(A.T, swap(A.array()))
    numbers.assert_close(B.column(2), B.array()[..., 2])
    assert A.shape == (2, 3)
    assert A[1, 2] is A.rows[1][2]
    assert len(B.columns()) == 4


def test_vector_product_and_its_matrix(numbers):
    """F10a (13)."""
    a, b, A = numbers.vector(), numbers.vector(), numbers.matrix()
    numbers.assert_close(cross(a, b), numbers.apply(skew(a), b))
    numbers.assert_close(a.cross(b), -b.cross(a))
    numbers.assert_close(a.cross(b) @ a, 0.0)
    numbers.assert_close(cross_columns(a, A), skew(a) @ A)


def test_outer_product(numbers):
    a, b, v = numbers.vector(), numbers.vector(2), numbers.vector(2)
    numbers.assert_close(outer(a, b) @ v, a * (b @ v))


def test_symmetric_matrices_are_six_numbers(numbers):
    A, E = numbers.spd(), numbers.matrix()
    assert upper(symmetric(upper(A))) == upper(A)
    assert [symmetric(range(6))[r, c] for r, c in UPPER] == list(range(6))
    numbers.assert_close(symmetric(upper(A)), A)
    numbers.assert_close(congruence(E, A), E.T @ A @ E, 10)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_inverse_of_positive_definite_matrices(numbers, n):
    A = numbers.spd(n)
    numbers.assert_close(inverse(A) @ A, np.eye(n), 100)


def test_a_singular_matrix_gives_no_exception():
    assert not np.isfinite(inverse(Matrix.zero(2)).array()).any()


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_pivots_are_the_ratios_of_the_last_minors(numbers, n):
    """A = L^T D L: the product of the last k pivots is the determinant of the last k rows and columns."""
    A = numbers.spd(n)
    D = pivots(A)
    L = [[0.0] * n for _ in range(n)]  # by its definition, from the rows that elimination leaves
    rest = A
    for k in reversed(range(n)):
        numbers.assert_close(D[k], rest[k, k], 100)
        L[k] = [rest[k, j] / D[k] for j in range(n)]
        row = Vector(rest.rows[k])
        rest = rest - outer(row, row) / D[k]
    numbers.assert_close(Matrix(L).T @ Matrix.diagonal(list(D)) @ Matrix(L), A, 100)
    assert np.all(numbers.dense(D) > 0)


def test_pivots_tell_an_indefinite_matrix_and_raise_for_none():
    A = np.array([[1.0, 2.0, 0.5], [2.0, 1.0, 0.0], [0.5, 0.0, 1.0]])
    assert list(np.sign(pivots(Matrix.from_array(A)).array())) == [-1.0, 1.0, 1.0]
    assert not np.isfinite(pivots(Matrix.zero(3)).array()[:2]).any()
    assert pivots(Matrix(((4.0,),))) == Vector((4.0,))


def test_slots_can_hold_vectors_and_matrices():
    """What a recorded algorithm stores for a joint of nv velocities."""
    for nv in range(1, 7):
        v, A = Vector(range(nv)), Matrix.from_components(range(nv * nv))
        assert len(v.components()) == Vector.size(nv)
        assert len(A.components()) == Matrix.size(nv)
        assert A.shape == (nv, nv)
        assert Vector.from_components(v.components()) == v
        assert Matrix.from_components(A.components()) == A


def test_makers():
    assert np.array_equal(Matrix.identity(4).array(), np.eye(4))
    assert Matrix.zero(2, 3).shape == (2, 3)
    assert np.array_equal(Matrix.diagonal((1.0, 2.0)).array(), np.diag([1.0, 2.0]))
    assert np.array_equal(Vector.zero(2).array(), np.zeros(2))
    assert Matrix.from_array([[1, 2], [3, 4]]).rows == ((1, 2), (3, 4))


def test_arrays_round_trip(numbers):
    v, A = numbers.vector(5), numbers.matrix(2, 4)
    assert np.array_equal(Vector.from_array(v.array()).array(), v.array())
    assert np.array_equal(Matrix.from_array(A.array()).array(), A.array())
    assert Vector.from_array(v) is v
    assert Matrix.from_array(A) is A
    assert np.array_equal(np.asarray(A), A.array())
    assert np.array_equal(np.asarray(v, dtype=object), v.array().astype(object))
    assert Matrix.from_components(A.components(), 4).components() == A.components()
    assert v.components() == list(v)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: Vector((1.0, 2.0)) + Vector((1.0, 2.0, 3.0)),
        lambda: Vector((1.0, 2.0)) @ Vector((1.0, 2.0, 3.0)),
        lambda: Matrix.identity(2) @ Vector((1.0, 2.0, 3.0)),
        lambda: Matrix.identity(2) @ Matrix.identity(3),
        lambda: Matrix.identity(2) + Matrix.identity(3),
    ],
)
def test_sizes_that_do_not_fit_are_refused(operation):
    with pytest.raises(ValueError, match=r"shorter|longer"):
        operation()


def test_reprs():
    assert repr(Vector((1.0, 2.0))) == "Vector([1.0, 2.0])"
    assert repr(Matrix.identity(2)) == "Matrix([[1.0, 0.0], [0.0, 1.0]])"


def test_empty_matrices():
    empty = Matrix.identity(0)
    assert empty.shape == (0, 0)
    assert Matrix.from_components(empty.components()) == empty
    assert inverse(empty) == empty


@pytest.mark.parametrize("k", [2, -3, None, 0.0, True])
def test_columns_that_are_not_there(k):
    A = Matrix(((1.0, 2.0), (3.0, 4.0)))
    assert A.column(-1) == A.column(1) == Vector((2.0, 4.0))
    with pytest.raises(OutOfRangeError, match=f"a Matrix of 2 columns has no column {k}"):
        A.column(k)
