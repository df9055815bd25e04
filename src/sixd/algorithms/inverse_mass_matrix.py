"""The inverse of the mass matrix, without the mass matrix."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.articulated_factors import articulated_factors
from sixd.algorithms.declared import Position
from sixd.algorithms.factorization import inverse_ltdl, ltdl
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import MatrixOutput, Tree

__all__ = ["inverse_mass_matrix"]


@algorithm(rolled=False)
def inverse_mass_matrix(tree: Tree, q: Position) -> MatrixOutput:
    """H^-1, (nv, nv), from the articulated-body inertias of F10b (52)-(64): H^-1 = L^-1 D^-1 L^-T.

    Coupled (mimic) joints, which are no tree of independent joints, go through the factors of H itself.
    """
    H_inv = tree.matrix_output()
    if tree.is_coupled:
        parents = tree.model.dof_parent
        H_inv.rows = inverse_ltdl(*ltdl(crba(tree, q).rows, parents), parents)
        return H_inv
    for ij, block in articulated_factors(tree, q).inverse().items():
        H_inv[ij] = block
    return H_inv
