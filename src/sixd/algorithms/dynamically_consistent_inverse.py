"""The dynamically consistent inverse of a Jacobian, and the joint forces that leave frames alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.articulated_joints import articulated_joints, link_transforms
from sixd.algorithms.declared import Position
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.kinematics import along_path, expression
from sixd.algorithms.mass_matrix import crba
from sixd.algorithms.operational_space import inverse_where_regular, null_space_of
from sixd.algorithms.tasks import Kinds, Task, task_jacobian, tasks_of, unit_forces
from sixd.model.tree import MatrixOutput, Tree
from sixd.spatial import Force, Forces, Matrix, Motion, Motions

__all__ = ["dynamically_consistent_inverse", "null_space_projector"]


@algorithm(rolled=False)
def dynamically_consistent_inverse(
    tree: Tree, q: Position, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> Matrix:
    """Jbar = H^-1 J^T Lambda, nv x n, for frames by name, whose Jacobians stand in J one above the other.

    Khatib (1987). J Jbar = 1, and of all inverses of J it is the one whose motions take the least kinetic energy.
    Jbar^T tau is the force at the frames that joint forces tau make there. ``kinds`` is the kind of all frames, or of
    each: "pose", "position" or "rotation". NaN where the frames cannot move in every direction.
    """
    return _responses(tree, q, tasks_of(tree, frames, kinds), expressed_in).consistent_inverse()


@algorithm(rolled=False)
def null_space_projector(
    tree: Tree, q: Position, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> MatrixOutput:
    """N^T = 1 - J^T Jbar^T, nv x nv: N^T tau is the part of joint forces tau that does not accelerate the frames.

    Khatib (1987), with Jbar and arguments as in `dynamically_consistent_inverse`. Its transpose N does the same to
    velocities: J N = 0. It projects: N^T N^T = N^T.
    """
    tasks, N_T = tasks_of(tree, frames, kinds), tree.matrix_output()
    found = _responses(tree, q, tasks, expressed_in)
    J = Matrix(row for task in tasks for row in task_jacobian(tree, q, task, expressed_in))
    N_T.rows = null_space_of(J, found.joints, inverse_where_regular(found.mobility))
    return N_T


class _Responses(NamedTuple):
    """What unit forces at frames do, one column for each."""

    #: The accelerations of the joints, H^-1 J^T.
    joints: Matrix
    #: Those of the frames, J H^-1 J^T.
    mobility: Matrix

    def consistent_inverse(self) -> Matrix:
        return self.joints @ inverse_where_regular(self.mobility)


def _responses(tree: Tree, q: Position, tasks: Sequence[Task], expressed_in: str) -> _Responses:
    """The articulated-body algorithm at rest, F10b (57)-(66), for all unit forces side by side. O(N n)."""
    if tree.is_coupled:
        return _by_mass_matrix(tree, q, tasks, expressed_in)
    joints = articulated_joints(tree, q, link_transforms(tree, q))
    n, sizes = sum(task.size for task in tasks), [task.size for task in tasks]
    no_force, at_rest = Forces([Force.zero()] * n), Motions([Motion.zero()] * n)
    F, A = [no_force] * (tree.model.n_bodies + 1), [at_rest] * (tree.model.n_bodies + 1)
    units = []
    for k, task in enumerate(tasks):
        to_task = expression(along_path(tree, joints.X, task.body, task.offset), expressed_in)
        units.append(unit_forces(task.offset, to_task, task.rows))
        before, after = sum(sizes[:k]), sum(sizes[k + 1 :])
        F[task.body] = F[task.body] + Forces([*[Force.zero()] * before, *units[k], *[Force.zero()] * after])
    e, rows = dict[int, Matrix](), list(Matrix.zero(tree.model.nv, n).rows)
    for i, p in tree.inward():
        e[i] = tree.joint(i).subspace(q[i]).T @ F[i]
        F[p] = F[p] + joints.X[i].inv @ (F[i] - joints.UD[i] @ e[i])
    for i, p in tree.outward():
        Ap = joints.X[i] @ A[p]
        qdd = joints.Dinv[i] @ e[i] - joints.UD[i].T @ Ap
        rows[tree.model.coordinates[i].v] = qdd.rows
        A[i] = Ap + tree.joint(i).subspace(q[i]) @ qdd
    mobility = [row for task, unit in zip(tasks, units, strict=True) for row in (unit.T @ A[task.body]).rows]
    return _Responses(Matrix(rows), Matrix(mobility))


def _by_mass_matrix(tree: Tree, q: Position, tasks: Sequence[Task], expressed_in: str) -> _Responses:
    """The same from the sparse factors of H."""
    J = Matrix(row for task in tasks for row in task_jacobian(tree, q, task, expressed_in))
    parents = tree.model.dof_parent
    factors = ltdl(crba(tree, q).rows, parents)
    H_inv_JT = Matrix(solve_ltdl(*factors, row, parents) for row in J.rows).T
    return _Responses(H_inv_JT, J @ H_inv_JT)
