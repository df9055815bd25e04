"""Momentum, composite inertia and the maps from joint velocities to them."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position, Velocity
from sixd.algorithms.kinematics import forward_kinematics
from sixd.model.tree import ColumnsOutput, Slots, Tree
from sixd.ops import divide
from sixd.spatial import Force, Inertia, Motion, Transform

__all__ = [
    "center_of_mass_jacobian",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "composite_inertia",
    "composite_inertias",
    "momentum",
    "momentum_matrix",
]


@algorithm
def momentum(tree: Tree, q: Position, qd: Velocity) -> Force:
    """h = sum I_i v_i, the spatial momentum of all bodies in world coordinates: about the world's origin, then linear.

    F10a (23). Rotors are left out.
    """
    X = tree.slots(Transform)
    v, h = tree.slots(Motion, base=Motion.zero()), tree.slots(Force, base=Force.zero())
    for i, p in tree.outward():
        joint = tree.joint(i)
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        v[i] = X[i] @ v[p] + joint.subspace(q[i]) @ qd[i]
        h[i] = tree.inertia(i) @ v[i]
    for i, p in tree.inward():
        h[p] = h[p] + X[i].inv @ h[i]
    return h[0]


@algorithm
def centroidal_momentum(tree: Tree, q: Position, qd: Velocity) -> Force:
    """The momentum about the centre of mass, in world axes: angular, then linear."""
    X, Ic = about_center(tree, q)
    v, h = tree.slots(Motion, base=Motion.zero()), tree.slots(Force, base=Force.zero())
    for i, p in tree.outward():
        v[i] = X[i] @ v[p] + tree.joint(i).subspace(q[i]) @ qd[i]
        h[i] = tree.inertia(i) @ v[i]
    for i, p in tree.inward():
        h[p] = h[p] + X[i].inv @ h[i]
    return Transform.translation(Ic[0].com) @ h[0]


def about_center(tree: Tree, q: Position) -> tuple[Slots[Transform], Slots[Inertia]]:
    """X_i,parent and I_i^c of every body, where the base has the world's axes at the centre of mass, but for rounding.

    Far from the world's origin moments about it lose digits when they are shifted. Here they are small numbers, and so
    is the place of the centre of mass, which tells what was rounded off.
    """
    base = tree.slots(Transform, base=Transform.translation(-composite_inertias(tree, q)[0].com))
    X, Ic = tree.slots(Transform), tree.slots(Inertia, base=Inertia.zero())
    for i, p in tree.outward():
        base[i] = Transform.identity()
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i) @ base[p]
        Ic[i] = tree.inertia(i)
    for i, p in tree.inward():
        Ic[p] = Ic[p] + X[i].inv @ Ic[i]
    return X, Ic


@algorithm
def composite_inertias(tree: Tree, q: Position) -> Slots[Inertia]:
    """I_i^c, the inertia of each subtree as one rigid body, in body-i coordinates: F10b (44), FO00 (9).

    Entry 0 is the whole robot in world coordinates, the base itself left out.
    """
    X, Ic = tree.slots(Transform), tree.slots(Inertia, base=Inertia.zero())
    for i, _ in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i)
        Ic[i] = tree.inertia(i)
    for i, p in tree.inward():
        Ic[p] = Ic[p] + X[i].inv @ Ic[i]
    return Ic


@algorithm
def composite_inertia(tree: Tree, q: Position) -> Inertia:
    """The inertia of the whole robot, frozen, in world coordinates: F10a (24)."""
    return composite_inertias(tree, q)[0]


@algorithm
def momentum_matrix(tree: Tree, q: Position) -> ColumnsOutput:
    """A with h = A qd, 6 x nv, in world coordinates: block i is I_i^c S_i, as in F10b (47)."""
    A = tree.forces_output()
    X: Slots[Transform] = forward_kinematics(tree, q)
    Ic: Slots[Inertia] = composite_inertias(tree, q)
    for i, _ in tree.outward():
        A[i] = X[i].inv @ (Ic[i] @ tree.joint(i).subspace(q[i]))
    return A


@algorithm
def centroidal_momentum_matrix(tree: Tree, q: Position) -> ColumnsOutput:
    """A_G with h_G = A_G qd, 6 x nv: momentum about the centre of mass, in world axes.

    Block i is I_i^c S_i, as in F10b (47).
    """
    A = tree.forces_output()
    X, Ic = about_center(tree, q)
    X_G = tree.slots(Transform, base=Transform.translation(-Ic[0].com))
    for i, p in tree.outward():
        X_G[i] = X[i] @ X_G[p]
        A[i] = X_G[i].inv @ (Ic[i] @ tree.joint(i).subspace(q[i]))
    return A


@algorithm
def center_of_mass_jacobian(tree: Tree, q: Position) -> ColumnsOutput:
    """J with c' = J qd, 3 x nv: the linear momentum is the mass times the velocity of the centre of mass."""
    J = tree.points_output()
    X: Slots[Transform] = forward_kinematics(tree, q)
    Ic: Slots[Inertia] = composite_inertias(tree, q)
    per_mass = divide(1.0, Ic[0].m)
    for i, _ in tree.outward():
        J[i] = [X[i].E.T @ f.lin * per_mass for f in Ic[i] @ tree.joint(i).subspace(q[i])]
    return J
