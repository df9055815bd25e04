"""The Coriolis matrix C(q, qd) whose entries are Christoffel symbols.

The mass matrix H is a metric of velocities. It is a sum over the bodies b, of which each measures its own velocity by
its inertia I_b. The covariant derivative that belongs to this metric has the coefficients

    Gamma_ijk = sum over bodies b that i, j and k carry of  s_k . (I_b d_i s_j + B_b(s_i) s_j),
    2 B(x) y = x x* I y - I (x x y) + y x* I x = (x x I) y + y x* (I x),

where s_j is the axis of degree of freedom j in world coordinates, and d_i s_j its derivative along i: s_i x s_j if
joint i is an ancestor of joint j, zero if it is beyond j, s_i x s_j + (dS/dq_i)_j within one joint. Along a motion,

    C_kj = sum_i Gamma_ijk qd_i = s_k . (I ds_j/dt + 1/2 (v x I) s_j + 1/2 s_j x* h),

in which inertia I, its rate v x I (`v.cross(I)`, an inertia too) and momentum h are summed over the bodies that both k
and j carry: those of the outer one. So C takes one recursion, as H does.

The idea is that of S. Echeandia, P. M. Wensing, "Numerical Methods to Compute the Coriolis Matrix and Christoffel
Symbols for Rigid-Body Systems", 2021. The terms with dS/dq are for joints whose S varies.
"""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position, Velocity
from sixd.model.tree import MatrixOutput, Tree
from sixd.spatial import Force, Forces, Inertia, Motion, Motions, Transform

__all__ = ["coriolis_matrix"]


@algorithm(nested=True)
def coriolis_matrix(tree: Tree, q: Position, qd: Velocity) -> MatrixOutput:
    """C(q, qd), nv x nv, with C_kj = sum_i Gamma_ijk qd_i: PBP95 (29), (52), in O(N d) for trees of depth d.

    C qd are the forces of velocity in `bias_forces`, and dH/dt = C + C^T, so dH/dt - 2 C is skew. `christoffel` says
    what Gamma is where qd is not dq/dt. Rotor inertias are constant in H and add nothing.
    """
    X, v = tree.slots(Transform), tree.slots(Motion, base=Motion.zero())
    dS, h = tree.slots(Motions), tree.slots(Force, base=Force.zero())
    I, dI = tree.slots(Inertia, base=Inertia.zero()), tree.slots(Inertia, base=Inertia.zero())
    C = tree.matrix_output()
    for i, p in tree.outward():
        joint = tree.joint(i)
        S = joint.subspace(q[i])
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        v[i] = X[i] @ v[p] + S @ qd[i]
        dS[i] = v[i].cross(S) + joint.subspace_rate(q[i], qd[i])
        I[i] = tree.inertia(i)
        h[i], dI[i] = I[i] @ v[i] * 0.5, v[i].cross(I[i]) * 0.5
    for j, p in tree.inward():
        S = tree.joint(j).subspace(q[j])
        turned, changed = Forces(s.cross(h[j]) for s in S), dI[j] @ S
        F = tree.cell(I[j] @ dS[j] + changed + turned)
        IS, G = tree.cell(I[j] @ S), tree.cell(changed - turned)
        C[j, j] = S.T @ F.now
        for i, k in tree.ancestors(j):  # k is the child of i on the way to j
            F.now, IS.now, G.now = X[k].inv @ F.now, X[k].inv @ IS.now, X[k].inv @ G.now
            Si = tree.joint(i).subspace(q[i])
            C[i, j], C[j, i] = Si.T @ F.now, IS.now.T @ dS[i] + G.now.T @ Si
        I[p], dI[p] = I[p] + X[j].inv @ I[j], dI[p] + X[j].inv @ dI[j]
        h[p] = h[p] + X[j].inv @ h[j]
    return C
