"""The sums that F10b derives its algorithms from, as they are printed: over paths, pairs of joints and subtrees.

Every vector is in world coordinates. They take O(N^2) or O(N^3) operations and are for reading; the recursions that the
tutorial makes of them are in `sixd.algorithms`. s_i has several columns where joint i has several freedoms, and
ds_i/dt = v_i x s_i has one term more where s_i moves in its body. Rotors count as in the algorithms.
"""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, BodyNumber, Number, Position, Velocity
from sixd.algorithms.kinematics import forward_kinematics
from sixd.model.tree import MatrixOutput, Slots, Tree
from sixd.ops import Scalar
from sixd.spatial import Inertia, Matrix, Motion, Motions, Transform

__all__ = [
    "acceleration_over_path",
    "kinetic_energy_over_bodies",
    "kinetic_energy_over_pairs",
    "mass_matrix_over_subtrees",
    "velocity_over_joints",
    "velocity_over_path",
    "velocity_product_acceleration",
]


@algorithm(rolled=False)
def velocity_over_path(tree: Tree, q: Position, qd: Velocity, body: BodyNumber) -> Motion:
    """v_b = sum of s_i qd_i over the joints i on the path from the base to body b: F10b (18)."""
    s, total = _axes(tree, q), Motion.zero()
    for i, _ in tree.path(body):
        total = total + s[i] @ qd[i]
    return total


@algorithm(rolled=False)
def velocity_over_joints(tree: Tree, q: Position, qd: Velocity, body: BodyNumber) -> Motion:
    """v_b = sum of e_bi s_i qd_i over all joints, where e_bi is 1 if joint i is on the path to body b, else 0.

    F10b (19), (20). What multiplies qd is the Jacobian of the body.
    """
    s, path, total = _axes(tree, q), {i for i, _ in tree.path(body)}, Motion.zero()
    for i, _ in tree.outward():
        e = 1.0 if i in path else 0.0
        total = total + (s[i] @ qd[i]) * e
    return total


@algorithm(rolled=False)
def acceleration_over_path(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, body: BodyNumber) -> Motion:
    """a_b = sum of s_i qdd_i + ds_i/dt qd_i over the path, with ds_i/dt written out: F10b (28), (29)."""
    s, total = _axes(tree, q), velocity_product_acceleration(tree, q, qd, body)
    for i, _ in tree.path(body):
        total = total + s[i] @ qdd[i]
    return total


@algorithm(rolled=False)
def velocity_product_acceleration(tree: Tree, q: Position, qd: Velocity, body: BodyNumber) -> Motion:
    """a_b^vp = sum over the joints i of the path of the sum over j, on the path to i, of s_j qd_j x s_i qd_i.

    F10b (30): what is left of (29) where all qdd are zero.
    """
    X, s, total = forward_kinematics(tree, q), _axes(tree, q), Motion.zero()
    for i, _ in tree.path(body):
        own = s[i] @ qd[i]
        total = total + X[i].inv @ tree.joint(i).bias(q[i], qd[i])
        for j, _ in tree.path(i):
            total = total + (s[j] @ qd[j]).cross(own)
    return total


@algorithm(rolled=False)
def kinetic_energy_over_bodies(tree: Tree, q: Position, qd: Velocity) -> Number:
    """T = 1/2 sum over bodies k of s_i^T I_k s_j qd_i qd_j, over the pairs of joints on the path to k: F10b (40)."""
    s, I, total = _axes(tree, q), _inertias(tree, q), _rotor_energy(tree, qd)
    for k, _ in tree.outward():
        for i, _ in tree.path(k):
            for j, _ in tree.path(k):
                total = total + 0.5 * _term(s[i], I[k], s[j], qd[i], qd[j])
    return total


@algorithm(rolled=False)
def kinetic_energy_over_pairs(tree: Tree, q: Position, qd: Velocity) -> Number:
    """T = 1/2 sum over pairs of joints of s_i^T I_k s_j qd_i qd_j, over the bodies k that both carry: F10b (41)."""
    s, I, total = _axes(tree, q), _inertias(tree, q), _rotor_energy(tree, qd)
    for i, _ in tree.outward():
        for j, _ in tree.outward():
            for k in _carried(tree, i, j):
                total = total + 0.5 * _term(s[i], I[k], s[j], qd[i], qd[j])
    return total


@algorithm(rolled=False)
def mass_matrix_over_subtrees(tree: Tree, q: Position) -> MatrixOutput:
    """H_ij = sum of s_i^T I_k s_j over the bodies k that joints i and j both carry, nu(i) and nu(j): F10b (42)."""
    s, I, H = _axes(tree, q), _inertias(tree, q), tree.matrix_output()
    for i, _ in tree.outward():
        for j, _ in tree.outward():
            total = tree.rotor_inertia(i) if i == j else Matrix.zero(len(s[i]), len(s[j]))
            for k in _carried(tree, i, j):
                total = total + s[i].T @ (I[k] @ s[j])
            H[i, j] = total
    return H


def _axes(tree: Tree, q: Position) -> Slots[Motions]:
    """s_i of every joint, in world coordinates."""
    X: Slots[Transform] = forward_kinematics(tree, q)
    s = tree.slots(Motions)
    for i, _ in tree.outward():
        s[i] = X[i].inv @ tree.joint(i).subspace(q[i])
    return s


def _inertias(tree: Tree, q: Position) -> Slots[Inertia]:
    """I_k of every body, in world coordinates."""
    X: Slots[Transform] = forward_kinematics(tree, q)
    I = tree.slots(Inertia)
    for k, _ in tree.outward():
        I[k] = X[k].inv @ tree.inertia(k)
    return I


def _carried(tree: Tree, i: int, j: int) -> list[int]:
    """The bodies in both subtrees."""
    others = set(tree.subtree(j))
    return [k for k in tree.subtree(i) if k in others]


def _term(si: Motions, I: Inertia, sj: Motions, qdi: Velocity, qdj: Velocity) -> Scalar:
    """s_i^T I s_j qd_i qd_j."""
    return (si @ qdi).dot(I @ (sj @ qdj))


def _rotor_energy(tree: Tree, qd: Velocity) -> Scalar:
    total: Scalar = 0.0
    for i, _ in tree.outward():
        total = total + 0.5 * (qd[i] @ (tree.rotor_inertia(i) @ qd[i]))
    return total
