"""Operational space: the equations of motion of frames that are driven by forces at them.

Lambda, mu and p follow from three things: the mobility Lambda^-1, which says how a force at the frames accelerates
them, and the accelerations that velocities and that gravity make where no motor acts. `equations_of_motion` makes them
of these, however they were found, and whatever constraints they respect.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.articulated_joints import articulated_joints, free_accelerations, innovations
from sixd.algorithms.declared import BodyNumber, FrameOffset, Position, Velocity
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.inverse_dynamics import coriolis_forces, gravity_forces
from sixd.algorithms.inverse_operational_inertia import propagated_mobility, weighted_square
from sixd.algorithms.kinematics import along_path, body_motion, expression
from sixd.algorithms.mass_matrix import crba
from sixd.algorithms.tasks import TASKS, Kinds, Task, task_jacobian, task_rows, tasks_of, unit_forces
from sixd.model.tree import Slots, Tree
from sixd.ops import Scalar, divide, where
from sixd.spatial import Force, Matrix, Motion, Transform, Vector

__all__ = [
    "TASKS",
    "OperationalSpace",
    "equations_of_motion",
    "operational_space",
    "operational_space_of_frames",
    "task_drifts",
    "task_rows",
]

#: A frame cannot move in some direction of the task where a pivot of its mobility is below this share of the diagonal
#: of J H^-1 J^T.
SINGULAR = 1e-12


class OperationalSpace(NamedTuple):
    """Lambda x'' + mu + p = f: the equations of motion of a frame, of the task's size."""

    #: The inertia that a force at the frame feels.
    Lambda: Matrix
    #: Coriolis and centrifugal forces.
    mu: Vector
    #: Gravity.
    p: Vector


@algorithm(rolled="uncoupled")
def operational_space(
    tree: Tree,
    q: Position,
    qd: Velocity,
    body: BodyNumber,
    offset: FrameOffset = None,
    expressed_in: str = "body",
    kind: str = "pose",
) -> OperationalSpace:
    """Lambda, mu and p of a frame: Lambda x'' + mu + p = f, for joint forces tau = J^T f. O(N).

    O. Khatib, "A unified approach for motion and force control of robot manipulators: the operational space
    formulation", 1987: Lambda = (J H^-1 J^T)^-1, mu = Lambda (J H^-1 c - (dJ/dt) qd), p = Lambda J H^-1 g, where c are
    Coriolis and centrifugal forces and g those of gravity. x'' = J qdd + (dJ/dt) qd is the spatial acceleration of the
    frame, gravity left out; for "aligned" the conventional one. ``kind`` is "pose" (6), "position" or "rotation" (3).

    Forces at the frame are propagated to the base, as in `inverse_operational_inertia`. On their way they meet what is
    left of the forces that velocities make, and this adds up to J H^-1 c. What arrives at the base tells gravity: a
    base that accelerates with -a_g moves the frame by that much. Where the frame cannot move in every direction of the
    task, Lambda does not exist, and all results are NaN. Coupled (mimic) joints go through the mass matrix.
    """
    offset, rows = offset or Transform.identity(), task_rows(kind)
    if tree.is_coupled:
        return _by_mass_matrix(tree, q, qd, [Task(body, offset, rows)], expressed_in)
    X, v, a = body_motion(tree, q, qd)
    joints = articulated_joints(tree, q, X)
    X_F0 = along_path(tree, X, body, offset)
    to_task = expression(X_F0, expressed_in)
    u = innovations(tree, q, joints, _velocity_forces(tree, v, a))
    F, n = tree.cell(unit_forces(offset, to_task, rows)), len(range(6)[rows])
    mobility, by_velocity = tree.cell(Matrix.zero(n, n)), tree.cell(Vector.zero(n))
    for i, _ in tree.path(body):
        e, Dinv = tree.joint(i).subspace(q[i]).T @ F.now, joints.Dinv[i]
        mobility.now = mobility.now + weighted_square(e, Dinv)
        by_velocity.now = by_velocity.now + e.T @ (Dinv @ u[i])
        F.now = X[i].inv @ (F.now - joints.UD[i] @ e)
    drift = _drift(offset, to_task, v[body], a[body], rows, expressed_in)
    falling = Vector((to_task @ (X_F0 @ tree.gravity)).components()[rows])
    return equations_of_motion(mobility.now, by_velocity.now + drift, falling - F.now.T @ tree.gravity)


