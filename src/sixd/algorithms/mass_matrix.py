"""The joint-space inertia matrix H."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import ExternalForces, Position, Velocity
from sixd.algorithms.energy import kinetic_energy
from sixd.algorithms.inverse_dynamics import bias_forces, rnea
from sixd.model.tree import MatrixOutput, Tree, Velocities
from sixd.ops import Scalar
from sixd.spatial import Inertia, Transform

__all__ = ["crba", "mass_matrix_from_energy", "mass_matrix_naive"]


@algorithm
def crba(tree: Tree, q: Position) -> MatrixOutput:
    """H by the composite-rigid-body algorithm. F10b (46)-(48), Fig. 7; FO00 (9), (10)."""
    X, Ic = tree.slots(Transform), tree.slots(Inertia, base=Inertia.zero())
    H = tree.matrix_output()
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
        Ic[i] = tree.inertia(i)
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        Ic[p] = Ic[p] + X[i].inv @ Ic[i]
        F = tree.cell(Ic[i] @ S)
        H[i, i] = S.T @ F.now + tree.rotor_inertia(i)
        for j, k in tree.ancestors(i):  # k is the child of j on the way to i
            F.now = X[k].inv @ F.now
            Hji = tree.joint(j).subspace(q[j]).T @ F.now
            H[j, i] = Hji
            H[i, j] = Hji.T
    return H


@algorithm(rolled=False)
def mass_matrix_naive(tree: Tree, q: Position, qd: Velocity = None) -> MatrixOutput:
    """H column by column, H_i = ID(q, qd, delta_i) - ID(q, qd, 0): n + 1 calls of inverse dynamics. FDSV (10), (11).

    What velocities contribute cancels, so H does not depend on qd. None sets them to zero, as FO00 3.2 does: then they
    cost no digits either.
    """
    H = tree.matrix_output()
    H.rows = rows_from_inverse_dynamics(tree, q, qd, None, bias_forces(tree, q, qd).values)
    return H


def rows_from_inverse_dynamics(
    tree: Tree, q: Position, qd: Velocity, f_ext: ExternalForces, C: list[Scalar]
) -> list[list[Scalar]]:
    """The rows of H, from n calls of inverse dynamics less C = ID(q, qd, 0): FDSV (11)."""
    columns = []
    for k in range(tree.model.nv):
        tau = rnea(tree, q, qd, _unit(tree, k), f_ext).values
        columns.append([t - c for t, c in zip(tau, C, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


@algorithm(rolled=False)
def mass_matrix_from_energy(tree: Tree, q: Position) -> MatrixOutput:
    """H from its definition T = 1/2 qd^T H qd, F10b (38): H_ij = T(e_i + e_j) - T(e_i) - T(e_j)."""
    n = tree.model.nv
    T = [kinetic_energy(tree, q, _unit(tree, k)) for k in range(n)]
    H = tree.matrix_output()
    H.rows = [
        [2.0 * T[r] if r == c else kinetic_energy(tree, q, _unit(tree, r, c)) - T[r] - T[c] for c in range(n)]
        for r in range(n)
    ]
    return H


def _unit(tree: Tree, *which: int) -> Velocities:
    """A velocity vector with ones at these entries."""
    return tree.velocities([1.0 if k in which else 0.0 for k in range(tree.model.nv)])
