"""Lilly and Orin's force propagation: the inverse of the operational-space inertia in O(N)."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import BodyNumber, FrameOffset, Position
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import need
from sixd.model.tree import Tree
from sixd.spatial import ArticulatedInertia, Forces, Matrix, Motions, Transform, inverse, symmetric_product

__all__ = ["lilly_orin"]


@algorithm(rolled=False)
def lilly_orin(tree: Tree, q: Position, body: BodyNumber, offset: FrameOffset = None) -> Matrix:
    """Lambda^-1 = J H^-1 J^T of a frame on a body, 6x6, in coordinates of the frame, by force propagation, O(N).

    Lilly, 1989; Lilly and Orin, 1993. Lambda^-1 is the spatial acceleration that a unit force at the body makes, at
    rest and without gravity. A force f on link i moves joint i by D^-1 S^T f and is felt by the link before as
    X^T L f, L = 1 - U D^-1 S^T, with the articulated inertia I^A, U = I^A S, D = S^T U. Hence, from the base, which
    does not move, to the body:

        Lambda_i^-1 = L^T (X Lambda_p^-1 X^T) L + S D^-1 S^T

    Neither the Jacobian nor the mass matrix is formed. A frame that has less than six freedoms has a Lambda^-1 too,
    which cannot be inverted.
    """
    need(tree.model, Takes.ALL, "lilly_orin")
    X, U, D_inv = tree.slots(Transform), tree.slots(Forces), tree.slots(Matrix)
    IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
        IA[i] = tree.inertia(i).articulated()
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        U[i] = IA[i] @ S
        D_inv[i] = inverse(S.T @ U[i] + tree.rotor_inertia(i))
        IA[p] = IA[p] + X[i].inv @ (IA[i] - symmetric_product(U[i] @ D_inv[i], U[i]))
    mobility = Matrix.zero(6)
    for i, _ in reversed(list(tree.path(body))):
        S = tree.joint(i).subspace(q[i])
        mobility = _across_joint(_carried(mobility, X[i]), S, U[i], D_inv[i])
    return mobility if offset is None else _carried(mobility, offset)


def _across_joint(Y: Matrix, S: Motions, U: Forces, D_inv: Matrix) -> Matrix:
    """L^T Y L + S D^-1 S^T: Y - S W^T - W S^T + S (D^-1 + D^-1 U^T W) S^T with W = Y U D^-1."""
    s, u = (Matrix([x.components() for x in vectors]).T for vectors in (S, U))
    W = Y @ u @ D_inv
    half = W - s @ (D_inv + D_inv @ (u.T @ W)) * 0.5
    change = s @ half.T
    return Y - change - change.T


def _carried(Y: Matrix, X: Transform) -> Matrix:
    """X Y X^T, from coordinates of one link to those of the next.

    Motions transform as forces do, angular and linear parts exchanged. So Y transforms as an inertia, its blocks
    exchanged.
    """
    blocks = [Matrix(row[k : k + 3] for row in Y.rows[r : r + 3]) for r in (0, 3) for k in (0, 3)]
    moved = X @ ArticulatedInertia(blocks[3], blocks[2], blocks[0])
    top = [[*a, *b] for a, b in zip(moved.M.rows, moved.H.T.rows, strict=True)]
    return Matrix([*top, *([*a, *b] for a, b in zip(moved.H.rows, moved.I.rows, strict=True))])


LILLY_ORIN = register(
    lilly_orin,
    Computes.INVERSE_INERTIA,
    Takes.ALL,
    "O(N)",
    1993,
    "K. W. Lilly, D. E. Orin, Efficient O(N) recursive computation of the operational space inertia matrix, "
    "IEEE Trans. Systems, Man and Cybernetics 23",
)
