"""Least squares by orthogonal vectors, for columns of which some may depend on others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.guarded import Guard, dot, is_nothing
from sixd.ops import Scalar

__all__ = ["GramSchmidt", "LeastSquares"]

Vector = Sequence[Scalar]


class LeastSquares(NamedTuple):
    """x with the least |b - A x|; and what is left, b - A x."""

    x: list[Scalar]
    rest: list[Scalar]


class GramSchmidt:
    """The columns of A made orthogonal one after the other (the modified method of Gram and Schmidt), A = Q R.

    The scalar product of a and b is sum_i weights_i a_i b_i. Column k counts as dependent on those before it if the
    square of the sine between them is at most its tolerance; each sample decides for itself. Errors grow with the
    conditioning of A, not with its square as in the normal equations.
    """

    def __init__(self, columns: Sequence[Vector], weights: Vector, tolerances: Sequence[Scalar]) -> None:
        self.weights, self.Q, n = weights, [list(column) for column in columns], range(len(columns))
        #: For each column the inverse of the square of its length in Q; zero if it depends on others.
        self.inverse: list[Scalar] = []
        self.R: list[list[Scalar]] = [[0.0] * len(columns) for _ in n]
        guard = Guard(tolerances)
        for k in n:
            square = self._product(columns[k], columns[k])
            self.inverse.append(guard.inverse(k, self._product(self.Q[k], self.Q[k]), square))
            for j in range(k + 1, len(columns)):
                self.R[k][j], self.Q[j] = self._removed(k, self.Q[j])

    def solve(self, b: Vector) -> LeastSquares:
        """The x of columns that depend on others are zero."""
        shares, rest = [], list(b)
        for k in range(len(self.Q)):
            share, rest = self._removed(k, rest)
            shares.append(share)
        return LeastSquares(self._back(shares), rest)

    def dependence(self, j: int) -> list[Scalar]:
        """The x with A x = column j, if it depends on others: only the columns before it have entries."""
        return self._back([self.R[k][j] if k < j else 0.0 for k in range(len(self.Q))])

    def _product(self, a: Vector, b: Vector) -> Scalar:
        return dot([x if is_nothing(x) else x * w for x, w in zip(a, self.weights, strict=True)], b)

    def _removed(self, k: int, b: Vector) -> tuple[Scalar, list[Scalar]]:
        """How much of column k of Q is in b, and b without it."""
        product = self._product(self.Q[k], b)
        if is_nothing(product) or is_nothing(self.inverse[k]):
            return 0.0, list(b)
        share = product * self.inverse[k]
        return share, [y if is_nothing(x) else y - share * x for x, y in zip(self.Q[k], b, strict=True)]

    def _back(self, shares: Vector) -> list[Scalar]:
        """x with R x = shares; R has ones on its diagonal."""
        x = list(shares)
        for k in reversed(range(len(x))):
            x[k] = x[k] - dot(self.R[k][k + 1 :], x[k + 1 :])
        return x
