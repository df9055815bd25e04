"""Christoffel symbols and the derivative of the mass matrix, entry by entry.

Of the sum over bodies in `sixd.algorithms.coriolis_matrix`, three degrees of freedom on one path leave

    Gamma_abc = Gamma_bac = -Gamma_acb = -Gamma_cab = 1/2 (s_a x s_b) . h - 1/2 s_a . D s_b,
    Gamma_bca = Gamma_cba = 1/2 (s_a x s_b) . h + 1/2 s_a . D s_b,     h = I s_c,  D = s_c x I,

for a before b before c (from the base), with the inertia I of all that c carries: PBP95 (55)-(57) are these, written
out. So two numbers make six symbols. Where two or three of them belong to one joint, dS/dq adds to them. The symbols of
degrees of freedom on different branches are zero.
"""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.axes import carried
from sixd.algorithms.declared import Position, Tensor3
from sixd.model.tree import Tree

__all__ = ["christoffel", "mass_matrix_derivative"]


@algorithm(rolled=False)
def christoffel(tree: Tree, q: Position) -> Tensor3:
    """Gamma_ijk, the Christoffel symbols of the first kind of the mass matrix, nv x nv x nv: PBP95 (52).

    The forces of velocity are sum_ij Gamma_ijk qd_i qd_j, PBP95 (29). Where qd is dq/dt, Gamma_ijk = Gamma_jik and (52)
    holds. Where it is not (the velocity of a free or spherical joint), Gamma_ijk = E_k . D_i E_j, measured by H, is the
    covariant derivative of the field E_j of unit velocity j along E_i. The derivative of H_jk along i is still
    Gamma_ijk + Gamma_ikj. But Gamma_ijk - Gamma_jik is E_k . [E_i, E_j], made of `structure_constants`, and not zero.
    Rotor inertias are constant in H and add nothing, in this and in the dynamics; `curvature` counts them.
    """
    Gamma = tree.tensor_output(3)
    for I, joints in carried(tree, q):
        own = joints[0]
        for nc, c in enumerate(own.numbers):
            h, D = I @ own.S[nc], own.S[nc].cross(I) * 0.5
            half = h * 0.5
            for place, at in enumerate(joints):
                for nb, b in enumerate(at.numbers):
                    turned, changed = at.S[nb].cross(half), D @ at.S[nb]
                    W, U = turned - changed, turned + changed
                    for na, a in enumerate(at.numbers):
                        x = at.S[na].dot(W)
                        Gamma.add((a, b, c), x + at.slopes[na][nb].dot(h))
                        if place:
                            Gamma.add((a, c, b), -x)
                            Gamma.add((c, a, b), -x)
                    if not place:
                        U = U + I @ at.slopes[nb][nc]
                    for before in joints[place + 1 :]:
                        for a, s in zip(before.numbers, before.S, strict=True):
                            x, y = s.dot(W), s.dot(U)
                            Gamma.add((a, b, c), x)
                            Gamma.add((b, a, c), x)
                            Gamma.add((b, c, a), y)
                            if place:
                                Gamma.add((a, c, b), -x)
                                Gamma.add((c, a, b), -x)
                                Gamma.add((c, b, a), y)
    return Gamma


@algorithm(rolled=False)
def mass_matrix_derivative(tree: Tree, q: Position) -> Tensor3:
    """dH_ij / dq_k, nv x nv x nv, in the tangent space: the derivative along degree of freedom k, as `integrate` steps.

    It is Gamma_kij + Gamma_kji. For a before b before c on one path, dH_ab/dq_c = s_a . (s_c x I_c) s_b,
    dH_ac/dq_b = s_a . (s_b x* I_c s_c) and dH_bc/dq_a = 0: PBP95 (40) with (53).
    """
    dH = tree.tensor_output(3)
    for I, joints in carried(tree, q):
        own = joints[0]
        for nc, c in enumerate(own.numbers):
            h, D = I @ own.S[nc], own.S[nc].cross(I)
            for place, at in enumerate(joints):
                for nb, b in enumerate(at.numbers):
                    turned, changed = at.S[nb].cross(h), D @ at.S[nb]
                    for na, a in enumerate(at.numbers):
                        x = at.slopes[nb][na].dot(h)
                        dH.add((a, c, b), x)
                        dH.add((c, a, b), x)
                        if place:
                            dH.add((a, b, c), at.S[na].dot(changed))
                    if not place:
                        turned = turned + I @ at.slopes[nb][nc]
                    for before in joints[place + 1 :]:
                        for a, s in zip(before.numbers, before.S, strict=True):
                            x = s.dot(turned)
                            dH.add((a, c, b), x)
                            dH.add((c, a, b), x)
                            if place:
                                y = s.dot(changed)
                                dH.add((a, b, c), y)
                                dH.add((b, a, c), y)
    return dH
