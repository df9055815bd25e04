"""Elimination that survives redundant equations: pivots that are too small count as zero, by each sample for itself.

Matrices are lists of rows of any number. Entries that are the float 0.0 are known to be zero while a program is
recorded, and cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sixd.ops import Scalar, divide, where

__all__ = ["Guard", "GuardedFactors", "Tolerances", "dot", "guarded_inverse", "guarded_ldl", "is_nothing", "largest"]

Rows = Sequence[Sequence[Scalar]]


def is_nothing(x: Scalar) -> bool:
    """Whether a number is known to be zero, not only for some samples."""
    return type(x) is float and x == 0.0


def dot(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """The scalar product, without the terms that are known to be zero."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        if not (is_nothing(x) or is_nothing(y)):
            total = total + x * y
    return total


def guarded_inverse(pivot: Scalar, least: Scalar) -> Scalar:
    """1 / pivot, or zero unless the pivot is greater than ``least``."""
    return 0.0 if is_nothing(pivot) else where(pivot > least, divide(1.0, pivot), 0.0)


def largest(sizes: Sequence[Scalar]) -> tuple[Scalar, list[Scalar]]:
    """The largest of some numbers that are not negative, and for each of them 1 if it is that one, else 0."""
    best: Scalar = 0.0
    for size in sizes:
        if not is_nothing(size):
            best = where(size > best, size, best)
    flags: list[Scalar] = []
    taken: Scalar = 0.0
    for size in sizes:  # of equal ones the first
        flag = 0.0 if is_nothing(size) else where(size < best, 0.0, 1.0 - taken)
        taken = taken + flag
        flags.append(flag)
    return best, flags


class Tolerances(list[Scalar]):
    """By row, the share of its square that its pivot must exceed, and the number of the row's group.

    Rows of a group are what they are only up to a rotation. In plain lists, each row is a group of its own.
    """

    def __init__(self, shares: Iterable[Scalar], groups: Iterable[int]) -> None:
        super().__init__(shares)
        self.groups = list(groups)


class Guard:
    """Which pivots count, row by row, in one elimination.

    Two rows that are nearly parallel could be turned so that one is small and the other is not. Then the second, if it
    comes last, leaves a rest that is as much too large as the first one is small. So within a group the share asked of
    a row is at least that by which rows before it have come nearest to being left out: least / pivot.
    """

    def __init__(self, tolerances: Sequence[Scalar]) -> None:
        self.shares = tolerances
        self.groups = tolerances.groups if isinstance(tolerances, Tolerances) else range(len(tolerances))
        #: By group, the largest ratio of least / pivot so far.
        self._nearest: dict[int, Scalar] = {}

    def inverse(self, k: int, pivot: Scalar, square: Scalar) -> Scalar:
        """1 / pivot of row k, whose square was ``square`` before the elimination, or zero if it is too small."""
        share, group = self.shares[k], self.groups[k]
        nearest = self._nearest.get(group)
        if nearest is not None:
            share = where(share > nearest, share, nearest)
        least = 0.0 if is_nothing(square) else share * square
        inverse = guarded_inverse(pivot, least)
        if not is_nothing(inverse):
            ratio = least * inverse
            self._nearest[group] = ratio if nearest is None else where(ratio > nearest, ratio, nearest)
        return inverse


class GuardedFactors:
    """A = L D L^T of a positive semidefinite matrix: unit lower triangular L, and the inverses of D, zero where a row
    depends on those before it.
    """

    def __init__(self, L: list[list[Scalar]], inverse: list[Scalar]) -> None:
        self.L, self.inverse = L, inverse

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """x with A x = b in the rows that are independent; x is zero in the others, whose b does not matter."""
        x, n = list(b), len(b)
        for k in range(n):
            for i in range(k + 1, n):
                if not is_nothing(self.L[i][k]):
                    x[i] = x[i] - self.L[i][k] * x[k]
        x = [0.0 if is_nothing(r) else y * r for y, r in zip(x, self.inverse, strict=True)]
        for k in reversed(range(n)):
            for i in range(k + 1, n):
                if not is_nothing(self.L[i][k]):
                    x[k] = x[k] - self.L[i][k] * x[i]
        return x


def guarded_ldl(A: Rows, tolerances: Sequence[Scalar]) -> GuardedFactors:
    """The factors of a positive semidefinite matrix, of which only the lower triangle is read.

    The pivot of row k is the square of its distance from the rows before it, if A is a matrix of scalar products. It
    counts as zero unless it is greater than its tolerance times A_kk. What is then left of column k is dropped.
    """
    n, guard = len(A), Guard(tolerances)
    rest = [list(row[: k + 1]) for k, row in enumerate(A)]
    inverse: list[Scalar] = []
    L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for k in range(n):
        r = guard.inverse(k, rest[k][k], A[k][k])
        inverse.append(r)
        for i in range(k + 1, n):
            if is_nothing(r) or is_nothing(rest[i][k]):
                continue
            L[i][k] = factor = rest[i][k] * r
            for j in range(k + 1, i + 1):
                if not is_nothing(rest[j][k]):
                    rest[i][j] = rest[i][j] - factor * rest[j][k]
    return GuardedFactors(L, inverse)
