"""Inverse dynamics in the operators of SE(3), as PBP95 writes them."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, ExternalForces, Position, Velocity
from sixd.lie.se3 import Ad, Ad_dual, ad, ad_dual
from sixd.model.tree import Output, Tree
from sixd.spatial import Force, Motion, Transform

__all__ = ["geometric_newton_euler"]


@algorithm
def geometric_newton_euler(
    tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None
) -> Output:
    """tau = ID(model, q, qd, qdd) by the recursion PBP95 (22)-(27), for trees: the same as `rnea`. For teaching.

    f is the pose of a body in its parent, a `Transform`. Ad and Ad* are those of f^-1, as (70), (73) and (80) derive.
    What trees and other joints add to the paper: the forces of all children are summed, S has several columns, and its
    rate makes a bias. ``f_ext`` (..., N, 6) acts on the bodies, in body coordinates.
    """
    back, F = tree.slots(Transform), tree.slots(Force, base=Force.zero())
    V, dV = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=-tree.gravity)
    tau = tree.output()
    for i, p in tree.outward():
        joint, J = tree.joint(i), tree.inertia(i)
        S, f = joint.subspace(q[i]), joint.transform(q[i]) @ tree.placement(i)
        back[i] = f.inverse()
        carried, own = Ad(back[i], V[p]), S @ qd[i]
        V[i] = carried + own
        dV[i] = S @ qdd[i] + joint.bias(q[i], qd[i]) + Ad(back[i], dV[p]) + ad(carried, own)
        F[i] = J @ dV[i] - ad_dual(V[i], J @ V[i]) - f_ext[i]
    for i, p in tree.inward():
        tau[i] = tree.joint(i).subspace(q[i]).T @ F[i] + tree.rotor_inertia(i) @ qdd[i]
        F[p] = F[p] + Ad_dual(back[i], F[i])
    return tau
