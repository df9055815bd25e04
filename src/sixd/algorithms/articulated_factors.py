"""The mass matrix as H = L^T D L, with factors from articulated-body inertias.

D is block diagonal, D_i = S_i^T I_i^A S_i + rotor; L is unit lower triangular in blocks, and L_ia = D_i^-1 U_i^T S_a
for the ancestors a of joint i, with U_i = I_i^A S_i. They are the factors that elimination from the tips to the base
gives (`factorization.ltdl`). From articulated inertias they come without the differences of large numbers that
elimination takes, and keep one or two digits more on long chains. Like those they have the sparsity of the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sixd.algorithms.articulated_joints import articulated_joints, link_transforms
from sixd.algorithms.declared import Position
from sixd.model.tree import Slots, Tree
from sixd.spatial import Matrix

__all__ = ["ArticulatedFactors", "articulated_factors"]


@dataclass(frozen=True)
class ArticulatedFactors:
    """The factors L and D^-1, by joint."""

    tree: Tree
    L: Mapping[tuple[int, int], Matrix]
    Dinv: Slots[Matrix]

    def solve(self, b: Mapping[int, Matrix]) -> dict[int, Matrix]:
        """x with H x = b. Both are blocks of rows by joint, of any width; blocks of b that are missing are zero."""
        y, x = dict(b), dict[int, Matrix]()
        for i, _ in self.tree.inward():
            for a, _ in self.tree.ancestors(i) if i in y else ():
                step = self.L[i, a].T @ y[i]
                y[a] = y[a] - step if a in y else -step
        for i, _ in self.tree.outward():
            terms = [-(self.L[i, a] @ x[a]) for a, _ in self.tree.ancestors(i) if a in x]
            if i in y:
                terms.insert(0, self.Dinv[i] @ y[i])
            if terms:
                x[i] = _sum(terms)
        return x

    def inverse(self) -> dict[tuple[int, int], Matrix]:
        """H^-1 by pairs of joints (i, j); pairs that are missing are zero.

        Column j solves L x = D^-1 L^-T e_j, whose right-hand side is D_j^-1 in row j and zero below. The rows above are
        known by symmetry from the columns before.
        """
        x: dict[tuple[int, int], Matrix] = {}
        n = self.tree.model.n_bodies
        for j in range(1, n + 1):
            for i in range(j, n + 1):
                terms = [self.Dinv[i]] if i == j else []
                terms += [-(self.L[i, a] @ x[a, j]) for a, _ in self.tree.ancestors(i) if (a, j) in x]
                if terms:
                    x[i, j] = _sum(terms)
                    x[j, i] = x[i, j].T
        return x


def _sum(terms: Sequence[Matrix]) -> Matrix:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def articulated_factors(tree: Tree, q: Position) -> ArticulatedFactors:
    """The factors of H at a position."""
    X, UD, Dinv = articulated_joints(tree, q, link_transforms(tree, q))
    L = tree.pair_slots(Matrix)
    for i, _ in tree.inward():
        W = UD[i]
        for a, k in tree.ancestors(i):  # k is the child of a on the way to i
            W = X[k].inv @ W
            L[i, a] = W.T @ tree.joint(a).subspace(q[a])
    return ArticulatedFactors(tree, L, Dinv)
