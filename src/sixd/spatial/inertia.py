"""Rigid-body inertia (ten numbers) and articulated-body inertia (twenty-one)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, overload

from sixd.errors import ModelError, ShapeError, SpatialTypeError
from sixd.ops import Scalar, divide, stack, unstack
from sixd.spatial.force import Force
from sixd.spatial.linear import (
    UPPER,
    Matrix,
    Vector,
    congruence,
    cross,
    cross_columns,
    matrix_of,
    skew,
    symmetric,
    upper,
    vector_of,
)
from sixd.spatial.motion import Motion
from sixd.spatial.subspace import Forces, Motions
from sixd.spatial.value import named, need_kind, need_number, need_size, put
from sixd.spatial.vector import Quantity

if TYPE_CHECKING:
    from sixd.spatial.transform import Transform

__all__ = ["ArticulatedInertia", "Inertia", "symmetric_product"]


def _need(other: object, kind: type, what: str) -> None:
    if type(other) is not kind:
        raise SpatialTypeError(f"cannot {what} {kind.__name__} and {type(other).__name__}")


def _need_form(A: Matrix) -> None:
    """[I, h x; (h x)^T, m 1] with a symmetric I, to 1e-9 of the largest entry; only floats are looked at."""
    if not all(isinstance(x, float | int) for x in A.components()):
        return
    small = 1e-9 * max(abs(x) for x in A.components())
    form = Inertia(A[3, 3], (A[2, 4], A[0, 5], A[1, 3]), symmetric([A[k] for k in UPPER])).matrix()
    for r in range(6):
        for c in range(6):
            if abs(A[r, c] - form[r, c]) > small:
                raise ModelError(
                    "not the matrix of a rigid-body inertia [I, h x; (h x)^T, m 1]: "
                    f"entry ({r}, {c}) is {A[r, c]}, the form needs {form[r, c]}"
                )


class Inertia(Quantity):
    """The inertia of a rigid body: mass m, first moment h = m c, rotational inertia I about the origin.

    As a 6x6 matrix it is F10a (25), [I, h x; (h x)^T, m 1]; it maps velocity to momentum (F10a (23)). kg, kg m, kg m^2.
    Inertias form a vector space of dimension ten; their rates of change (F10a (27)) live in it too.
    """

    __slots__ = ("I", "h", "m")
    m: Scalar
    h: Vector
    I: Matrix

    def __init__(self, m: Scalar, h: Vector | Sequence[Scalar], I: Matrix | Any) -> None:
        need_number(self, "give a mass to", m)
        put(self, "m", m)
        put(self, "h", vector_of(h, 3, "the first moment of an Inertia"))
        put(self, "I", matrix_of(I, 3, "the rotational part of an Inertia"))

    @classmethod
    def zero(cls) -> Inertia:
        return cls.from_components((0.0,) * 10)

    @classmethod
    def from_mass_com(cls, mass: Scalar, com: Any, I_com: Any) -> Inertia:
        """From mass, centre of mass c and rotational inertia about it (3x3): I = I_c + m (c x)(c x)^T, F10a (25)."""
        c, I_com = vector_of(com, 3, "a centre of mass"), matrix_of(I_com, 3, "a rotational inertia")
        need_number(c, "multiply", mass)
        h = c * mass
        t = c @ h
        return cls(
            mass,
            h,
            symmetric([I_com[r, k] - h[r] * c[k] + (t if r == k else 0.0) for r, k in UPPER]),
        )

    @classmethod
    def from_parameters(cls, p: Any) -> Inertia:
        """From the ten parameters (..., 10): m, h_x, h_y, h_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz about the origin."""
        return cls.from_components(unstack(p))

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> Inertia:
        need_size(c, 10, "an Inertia")
        return cls(c[0], Vector(c[1:4]), symmetric(c[4:10]))

    @classmethod
    def from_matrix(cls, matrix: Any) -> Inertia:
        """From a 6x6 matrix of the form F10a (25); floats that do not have that form are refused."""
        A = matrix_of(matrix, 6, "an Inertia")
        _need_form(A)
        h = Vector((A[2, 4], A[0, 5], A[1, 3]))
        return cls(A[3, 3], h, symmetric([A[k] for k in UPPER]))

    @classmethod
    def _size(cls, nv: int) -> int:
        return 10

    def components(self) -> list[Scalar]:
        return [self.m, *self.h, *upper(self.I)]

    def parameters(self) -> Any:
        """The ten parameters as an array (..., 10), see `from_parameters`."""
        return stack(self.components())

    @property
    def com(self) -> Vector:
        """The centre of mass h / m; NaN for a massless body."""
        return Vector(divide(x, self.m) for x in self.h)

    @property
    def I_com(self) -> Matrix:
        """The rotational inertia about the centre of mass; NaN for a massless body."""
        c, h = self.com, self.h
        t = c @ h
        return symmetric([self.I[r, k] + h[r] * c[k] - (t if r == k else 0.0) for r, k in UPPER])

    def matrix(self) -> Matrix:
        """The 6x6 matrix of F10a (25)."""
        return self.articulated().matrix()

    def articulated(self) -> ArticulatedInertia:
        """The same inertia as an `ArticulatedInertia`."""
        return ArticulatedInertia(self.I, skew(self.h), Matrix.diagonal((self.m,) * 3))

    def kinetic_energy(self, v: Motion) -> Scalar:
        """1/2 v . I v, F10a (28)."""
        need_kind(v, Motion, "the kinetic energy of an Inertia")
        return 0.5 * v.dot(self @ v)

    def bias_force(self, v: Motion) -> Force:
        """p = v x* I v of F10a (29), (30): the force that moves the body with velocity v at zero acceleration."""
        need_kind(v, Motion, "the bias force of an Inertia")
        return v.cross(self @ v)

    def force(self, a: Motion, v: Motion) -> Force:
        """The equation of motion f = I a + v x* I v, F10a (29)."""
        return self @ a + self.bias_force(v)

    @overload
    def __matmul__(self, other: Motion) -> Force: ...
    @overload
    def __matmul__(self, other: Motions) -> Forces: ...
    def __matmul__(self, other: Motion | Motions) -> Force | Forces:
        """Momentum I v, F10a (23): (I w + h x v, m v - h x w)."""
        if isinstance(other, Motions):
            return Forces(self @ column for column in other)
        if not isinstance(other, Motion):
            raise SpatialTypeError(f"an Inertia acts on a Motion, not on {named(other)}")
        return Force(
            self.I @ other.ang + cross(self.h, other.lin),
            other.lin * self.m - cross(self.h, other.ang),
        )

    def __add__(self, other: Inertia) -> Inertia:
        """The inertia of two bodies joined rigidly, F10a (24)."""
        _need(other, Inertia, "add")
        return Inertia.from_components([x + y for x, y in zip(self.components(), other.components(), strict=True)])

    def __sub__(self, other: Inertia) -> Inertia:
        _need(other, Inertia, "subtract")
        return Inertia.from_components([x - y for x, y in zip(self.components(), other.components(), strict=True)])

    def __mul__(self, scalar: Scalar) -> Inertia:
        need_number(self, "multiply", scalar)
        return Inertia.from_components([x * scalar for x in self.components()])

    __rmul__ = __mul__

    def __truediv__(self, scalar: Scalar) -> Inertia:
        need_number(self, "divide", scalar)
        return Inertia.from_components([divide(x, scalar) for x in self.components()])

    def _transformed(self, X: Transform) -> Inertia:
        """X* I X^-1, F10a (26), without forming a 6x6: rotate and use the parallel-axis rule."""
        h = self.h - X.r * self.m
        t = X.r @ (self.h + h)
        shifted = symmetric(
            [self.I[i, j] + (self.h[i] * X.r[j] + X.r[i] * h[j]) - (t if i == j else 0.0) for i, j in UPPER]
        )
        return Inertia(self.m, X.E @ h, congruence(X.E.T, shifted))

    def _transformed_back(self, X: Transform) -> Inertia:
        """X^T I X, the inverse of `_transformed`: what the inward passes of CRBA use."""
        h0 = X.E.T @ self.h
        h = h0 + X.r * self.m
        t = X.r @ (h0 + h)
        I = congruence(X.E, self.I)
        return Inertia(
            self.m,
            h,
            symmetric([I[i, j] - (h0[i] * X.r[j] + X.r[i] * h[j]) + (t if i == j else 0.0) for i, j in UPPER]),
        )

    def _crossed_by(self, v: Motion) -> Inertia:
        """v x* I - I v x, F10a (27): the rate of change of the inertia of a body that moves with velocity v.

        In the ten parameters: dm = 0, dh = w x h + m v, dI = w x I - I w x + 2 (h.v) 1 - (h v^T + v h^T).
        """
        turned = cross_columns(v.ang, self.I)
        t = 2.0 * (self.h @ v.lin)
        dI = [
            turned[i, j] + turned[j, i] - (self.h[i] * v.lin[j] + v.lin[i] * self.h[j]) + (t if i == j else 0.0)
            for i, j in UPPER
        ]
        return Inertia(self.m * 0.0, cross(v.ang, self.h) + v.lin * self.m, symmetric(dI))

    def __repr__(self) -> str:
        return f"Inertia(m={self.m}, h={list(self.h)}, I={upper(self.I)})"


class ArticulatedInertia(Quantity):
    """A symmetric 6x6 inertia [I, H; H^T, M], 21 numbers: what a body with moving parts attached feels like.

    F10b (49), FO00 (11): f = I^A a + p^A.
    """

    __slots__ = ("H", "I", "M")
    I: Matrix
    H: Matrix
    M: Matrix

    def __init__(self, I: Matrix | Any, H: Matrix | Any, M: Matrix | Any) -> None:
        put(self, "I", matrix_of(I, 3, "a block of an ArticulatedInertia"))
        put(self, "H", matrix_of(H, 3, "a block of an ArticulatedInertia"))
        put(self, "M", matrix_of(M, 3, "a block of an ArticulatedInertia"))

    @classmethod
    def zero(cls) -> ArticulatedInertia:
        return cls(Matrix.zero(), Matrix.zero(), Matrix.zero())

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> ArticulatedInertia:
        need_size(c, 21, "an ArticulatedInertia")
        return cls(symmetric(c[:6]), Matrix.from_components(c[6:15], 3), symmetric(c[15:21]))

    @classmethod
    def from_matrix(cls, matrix: Any) -> ArticulatedInertia:
        """From a symmetric 6x6 matrix (its upper triangle is read)."""
        A = matrix_of(matrix, 6, "an ArticulatedInertia")
        return cls(
            symmetric([A[k] for k in UPPER]),
            Matrix(row[3:] for row in A.rows[:3]),
            symmetric([A[3 + r, 3 + c] for r, c in UPPER]),
        )

    @classmethod
    def _size(cls, nv: int) -> int:
        return 21

    def components(self) -> list[Scalar]:
        return [*upper(self.I), *self.H.components(), *upper(self.M)]

    def matrix(self) -> Matrix:
        """The 6x6 matrix."""
        top = [[*a, *b] for a, b in zip(self.I.rows, self.H.rows, strict=True)]
        bottom = [[*a, *b] for a, b in zip(self.H.T.rows, self.M.rows, strict=True)]
        return Matrix(top + bottom)

    @overload
    def __matmul__(self, other: Motion) -> Force: ...
    @overload
    def __matmul__(self, other: Motions) -> Forces: ...
    def __matmul__(self, other: Motion | Motions) -> Force | Forces:
        if isinstance(other, Motions):
            return Forces(self @ column for column in other)
        if not isinstance(other, Motion):
            raise SpatialTypeError(f"an ArticulatedInertia acts on a Motion, not on {named(other)}")
        return Force(
            self.I @ other.ang + self.H @ other.lin,
            self.H.T @ other.ang + self.M @ other.lin,
        )

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        _need(other, ArticulatedInertia, "add")
        return ArticulatedInertia(self.I + other.I, self.H + other.H, self.M + other.M)

    def __sub__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        _need(other, ArticulatedInertia, "subtract")
        return ArticulatedInertia(self.I - other.I, self.H - other.H, self.M - other.M)

    def __mul__(self, scalar: Scalar) -> ArticulatedInertia:
        need_number(self, "multiply", scalar)
        return ArticulatedInertia(self.I * scalar, self.H * scalar, self.M * scalar)

    __rmul__ = __mul__

    def __truediv__(self, scalar: Scalar) -> ArticulatedInertia:
        need_number(self, "divide", scalar)
        return ArticulatedInertia(self.I / scalar, self.H / scalar, self.M / scalar)

    def _transformed(self, X: Transform) -> ArticulatedInertia:
        """X* I X^-1, F10a (26)."""
        return self._transformed_back(X.inverse())

    def _transformed_back(self, X: Transform) -> ArticulatedInertia:
        """X^T I X, the inward rule of the articulated-body algorithm (F10b Fig. 9)."""
        M = congruence(X.E, self.M)
        H0 = X.E.T @ self.H @ X.E
        H = H0 + cross_columns(X.r, M)
        D = cross_columns(X.r, H.T) + cross_columns(X.r, H0.T).T  # (r x) H^T - H0 (r x)
        I = congruence(X.E, self.I)
        return ArticulatedInertia(symmetric([I[k] + D[k] for k in UPPER]), H, M)

    def __repr__(self) -> str:
        return f"ArticulatedInertia({self.components()})"


def symmetric_product(W: Forces, U: Forces) -> ArticulatedInertia:
    """W U^T where the product is known to be symmetric, as U D^-1 U^T in F10b (62) is: 21 entries are computed."""
    need_kind(W, Forces, "a symmetric product")
    need_kind(U, Forces, "a symmetric product")
    if len(W) != len(U) or not len(W):
        raise ShapeError(
            f"a symmetric product needs at least one force, and as many on both sides, found {len(W)} and {len(U)}"
        )
    pairs = list(zip(W, U, strict=True))
    ang = [(w.ang, u.ang) for w, u in pairs]
    mixed = [(w.ang, u.lin) for w, u in pairs]
    lin = [(w.lin, u.lin) for w, u in pairs]

    def total(factors: list[tuple[Vector, Vector]], r: int, c: int) -> Scalar:
        return reduce(add, (a[r] * b[c] for a, b in factors))

    return ArticulatedInertia(
        symmetric([total(ang, r, c) for r, c in UPPER]),
        Matrix([total(mixed, r, c) for c in range(3)] for r in range(3)),
        symmetric([total(lin, r, c) for r, c in UPPER]),
    )
