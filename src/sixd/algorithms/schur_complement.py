"""The Schur complement of the mass matrix in the equations of motion with constraints: FO00 (21)."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.constraint_factors import ConstraintFactors, Solution
from sixd.algorithms.factorization import ltdl
from sixd.algorithms.guarded import dot, guarded_ldl, is_nothing
from sixd.ops import Scalar, divide

__all__ = ["SchurComplement", "half_product", "half_solve"]

Rows = Sequence[Sequence[Scalar]]


class SchurComplement(ConstraintFactors):
    """The equations FO00 (20) at a position, factorised: H by its sparse factors, then L H^-1 L^T, the matrix of (21).

    O(n d^2) for H of a tree of depth d, and O(n rows^2 + rows^3) for the rows.
    """

    def __init__(self, H: Rows, L: Rows, tolerances: Sequence[Scalar], parents: Sequence[int]) -> None:
        self.L, self.parents = L, parents
        self.L_H, D = ltdl(H, parents)
        self.D_inverse = [divide(1.0, d) for d in D]
        Y = [half_solve(self.L_H, row, parents) for row in L]
        self.Z = [[0.0 if is_nothing(x) else x * d for x, d in zip(row, self.D_inverse, strict=True)] for row in Y]
        self.factors = guarded_ldl([[dot(Y[i], self.Z[j]) for j in range(i + 1)] for i in range(len(Y))], tolerances)
        self.inverses = self.factors.inverse

    def solve(self, c: Sequence[Scalar], u: Sequence[Scalar] | None = None) -> Solution:
        """FO00 (21): L H^-1 L^T lambda = c - L H^-1 u, then H x = u + L^T lambda."""
        x: list[Scalar] = [0.0] * len(self.parents)
        if u is not None:
            y = half_solve(self.L_H, u, self.parents)
            x = [0.0 if is_nothing(a) else a * d for a, d in zip(y, self.D_inverse, strict=True)]
            c = [right - dot(z, y) for right, z in zip(c, self.Z, strict=True)]
        lam = self.factors.solve(c)
        for z, k in zip(self.Z, lam, strict=True):
            if not is_nothing(k):
                x = [a if is_nothing(b) else a + b * k for a, b in zip(x, z, strict=True)]
        return Solution(back_solve(self.L_H, x, self.parents), lam)

    def mobility(self, u: Sequence[Scalar]) -> Scalar:
        y = half_solve(self.L_H, u, self.parents)
        return dot(y, [0.0 if is_nothing(x) else x * d for x, d in zip(y, self.D_inverse, strict=True)])


def half_solve(L: Rows, b: Sequence[Scalar], parents: Sequence[int]) -> list[Scalar]:
    """x with L^T x = b, for L of `ltdl`: only ancestors of nonzero entries become nonzero."""
    x = list(b)
    for i in reversed(range(len(x))):
        j = parents[i]
        while j >= 0 and not is_nothing(x[i]):
            if not is_nothing(L[i][j]):
                x[j] = x[j] - L[i][j] * x[i]
            j = parents[j]
    return x


def back_solve(L: Rows, b: Sequence[Scalar], parents: Sequence[int]) -> list[Scalar]:
    """x with L x = b, for L of `ltdl`."""
    x = list(b)
    for i in range(len(x)):
        j = parents[i]
        while j >= 0:
            if not is_nothing(L[i][j]):
                x[i] = x[i] - L[i][j] * x[j]
            j = parents[j]
    return x


def half_product(L: Rows, x: Sequence[Scalar], parents: Sequence[int]) -> list[Scalar]:
    """L^T x, for L of `ltdl`: what `half_solve` undoes."""
    b = list(x)
    for i in range(len(b)):
        j = parents[i]
        while j >= 0:
            if not is_nothing(L[i][j]):
                b[j] = b[j] + L[i][j] * x[i]
            j = parents[j]
    return b
