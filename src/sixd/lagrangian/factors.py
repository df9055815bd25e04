"""The two factorisations of a chain's inertia matrix, PBP95 (41)-(51). Script letters are plain ones here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sixd.lagrangian.chain import Chain, coordinates_of
from sixd.lie import se3
from sixd.ops import Scalar
from sixd.spatial import Matrix, Motion, Transform

__all__ = ["LinkFactors", "SpaceFactors"]


@dataclass(frozen=True)
class SpaceFactors:
    """M = A^T L^T D L A, in root coordinates. Kinematics is in A, inertia in D, and x in L alone."""

    #: 6n x n: the screws A_i on a block diagonal, (41).
    A: Matrix
    #: 6n x 6n: unit lower triangle of the blocks Ad_r^(c+1), (43) with (42).
    L: Matrix
    #: 6n x 6n: the inertias D_i at home in root coordinates on a block diagonal, (45) with (44).
    D: Matrix

    @classmethod
    def of(cls, chain: Chain, x: Any) -> SpaceFactors:
        """The factors at x."""
        x = coordinates_of(chain, x)
        L = _lower(chain.n, lambda r, c: chain.Ad_matrix(c + 1, r, x))
        return cls(_columns(chain.A), L, _diagonal([D.matrix() for D in chain.D]))

    @property
    def M(self) -> Matrix:
        """The inertia matrix, n x n: (46)."""
        LA = self.L @ self.A
        return LA.T @ (self.D @ LA)


@dataclass(frozen=True)
class LinkFactors:
    """M = S^T G^T J G S, in link coordinates: the quantities of the recursive algorithm."""

    #: 6n x n: the screws S_i on a block diagonal, (47).
    S: Matrix
    #: 6n x 6n: unit lower triangle of the blocks Ad of f_(c,r)^-1, (49).
    G: Matrix
    #: 6n x 6n: the inertias J_i on a block diagonal, (48).
    J: Matrix
    #: 6n x 6n: Ad of the links' poses in the root at home on a block diagonal, and its inverse: (50).
    Q: Matrix
    Q_inv: Matrix

    @classmethod
    def of(cls, chain: Chain, x: Any) -> LinkFactors:
        """The factors at x."""
        x, homes = coordinates_of(chain, x), chain.homes
        X = [home @ chain.moved(1, i + 1, x) for i, home in enumerate(homes)]  # f_i, the links in the root

        def block(r: int, c: int) -> Matrix:
            between: Transform = X[r - 1] @ X[c - 1].inverse()  # f_(c,r)
            return se3.Ad_matrix(between.inverse())

        Q, Q_inv = (_diagonal([se3.Ad_matrix(X) for X in poses]) for poses in (homes, [X.inverse() for X in homes]))
        return cls(_columns(chain.S), _lower(chain.n, block), _diagonal([J.matrix() for J in chain.J]), Q, Q_inv)

    @property
    def M(self) -> Matrix:
        """The inertia matrix, n x n: (51)."""
        GS = self.G @ self.S
        return GS.T @ (self.J @ GS)

    def in_space(self) -> SpaceFactors:
        """The other factors: A = Q S, L = Q G Q^-1, D = Q^-T J Q^-1; after (51)."""
        return SpaceFactors(self.Q @ self.S, self.Q @ self.G @ self.Q_inv, self.Q_inv.T @ self.J @ self.Q_inv)


def _columns(screws: Sequence[Motion]) -> Matrix:
    """Six-vectors on a block diagonal."""
    n = len(screws)
    return Matrix([x if c == i else 0.0 for c in range(n)] for i, s in enumerate(screws) for x in s.components())


def _diagonal(blocks: Sequence[Matrix]) -> Matrix:
    """6x6 blocks on a block diagonal."""
    nothing = Matrix.zero(6)
    return _blocks(len(blocks), lambda r, c: blocks[r - 1] if r == c else nothing)


def _lower(n: int, block: Callable[[int, int], Matrix]) -> Matrix:
    """A unit lower triangle of 6x6 blocks."""
    one, nothing = Matrix.identity(6), Matrix.zero(6)
    return _blocks(n, lambda r, c: block(r, c) if r > c else one if r == c else nothing)


def _blocks(n: int, block: Callable[[int, int], Matrix]) -> Matrix:
    every = range(1, n + 1)
    rows: list[list[Scalar]] = []
    for r in every:
        row = [block(r, c).rows for c in every]
        rows += [[x for part in row for x in part[k]] for k in range(6)]
    return Matrix(rows)
