"""Operational space of robots with constraints: the equations of motion of frames, as far as constraints let them."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import factors_at
from sixd.algorithms.constraints import constraint_bias
from sixd.algorithms.declared import Position, Velocity
from sixd.algorithms.guarded import dot
from sixd.algorithms.inverse_dynamics import coriolis_forces, gravity_forces
from sixd.algorithms.operational_space import OperationalSpace, equations_of_motion, task_drifts
from sixd.algorithms.tasks import Kinds, task_jacobian, tasks_of
from sixd.model.tree import Tree
from sixd.spatial import Matrix, Vector

__all__ = ["constrained_operational_space"]


@algorithm(rolled=False)
def constrained_operational_space(
    tree: Tree, q: Position, qd: Velocity, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> OperationalSpace:
    """Lambda, mu and p of frames of a closed robot, as `operational_space_of_frames`: Lambda x'' + mu + p = f.

    Lambda^-1 = J W J^T, where W = H^-1 - H^-1 L^T (L H^-1 L^T)^-1 L H^-1 gives the accelerations that joint forces make
    while the constraints hold. mu and p are those of the accelerations that velocities, with c of L qdd = c, and
    gravity make. NaN where the frames cannot move in every direction of the task.
    """
    tasks = tasks_of(tree, frames, kinds)
    J = [row for task in tasks for row in task_jacobian(tree, q, task, expressed_in)]
    system = factors_at(tree, q)
    still = [0.0] * len(system.L)
    moved = [system.solve(still, row).x for row in J]
    mobility = Matrix([dot(row, x) for x in moved] for row in J)
    bias, c, g = (
        constraint_bias(tree, q, qd).values,
        coriolis_forces(tree, q, qd).values,
        gravity_forces(tree, q).values,
    )
    by_velocity, by_gravity = system.solve(bias, [-x for x in c]).x, system.solve(still, [-x for x in g]).x
    drifts = task_drifts(tree, q, qd, tasks, expressed_in)
    return equations_of_motion(
        mobility,
        Vector(dot(row, by_velocity) + drift for row, drift in zip(J, drifts, strict=True)),
        Vector(dot(row, by_gravity) for row in J),
    )
