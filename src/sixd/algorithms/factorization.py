"""Factorisations of the mass matrix that keep its branch-induced sparsity.

R. Featherstone, "Efficient factorization of the joint space inertia matrix for branched kinematic trees", 2005, which
F10b cites after (48). ``parents`` is lambda by degree of freedom (`Model.dof_parent`): entry (r, c), c < r, can be
nonzero only if c is met on the way from r to the base. Starting from the last row, elimination fills nothing in.
Matrices are lists of rows of any number; only the lower triangle is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sixd.ops import Scalar, divide, sqrt

__all__ = ["inverse_ltdl", "ltdl", "ltl", "solve_ltdl", "solve_ltl"]

Rows = Sequence[Sequence[Scalar]]


def _ancestors(k: int, parents: Sequence[int]) -> Iterator[int]:
    while (k := parents[k]) >= 0:
        yield k


def ltl(H: Rows, parents: Sequence[int]) -> list[list[Scalar]]:
    """L, lower triangular, with H = L^T L."""
    L = [list(row) for row in H]
    for k in reversed(range(len(L))):
        L[k][k] = sqrt(L[k][k])
        for i in _ancestors(k, parents):
            L[k][i] = divide(L[k][i], L[k][k])
        for i in _ancestors(k, parents):
            for j in (i, *_ancestors(i, parents)):
                L[i][j] = L[i][j] - L[k][i] * L[k][j]
    return _lower(L)


def ltdl(H: Rows, parents: Sequence[int]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """L, unit lower triangular, and the diagonal D, with H = L^T D L."""
    L = [list(row) for row in H]
    for k in reversed(range(len(L))):
        for i in _ancestors(k, parents):
            factor = divide(L[k][i], L[k][k])
            for j in (i, *_ancestors(i, parents)):
                L[i][j] = L[i][j] - factor * L[k][j]
            L[k][i] = factor
    D = [L[k][k] for k in range(len(L))]
    for k in range(len(L)):
        L[k][k] = 1.0
    return _lower(L), D


def solve_ltl(L: Rows, b: Sequence[Scalar], parents: Sequence[int]) -> list[Scalar]:
    """x with L^T L x = b."""
    x = list(b)
    for i in reversed(range(len(x))):
        x[i] = divide(x[i], L[i][i])
        for j in _ancestors(i, parents):
            x[j] = x[j] - L[i][j] * x[i]
    for i in range(len(x)):
        for j in _ancestors(i, parents):
            x[i] = x[i] - L[i][j] * x[j]
        x[i] = divide(x[i], L[i][i])
    return x


def solve_ltdl(L: Rows, D: Sequence[Scalar], b: Sequence[Scalar], parents: Sequence[int]) -> list[Scalar]:
    """x with L^T D L x = b."""
    x = list(b)
    for i in reversed(range(len(x))):
        for j in _ancestors(i, parents):
            x[j] = x[j] - L[i][j] * x[i]
    for i in range(len(x)):
        x[i] = divide(x[i], D[i])
        for j in _ancestors(i, parents):
            x[i] = x[i] - L[i][j] * x[j]
    return x


def inverse_ltdl(L: Rows, D: Sequence[Scalar], parents: Sequence[int]) -> list[list[Scalar]]:
    """H^-1 for H = L^T D L, row by row.

    Column c solves L x = D^-1 L^-T e_c, whose right-hand side is 1 / D_c in row c and zero below. The rows above c are
    known by symmetry from the columns before.
    """
    n = len(D)
    x: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for c in range(n):
        for r in range(c, n):
            entry = divide(1.0, D[c]) if r == c else 0.0
            for a in _ancestors(r, parents):
                entry = entry - L[r][a] * x[a][c]
            x[r][c] = x[c][r] = entry
    return x


def _lower(L: list[list[Any]]) -> list[list[Any]]:
    return [[x if c <= r else 0.0 for c, x in enumerate(row)] for r, row in enumerate(L)]
