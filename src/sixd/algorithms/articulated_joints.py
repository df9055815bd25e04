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


def innovations(tree: Tree, q: Position, joints: ArticulatedJoints, *forces: Slots[Force]) -> tuple[Slots[Vector], ...]:
    """u of the articulated-body algorithm, F10b (57), at zero joint forces, for each of several sets of bias forces."""
    found = tuple(tree.slots(Vector) for _ in forces)
    for i, p in tree.inward():
        S = tree.joint(i).subspace(q[i])
        for u, f in zip(found, forces, strict=True):
            u[i] = -(S.T @ f[i])
            f[p] = f[p] + joints.X[i].inv @ (f[i] + joints.UD[i] @ u[i])
    return found


def free_accelerations(tree: Tree, q: Position, joints: ArticulatedJoints, u: Slots[Vector]) -> Slots[Motion]:
    """The accelerations of the bodies that u makes, those at zero joint acceleration left out: F10b (57), (66)."""
    a = tree.slots(Motion, base=Motion.zero())
    for i, p in tree.outward():
        ap = joints.X[i] @ a[p]
        a[i] = ap + tree.joint(i).subspace(q[i]) @ (joints.Dinv[i] @ u[i] - joints.UD[i].T @ ap)
    return a
