"""How far a mechanism is from being singular."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Output, Tree
from sixd.ops import divide
from sixd.spatial import ArticulatedInertia, Inertia, Matrix, Transform, Vector, inverse, pivots, symmetric_product

__all__ = ["relative_pivots"]


@algorithm(rolled="uncoupled")
def relative_pivots(tree: Tree, q: Position) -> Output:
    """The pivots of the elimination that forward dynamics rests on, (nv,), each relative to its entry of H's diagonal.

    For joint i they are those of D_i = S^T I^A S against S^T I^c S (F10b (62), (45)): the share of the inertia that the
    joint still feels when the joints beyond it give way. In (0, 1] for a real mechanism; zero (to rounding) where a
    motion moves no inertia, so that forward dynamics has no answer.
    """
    if tree.is_coupled:
        return _of_the_matrix(tree, q)
    X = tree.slots(Transform)
    IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
    Ic = tree.slots(Inertia, base=Inertia.zero())
    ratio = tree.output()
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
        Ic[i] = tree.inertia(i)
        IA[i] = Ic[i].articulated()
    for i, p in tree.inward():
        S, rotor = tree.joint(i).subspace(q[i]), tree.rotor_inertia(i)
        U = IA[i] @ S
        D, H = S.T @ U + rotor, S.T @ (Ic[i] @ S) + rotor
        ratio[i] = _relative(D, H)
        IA[p] = IA[p] + X[i].inv @ (IA[i] - symmetric_product(U @ inverse(D), U))
        Ic[p] = Ic[p] + X[i].inv @ Ic[i]
    return ratio


def _of_the_matrix(tree: Tree, q: Position) -> Output:
    H = Matrix(crba(tree, q).rows)
    ratio = tree.output()
    ratio.values = list(_relative(H, H))
    return ratio


def _relative(D: Matrix, H: Matrix) -> Vector:
    """The pivots of D, relative to the diagonal of H."""
    return Vector(divide(d, H[k, k]) for k, d in enumerate(pivots(D)))
