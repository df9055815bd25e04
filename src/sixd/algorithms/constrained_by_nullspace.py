"""Forward dynamics with constraints in the null space of L, with a rank that is found at run time: FO00 (22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import Equations, equations
from sixd.algorithms.declared import ExternalForces, JointForces, Position, Targets, Velocity
from sixd.algorithms.guarded import Guard, dot, guarded_ldl, is_nothing, largest
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, absolute, divide, sqrt, where

__all__ = ["constrained_forward_dynamics_nullspace"]

Rows = list[list[Scalar]]


@algorithm(rolled=False)
def constrained_forward_dynamics_nullspace(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, targets: Targets = None
) -> Output:
    """qdd = K y + qdd_0 with L K = 0, and K^T H K y = K^T (u - H qdd_0): FO00 (22), its method 3.

    Gaussian elimination with a numerical rank test is applied to L qdd = c. In each row, each sample takes the
    coordinate with the largest entry, measured by the square root of its inertia, as the one that depends on the
    others; if all entries are too small, the row is redundant. K is n x n: the columns of coordinates that depend on
    others are zero. So the rank may differ from sample to sample, and the cost does not fall with n - rank as it would
    with columns left out.
    """
    qdd = tree.output()
    qdd.values = _solve(equations(tree, q, qd, tau, f_ext, targets))
    return qdd


def _solve(e: Equations) -> list[Scalar]:
    K, start, depends = _solutions(e)
    n = len(e.u)
    HK = [[dot(row, column) for column in zip(*K, strict=True)] for row in e.H]
    left = [u - dot(row, start) for u, row in zip(e.u, e.H, strict=True)]
    columns = list(zip(*K, strict=True))
    M = [[dot(columns[i], [row[j] for row in HK]) for j in range(i + 1)] for i in range(n)]
    for i in range(n):  # an equation y_i = 0 for a coordinate that depends on others
        M[i][i] = M[i][i] + depends[i] * e.H[i][i]
    y = guarded_ldl(M, [0.0] * n).solve([dot(column, left) for column in columns])
    return [dot(row, y) + x for row, x in zip(K, start, strict=True)]


class _Solutions(NamedTuple):
    """All solutions of L qdd = c: K y + start for any y."""

    K: Rows
    start: list[Scalar]
    #: 1 for coordinates that depend on others, 0 for the others.
    depends: list[Scalar]


def _solutions(e: Equations) -> _Solutions:
    """Gauss-Jordan elimination of L qdd = c, with the pivot of each row chosen among its columns by each sample."""
    n, m = len(e.u), len(e.c)
    weights = [divide(1.0, sqrt(e.H[j][j])) for j in range(n)]
    B: Rows = [list(row) for row in e.L]
    c, depends = list(e.c), [0.0] * n
    chosen: Rows = []
    guard = Guard(e.tolerances)
    for k in range(m):
        first, _ = largest(_sizes(e.L[k], weights, [0.0] * n))
        size, pivots = largest(_sizes(B[k], weights, depends))
        ok = guard.inverse(k, size * size, first * first) > 0.0
        is_pivot = [0.0 if is_nothing(p) else where(ok, p, 0.0) for p in pivots]
        pivot = dot(is_pivot, B[k])
        inverse = 0.0 if is_nothing(pivot) else where(ok, divide(1.0, pivot), 0.0)
        row = [0.0 if is_nothing(x) else x * inverse for x in B[k]]
        right = c[k] * inverse
        for i in range(m):
            factor = 0.0 if i == k else dot(is_pivot, B[i])
            if not is_nothing(factor):
                B[i] = [x if is_nothing(y) else x - factor * y for x, y in zip(B[i], row, strict=True)]
                c[i] = c[i] - factor * right
        B[k], c[k] = row, right
        chosen.append(is_pivot)
        depends = [x if is_nothing(p) else x + p for x, p in zip(depends, is_pivot, strict=True)]
    # For each coordinate, which row determines it; without constraints there are no rows.
    rows_of = list(zip(*chosen, strict=True)) if m else [()] * n
    K = [
        [(1.0 if i == j else 0.0) - dot(rows_of[i], [B[k][j] for k in range(m)]) * (1.0 - depends[j]) for j in range(n)]
        for i in range(n)
    ]
    for i in range(n):
        K[i][i] = K[i][i] - depends[i]
    return _Solutions(K, [dot(rows, c) for rows in rows_of], depends)


def _sizes(row: Sequence[Scalar], weights: Sequence[Scalar], depends: Sequence[Scalar]) -> list[Scalar]:
    """The weighted entries of a row, zero in the columns of coordinates that depend on others already."""
    entries = zip(row, weights, depends, strict=True)
    return [0.0 if is_nothing(x) else absolute(x) * w * (1.0 - d) for x, w, d in entries]
