"""Null spaces whose dimension differs from sample to sample, for solutions with the least sum of squares."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.guarded import dot, guarded_ldl, is_nothing
from sixd.ops import Scalar, divide, where

__all__ = ["NullSpace"]


class NullSpace:
    """The x that change nothing, spanned by as many vectors as there are unknowns; those that are not needed are zero.

    Unknown j of a system either counts, or is expressed by those that do. In the second case
    ``vectors[j]`` is e_j less what replaces it; ``counts[j]`` is 0 then, and 1 otherwise.
    """

    def __init__(self, vectors: Sequence[Sequence[Scalar]], counts: Sequence[Scalar]) -> None:
        n = range(len(vectors))
        self.vectors = [
            [0.0 if is_nothing(x) or is_nothing(1.0 - counts[j]) else x * (1.0 - counts[j]) for x in vectors[j]]
            for j in n
        ]
        self.products = [[dot(self.vectors[i], self.vectors[j]) for j in range(i + 1)] for i in n]
        self.factors = guarded_ldl(self.products, [0.0] * len(vectors))

    def removed_from(self, x: Sequence[Scalar]) -> list[Scalar]:
        """x less its part in the null space: of all vectors with the same effect the one with the least squares."""
        for _ in range(2):  # the second time it takes away what rounding has left
            shares = self.factors.solve([dot(vector, x) for vector in self.vectors])
            x = [a - dot(shares, column) for a, column in zip(x, zip(*self.vectors, strict=True), strict=True)]
        return list(x)

    def reaches(self, least: float = 1e-12) -> list[Scalar]:
        """For each unknown 1 if the null space changes it, else 0.

        A vector does if the square of its entry is more than ``least`` of the sum of all its squares.
        """
        found = []
        for k in range(len(self.vectors)):
            largest: Scalar = 0.0
            for j, vector in enumerate(self.vectors):
                if not is_nothing(vector[k]):
                    size = self.products[j][j]
                    share = divide(vector[k] * vector[k], where(size > 0.0, size, 1.0))
                    largest = where(share > largest, share, largest)
            found.append(0.0 if is_nothing(largest) else where(largest > least, 1.0, 0.0))
        return found
