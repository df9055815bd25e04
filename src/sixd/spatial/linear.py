"""Vectors and matrices of any number, in any small size.

They hold scalars in tuples, so one definition serves floats, batches (every scalar an array of samples) and traced
scalars, and the structure of a product decides its cost. They never change in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from math import isqrt
from operator import add
from typing import Any, overload

from sixd.errors import OutOfRangeError, ShapeError, SpatialTypeError
from sixd.given import described, whole
from sixd.ops import Scalar, absolute, divide, leveller, stack, unstack, where
from sixd.spatial.value import Value, count_of, named, need_count, need_kind, need_number, put

__all__ = [
    "UPPER",
    "Matrix",
    "Vector",
    "congruence",
    "cross",
    "cross_columns",
    "inverse",
    "largest",
    "levelled",
    "matrix_of",
    "outer",
    "pivots",
    "skew",
    "symmetric",
    "upper",
    "vector_of",
]


def _sum(terms: Iterable[Scalar]) -> Scalar:
    """The sum of at least one term (a start value of 0 would be one more operation)."""
    return reduce(add, terms)


class Vector(Value):
    """A column of numbers, each taken as it is: `from_array` checks them."""

    __slots__ = ("entries",)
    entries: tuple[Scalar, ...]

    def __init__(self, entries: Iterable[Scalar]) -> None:
        try:
            put(self, "entries", tuple(entries))
        except TypeError:
            _need_iterable(entries, "a Vector needs numbers")
            raise

    @classmethod
    def zero(cls, n: int = 3) -> Vector:
        return cls((0.0,) * need_count(n, "the size of a Vector"))

    @classmethod
    def from_array(cls, array: Any) -> Vector:
        """From an array (..., n): the last axis holds the entries."""
        return array if isinstance(array, Vector) else cls(unstack(array))

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> Vector:
        count_of(c, "a Vector")
        return cls(c)

    @classmethod
    def _size(cls, nv: int) -> int:
        return nv

    def array(self) -> Any:
        """As an array (..., n)."""
        return stack(self.entries)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array() if dtype is None else self.array().astype(dtype)

    def components(self) -> list[Scalar]:
        return list(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Scalar]:
        return iter(self.entries)

    def __getitem__(self, k: int) -> Scalar:
        return self.entries[k]

    def __add__(self, other: Vector) -> Vector:
        if not isinstance(other, Vector):
            raise SpatialTypeError(f"cannot add a Vector and {named(other)}")
        return Vector([x + y for x, y in zip(self.entries, other.entries, strict=True)])

    def __sub__(self, other: Vector) -> Vector:
        if not isinstance(other, Vector):
            raise SpatialTypeError(f"cannot subtract: a Vector - {named(other)}")
        return Vector([x - y for x, y in zip(self.entries, other.entries, strict=True)])

    def __neg__(self) -> Vector:
        return Vector([-x for x in self.entries])

    def __mul__(self, scalar: Scalar) -> Vector:
        need_number(self, "multiply", scalar)
        return Vector([x * scalar for x in self.entries])

    __rmul__ = __mul__

    def __truediv__(self, scalar: Scalar) -> Vector:
        need_number(self, "divide", scalar)
        return Vector([divide(x, scalar) for x in self.entries])

    def __matmul__(self, other: Vector) -> Scalar:
        """The dot product."""
        if not isinstance(other, Vector):
            raise SpatialTypeError(f"the dot product takes two Vectors, not a Vector and {named(other)}")
        return _sum([x * y for x, y in zip(self.entries, other.entries, strict=True)])

    def cross(self, other: Vector) -> Vector:
        """The vector product, of two 3-vectors."""
        need_kind(other, Vector, "the vector product")
        return cross(self, other)

    def __repr__(self) -> str:
        return f"Vector({list(self.entries)})"


def _need_iterable(x: object, what: str) -> None:
    try:
        iter(x)  # type: ignore[call-overload]
    except TypeError:
        raise SpatialTypeError(f"{what}, not {named(x)}") from None


def _has_lists(x: Any) -> bool:
    return isinstance(x, list | tuple) and any(isinstance(row, list | tuple) for row in x)


class Matrix(Value):
    """Rows of numbers, each taken as it is: `from_array` checks them."""

    __slots__ = ("rows",)
    rows: tuple[tuple[Scalar, ...], ...]

    def __init__(self, rows: Iterable[Iterable[Scalar]]) -> None:
        try:
            put(self, "rows", tuple([tuple(row) for row in rows]))
        except TypeError:
            _need_iterable(rows, "a Matrix needs rows of numbers")
            for row in rows:
                _need_iterable(row, "a row of a Matrix needs numbers")
            raise

    @classmethod
    def identity(cls, n: int = 3) -> Matrix:
        return cls.diagonal((1.0,) * need_count(n, "the size of a Matrix"))

    @classmethod
    def zero(cls, n: int = 3, m: int | None = None) -> Matrix:
        rows = need_count(n, "the rows of a Matrix")
        columns = rows if m is None else need_count(m, "the columns of a Matrix")
        return cls(((0.0,) * columns,) * rows)

    @classmethod
    def diagonal(cls, entries: Sequence[Scalar]) -> Matrix:
        n = count_of(entries, "the diagonal of a Matrix")
        return cls([d if r == c else 0.0 for c in range(n)] for r, d in enumerate(entries))

    @classmethod
    def from_array(cls, array: Any) -> Matrix:
        """From an array (..., n, m)."""
        if isinstance(array, Matrix):
            return array
        if not isinstance(array, list | tuple):
            return cls.from_components(unstack(array, rank=2), array.shape[-1])
        if any(_has_lists(row) for row in array):
            row: Any = array
            while _has_lists(row):
                row = row[0]
            return cls.from_components(unstack(array, rank=2), len(row))
        rows = [Vector.from_array(r) for r in array]
        if len({len(r) for r in rows}) != 1:
            raise ShapeError(f"a matrix needs rows of one length, found {[len(r) for r in rows]}")
        return cls(rows)

    @classmethod
    def from_components(cls, components: Sequence[Scalar], columns: int | None = None) -> Matrix:
        """From the entries row by row; square unless the number of columns is given."""
        n = count_of(components, "a Matrix")
        width = isqrt(n) if columns is None else need_count(columns, "the columns of a Matrix", 1)
        if columns is None and width * width != n:
            raise ShapeError(f"a square matrix cannot have {n} numbers: give the number of its columns, too")
        if n and n % width:
            raise ShapeError(f"a matrix of {width} columns cannot have {n} numbers")
        return cls(components[k : k + width] for k in range(0, n, width or 1))

    @classmethod
    def _size(cls, nv: int) -> int:
        return nv * nv

    def components(self) -> list[Scalar]:
        return [x for row in self.rows for x in row]

    def array(self) -> Any:
        """As an array (..., n, m)."""
        return stack(self.components(), self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array() if dtype is None else self.array().astype(dtype)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    @property
    def T(self) -> Matrix:
        return Matrix(zip(*self.rows, strict=True))

    def column(self, k: int) -> Vector:
        """Column k, counted from the last one where k is negative."""
        n = self.shape[1]
        if whole(k) not in range(-n, n):
            raise OutOfRangeError(f"a Matrix of {n} columns has no column {described(k)}")
        return Vector(row[k] for row in self.rows)

    def columns(self) -> list[Vector]:
        return [Vector(c) for c in zip(*self.rows, strict=True)]

    def __getitem__(self, key: tuple[int, int]) -> Scalar:
        return self.rows[key[0]][key[1]]

    def __add__(self, other: Matrix) -> Matrix:
        if not isinstance(other, Matrix):
            raise SpatialTypeError(f"cannot add a Matrix and {named(other)}")
        return Matrix([x + y for x, y in zip(r, s, strict=True)] for r, s in zip(self.rows, other.rows, strict=True))

    def __sub__(self, other: Matrix) -> Matrix:
        if not isinstance(other, Matrix):
            raise SpatialTypeError(f"cannot subtract: a Matrix - {named(other)}")
        return Matrix([x - y for x, y in zip(r, s, strict=True)] for r, s in zip(self.rows, other.rows, strict=True))

    def __neg__(self) -> Matrix:
        return Matrix([-x for x in row] for row in self.rows)

    def __mul__(self, scalar: Scalar) -> Matrix:
        need_number(self, "multiply", scalar)
        return Matrix([x * scalar for x in row] for row in self.rows)

    __rmul__ = __mul__

    def __truediv__(self, scalar: Scalar) -> Matrix:
        need_number(self, "divide", scalar)
        return Matrix([divide(x, scalar) for x in row] for row in self.rows)

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...
    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...
    def __matmul__(self, other: Vector | Matrix) -> Vector | Matrix:
        if isinstance(other, Vector):
            return Vector([_sum([x * y for x, y in zip(row, other.entries, strict=True)]) for row in self.rows])
        if not isinstance(other, Matrix):
            raise SpatialTypeError(f"a Matrix acts on a Vector or a Matrix, not on {named(other)}")
        columns = tuple(zip(*other.rows, strict=True))
        return Matrix(
            [_sum([x * y for x, y in zip(row, column, strict=True)]) for column in columns] for row in self.rows
        )

    def __repr__(self) -> str:
        return f"Matrix({[list(row) for row in self.rows]})"


def vector_of(value: Any, n: int, what: str) -> Vector:
    """`Vector.from_array` of exactly n numbers; ``what`` names them if there are not."""
    vector = Vector.from_array(value)
    if len(vector.entries) != n:
        raise ShapeError(f"{what} needs {n} numbers, found {len(vector.entries)}")
    return vector


def matrix_of(value: Any, n: int, what: str) -> Matrix:
    """`Matrix.from_array` of exactly n x n numbers; ``what`` names them if there are not."""
    matrix = Matrix.from_array(value)
    if len(matrix.rows) != n or len(matrix.rows[0]) != n:
        raise ShapeError(f"{what} needs a matrix of {n} x {n}, found {len(matrix.rows)} x {len(matrix.rows[0])}")
    return matrix


def largest(v: Vector) -> Scalar:
    """The largest |entry|."""
    sizes = [absolute(x) for x in v.entries]
    return reduce(lambda a, b: where(a > b, a, b), sizes)


def levelled(v: Vector) -> Vector:
    """v times a power of two that brings its largest entry near 1: what depends on its direction alone is then computed
    without over- or underflow. Where no square is out of range, v stays as it is, to the bit."""
    return v * leveller(largest(v))


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product a x b of two 3-vectors."""
    try:
        (ax, ay, az), (bx, by, bz) = a, b
    except (TypeError, ValueError):
        for factor in (a, b):
            vector_of(factor, 3, "a factor of a vector product")
        raise
    return Vector((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def skew(r: Vector) -> Matrix:
    """The matrix r x of F10a (13), with (r x) v = r x v."""
    x, y, z = vector_of(r, 3, "r")
    return Matrix(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def cross_columns(r: Vector, A: Matrix) -> Matrix:
    """(r x) A: the vector product with every column, without the zeros of the matrix r x."""
    return Matrix(zip(*(cross(r, c) for c in A.columns()), strict=True))


def outer(a: Vector, b: Vector) -> Matrix:
    """The matrix a b^T."""
    return Matrix([x * y for y in b] for x in a)


#: The entries that define a symmetric 3x3 matrix, in the order of its six numbers: xx, xy, xz, yy, yz, zz.
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def symmetric(six: Sequence[Scalar]) -> Matrix:
    """The symmetric 3x3 matrix with these entries xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = six
    return Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def upper(A: Matrix) -> list[Scalar]:
    """The six numbers of a symmetric 3x3 matrix."""
    return [A[k] for k in UPPER]


def congruence(E: Matrix, A: Matrix) -> Matrix:
    """E^T A E for a symmetric A: six entries are computed, three are shared."""
    AE, columns = (A @ E).columns(), E.columns()
    return symmetric([columns[r] @ AE[c] for r, c in UPPER])


def _need_square(A: Matrix, what: str) -> int:
    """How many rows a square matrix has."""
    need_kind(A, Matrix, what)
    n, m = A.shape
    if n != m:
        raise ShapeError(f"{what} takes a square Matrix, not one of {n} x {m}")
    return n


def inverse(A: Matrix) -> Matrix:
    """The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination.

    Positive definite matrices need no pivoting. A zero pivot gives infinities and NaN, never an exception.
    """
    n = _need_square(A, "the inverse")
    left = [list(row) for row in A.rows]
    right = [list(row) for row in Matrix.identity(n).rows]
    for k in range(n):
        pivot = divide(1.0, left[k][k])
        left[k] = [x * pivot for x in left[k]]
        right[k] = [x * pivot for x in right[k]]
        for r in range(n):
            if r != k:
                factor = left[r][k]
                left[r] = [x - factor * y for x, y in zip(left[r], left[k], strict=True)]
                right[r] = [x - factor * y for x, y in zip(right[r], right[k], strict=True)]
    return Matrix(right)


def pivots(A: Matrix) -> Vector:
    """The diagonal D of A = L^T D L with a unit lower triangular L, for a symmetric matrix A.

    These are the pivots of Gaussian elimination that starts from the last row and exchanges none. They are positive
    exactly when A is positive definite. A zero pivot gives infinities and NaN in those before it, never an exception.
    """
    _need_square(A, "the elimination")
    rows = [list(row) for row in A.rows]
    for k in range(len(rows) - 1, 0, -1):
        for i in range(k):
            factor = divide(rows[k][i], rows[k][k])
            for j in range(i + 1):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
    return Vector(row[k] for k, row in enumerate(rows))
