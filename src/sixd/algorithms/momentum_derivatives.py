"""Derivatives of the momentum of a robot and of its rate.

If coordinate k of joint j moves, the momentum of all that the joint carries changes by S_k x* h + I^c psi1, and its
rate, the sum of the forces I a + v x* I v, as in `inverse_dynamics_derivatives`. Gravity is left out, as in `momentum`.
"""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, Position, Velocity
from sixd.algorithms.inverse_dynamics_derivatives import columns_cross, psi
from sixd.algorithms.momentum import about_center, composite_inertias
from sixd.given import choice
from sixd.model.tree import ColumnsOutput, Slots, Tree
from sixd.ops import divide
from sixd.spatial import Force, Forces, Inertia, Motion, Motions, Transform, Vector

__all__ = ["MomentumDerivatives", "momentum_derivatives"]


class MomentumDerivatives(NamedTuple):
    """Derivatives of the momentum h and of its rate, 6 x nv each.

    That of h by qd and that of its rate by qdd are the momentum matrix.
    """

    momentum_dq: ColumnsOutput
    rate_dq: ColumnsOutput
    rate_dqd: ColumnsOutput


@algorithm
def momentum_derivatives(
    tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, about: str = "origin"
) -> MomentumDerivatives:
    """Derivatives of `momentum` and its rate, or, ``about`` "com", of `centroidal_momentum` and its rate.

    All in world axes. q varies in the tangent space, as in `rnea_derivatives`. About the centre of mass c, moments
    change by -dc x (force) in addition, for c moves with q.
    """
    choice(about, "about", ("origin", "com"))
    dh, df, df_dqd = tree.forces_output(), tree.forces_output(), tree.forces_output()
    X, Ic = about_center(tree, q) if about == "com" else _about_origin(tree, q)
    X_0 = tree.slots(Transform, base=Transform.translation(-Ic[0].com) if about == "com" else Transform.identity())
    per_mass = divide(1.0, Ic[0].m)
    v, a = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=Motion.zero())
    h, f = tree.slots(Force, base=Force.zero()), tree.slots(Force, base=Force.zero())
    Id = tree.slots(Inertia, base=Inertia.zero())
    psi1, psi2, psi3 = tree.slots(Motions), tree.slots(Motions), tree.slots(Motions)
    for i, p in tree.outward():
        joint, I = tree.joint(i), tree.inertia(i)
        S = joint.subspace(q[i])
        X_0[i] = X[i] @ X_0[p]
        vp, ap, vJ = X[i] @ v[p], X[i] @ a[p], S @ qd[i]
        v[i] = vp + vJ
        a[i] = ap + S @ qdd[i] + joint.bias(q[i], qd[i]) + vp.cross(vJ)
        psi1[i], psi2[i], psi3[i] = psi(joint, q[i], qd[i], qdd[i], vp, ap)
        h[i], Id[i] = I @ v[i], v[i].cross(I)
        f[i] = I @ a[i] + v[i].cross(h[i])
    for i, p in tree.inward():
        h[p], f[p] = h[p] + X[i].inv @ h[i], f[p] + X[i].inv @ f[i]
        Id[p] = Id[p] + X[i].inv @ Id[i]
    for i, _ in tree.outward():
        S, Y = tree.joint(i).subspace(q[i]), X_0[i].inv
        A: Forces = Y @ (Ic[i] @ S)
        dh_i = Y @ (columns_cross(S, h[i]) + Ic[i] @ psi1[i])
        df_i = Y @ (Id[i] @ psi1[i] + columns_cross(psi1[i], h[i]) + Ic[i] @ psi2[i] + columns_cross(S, f[i]))
        df_dqd[i] = Y @ (Id[i] @ S + columns_cross(S, h[i]) + Ic[i] @ psi3[i])
        if about == "com":
            dc = [g.lin * per_mass for g in A]
            dh_i, df_i = _less_moments(dh_i, dc, h[0].lin), _less_moments(df_i, dc, f[0].lin)
        dh[i], df[i] = dh_i, df_i
    return MomentumDerivatives(dh, df, df_dqd)


def _about_origin(tree: Tree, q: Position) -> tuple[Slots[Transform], Slots[Inertia]]:
    """X_i,parent and I_i^c of every body, where the base is the world."""
    X = tree.slots(Transform)
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
    return X, composite_inertias(tree, q)


def _less_moments(columns: Forces, dc: list[Vector], f: Vector) -> Forces:
    """Less the moment dc x f in each column: what a force f gains if the point moves that moments are about."""
    return Forces(Force(g.ang - d.cross(f), g.lin) for g, d in zip(columns, dc, strict=True))
