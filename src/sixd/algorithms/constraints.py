"""What constraints demand of a tree: the error phi(q), its Jacobian L, and c with L qdd = c. FO00 (16)-(18)."""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position, Targets, Velocity
from sixd.model.closures import Closure
from sixd.model.tree import RowsMatrixOutput, RowsOutput, Tree
from sixd.spatial import Matrix, Motion, Transform, Vector

__all__ = ["constraint_bias", "constraint_error", "constraint_jacobian", "constraint_subspaces", "relative_pose"]


@algorithm(rolled=False)
def constraint_error(tree: Tree, q: Position, targets: Targets = None) -> RowsOutput:
    """phi(q), how far a position is from keeping the constraints, (rows,): FO00 (16). rad and m.

    Rows that constrain velocities only are zero. Prescribed rows are the position less its target.
    """
    phi = tree.rows_output()
    for c in tree.constraints():
        found = c.constraint.error(relative_pose(tree, q, c), [q[j] for j in c.joints])
        phi[c] = found - Vector(target[0] for target in c.targets_of(targets))
    return phi


@algorithm(rolled=False)
def constraint_jacobian(tree: Tree, q: Position) -> RowsMatrixOutput:
    """L = phi', (rows, nv), with L qd = 0: FO00 (17), (18).

    The rows of a constraint are T^T (J_b - J_a), in coordinates of frame b. Only the joints between the two frames have
    entries.
    """
    L = tree.rows_matrix_output()
    for c in tree.constraints():
        X_ba = relative_pose(tree, q, c)
        T = c.constraint.forces(X_ba).T
        for path, X, sign in ((c.path_b, c.X_b, 1.0), (c.path_a, X_ba @ c.X_a, -1.0)):
            for i in path:
                joint = tree.joint(i)
                L.add(c, i, (T @ (X @ joint.subspace(q[i]))) * sign)
                X = X @ (joint.transform(q[i]) @ tree.placement(i))
        for j, G in zip(c.joints, c.constraint.coefficients(), strict=True):
            L.add(c, j, G)
    return L


@algorithm(rolled=False)
def constraint_subspaces(tree: Tree, q: Position) -> Matrix:
    """T^T of all constraints, (rows, 6): the force of each row on frame b, in coordinates of that frame. F10a (33).

    Rows of constraints on joints are zero.
    """
    subspaces = [c.constraint.forces(relative_pose(tree, q, c)) for c in tree.constraints()]
    return Matrix(force.components() for T in subspaces for force in T)


@algorithm(rolled=False)
def constraint_bias(tree: Tree, q: Position, qd: Velocity, targets: Targets = None) -> RowsOutput:
    """c with L qdd = c, (rows,): what velocities demand of accelerations, -(dL/dt) qd. FO00 (17), (18).

    The accelerations of prescribed rows are added.

    With the velocity v = v_b - v_a in coordinates of frame b, the rate of T^T v is T^T dv/dt + (dT/dt)^T v, where
    dv/dt = a_b - a_a + v_b x v_a is the rate of its coordinates, F10a (15).
    """
    bias = tree.rows_output()
    for c in tree.constraints():
        X_ba = relative_pose(tree, q, c)
        at_b, at_a = (_motion(tree, q, qd, path, X) for path, X in ((c.path_b, c.X_b), (c.path_a, c.X_a)))
        v_a = X_ba @ at_a.v
        v = at_b.v - v_a
        rate = at_b.a - X_ba @ at_a.a + at_b.v.cross(v_a)
        T, dT = c.constraint.forces(X_ba), c.constraint.force_rate(X_ba, v)
        bias[c] = Vector(target[2] for target in c.targets_of(targets)) - (T.T @ rate + dT.T @ v)
    return bias


def relative_pose(tree: Tree, q: Position, c: Closure) -> Transform:
    """X_ba, from the coordinates of frame a to those of frame b."""
    X_b, X_a = c.X_b, c.X_a
    for i in c.path_b:
        X_b = X_b @ (tree.joint(i).transform(q[i]) @ tree.placement(i))
    for i in c.path_a:
        X_a = X_a @ (tree.joint(i).transform(q[i]) @ tree.placement(i))
    return X_b @ X_a.inv


class _Motion(NamedTuple):
    """Velocity and acceleration of a frame, in its coordinates, relative to a body that carries it."""

    v: Motion
    a: Motion


def _motion(tree: Tree, q: Position, qd: Velocity, path: tuple[int, ...], X: Transform) -> _Motion:
    """The motion at zero joint accelerations of a frame, at X on the first body of a path, relative to its end."""
    v = a = Motion.zero()
    for i in reversed(path):
        joint = tree.joint(i)
        X_i, vJ = joint.transform(q[i]) @ tree.placement(i), joint.subspace(q[i]) @ qd[i]
        v = X_i @ v + vJ
        a = X_i @ a + joint.bias(q[i], qd[i]) + v.cross(vJ)
    return _Motion(X @ v, X @ a)
