"""The recursions of the articulated-body algorithm one by one, for algorithms that ask for more than `aba` does."""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.declared import Position
from sixd.model.tree import Slots, Tree
from sixd.spatial import (
    ArticulatedInertia,
    Force,
    Forces,
    Matrix,
    Motion,
    Transform,
    Vector,
    inverse,
    symmetric_product,
)

__all__ = ["ArticulatedJoints", "articulated_joints", "free_accelerations", "innovations", "link_transforms"]


def link_transforms(tree: Tree, q: Position) -> Slots[Transform]:
    """From parent to body coordinates, for every body: F10b (3)."""
    X = tree.slots(Transform)
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
    return X


class ArticulatedJoints(NamedTuple):
    """What the inward recursion of the articulated-body algorithm leaves at each joint."""

    #: From parent to body coordinates.
    X: Slots[Transform]
    #: U D^-1: the force on the body, per unit of joint force that it meets, that the joint does not transmit.
    UD: Slots[Forces]
    #: D^-1: the acceleration of the joint per unit of joint force.
    Dinv: Slots[Matrix]


def articulated_joints(tree: Tree, q: Position, X: Slots[Transform]) -> ArticulatedJoints:
    """The inward recursion of the articulated-body algorithm without its bias forces, F10b (52)-(64).

    ``X`` has the transforms of `link_transforms`.
    """
    UD, Dinv = tree.slots(Forces), tree.slots(Matrix)
    IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
    for i, _ in tree.outward():
        IA[i] = tree.inertia(i).articulated()
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        U = IA[i] @ S
        Dinv[i] = inverse(S.T @ U + tree.rotor_inertia(i))
        UD[i] = U @ Dinv[i]
        IA[p] = IA[p] + X[i].inv @ (IA[i] - symmetric_product(UD[i], U))
    return ArticulatedJoints(X, UD, Dinv)


def innovations(tree: Tree, q: Position, joints: ArticulatedJoints, f: Slots[Force]) -> Slots[Vector]:
    """u of the articulated-body algorithm, F10b (57), at zero joint forces.

    ``f`` are the forces on the bodies that zero joint acceleration takes. They are used up.
    """
    u = tree.slots(Vector)
    for i, p in tree.inward():
        u[i] = -(tree.joint(i).subspace(q[i]).T @ f[i])
        f[p] = f[p] + joints.X[i].inv @ (f[i] + joints.UD[i] @ u[i])
    return u


def free_accelerations(
    tree: Tree, q: Position, joints: ArticulatedJoints, u: Slots[Vector] | None, base: Motion
) -> Slots[Motion]:
    """The accelerations of the bodies that u makes, and that of the base, to which joints give way: F10b (57), (66).

    Those at zero joint acceleration are left out. No u stands for zero.
    """
    a = tree.slots(Motion, base=base)
    for i, p in tree.outward():
        ap = joints.X[i] @ a[p]
        qdd = -(joints.UD[i].T @ ap)
        a[i] = ap + tree.joint(i).subspace(q[i]) @ (qdd if u is None else joints.Dinv[i] @ u[i] + qdd)
    return a
