"""The covariant derivative of one velocity along another: the bilinear form behind the forces of velocity."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position, Velocity
from sixd.model.tree import Output, Tree
from sixd.spatial import Force, Motion, Transform

__all__ = ["covariant_derivative"]


@algorithm
def covariant_derivative(tree: Tree, q: Position, u: Velocity, v: Velocity) -> Output:
    """sum_ij Gamma_ijk u_i v_j, (nv,): H times the covariant derivative of v along u, where v has constant entries.

    It is C(q, u) v with `coriolis_matrix`, in O(N): inverse dynamics in which two velocities x, y of each body take the
    place of one, with the force I a + 1/2 (x x* I y - I (x x y) + y x* I x). For u = v = qd these are the forces of
    velocity; H qdd plus them is zero along geodesics, the motions without forces.
    """
    X, f = tree.slots(Transform), tree.slots(Force, base=Force.zero())
    x, y, a = (tree.slots(Motion, base=Motion.zero()) for _ in range(3))
    out = tree.output()
    for i, p in tree.outward():
        joint, I = tree.joint(i), tree.inertia(i)
        S = joint.subspace(q[i])
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        yJ = S @ v[i]
        x[i], y[i] = X[i] @ x[p] + S @ u[i], X[i] @ y[p] + yJ
        a[i] = X[i] @ a[p] + x[i].cross(yJ) + joint.subspace_rate(q[i], u[i]) @ v[i]
        turned = x[i].cross(I @ y[i]) + y[i].cross(I @ x[i])
        f[i] = I @ (a[i] - x[i].cross(y[i]) * 0.5) + turned * 0.5
    for i, p in tree.inward():
        out[i] = tree.joint(i).subspace(q[i]).T @ f[i]
        f[p] = f[p] + X[i].inv @ f[i]
    return out
