"""Lagrange's equations as Uicker wrote them for linkages in 1967, and Kahn and Roth for arms in 1971."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, Position, Velocity
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.homogeneous import matrix_links, trace
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar
from sixd.spatial import Matrix, Vector

__all__ = ["uicker_kahn"]


@algorithm(rolled=False)
def uicker_kahn(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration) -> Output:
    """tau = ID(q, qd, qdd) by Lagrange's equations in 4x4 matrices, O(N^4).

    Uicker, 1967; Kahn and Roth, 1971. The pose of link j is a product of 4x4 matrices, W_j = A_1 ... A_j. Its kinetic
    energy is 1/2 tr(dW_j/dt J_j dW_j/dt^T), with the pseudo-inertia J_j. Lagrange's equations differentiate it:

        tau_i = sum over j >= i of (sum over k <= j of tr(dW_j/dq_i J_j dW_j/dq_k^T) qdd_k
                + sum over k, l <= j of tr(dW_j/dq_i J_j d2W_j/dq_k dq_l^T) qd_k qd_l - g^T dW_j/dq_i h_j)

    Nothing is reused but the derivatives of W, each of which is that of the link before times A_j. So four indices run
    over all links. `hollerbach` has the same equations in O(N).
    """
    links, g = matrix_links(tree, q, "uicker_kahn"), Vector((*tree.gravity.lin, 0.0))
    W = {0: Matrix.identity(4)}
    joints: dict[int, list[int]] = {0: []}
    first: dict[int, dict[int, Matrix]] = {0: {}}  # dW_j/dq_k by j and k
    second: dict[int, dict[tuple[int, int], Matrix]] = {0: {}}  # d2W_j/dq_k dq_l by j and k <= l
    total: dict[int, Scalar] = {}
    for link in links:
        j, p, A, Q = link.i, link.p, link.A, link.Q
        W[j], joints[j] = W[p] @ A, [*joints[p], j]
        first[j] = {k: U @ A for k, U in first[p].items()} | {j: W[j] @ Q}
        second[j] = {kl: U @ A for kl, U in second[p].items()} | {(k, j): U @ Q for k, U in first[j].items()}
        h = link.J.column(3)
        total[j] = link.rotor * qdd[j][0]
        for i in joints[j]:
            U = first[j][i]
            for k in joints[j]:
                total[i] = total[i] + trace(U @ link.J @ first[j][k].T) * qdd[k][0]
                for l in joints[j]:
                    bent = second[j][min(k, l), max(k, l)]
                    total[i] = total[i] + trace(U @ link.J @ bent.T) * (qd[k][0] * qd[l][0])
            total[i] = total[i] - g @ (U @ h)
    tau = tree.output()
    for link in links:
        tau[link.i] = Vector((total[link.i],))
    return tau


UICKER_KAHN = register(
    uicker_kahn,
    Computes.INVERSE_DYNAMICS,
    Takes.SCREWS,
    "O(N^4)",
    1971,
    "J. J. Uicker, Dynamic force analysis of spatial linkages, Trans. ASME, J. Applied Mechanics 34, 1967; "
    "M. E. Kahn, B. Roth, The near-minimum-time control of open-loop articulated kinematic chains, "
    "Trans. ASME, J. Dynamic Systems, Measurement and Control 93",
)
