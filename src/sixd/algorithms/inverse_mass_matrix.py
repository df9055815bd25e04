"""The inverse of the mass matrix, without the mass matrix."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import MatrixOutput, Tree
from sixd.spatial import (
    ArticulatedInertia,
    Forces,
    Matrix,
    Motions,
    Transform,
    inverse,
    symmetric_product,
)

__all__ = ["inverse_mass_matrix"]


@algorithm(rolled=False)
def inverse_mass_matrix(tree: Tree, q: Position) -> MatrixOutput:
    """H^-1, (nv, nv): the articulated-body algorithm at rest, run on all unit joint forces at once.

    Column j of H^-1 is FD(q, 0, e_j) without gravity, so the recursions of F10b Fig. 9 carry one bias force F_ij and
    one acceleration A_ij for each pair of bodies; entries with j < i follow from symmetry. Coupled (mimic) joints go
    through the factors of H.
    """
    if tree.is_coupled:
        return _through_factors(tree, q)
    X, U, Dinv = tree.slots(Transform), tree.slots(Forces), tree.slots(Matrix)
    IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
    F, A, M = tree.pair_slots(Forces), tree.pair_slots(Motions), tree.pair_slots(Matrix)
    H_inv = tree.matrix_output()
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
        IA[i] = tree.inertia(i).articulated()
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        U[i] = IA[i] @ S
        Dinv[i] = inverse(S.T @ U[i] + tree.rotor_inertia(i))
        M[i, i] = Dinv[i]
        F[p, i] = X[i].inv @ (U[i] @ Dinv[i])
        for j in tree.subtree(i):
            if j != i:
                M[i, j] = -(Dinv[i] @ (S.T @ F[i, j]))
                F[p, j] = X[i].inv @ (F[i, j] + U[i] @ M[i, j])
        IA[p] = IA[p] + X[i].inv @ (IA[i] - symmetric_product(U[i] @ Dinv[i], U[i]))
    for i, p in tree.outward():
        S = tree.joint(i).subspace(q[i])
        for j in range(i, tree.model.n_bodies + 1):
            if (p, j) in A:
                a = X[i] @ A[p, j]
                first = -(Dinv[i] @ (U[i].T @ a))
                M[i, j] = M[i, j] + first if (i, j) in M else first
                A[i, j] = a + S @ M[i, j]
            elif (i, j) in M:
                A[i, j] = S @ M[i, j]
            if (i, j) in M:
                H_inv[i, j] = M[i, j]
                if j != i:
                    H_inv[j, i] = M[i, j].T
    return H_inv


def _through_factors(tree: Tree, q: Position) -> MatrixOutput:
    n, parents = tree.model.nv, tree.model.dof_parent
    L, D = ltdl(crba(tree, q).rows, parents)
    H_inv = tree.matrix_output()
    H_inv.rows = [solve_ltdl(L, D, [1.0 if k == c else 0.0 for k in range(n)], parents) for c in range(n)]
    return H_inv
