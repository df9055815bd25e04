"""Operational space of robots with constraints: the equations of motion of frames, as far as constraints let them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import factors_at
from sixd.algorithms.constraint_factors import ConstraintFactors
from sixd.algorithms.constraints import constraint_bias
from sixd.algorithms.declared import Position, Velocity
from sixd.algorithms.guarded import dot
from sixd.algorithms.inverse_dynamics import coriolis_forces, gravity_forces
from sixd.algorithms.operational_space import (
    OperationalSpace,
    equations_of_motion,
    inverse_where_regular,
    null_space_of,
    task_drifts,
)
from sixd.algorithms.tasks import Kinds, task_jacobian, tasks_of
from sixd.model.tree import MatrixOutput, Tree
from sixd.ops import Scalar
from sixd.spatial import Matrix, Vector

__all__ = [
    "constrained_dynamically_consistent_inverse",
    "constrained_inverse_operational_inertia",
    "constrained_null_space_projector",
    "constrained_operational_space",
]


@algorithm(rolled=False)
def constrained_operational_space(
    tree: Tree, q: Position, qd: Velocity, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> OperationalSpace:
    """Lambda, mu and p of frames of a closed robot, as `operational_space_of_frames`: Lambda x'' + mu + p = f.

    Lambda^-1 = J W J^T, where W = H^-1 - H^-1 L^T (L H^-1 L^T)^-1 L H^-1 gives the accelerations that joint forces make
    while the constraints hold. mu and p are those of the accelerations that velocities, with c of L qdd = c, and
    gravity make. NaN where the frames cannot move in every direction of the task.
    """
    J, system, _, mobility, free = _responses(tree, q, frames, expressed_in, kinds)
    still = [0.0] * len(system.L)
    bias, c, g = (
        constraint_bias(tree, q, qd).values,
        coriolis_forces(tree, q, qd).values,
        gravity_forces(tree, q).values,
    )
    by_velocity, by_gravity = system.solve(bias, [-x for x in c]).x, system.solve(still, [-x for x in g]).x
    drifts = task_drifts(tree, q, qd, tasks_of(tree, frames, kinds), expressed_in)
    return equations_of_motion(
        mobility,
        Vector(dot(row, by_velocity) + drift for row, drift in zip(J, drifts, strict=True)),
        Vector(dot(row, by_gravity) for row in J),
        free,
    )


@algorithm(rolled=False)
def constrained_inverse_operational_inertia(
    tree: Tree, q: Position, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> Matrix:
    """Lambda^-1 = J W J^T of frames of a closed robot: how forces at them accelerate them while constraints hold."""
    return _responses(tree, q, frames, expressed_in, kinds).mobility


@algorithm(rolled=False)
def constrained_dynamically_consistent_inverse(
    tree: Tree, q: Position, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> Matrix:
    """Jbar = W J^T Lambda, nv x n, for frames of a closed robot, as `dynamically_consistent_inverse`.

    J Jbar = 1 and L Jbar = 0: of all motions that keep the constraints and move the frames in a given way, it has the
    one with the least kinetic energy.
    """
    return _responses(tree, q, frames, expressed_in, kinds).consistent_inverse()


@algorithm(rolled=False)
def constrained_null_space_projector(
    tree: Tree, q: Position, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> MatrixOutput:
    """N^T = 1 - J^T Jbar^T, nv x nv, for frames of a closed robot, as `null_space_projector`: J W N^T = 0."""
    found, N_T = _responses(tree, q, frames, expressed_in, kinds), tree.matrix_output()
    N_T.rows = null_space_of(Matrix(found.J), Matrix(found.joints).T, inverse_where_regular(found.mobility, found.free))
    return N_T


class _Responses(NamedTuple):
    """What unit forces at frames do while the constraints hold."""

    #: The Jacobians of the tasks, one above the other.
    J: list[list[Scalar]]
    system: ConstraintFactors
    #: The accelerations of the joints, W J^T: one row for each unit force.
    joints: list[list[Scalar]]
    #: Those of the frames, J W J^T.
    mobility: Matrix
    #: The diagonal of J H^-1 J^T: what the forces would do to the frames without constraints.
    free: list[Scalar]

    def consistent_inverse(self) -> Matrix:
        return Matrix(self.joints).T @ inverse_where_regular(self.mobility, self.free)


def _responses(tree: Tree, q: Position, frames: Sequence[str], expressed_in: str, kinds: Kinds) -> _Responses:
    J = [row for task in tasks_of(tree, frames, kinds) for row in task_jacobian(tree, q, task, expressed_in)]
    system = factors_at(tree, q)
    joints = [system.solve([0.0] * len(system.L), row).x for row in J]
    mobility = Matrix([dot(row, x) for x in joints] for row in J)
    return _Responses(J, system, joints, mobility, [system.mobility(row) for row in J])
