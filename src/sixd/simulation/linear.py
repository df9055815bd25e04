"""Dense systems of linear equations, written out for any kind of number."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.ops import Scalar, divide

__all__ = ["factorized", "solved"]

Rows = list[list[Scalar]]


def factorized(rows: Sequence[Sequence[Scalar]]) -> Rows:
    """A = L U without pivoting, L with unit diagonal below, 1 / U_kk on the diagonal, U above.

    That is stable if A + A^T is positive definite, as the matrices of implicit integrators are: a mass matrix plus
    small terms, or springs and dampers.
    """
    A = [list(row) for row in rows]
    n = len(A)
    for k in range(n):
        A[k][k] = divide(1.0, A[k][k])
        for i in range(k + 1, n):
            A[i][k] = A[i][k] * A[k][k]
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - A[i][k] * A[k][j]
    return A


def solved(factors: Rows, b: Sequence[Scalar]) -> list[Scalar]:
    """x with A x = b, from the factors of A."""
    x, n = list(b), len(b)
    for i in range(n):
        for j in range(i):
            x[i] = x[i] - factors[i][j] * x[j]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = x[i] - factors[i][j] * x[j]
        x[i] = x[i] * factors[i][i]
    return x
