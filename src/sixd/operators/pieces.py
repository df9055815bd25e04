"""Articulated pieces of a mechanism: how they accelerate under forces at their open joints, and how two are joined.

R. Featherstone, "A divide-and-conquer articulated-body algorithm for parallel O(log(n)) calculation of rigid-body
dynamics", parts 1 and 2, 1999. A piece with open joints h has the equations

    a_h = sum of Phi_hk f_k over its open joints k, + b_h

for the accelerations of the bodies at these joints and the forces on them. To close a joint is to find its force from
the others; the equations of the rest then have the same form. The same step joins two pieces, closes a loop within a
piece, and fixes a piece to the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sixd.operators.inverse_inertia import InverseInertia
from sixd.operators.mechanism import Connection
from sixd.ops import Scalar
from sixd.spatial import Force, Forces, Inertia, Matrix, Motion, Motions, Vector, inverse

__all__ = ["Closed", "Handle", "JointForce", "Piece", "merged"]

#: An end of a joint: the number of the joint, and whether it is the end at the successor.
Handle: TypeAlias = tuple[int, bool]
Ends: TypeAlias = tuple[Handle, Handle]


@dataclass(frozen=True)
class Piece:
    """Inverse inertias and bias accelerations at the open ends of a piece, each in the coordinates of its body."""

    #: Phi_hk: six motions at h, one for each component of the force at k. Missing pairs are zero.
    Phi: Mapping[Ends, Motions]
    #: b_h: the accelerations without forces at the open ends.
    b: Mapping[Handle, Motion]

    @classmethod
    def body(cls, inertia: Inertia, bias: Force, handles: Iterable[Handle]) -> Piece:
        """A rigid body: all its ends move alike, Phi = I^-1, b = -I^-1 bias."""
        own = InverseInertia.of(inertia)
        Phi, b, ends = own @ Forces(_UNITS), own @ -bias, tuple(handles)
        return cls({(h, k): Phi for h in ends for k in ends}, dict.fromkeys(ends, b))

    def close(self, joint: Connection, number: int, base: Motion) -> tuple[Piece, Closed]:
        """The piece with this joint closed, and what the force of the joint depends on.

        ``base`` is the acceleration of the base, for a joint whose predecessor it is.
        """
        y, x = (number, True), (number, False) if joint.predecessor else None
        rest = [h for h in self.b if h not in (x, y)]
        gap = self.b[y] - joint.X @ (base if x is None else self.b[x]) - joint.c
        law = JointForce.of(joint, self._across(joint, y, x))
        E = {h: law.coordinates(C) for h in rest if (C := self._at(joint, y, x, h)) is not None}
        closed = Closed(joint, y, x, law, E, law.components(gap))
        gamma = law.coefficients(closed.gap)
        b = {h: self.b[h] + _motion(E[h].T @ gamma) if h in E else self.b[h] for h in rest}
        return Piece(self._left(law, E, rest), b), closed

    def _across(self, joint: Connection, y: Handle, x: Handle | None) -> Motions:
        """Y: the relative acceleration of the two ends for each component of the force between them."""
        Y = self.Phi[y, y]
        if x is None:
            return Y
        Y = Y + joint.X @ _transposed(joint.X @ self.Phi[x, x])
        if (x, y) in self.Phi:
            mixed = joint.X @ self.Phi[x, y]
            Y = Y - mixed - _transposed(mixed)
        return Y

    def _at(self, joint: Connection, y: Handle, x: Handle | None, h: Handle) -> Motions | None:
        """C_h: the relative acceleration of the two ends for each component of the force at h; None for zero."""
        C = self.Phi.get((y, h))
        if x is None or (x, h) not in self.Phi:
            return C
        moved = joint.X @ self.Phi[x, h]
        return -moved if C is None else C - moved

    def _left(self, law: JointForce, E: Mapping[Handle, Matrix], rest: list[Handle]) -> dict[Ends, Motions]:
        """Phi_hk - E_h^T N E_k for the ends that are still open. Pairs (k, h) are the transposes of (h, k)."""
        left = {}
        scaled = {h: law.N @ block for h, block in E.items()}
        for place, h in enumerate(rest):
            for k in rest[place:]:
                Phi = self.Phi.get((h, k))
                if h in E and k in E:
                    less = Motions(_motion(column) for column in (-(E[h].T @ scaled[k])).columns())
                    Phi = less if Phi is None else Phi + less
                if Phi is not None:
                    left[h, k] = Phi
                    left[k, h] = Phi if h == k else _transposed(Phi)
        return left


@dataclass(frozen=True)
class JointForce:
    """The force of a joint between two ends whose relative acceleration is r = Y f + e + c.

    From T^T (r - c) = 0 and f = T beta + V (tau - R qdd), qdd = V^T (r - c), follows, with M = (T^T Y T)^-1,
    K = V - T M T^T Y V, Z = V^T Y K and Q = (1 + Z R)^-1:

        f = -T M T^T e + K (tau - R qdd),    qdd = Q (K^T e + Z tau).

    In the basis (T, K) f has the coefficients -N (T^T e, K^T e) + (0, Q^T tau), N = diag(M, R Q). R is zero without a
    rotor, and then N has zeros for K. Y need not be invertible, only T^T Y T.
    """

    T: Forces
    K: Forces
    N: Matrix
    Q: Matrix
    Z: Matrix
    tau: Vector

    @classmethod
    def of(cls, joint: Connection, Y: Motions) -> JointForce:
        T, V, n = joint.T, joint.V, len(joint.V)
        M = inverse(T.T @ (Y @ _columns(T))) if len(T) else Matrix(())
        YV = Y @ _columns(V) if n else Motions(())
        K = V - T @ (M @ (T.T @ YV)) if n and len(T) else V
        Z = YV.T @ K
        Q = inverse(Matrix.identity(n) + Z @ joint.R) if n else Matrix(())
        return cls(T, K, _diagonal(M, joint.R @ Q if n else Q), Q, Z, joint.tau)

    def coordinates(self, C: Motions) -> Matrix:
        """(T^T C, K^T C), 6 x 6."""
        return Matrix([*(self.T.T @ C).rows, *(self.K.T @ C).rows])

    def components(self, e: Motion) -> Vector:
        """(T^T e, K^T e)."""
        return Vector([*(self.T.T @ e), *(self.K.T @ e)])

    def coefficients(self, e: Vector) -> Vector:
        """The coefficients of f, for e by its components."""
        n = len(self.T)
        active = self.Q.T @ self.tau if len(self.K) else self.tau
        return Vector([*([0.0] * n), *active]) - self.N @ e

    def force(self, e: Vector) -> Force:
        """f, for e by its components."""
        found, n = self.coefficients(e).entries, len(self.T)
        parts = [(self.T, found[:n]), (self.K, found[n:])]
        total = [basis @ Vector(x) for basis, x in parts if len(basis)]
        return total[0] if len(total) == 1 else total[0] + total[1]

    def acceleration(self, e: Vector) -> Vector:
        """qdd, for e by its components."""
        return self.Q @ (Vector(e.entries[len(self.T) :]) + self.Z @ self.tau)


@dataclass(frozen=True)
class Closed:
    """A joint that has been closed, and how its force depends on those of the ends that are still open."""

    joint: Connection
    #: Its two ends; None for the base.
    y: Handle
    x: Handle | None
    law: JointForce
    #: (T, K)^T C_h for the open ends h.
    E: Mapping[Handle, Matrix]
    #: The components of e without forces at open ends.
    gap: Vector

    def opened(self, forces: Mapping[Handle, Force]) -> tuple[dict[Handle, Force], Vector]:
        """The forces at all ends of the pieces before, its own included, and qdd of the joint."""
        e = self.gap
        for h, E in self.E.items():
            e = e + E @ Vector(forces[h].components())
        f = self.law.force(e)
        own = {self.y: f} if self.x is None else {self.y: f, self.x: -(self.joint.X.inv @ f)}
        return {**forces, **own}, self.law.acceleration(e) if len(self.law.K) else Vector(())


def merged(pieces: Iterable[Piece]) -> Piece:
    """Several pieces as one, not joined yet."""
    Phi: dict[Ends, Motions] = {}
    b: dict[Handle, Motion] = {}
    for piece in pieces:
        Phi |= piece.Phi
        b |= piece.b
    return Piece(Phi, b)


_UNITS = tuple(Force.from_components([1.0 if r == c else 0.0 for r in range(6)]) for c in range(6))


def _columns(F: Forces) -> Matrix:
    """Forces as a 6 x n matrix."""
    return Matrix(f.components() for f in F).T


def _transposed(A: Motions) -> Motions:
    """The transpose of a 6x6 matrix."""
    return Motions(Motion.from_components(row) for row in zip(*(m.components() for m in A), strict=True))


def _motion(x: Vector) -> Motion:
    return Motion.from_components(x.entries)


def _diagonal(A: Matrix, B: Matrix) -> Matrix:
    """diag(A, B)."""
    a, b = len(A.rows), len(B.rows)
    zero: list[Scalar] = [0.0]
    return Matrix([[*row, *(zero * b)] for row in A.rows] + [[*(zero * a), *row] for row in B.rows])
