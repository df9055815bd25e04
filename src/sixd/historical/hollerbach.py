"""Hollerbach's recursive Lagrangian formulations of 1980: Lagrange's equations in O(N), in 4x4 and in 3x3 matrices."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, Position, Velocity
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.homogeneous import matrix_links, trace
from sixd.historical.links import links_of
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar
from sixd.spatial import Matrix, Vector
from sixd.spatial.linear import outer, skew

__all__ = ["hollerbach", "hollerbach_3x3"]


@algorithm(rolled=False)
def hollerbach(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration) -> Output:
    """tau = ID(q, qd, qdd) by Lagrange's equations with recursion in both directions, in 4x4 matrices, O(N).

    Hollerbach, 1980. The sums over k and l of `uicker_kahn` are only the second time derivative of W_j, which follows
    from that of the link before; the sum over j is done from the tip to the base:

        W_i'' = W_p'' A + 2 W_p' dA qd + W_p (d2A qd^2 + dA qdd)           dA = dA_i/dq_i
        D_i = J_i W_i''^T + A_j D_j,   c_i = h_i + A_j c_j                 over the links j on link i
        tau_i = tr(W_p dA D_i) - g^T W_p dA c_i

    It is linear in N, and still costs several times `luh_walker_paul`: Lagrange is not the reason that the first
    formulations were slow, nor is it free, for 4x4 matrices carry many zeros and the rotation twice over.
    """
    links, g = matrix_links(tree, q, "hollerbach"), Vector((*tree.gravity.lin, 0.0))
    W, dW, ddW = {0: Matrix.identity(4)}, {0: Matrix.zero(4)}, {0: Matrix.zero(4)}
    turned, D, c = dict[int, Matrix](), {0: Matrix.zero(4)}, {0: Vector.zero(4)}
    for k in links:
        rate, acceleration = qd[k.i][0], qdd[k.i][0]
        dA = k.A @ k.Q
        W[k.i], turned[k.i] = W[k.p] @ k.A, W[k.p] @ dA
        dW[k.i] = dW[k.p] @ k.A + turned[k.i] * rate
        own = W[k.p] @ (dA @ k.Q * (rate * rate) + dA * acceleration)
        ddW[k.i] = ddW[k.p] @ k.A + dW[k.p] @ dA * (2.0 * rate) + own
        D[k.i], c[k.i] = k.J @ ddW[k.i].T, k.J.column(3)
    tau = tree.output()
    for k in reversed(links):
        force = trace(turned[k.i] @ D[k.i]) - g @ (turned[k.i] @ c[k.i])
        tau[k.i] = Vector((force + k.rotor * qdd[k.i][0],))
        D[k.p], c[k.p] = D[k.p] + k.A @ D[k.i], c[k.p] + k.A @ c[k.i]
    return tau


@algorithm(rolled=False)
def hollerbach_3x3(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration) -> Output:
    """tau = ID(q, qd, qdd) as by `hollerbach`, in rotations R (3x3) and positions x instead of 4x4 matrices, O(N).

    Hollerbach, 1980, second half of the paper. D_i is the integral of y x''^T over the masses that joint i carries, y
    being their place in link i and x'' their acceleration; e_i is the integral of x'', c_i that of y:

        D_i = h_i x_i''^T + P_i R_i''^T + A_j D_j + r_j e_j^T          P_i: the integral of y y^T over link i
        e_i = m_i x_i'' + R_i'' h_i + e_j,   c_i = h_i + A_j c_j + M_j r_j,   M_i = m_i + M_j
        tau_i = tr(dR_i D_i) + dx_i . e_i - g^T (dR_i c_i + M_i dx_i)

    dR_i and dx_i are the derivatives of the rotation and the position of link i by its own joint.
    """
    links, g = links_of(tree, q, "hollerbach_3x3"), tree.gravity.lin
    R, dR, ddR, ddx = {0: Matrix.identity()}, {0: Matrix.zero()}, {0: Matrix.zero()}, {0: Vector.zero()}
    D, e, c, M = {0: Matrix.zero()}, {0: Vector.zero()}, {0: Vector.zero()}, dict[int, Scalar]({0: 0.0})
    for k in links:
        A, rate, acceleration, inertia = k.E.T, qd[k.i][0], qdd[k.i][0], tree.inertia(k.i)
        dA, shift = A @ skew(k.u), A @ k.s
        R[k.i] = R[k.p] @ A
        dR[k.i] = dR[k.p] @ A + R[k.p] @ dA * rate
        own = R[k.p] @ (dA @ skew(k.u) * (rate * rate) + dA * acceleration)
        ddR[k.i] = ddR[k.p] @ A + dR[k.p] @ dA * (2.0 * rate) + own
        moved = dR[k.p] @ shift * (2.0 * rate) + R[k.p] @ shift * acceleration
        ddx[k.i] = ddx[k.p] + ddR[k.p] @ k.r + moved
        h, half = inertia.h, 0.5 * trace(inertia.I)
        P = Matrix.diagonal((half,) * 3) - inertia.I
        D[k.i] = outer(h, ddx[k.i]) + P @ ddR[k.i].T
        e[k.i], c[k.i], M[k.i] = ddx[k.i] * inertia.m + ddR[k.i] @ h, h, inertia.m
    tau = tree.output()
    for k in reversed(links):
        turned, moved = R[k.i] @ skew(k.u), R[k.i] @ k.s
        force = trace(turned @ D[k.i]) + moved @ e[k.i] - g @ (turned @ c[k.i] + moved * M[k.i])
        tau[k.i] = Vector((force + k.rotor * qdd[k.i][0],))
        D[k.p] = D[k.p] + k.E.T @ D[k.i] + outer(k.r, e[k.i])
        e[k.p], M[k.p] = e[k.p] + e[k.i], M[k.p] + M[k.i]
        c[k.p] = c[k.p] + k.E.T @ c[k.i] + k.r * M[k.i]
    return tau


_PAPER = (
    "J. M. Hollerbach, A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics "
    "formulation complexity, IEEE Trans. Systems, Man and Cybernetics 10"
)
HOLLERBACH = register(hollerbach, Computes.INVERSE_DYNAMICS, Takes.SCREWS, "O(N)", 1980, _PAPER)
HOLLERBACH_3X3 = register(hollerbach_3x3, Computes.INVERSE_DYNAMICS, Takes.SCREWS, "O(N)", 1980, _PAPER)
