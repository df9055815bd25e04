"""How far a mechanism is from being singular."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Flags, Position
from sixd.algorithms.hybrid_dynamics import inverse_where_free, where_free
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Output, Tree
from sixd.ops import divide, where
from sixd.spatial import ArticulatedInertia, Inertia, Matrix, Transform, Vector, pivots, symmetric_product

__all__ = ["relative_pivots", "relative_pivots_of_hybrid"]


@algorithm(rolled="uncoupled")
def relative_pivots(tree: Tree, q: Position) -> Output:
    """The pivots of the elimination that forward dynamics rests on, (nv,), each relative to its entry of H's diagonal.

    For joint i they are those of D_i = S^T I^A S against S^T I^c S (F10b (62), (45)): the share of the inertia that the
    joint still feels when the joints beyond it give way. In (0, 1] for a real mechanism; zero (to rounding) where a
    motion moves no inertia, so that forward dynamics has no answer.
    """
    return _relative_pivots(tree, q, tree.velocities(None))


@algorithm(rolled="uncoupled")
def relative_pivots_of_hybrid(tree: Tree, q: Position, known: Flags) -> Output:
    """The pivots that hybrid dynamics rests on, (nv,), as `relative_pivots`; 1 where accelerations are known."""
    return _relative_pivots(tree, q, known)


def _relative_pivots(tree: Tree, q: Position, known: Flags) -> Output:
    ratio = tree.output()
    if tree.is_coupled:
        H = where_free(Matrix(crba(tree, q).rows), known.values)
        ratio.values = list(_relative(H, H))
        return ratio
    X = tree.slots(Transform)
    IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
    Ic = tree.slots(Inertia, base=Inertia.zero())
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
        Ic[i] = tree.inertia(i)
        IA[i] = Ic[i].articulated()
    for i, p in tree.inward():
        S, rotor, flags = tree.joint(i).subspace(q[i]), tree.rotor_inertia(i), known[i].entries
        U = IA[i] @ S
        D, H = S.T @ U + rotor, S.T @ (Ic[i] @ S) + rotor
        ratio[i] = _relative(where_free(D, flags), where_free(H, flags))
        IA[p] = IA[p] + X[i].inv @ (IA[i] - symmetric_product(U @ inverse_where_free(D, flags), U))
        Ic[p] = Ic[p] + X[i].inv @ Ic[i]
    return ratio


def _relative(D: Matrix, H: Matrix) -> Vector:
    """The pivots of D, relative to the diagonal of H; zero where that is."""
    return Vector(where(H[k, k] > 0.0, divide(d, H[k, k]), 0.0) for k, d in enumerate(pivots(D)))
