"""The nearest states that keep the constraints: least changes of positions and velocities, measured by the mass matrix.

The change x with L x = b for which x^T H x is least is x = H^-1 L^T lambda with L H^-1 L^T lambda = b, the same
equations as those of forward dynamics, FO00 (21). Rows that depend on others are left out, by each sample for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import back_solve, half_solve
from sixd.algorithms.constraints import constraint_error, constraint_jacobian
from sixd.algorithms.declared import Position, Targets
from sixd.algorithms.factorization import ltdl
from sixd.algorithms.guarded import dot, guarded_ldl, is_nothing
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, divide

__all__ = ["Change", "LeastChange", "position_correction"]


class Change(NamedTuple):
    """A change of velocity, and the impulses of the constraints that make it."""

    x: list[Scalar]
    impulses: list[Scalar]


class LeastChange:
    """The factors of H and of L H^-1 L^T at a position."""

    def __init__(self, tree: Tree, q: Position) -> None:
        self.parents = tree.model.dof_parent
        self.rows = constraint_jacobian(tree, q).rows
        self.L_H, D = ltdl(crba(tree, q).rows, self.parents)
        inverse = [divide(1.0, d) for d in D]
        Y = [half_solve(self.L_H, row, self.parents) for row in self.rows]
        self.Z = [[0.0 if is_nothing(x) else x * d for x, d in zip(row, inverse, strict=True)] for row in Y]
        tolerances = [c.constraint.rank_tolerance for c in tree.constraints() for _ in range(c.constraint.rows)]
        self.inverse = inverse
        self.factors = guarded_ldl([[dot(Y[i], self.Z[j]) for j in range(i + 1)] for i in range(len(Y))], tolerances)

    def solve(self, b: Sequence[Scalar], u: Sequence[Scalar] | None = None) -> Change:
        """x with L x = b; if forces ``u`` are given, H x = u + L^T lambda, FO00 (20)."""
        total: list[Scalar] = [0.0] * len(self.parents)
        if u is not None:
            y = half_solve(self.L_H, u, self.parents)
            total = [0.0 if is_nothing(a) else a * d for a, d in zip(y, self.inverse, strict=True)]
            b = [x - dot(z, y) for x, z in zip(b, self.Z, strict=True)]
        impulses = self.factors.solve(b)
        for z, k in zip(self.Z, impulses, strict=True):
            total = [a if is_nothing(c) or is_nothing(k) else a + c * k for a, c in zip(total, z, strict=True)]
        return Change(back_solve(self.L_H, total, self.parents), impulses)

    def velocities(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """L qd."""
        return [dot(row, qd) for row in self.rows]

    def forces(self, impulses: Sequence[Scalar]) -> list[Scalar]:
        """L^T impulses, by degree of freedom."""
        return [dot([row[k] for row in self.rows], impulses) for k in range(len(self.parents))]


@algorithm(rolled=False)
def position_correction(tree: Tree, q: Position, targets: Targets = None) -> Output:
    """dv, a step of Newton's method: q (+) dv keeps the constraints up to the square of their error at q."""
    dv = tree.output()
    dv.values = LeastChange(tree, q).solve([-x for x in constraint_error(tree, q, targets).values]).x
    return dv
