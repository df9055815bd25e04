"""What solves H x = u + L^T lambda, L x = c at a position, once it is factorised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.guarded import dot, is_nothing
from sixd.ops import Scalar, where

__all__ = ["ConstraintFactors", "Solution"]


class Solution(NamedTuple):
    """x with H x = u + L^T lambda and L x = c, and lambda."""

    x: list[Scalar]
    multipliers: list[Scalar]


class ConstraintFactors(ABC):
    """The equations of motion with constraints at a position, FO00 (20), factorised.

    Rows that depend on others are left out, by each sample for itself; their multipliers are zero.
    """

    #: The rows of the constraint Jacobian.
    L: Sequence[Sequence[Scalar]]
    #: For each row the inverse of its pivot; zero if the row depends on others.
    inverses: Sequence[Scalar]

    @abstractmethod
    def solve(self, c: Sequence[Scalar], u: Sequence[Scalar] | None = None) -> Solution:
        """x and lambda for joint forces u and right-hand sides c of the rows.

        Without forces u, x is the change of velocity with L x = c that is least in the metric of H.
        """

    @abstractmethod
    def mobility(self, u: Sequence[Scalar]) -> Scalar:
        """u^T H^-1 u, as if there were no constraints."""

    def forces(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """L^T lambda, by degree of freedom."""
        return [dot(column, multipliers) for column in zip(*self.L, strict=True)]

    @property
    def independent(self) -> list[Scalar]:
        """For each row 1 if it counts, 0 if it depends on others."""
        return [0.0 if is_nothing(x) else where(x > 0.0, 1.0, 0.0) for x in self.inverses]

    @property
    def rank(self) -> Scalar:
        """How many rows are independent."""
        total: Scalar = 0.0
        for count in self.independent:
            total = total + count
        return total