@algorithm(rolled=False)
def operational_space_of_frames(
    tree: Tree, q: Position, qd: Velocity, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> OperationalSpace:
    """Lambda, mu and p of several frames by name, as `operational_space`; their tasks stand one above the other.

    ``kinds`` is the kind of all frames, or of each. Lambda couples the frames: a force at one moves the others.
    """
    tasks = tasks_of(tree, frames, kinds)
    if tree.is_coupled:
        return _by_mass_matrix(tree, q, qd, tasks, expressed_in)
    X, v, a = body_motion(tree, q, qd)
    joints = articulated_joints(tree, q, X)
    u = innovations(tree, q, joints, _velocity_forces(tree, v, a))
    moving = free_accelerations(tree, q, joints, u, base=Motion.zero())
    held_up = free_accelerations(tree, q, joints, None, base=-tree.gravity)
    by_velocity: list[Scalar] = []
    by_gravity: list[Scalar] = []
    for task in tasks:
        X_F0 = along_path(tree, X, task.body, task.offset)
        to_task = expression(X_F0, expressed_in)
        drift = _drift(task.offset, to_task, v[task.body], a[task.body], task.rows, expressed_in)
        made = (to_task @ (task.offset @ moving[task.body])).components()[task.rows]
        fallen = to_task @ (X_F0 @ tree.gravity + task.offset @ held_up[task.body])
        by_velocity += (Vector(made) + drift).components()
        by_gravity += fallen.components()[task.rows]
    mobility = propagated_mobility(tree, q, joints, tasks, expressed_in)
    return equations_of_motion(mobility, Vector(by_velocity), Vector(by_gravity))


def equations_of_motion(
    mobility: Matrix, by_velocity: Vector, by_gravity: Vector, free: Sequence[Scalar] | None = None
) -> OperationalSpace:
    """Lambda, mu and p from Lambda^-1 and the accelerations of the task that velocities and gravity make.

    With tau = 0 the task accelerates by x'' = by_velocity + by_gravity, so mu = -Lambda by_velocity and
    p = -Lambda by_gravity. For a robot with constraints, the mobility J P H^-1 J^T, where P projects out what the
    constraints hold back, and the accelerations under the constraints give its Lambda, mu and p; ``free`` is then the
    diagonal of J H^-1 J^T. NaN where the mobility is singular.
    """
    Lambda = inverse_where_regular(mobility, free)
    return OperationalSpace(Lambda, -(Lambda @ by_velocity), -(Lambda @ by_gravity))


def _velocity_forces(tree: Tree, v: Slots[Motion], a: Slots[Motion]) -> Slots[Force]:
    """The forces on the bodies that zero joint acceleration takes without gravity: F10b (11)."""
    f = tree.slots(Force, base=Force.zero())
    for i, _ in tree.outward():
        f[i] = tree.inertia(i).force(a[i], v[i])
    return f


def _drift(frame: Transform, to_task: Transform, v: Motion, a: Motion, rows: slice, expressed_in: str) -> Vector:
    """(dJ/dt) qd of a task, from the velocity of its body and the acceleration at zero joint acceleration."""
    at_frame = frame @ a
    if expressed_in == "aligned":
        at_frame = at_frame.conventional(frame @ v)
    return Vector((to_task @ at_frame).components()[rows])


def _by_mass_matrix(
    tree: Tree, q: Position, qd: Velocity, tasks: Sequence[Task], expressed_in: str
) -> OperationalSpace:
    """The same from the sparse factors of H."""
    J = [row for task in tasks for row in task_jacobian(tree, q, task, expressed_in)]
    parents = tree.model.dof_parent
    factors = ltdl(crba(tree, q).rows, parents)
    H_inv_JT = [Vector(solve_ltdl(*factors, row, parents)) for row in J]
    mobility = Matrix([Vector(row) @ x for x in H_inv_JT] for row in J)
    drift = task_drifts(tree, q, qd, tasks, expressed_in)
    c, g = Vector(coriolis_forces(tree, q, qd).values), Vector(gravity_forces(tree, q).values)
    by_velocity = Vector(d - x @ c for x, d in zip(H_inv_JT, drift, strict=True))
    return equations_of_motion(mobility, by_velocity, Vector(-(x @ g) for x in H_inv_JT))


def task_drifts(tree: Tree, q: Position, qd: Velocity, tasks: Sequence[Task], expressed_in: str) -> list[Scalar]:
    """(dJ/dt) qd of tasks, one above the other."""
    X, v, a = body_motion(tree, q, qd)
    drift: list[Scalar] = []
    for task in tasks:
        to_task = expression(along_path(tree, X, task.body, task.offset), expressed_in)
        drift += _drift(task.offset, to_task, v[task.body], a[task.body], task.rows, expressed_in).components()
    return drift


def null_space_of(J: Matrix, moved: Matrix, Lambda: Matrix) -> list[list[Scalar]]:
    """N^T = 1 - J^T Lambda moved^T, where moved = H^-1 J^T; all of it is NaN where Lambda is."""
    unknown = where(Lambda[0, 0] < inf, 0.0, nan)
    N_T = Matrix.identity(len(moved.rows)) - J.T @ (Lambda @ moved.T)
    return [[x + unknown for x in row] for row in N_T.rows]


def inverse_where_regular(A: Matrix, free: Sequence[Scalar] | None = None) -> Matrix:
    """The inverse of a symmetric positive semidefinite matrix by its factors A = L^T D L; NaN where it is singular.

    ``free`` are the entries of its diagonal before something was taken from them, such as what constraints hold back:
    what is left is then known to rounding of these.
    """
    n = len(A.rows)
    most = [A[k, k] for k in range(n)] if free is None else free
    L, D, unknown = [list(row) for row in A.rows], [1.0] * n, 0.0
    for k in reversed(range(n)):
        regular = L[k][k] > SINGULAR * most[k]
        D[k], unknown = where(regular, L[k][k], 1.0), where(regular, unknown, nan)
        for i in reversed(range(k)):
            factor = divide(L[k][i], D[k])
            for j in range(i + 1):
                L[i][j] = L[i][j] - factor * L[k][j]
            L[k][i] = factor
    dense = range(-1, n - 1)
    columns = [solve_ltdl(L, D, [1.0 if r == k else 0.0 for r in range(n)], dense) for k in range(n)]
    return Matrix([x + unknown for x in column] for column in columns)
