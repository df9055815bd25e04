"""The mass matrix as H = L^T D L by degree of freedom; H^-1 on sparse vectors, and what constraints leave of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixd.algorithms import crba
from sixd.algorithms.articulated_factors import articulated_factors
from sixd.algorithms.constraint_ranks import row_tolerances
from sixd.algorithms.constraints import constraint_jacobian
from sixd.algorithms.factorization import ltdl
from sixd.algorithms.guarded import GuardedFactors, guarded_ldl, is_nothing
from sixd.ops import Scalar, divide
from sixd.simulation.contact.sites import Sparse
from sixd.simulation.moment import Moment

__all__ = ["ClosedFactors", "Factors", "dot", "factors_of"]


@dataclass(frozen=True)
class Factors:
    """L, unit lower triangular, and the blocks of D^-1, each by row: only entries that the tree lets be nonzero.

    H^-1 = L^-1 D^-1 L^-T. If b has entries on the way from a body to the base, so has L^-T b: all that a contact does
    until its last step stays on its branch.
    """

    L: Sequence[Sparse]
    Dinv: Sequence[Sparse]

    def inward(self, b: Sparse) -> Sparse:
        """L^-T b."""
        y = dict(b)
        for r in sorted(self._ancestry(b), reverse=True):
            for c, l in self.L[r].items() if r in y else ():
                step = l * y[r]
                y[c] = y[c] - step if c in y else -step
        return y

    def weighed(self, y: Sparse) -> Sparse:
        """D^-1 y."""
        rows = {c for r in y for c in self.Dinv[r]}
        return {r: dot(self.Dinv[r], y) for r in sorted(rows)}

    def outward(self, z: Sparse) -> list[Scalar]:
        """L^-1 z, all entries."""
        x: list[Scalar] = []
        for r, row in enumerate(self.L):
            entry = z.get(r, 0.0)
            for c, l in row.items():
                entry = entry - l * x[c]
            x.append(entry)
        return x

    def _ancestry(self, b: Sparse) -> set[int]:
        """The degrees of freedom of b and all on their ways to the base."""
        return set(b).union(*(self.L[r] for r in b))


@dataclass(frozen=True)
class ClosedFactors(Factors):
    """The same for a closed robot, with W = H^-1 - H^-1 G^T (G H^-1 G^T)^-1 G H^-1 in place of H^-1: FO00 (21).

    W b is the change of velocity that an impulse b makes together with those of the constraints G qd = 0: G W = 0. With
    Z = G L^-1 D^-1, row by row, W = L^-1 (D^-1 - Z^T (Z D Z^T)^-1 Z) L^-T. It reaches all joints of a loop.
    """

    Z: Sequence[Sparse]
    schur: GuardedFactors

    def weighed(self, y: Sparse) -> Sparse:
        z = super().weighed(y)
        for row, force in zip(self.Z, self.schur.solve([dot(row, y) for row in self.Z]), strict=True):
            for k, x in row.items() if not is_nothing(force) else ():
                z[k] = z[k] - force * x if k in z else -(force * x)
        return z


def dot(a: Sparse, b: Sparse) -> Scalar:
    """The scalar product of two sparse vectors."""
    total: Scalar = 0.0
    for k, x in a.items():
        if k in b:
            total = total + x * b[k]
    return total


def factors_of(moment: Moment) -> Factors:
    """The factors at a moment, with the constraints of a closed robot."""
    factors, tree = _tree_factors(moment), moment.tree
    if not any(tree.constraints()):
        return factors
    q = tree.positions(moment.q)
    rows = constraint_jacobian(tree, q).rows
    Y = [factors.inward({k: x for k, x in enumerate(row) if not is_nothing(x)}) for row in rows]
    Z = [factors.weighed(y) for y in Y]
    products = [[dot(Y[i], Z[j]) for j in range(i + 1)] for i in range(len(Y))]
    schur = guarded_ldl(products, row_tolerances(tree, q, rows))
    return ClosedFactors(factors.L, factors.Dinv, Z, schur)


def _tree_factors(moment: Moment) -> Factors:
    """The factors of the tree: from the articulated inertias, which forward dynamics computes anyway.

    Joints that mimic others make no tree of independent joints; there the mass matrix itself is factorised.
    """
    model, tree = moment.model, moment.tree
    q = tree.positions(moment.q)
    L: list[Sparse] = [{} for _ in range(model.nv)]
    if tree.is_coupled:
        lower, D = ltdl(crba(tree, q).rows, model.dof_parent)
        for r in range(model.nv):
            c = r
            while (c := model.dof_parent[c]) >= 0:
                L[r][c] = lower[r][c]
        return Factors(L, [{r: divide(1.0, d)} for r, d in enumerate(D)])
    found = articulated_factors(tree, q)
    at = [range(c.v.start, c.v.stop) for c in model.coordinates]
    Dinv: list[Sparse] = [{} for _ in range(model.nv)]
    for i, _ in tree.outward():
        for a, r in enumerate(at[i]):
            Dinv[r] = {c: found.Dinv[i][a, b] for b, c in enumerate(at[i])}
        for j, _ in tree.ancestors(i):
            for a, r in enumerate(at[i]):
                L[r].update({c: found.L[i, j][a, b] for b, c in enumerate(at[j])})
    return Factors(L, Dinv)
