"""Derivatives of inverse dynamics by position, velocity and acceleration, in one recursion.

Let coordinate k of joint j move, and with it, rigidly, all bodies that the joint carries. Seen from a frame that moves
along, such a body b keeps its inertia, and its velocity and acceleration change by

    d v_b = psi1,                 psi1 = v_p x S_k + (dS/dq_k) qd,
    d a_b = psi2 - v_b x psi1,    psi2 = a_p x S_k + v_p x psi1 + (dS/dq_k) qdd + v_j x (dS/dq_k) qd + d bias/dq_k,

where p is the parent of j: psi1 and psi2 are the same for all of them. So its force, F10b (11), changes by

    d f_b = I_b psi2 + (v_b x* I_b - I_b v_b x) psi1 + psi1 x* (I_b v_b),

which is linear in what can be summed over the bodies that a joint carries: inertia, its rate v x I (`v.cross(I)`, an
inertia too) and momentum. The velocity of coordinate k changes d v_b by S_k, and d a_b by psi3 - v_b x S_k with
psi3 = v_p x S_k + v_j x S_k + d bias/dqd_k. All vectors here are in coordinates of the joint's successor.

The idea is that of S. Singh, R. P. Russell, P. M. Wensing, "Efficient Analytical Derivatives of Rigid-Body Dynamics
Using Spatial Vector Algebra", 2022. The terms with dS/dq and the bias are for joints whose S varies.
"""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, ExternalForces, Position, Velocity
from sixd.joints import Joint
from sixd.model.tree import MatrixOutput, Tree
from sixd.spatial import Force, Forces, Inertia, Motion, Motions, Transform, Vector

__all__ = ["InverseDynamicsDerivatives", "rnea_derivatives"]


class InverseDynamicsDerivatives(NamedTuple):
    """The derivatives of tau = ID(q, qd, qdd), each nv x nv: row i is that of tau_i."""

    dq: MatrixOutput
    dqd: MatrixOutput
    dqdd: MatrixOutput


@algorithm(nested=True)
def rnea_derivatives(
    tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None
) -> InverseDynamicsDerivatives:
    """d ID / dq, d ID / dqd and d ID / dqdd = H, in O(N d) for trees of depth d.

    q varies in the tangent space: column k is the derivative along coordinate k of qd, as `integrate` takes it.
    ``f_ext`` (..., N, 6) acts on the bodies, in body coordinates, and turns with them.
    """
    X = tree.slots(Transform)
    v, a = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=-tree.gravity)
    psi1, psi2, psi3 = tree.slots(Motions), tree.slots(Motions), tree.slots(Motions)
    Ic, Id = tree.slots(Inertia, base=Inertia.zero()), tree.slots(Inertia, base=Inertia.zero())
    h, f = tree.slots(Force, base=Force.zero()), tree.slots(Force, base=Force.zero())
    dq, dqd, H = tree.matrix_output(), tree.matrix_output(), tree.matrix_output()
    for i, p in tree.outward():
        joint, I = tree.joint(i), tree.inertia(i)
        S = joint.subspace(q[i])
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        vp, ap, vJ = X[i] @ v[p], X[i] @ a[p], S @ qd[i]
        v[i] = vp + vJ
        a[i] = ap + S @ qdd[i] + joint.bias(q[i], qd[i]) + vp.cross(vJ)
        psi1[i], psi2[i], psi3[i] = psi(joint, q[i], qd[i], qdd[i], vp, ap)
        h[i] = I @ v[i]
        Ic[i], Id[i] = I, v[i].cross(I)
        f[i] = I @ a[i] + v[i].cross(h[i]) - f_ext[i]
    for j, p in tree.inward():
        joint = tree.joint(j)
        S = joint.subspace(q[j])
        IS, Sh = tree.cell(Ic[j] @ S), columns_cross(S, h[j])
        F = Id[j] @ psi1[j] + columns_cross(psi1[j], h[j]) + Ic[j] @ psi2[j]  # seen from the frame that moves along
        Fq = tree.cell(F + columns_cross(S, f[j]))
        Fv = tree.cell(Id[j] @ S + Sh + Ic[j] @ psi3[j])
        G = tree.cell(Id[j] @ S - Sh)
        dq[j, j] = S.T @ F + joint.subspace_force_derivative(q[j], f[j])
        dqd[j, j] = S.T @ Fv.now
        H[j, j] = S.T @ IS.now + tree.rotor_inertia(j)
        for i, k in tree.ancestors(j):  # k is the child of i on the way to j
            Fq.now, Fv.now = X[k].inv @ Fq.now, X[k].inv @ Fv.now
            IS.now, G.now = X[k].inv @ IS.now, X[k].inv @ G.now
            Si = tree.joint(i).subspace(q[i])
            dq[i, j], dq[j, i] = Si.T @ Fq.now, G.now.T @ psi1[i] + IS.now.T @ psi2[i]
            dqd[i, j], dqd[j, i] = Si.T @ Fv.now, G.now.T @ Si + IS.now.T @ psi3[i]
            Hij = Si.T @ IS.now
            H[i, j], H[j, i] = Hij, Hij.T
        Ic[p], Id[p] = Ic[p] + X[j].inv @ Ic[j], Id[p] + X[j].inv @ Id[j]
        h[p], f[p] = h[p] + X[j].inv @ h[j], f[p] + X[j].inv @ f[j]
    return InverseDynamicsDerivatives(dq, dqd, H)


def psi(joint: Joint, q: Vector, qd: Vector, qdd: Vector, vp: Motion, ap: Motion) -> tuple[Motions, Motions, Motions]:
    """psi1, psi2 and psi3 of a joint; vp and ap are the velocity and acceleration of its parent, seen from the body."""
    S, dS_qd = joint.subspace(q), joint.subspace_derivative(q, qd)
    v = vp + S @ qd
    psi1 = vp.cross(S) + dS_qd
    due_to_S = joint.subspace_derivative(q, qdd) + v.cross(dS_qd) + joint.bias_derivative(q, qd)
    psi3 = vp.cross(S) + v.cross(S) + joint.bias_derivative_by_velocity(q, qd)
    return psi1, ap.cross(S) + vp.cross(psi1) + due_to_S, psi3


def columns_cross(S: Motions, f: Force) -> Forces:
    """S_k x* f for each column of S."""
    return Forces(s.cross(f) for s in S)
