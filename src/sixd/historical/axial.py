"""Transforms as a row of screws about coordinate axes, z, x and z again: rotations in a plane cost half of others."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.ops import Scalar, absolute, divide, sqrt, where
from sixd.spatial import Matrix, Vector
from sixd.spatial.linear import UPPER, cross, cross_columns, symmetric

__all__ = ["ZXZ", "Blocks", "Turn", "split"]

#: What is smaller than this share of the numbers that it is a difference of is rounding, and taken for zero.
ROUNDING = 1e-15
#: Axes are nearly parallel if the sine of their angle is below this.
STEEP = 0.01


@dataclass(frozen=True)
class Blocks:
    """An inertia [I, H; H^T, M] and a force (n, f), all about one point: n_total = I dw + H a + n."""

    I: Matrix
    H: Matrix
    M: Matrix
    n: Vector
    f: Vector

    def __add__(self, other: Blocks) -> Blocks:
        return Blocks(self.I + other.I, self.H + other.H, self.M + other.M, self.n + other.n, self.f + other.f)

    def shifted(self, r: Vector) -> Blocks:
        """About another point, from which this one is at r."""
        H = self.H + cross_columns(r, self.M)
        D = cross_columns(r, H.T) + cross_columns(r, self.H.T).T  # (r x) H^T - H (r x), with each its own H
        I = symmetric([self.I[k] + D[k] for k in UPPER])
        return Blocks(I, H, self.M, self.n + cross(r, self.f), self.f)


@dataclass(frozen=True)
class Turn:
    """The rotation of coordinates about axis ``k`` by an angle with cosine c and sine s."""

    k: int
    c: Scalar
    s: Scalar

    def of(self, v: Vector) -> Vector:
        """A vector in turned coordinates: v_i' = c v_i + s v_j, v_j' = c v_j - s v_i."""
        i, j = (self.k + 1) % 3, (self.k + 2) % 3
        entries = list(v)
        entries[i], entries[j] = self.c * v[i] + self.s * v[j], self.c * v[j] - self.s * v[i]
        return Vector(entries)

    def back(self, v: Vector) -> Vector:
        """The inverse of `of`."""
        return Turn(self.k, self.c, -self.s).of(v)

    def back_matrix(self, A: Matrix) -> Matrix:
        """E^T A E, A' from turned coordinates to those before.

        In the plane, trace and difference of the other two entries stay: with d = A_ii - A_jj and t = A_ij + A_ji, the
        diagonal changes by -+(s^2 d + c s t), and both others by c s d - s^2 t. That takes four multiplications.
        """
        i, j, k = (self.k + 1) % 3, (self.k + 2) % 3, self.k
        ss, cs = self.s * self.s, self.c * self.s
        d, t = A[i, i] - A[j, j], A[i, j] + A[j, i]
        diagonal, others = ss * d + cs * t, cs * d - ss * t
        rows = [list(row) for row in A.rows]
        rows[i][i], rows[j][j] = A[i, i] - diagonal, A[j, j] + diagonal
        rows[i][j], rows[j][i] = A[i, j] + others, A[j, i] + others
        rows[i][k], rows[j][k] = self.c * A[i, k] - self.s * A[j, k], self.c * A[j, k] + self.s * A[i, k]
        rows[k][i], rows[k][j] = self.c * A[k, i] - self.s * A[k, j], self.c * A[k, j] + self.s * A[k, i]
        return Matrix(rows)

    def back_blocks(self, b: Blocks) -> Blocks:
        """An inertia and a force in the coordinates before."""
        I, H, M = (self.back_matrix(A) for A in (b.I, b.H, b.M))
        return Blocks(I, H, M, self.back(b.n), self.back(b.f))


@dataclass(frozen=True)
class ZXZ:
    """A fixed transform: turn about z, move, turn about x, move along the new z, turn about it."""

    first: Turn
    #: The first move. If the z axes are far from parallel, its y is zero.
    move: Vector
    second: Turn
    #: The second move, along z.
    along: Scalar
    third: Turn


def split(G: Matrix, r: Vector) -> ZXZ:
    """The transform of coordinates by a rotation G to an origin at r, as screws about z, x and z.

    The two moves are those of Denavit and Hartenberg, who let the common normal of both z axes be x: it is far away
    where the axes are nearly parallel, and then all of r is in the first move. Where they are parallel, the first angle
    is free, and chosen so that r is in the plane of x and z.
    """
    across = sqrt(G[2, 0] * G[2, 0] + G[2, 1] * G[2, 1])
    away = sqrt(r[0] * r[0] + r[1] * r[1])
    parallel, central = across < ROUNDING, away < ROUNDING
    c = where(parallel, where(central, 1.0, _share(r[0], away, central)), _share(-G[2, 1], across, parallel))
    s = where(parallel, where(central, 0.0, _share(r[1], away, central)), _share(G[2, 0], across, parallel))
    first = Turn(2, c, s)
    row0, row1, row2 = (first.of(Vector(row)) for row in G.rows)  # G without its first turn
    second, third = Turn(0, row2[2], where(parallel, 0.0, -row2[1])), Turn(2, row0[0], -row1[0])
    x, y, z = first.of(r)
    near = across < STEEP
    along = where(near, where(parallel, z * row2[2], 0.0), divide(-y, where(near, 1.0, across)))
    left = z - along * row2[2]
    small = absolute(left) < ROUNDING * (absolute(z) + absolute(along))
    move = Vector((x, where(near, where(parallel, 0.0, y), 0.0), where(small, 0.0, left)))
    return ZXZ(first, move, second, along, third)


def _share(x: Scalar, whole: Scalar, nothing: Scalar) -> Scalar:
    """x / whole, and x itself where there is no whole."""
    return divide(x, where(nothing, 1.0, whole))
