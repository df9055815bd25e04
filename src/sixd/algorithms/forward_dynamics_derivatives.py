"""Derivatives of forward dynamics by position, velocity and joint force."""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.articulated_factors import articulated_factors
from sixd.algorithms.declared import ExternalForces, JointForces, Position, Velocity
from sixd.algorithms.factorization import inverse_ltdl, ltdl, solve_ltdl
from sixd.algorithms.forward_dynamics import aba
from sixd.algorithms.inverse_dynamics_derivatives import InverseDynamicsDerivatives, rnea_derivatives
from sixd.model.tree import MatrixOutput, Tree
from sixd.spatial import Matrix

__all__ = ["ForwardDynamicsDerivatives", "aba_derivatives"]


class ForwardDynamicsDerivatives(NamedTuple):
    """The derivatives of qdd = FD(q, qd, tau), each nv x nv: row i is that of qdd_i."""

    dq: MatrixOutput
    dqd: MatrixOutput
    dtau: MatrixOutput


@algorithm(rolled=False)
def aba_derivatives(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> ForwardDynamicsDerivatives:
    """d FD / dq, d FD / dqd and d FD / dtau = H^-1.

    ID(q, qd, FD(q, qd, tau)) = tau for all q and qd, so d FD = -H^-1 d ID, where d ID is taken at qdd = FD(q, qd, tau).
    Products with H^-1 go through the factors H = L^T D L, which have the sparsity of the tree. q varies in the tangent
    space, as in `rnea_derivatives`.
    """
    qdd = aba(tree, q, qd, tau, f_ext)
    d = rnea_derivatives(tree, q, qd, tree.velocities(qdd), f_ext)
    if tree.is_coupled:
        return _coupled(tree, q, d)
    factors = articulated_factors(tree, q)
    dq, dqd, H_inv = tree.matrix_output(), tree.matrix_output(), tree.matrix_output()
    for j, _ in tree.outward():
        related = {*(i for i, _ in tree.path(j)), *tree.subtree(j)}  # tau of other joints does not depend on joint j
        for derivative, of_tau in ((dq, d.dq), (dqd, d.dqd)):
            for i, block in factors.solve({i: -_block(tree, of_tau, i, j) for i in related}).items():
                derivative[i, j] = block
    for ij, block in factors.inverse().items():
        H_inv[ij] = block
    return ForwardDynamicsDerivatives(dq, dqd, H_inv)


def _block(tree: Tree, matrix: MatrixOutput, i: int, j: int) -> Matrix:
    """The rows of joint i and the columns of joint j."""
    rows, columns = tree.model.coordinates[i].v, tree.model.coordinates[j].v
    return Matrix(row[columns] for row in matrix.rows[rows])


def _coupled(tree: Tree, q: Position, d: InverseDynamicsDerivatives) -> ForwardDynamicsDerivatives:
    """The same if joints mimic others, which are no tree of independent joints: by the factors of H itself."""
    parents = tree.model.dof_parent
    L, D = ltdl(d.dqdd.rows, parents)
    results = tree.matrix_output(), tree.matrix_output(), tree.matrix_output()
    for result, of_tau in zip(results[:2], (d.dq, d.dqd), strict=True):
        columns = [solve_ltdl(L, D, [-x for x in column], parents) for column in zip(*of_tau.rows, strict=True)]
        result.rows = [list(row) for row in zip(*columns, strict=True)]
    results[2].rows = inverse_ltdl(L, D, parents)
    return ForwardDynamicsDerivatives(*results)
