"""Armstrong's algorithm of 1979: forward dynamics of links on spherical joints in O(N), in 3-D vectors."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import JointForces, Position, Velocity
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import need
from sixd.model.tree import Output, Tree
from sixd.spatial import Matrix, Transform, Vector, inverse
from sixd.spatial.linear import congruence, cross, cross_columns, skew

__all__ = ["armstrong"]


@algorithm(rolled=False)
def armstrong(tree: Tree, q: Position, qd: Velocity, tau: JointForces) -> Output:
    """qdd = FD(q, qd, tau) of a tree of spherical joints, O(N).

    Armstrong, 1979. The moment of a spherical joint is known, so all that a link asks of the one that carries it is the
    acceleration a of its hinge, and all that it gives back is a force there: a linear function of a, with 3x3 matrices.
    From the tips to the base, Newton's and Euler's equations of each link with those of the links on it give

        dw = K a + d,      f = M a + b

    for the angular acceleration dw of the link and the force f at its hinge. From the base to the tips, accelerations
    follow. M is the block of Featherstone's 6x6 articulated inertia of 1983 that is left if no moment is unknown.
    """
    need(tree.model, Takes.SPHERICAL, "armstrong")
    X, w = dict[int, Transform](), {0: Vector.zero()}
    #: Of each link about its hinge: inertia, first moment and mass as a matrix, and the moment and force of velocities.
    J, H, M = dict[int, Matrix](), dict[int, Matrix](), {0: Matrix.zero()}
    n, f = {0: Vector.zero()}, {0: Vector.zero()}
    for i, p in tree.outward():
        I = tree.inertia(i)
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
        w[i] = X[i].E @ w[p] + qd[i]
        J[i], H[i], M[i] = I.I, skew(I.h), Matrix.diagonal((I.m,) * 3)
        n[i], f[i] = cross(w[i], I.I @ w[i]) - tau[i], cross(w[i], cross(w[i], I.h))
    K, d = dict[int, Matrix](), dict[int, Vector]()
    J[0], H[0] = Matrix.zero(), Matrix.zero()
    for i, p in tree.inward():
        # J dw + H a + n = 0 and f = H^T dw + M a + f of velocities
        J_inv = inverse(J[i])
        K[i], d[i] = -(J_inv @ H[i]), -(J_inv @ n[i])
        M_left, f_left = M[i] + H[i].T @ K[i], f[i] + H[i].T @ d[i]
        E, r = X[i].E, X[i].r
        # The hinge is at r in link p, so its acceleration is a + dw x r + w x (w x r) there.
        swing = cross(w[p], cross(w[p], r))
        M_there = congruence(E, M_left)
        f_there = E.T @ f_left + M_there @ swing
        rM = cross_columns(r, M_there)
        M[p], H[p], J[p] = M[p] + M_there, H[p] + rM, J[p] + cross_columns(r, rM.T)
        f[p], n[p] = f[p] + f_there, n[p] + cross(r, f_there) + E.T @ tau[i]
    qdd = tree.output()
    a, dw = {0: -tree.gravity.lin}, {0: Vector.zero()}
    for i, p in tree.outward():
        E, r = X[i].E, X[i].r
        a[i] = E @ (a[p] + cross(dw[p], r) + cross(w[p], cross(w[p], r)))
        dw[i] = K[i] @ a[i] + d[i]
        qdd[i] = dw[i] - E @ dw[p] - cross(w[i], qd[i])
    return qdd


ARMSTRONG = register(
    armstrong,
    Computes.FORWARD_DYNAMICS,
    Takes.SPHERICAL,
    "O(N)",
    1979,
    "W. W. Armstrong, Recursive solution to the equations of motion of an n-link manipulator, "
    "Proc. 5th World Congress on Theory of Machines and Mechanisms",
)
