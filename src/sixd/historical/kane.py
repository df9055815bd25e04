"""Kane's equations: generalised active forces and generalised inertia forces add up to zero."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, Position, Velocity
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import links_of
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar
from sixd.spatial import Matrix, Vector
from sixd.spatial.linear import cross

__all__ = ["kane"]


@algorithm(rolled=False)
def kane(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration) -> Output:
    """tau = ID(q, qd, qdd) by Kane's equations, O(N^2).

    Kane, 1961; Kane and Levinson, 1983, for robots. A partial velocity is what multiplies qd_r in the velocity of a
    centre of mass, a partial angular velocity what multiplies it in the angular velocity of a link. The force of joint
    r is what links need, seen along them:

        tau_r = sum over links i of (v_ir . m_i (a_i - g) + w_ir . (I_i dw_i + w_i x I_i w_i))

    Forces between links do no work along partial velocities, so they never appear, and no energy is differentiated.
    Vectors are in world coordinates: there a partial angular velocity is the joint's axis, the same for all links that
    the joint carries, and v_ir = s_r + u_r x (com_i - origin_r).
    """
    links, total = links_of(tree, q, "kane"), dict[int, Scalar]()
    R, x = {0: Matrix.identity()}, {0: Vector.zero()}  # attitude and position of each link
    w, dw, a = {0: Vector.zero()}, {0: Vector.zero()}, {0: -tree.gravity.lin}
    u, s = dict[int, Vector](), dict[int, Vector]()
    joints: dict[int, list[int]] = {0: []}
    for k in links:
        rate, acceleration = qd[k.i][0], qdd[k.i][0]
        step = R[k.p] @ k.r
        R[k.i], x[k.i], joints[k.i] = R[k.p] @ k.E.T, x[k.p] + step, [*joints[k.p], k.i]
        u[k.i], s[k.i] = R[k.i] @ k.u, R[k.i] @ k.s
        w[k.i] = w[k.p] + u[k.i] * rate
        dw[k.i] = dw[k.p] + u[k.i] * acceleration + cross(w[k.p], u[k.i] * rate)
        carried = a[k.p] + cross(dw[k.p], step) + cross(w[k.p], cross(w[k.p], step))
        a[k.i] = carried + s[k.i] * acceleration + cross(w[k.p], s[k.i] * rate) * 2.0
        c = R[k.i] @ k.c
        com = x[k.i] + c
        force = (a[k.i] + cross(dw[k.i], c) + cross(w[k.i], cross(w[k.i], c))) * k.m
        turning, speeding = R[k.i].T @ w[k.i], R[k.i].T @ dw[k.i]  # in the link, where its inertia is constant
        moment = R[k.i] @ (k.I @ speeding + cross(turning, k.I @ turning))
        total[k.i] = k.rotor * acceleration
        for r in joints[k.i]:
            partial = s[r] + cross(u[r], com - x[r])
            total[r] = total[r] + (partial @ force + u[r] @ moment)
    tau = tree.output()
    for k in links:
        tau[k.i] = Vector((total[k.i],))
    return tau


KANE = register(
    kane,
    Computes.INVERSE_DYNAMICS,
    Takes.SCREWS,
    "O(N^2)",
    1983,
    "T. R. Kane, D. A. Levinson, The use of Kane's dynamical equations in robotics, Int. J. Robotics Research 2",
)
