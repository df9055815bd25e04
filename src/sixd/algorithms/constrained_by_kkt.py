"""Forward dynamics with constraints, all equations at once: FO00 (20), its method 1."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import Equations, equations
from sixd.algorithms.declared import ExternalForces, JointForces, Position, Targets, Velocity
from sixd.algorithms.guarded import Guard, is_nothing
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, divide

__all__ = ["constrained_forward_dynamics_kkt"]


@algorithm(rolled=False)
def constrained_forward_dynamics_kkt(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, targets: Targets = None
) -> Output:
    """qdd and -lambda from [H, L^T; L, 0] by elimination in the order in which they stand: FO00 (20), its method 1.

    It is the simplest way, O((n + rows)^3): the order makes no use of the sparsity of H. The pivots of the first n rows
    are positive, since H is; the others are negative, or zero if a row is redundant.
    """
    qdd = tree.output()
    qdd.values = _solve(equations(tree, q, qd, tau, f_ext, targets))
    return qdd


def _solve(e: Equations) -> list[Scalar]:
    """The first n unknowns of the symmetric equations: elimination, then substitution from the last row."""
    n, m = len(e.u), len(e.c)
    K = [list(row[: k + 1]) for k, row in enumerate(e.H)] + [[*row, *[0.0] * (r + 1)] for r, row in enumerate(e.L)]
    x, inverse = [*e.u, *e.c], []
    guard, squares = Guard(e.tolerances), list[Scalar]()
    for k in range(n + m):
        if k == n:  # what is left of row r of L is -L H^-1 L^T
            squares = [-K[r][r] for r in range(n, n + m)]
        pivot = K[k][k]
        if k < n:
            inverse.append(divide(1.0, pivot))
        else:
            inverse.append(-guard.inverse(k - n, -pivot, squares[k - n]))
        column = [K[i][k] for i in range(k + 1, n + m)]
        for i, entry in enumerate(column, start=k + 1):
            if is_nothing(entry) or is_nothing(inverse[k]):
                K[i][k] = 0.0
                continue
            K[i][k] = factor = entry * inverse[k]
            for j in range(k + 1, i + 1):
                if not is_nothing(column[j - k - 1]):
                    K[i][j] = K[i][j] - factor * column[j - k - 1]
            x[i] = x[i] - factor * x[k]
    x = [0.0 if is_nothing(r) else y * r for y, r in zip(x, inverse, strict=True)]
    for k in reversed(range(n + m)):
        for i in range(k + 1, n + m):
            if not (is_nothing(K[i][k]) or is_nothing(x[i])):
                x[k] = x[k] - K[i][k] * x[i]
    return x[:n]
