"""Inverse dynamics: the joint forces that make given accelerations."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, ExternalForces, Position, Velocity
from sixd.algorithms.kinematics import body_motion, forward_kinematics
from sixd.model.tree import Output, Slots, Tree
from sixd.spatial import Force, Motion, Transform

__all__ = ["bias_forces", "coriolis_forces", "gravity_forces", "joint_forces", "rnea", "rnea_absolute"]


@algorithm
def rnea(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None) -> Output:
    """tau = ID(model, q, qd, qdd), the recursive Newton-Euler algorithm in link coordinates.

    F10b (9)-(13), Figs. 1 and 5; FO00 (1)-(8); FDSV (13)-(16); PBP95 (22)-(27).
    ``f_ext`` (..., N, 6) acts on the bodies, in body coordinates.
    """
    X, f = tree.slots(Transform), tree.slots(Force, base=Force.zero())
    v, a = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=-tree.gravity)
    tau = tree.output()
    for i, p in tree.outward():
        joint, I = tree.joint(i), tree.inertia(i)
        S = joint.subspace(q[i])
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        vJ = S @ qd[i]
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + S @ qdd[i] + joint.bias(q[i], qd[i]) + v[i].cross(vJ)
        f[i] = I @ a[i] + v[i].cross(I @ v[i]) - f_ext[i]
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        tau[i] = S.T @ f[i] + tree.rotor_inertia(i) @ qdd[i]
        f[p] = f[p] + X[i].inv @ f[i]
    return tau


@algorithm
def rnea_absolute(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None) -> Output:
    """The same by the equations F10b (9)-(13) as they stand, every vector in world coordinates. For teaching."""
    X = forward_kinematics(tree, q)
    v, a = tree.slots(Motion, base=Motion.zero()), tree.slots(Motion, base=-tree.gravity)
    f = tree.slots(Force, base=Force.zero())
    tau = tree.output()
    for i, p in tree.outward():
        joint = tree.joint(i)
        I, s = X[i].inv @ tree.inertia(i), X[i].inv @ joint.subspace(q[i])
        v[i] = v[p] + s @ qd[i]
        a[i] = a[p] + s @ qdd[i] + v[i].cross(s @ qd[i]) + X[i].inv @ joint.bias(q[i], qd[i])
        f[i] = I @ a[i] + v[i].cross(I @ v[i]) - X[i].inv @ f_ext[i]
    for i, p in tree.inward():
        s = X[i].inv @ tree.joint(i).subspace(q[i])
        tau[i] = s.T @ f[i] + tree.rotor_inertia(i) @ qdd[i]
        f[p] = f[p] + f[i]
    return tau


@algorithm
def joint_forces(
    tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None
) -> Slots[Force]:
    """f_Ji, the whole force transmitted across each joint onto its successor, in successor coordinates: F10b (12).

    What a bearing must carry. tau_i = S_i^T f_Ji is the part that the motor delivers (F10b (13)), rotor inertia apart.
    """
    X, v, a = body_motion(tree, q, qd, qdd, -tree.gravity)
    f = tree.slots(Force, base=Force.zero())
    for i, _ in tree.outward():
        f[i] = tree.inertia(i).force(a[i], v[i]) - f_ext[i]
    for i, p in tree.inward():
        f[p] = f[p] + X[i].inv @ f[i]
    return f


@algorithm
def bias_forces(tree: Tree, q: Position, qd: Velocity, f_ext: ExternalForces = None) -> Output:
    """C(q, qd) of tau = H qdd + C: Coriolis, centrifugal and gravitational forces. F10b (37), FDSV (9)."""
    return rnea(tree, q, qd, None, f_ext)


@algorithm
def gravity_forces(tree: Tree, q: Position) -> Output:
    """The joint forces that hold the robot still against gravity: C(q, 0)."""
    return rnea(tree, q, None, None)


@algorithm
def coriolis_forces(tree: Tree, q: Position, qd: Velocity) -> Output:
    """The joint forces that velocity makes, Coriolis and centrifugal, without gravity: C(q, qd) - C(q, 0)."""
    X, v, a = body_motion(tree, q, qd)
    f, tau = tree.slots(Force, base=Force.zero()), tree.output()
    for i, _ in tree.outward():
        f[i] = tree.inertia(i).force(a[i], v[i])
    for i, p in tree.inward():
        tau[i] = tree.joint(i).subspace(q[i]).T @ f[i]
        f[p] = f[p] + X[i].inv @ f[i]
    return tau
