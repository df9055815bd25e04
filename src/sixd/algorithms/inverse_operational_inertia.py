"""The inverse of the operational-space inertia by forces that are propagated from frames to the base.

P. Wensing, R. Featherstone and D. E. Orin, "A reduced-order recursive algorithm for the computation of the
operational-space inertia matrix", ICRA 2012: the extended-force-propagator algorithm. A force F on body i reaches its
parent as F' = X^T (1 - U D^-1 S^T) F, since joint i gives way to it, and makes the joint accelerate by D^-1 S^T F. So a
span of links has two matrices: the force that arrives at its end, and the acceleration of its start that its own joints
make. Spans are joined where the ways of frames meet.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.articulated_joints import ArticulatedJoints, articulated_joints, link_transforms
from sixd.algorithms.declared import BodyNumber, FrameOffset, Position
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.kinematics import along_path, expression
from sixd.algorithms.mass_matrix import crba
from sixd.algorithms.tasks import Kinds, Task, task_jacobian, task_rows, tasks_of, unit_forces
from sixd.model.tree import Tree
from sixd.ops import Scalar
from sixd.spatial import Forces, Matrix, Motion, Motions, Transform, Vector

__all__ = ["inverse_operational_inertia", "inverse_operational_inertia_of_frames"]


@algorithm(rolled="uncoupled")
def inverse_operational_inertia(
    tree: Tree,
    q: Position,
    body: BodyNumber,
    offset: FrameOffset = None,
    expressed_in: str = "body",
    kind: str = "pose",
) -> Matrix:
    """Lambda^-1 = J H^-1 J^T of a frame, n x n: the acceleration that a unit force at the frame makes. O(N).

    It exists at singular positions too. ``kind`` is "pose" (n = 6, angular first), "position" or "rotation" (n = 3).
    Force propagation: K. Lilly and D. Orin, "Efficient O(N) recursive computation of the operational space inertia
    matrix", 1993, for trees; see `inverse_operational_inertia_of_frames` for several frames. Coupled (mimic) joints go
    through the mass matrix.
    """
    offset, rows = offset or Transform.identity(), task_rows(kind)
    if tree.is_coupled:
        return _by_mass_matrix(tree, q, [Task(body, offset, rows)], expressed_in)
    X = link_transforms(tree, q)
    joints = articulated_joints(tree, q, X)
    to_task = expression(along_path(tree, X, body, offset), expressed_in)
    F, mobility = tree.cell(unit_forces(offset, to_task, rows)), tree.cell(Matrix.zero(*[len(range(6)[rows])] * 2))
    for i, _ in tree.path(body):
        e = tree.joint(i).subspace(q[i]).T @ F.now
        mobility.now = mobility.now + weighted_square(e, joints.Dinv[i])
        F.now = X[i].inv @ (F.now - joints.UD[i] @ e)
    return mobility.now


@algorithm(rolled=False)
def inverse_operational_inertia_of_frames(
    tree: Tree, q: Position, frames: Sequence[str], expressed_in: str = "body", kinds: Kinds = "pose"
) -> Matrix:
    """Lambda^-1 = J H^-1 J^T of several frames by name, whose Jacobians stand in J one above the other, n x n.

    ``kinds`` is the kind of all frames or of each: "pose", "position" or "rotation". O(N + m d + m^2) for m frames in a
    tree of depth d.
    """
    tasks = tasks_of(tree, frames, kinds)
    if tree.is_coupled:
        return _by_mass_matrix(tree, q, tasks, expressed_in)
    joints = articulated_joints(tree, q, link_transforms(tree, q))
    return propagated_mobility(tree, q, joints, tasks, expressed_in)


def propagated_mobility(
    tree: Tree, q: Position, joints: ArticulatedJoints, tasks: Sequence[Task], expressed_in: str
) -> Matrix:
    """Lambda^-1 of several tasks from the articulated inertias at a position."""
    paths = [tree.model.path(task.body) for task in tasks]
    meetings = {(a, b): _meeting(paths[a], paths[b]) for b in range(len(tasks)) for a in range(b)}
    bodies = set(meetings.values())
    # Lambda^-1 of the bodies at which ways meet, and the span from each to the next. No force moves the base.
    mobility, onward = {0: Matrix.zero(6, 6)}, dict[int, Span]()
    for g in sorted(bodies - {0}):
        units = unit_forces(Transform.identity(), Transform.identity(), slice(6))
        onward[g] = _span(tree, q, joints, tree.model.path(g), units, bodies - {g})
        mobility[g] = _with_the_rest(onward[g], mobility)
    blocks, arriving = dict[tuple[int, int], Matrix](), list[dict[int, Forces]]()
    for k, (task, path) in enumerate(zip(tasks, paths, strict=True)):
        to_task = expression(along_path(tree, joints.X, task.body, task.offset), expressed_in)
        units = unit_forces(task.offset, to_task, task.rows)
        span = _span(tree, q, joints, path, units, bodies)
        blocks[k, k] = _with_the_rest(span, mobility)
        arriving.append(_propagated(span, onward))
    for (a, b), g in meetings.items():
        blocks[a, b] = arriving[a][g].T @ _motions(mobility[g], arriving[b][g])
        blocks[b, a] = blocks[a, b].T
    n = range(len(tasks))
    return Matrix([x for b in n for x in blocks[a, b].rows[r]] for a in n for r in range(tasks[a].size))


class Span(NamedTuple):
    """What unit forces at the start of a span of links do."""

    #: The acceleration of the start that the joints of the span make.
    mobility: Matrix
    #: The forces that arrive at the end, the extended propagator, and the body there; 0 is the base.
    forces: Forces
    end: int


def _meeting(a: Sequence[int], b: Sequence[int]) -> int:
    """The body farthest from the base that two paths share; 0, the base, if there is none."""
    return max({*a} & {*b}, default=0)


def _span(
    tree: Tree, q: Position, joints: ArticulatedJoints, path: Sequence[int], units: Forces, ends: Container[int]
) -> Span:
    """The span along a path until one of these bodies, or to the base."""
    mobility, F = Matrix.zero(len(units), len(units)), units
    for i in path:
        if i in ends:
            return Span(mobility, F, i)
        e = tree.joint(i).subspace(q[i]).T @ F
        mobility = mobility + weighted_square(e, joints.Dinv[i])
        F = joints.X[i].inv @ (F - joints.UD[i] @ e)
    return Span(mobility, F, 0)


def _with_the_rest(span: Span, mobility: Mapping[int, Matrix]) -> Matrix:
    """Lambda^-1 of the start of a span, from that of its end."""
    moved, n = _motions(mobility[span.end], span.forces), range(len(span.forces))
    return span.mobility + _mirrored([[span.forces[r].dot(moved[c]) for c in n if c >= r] for r in n])


def _propagated(span: Span, onward: Mapping[int, Span]) -> dict[int, Forces]:
    """The forces that arrive at each body between the end of a span and the base at which ways meet."""
    found = {span.end: span.forces}
    end = span.end
    while end:
        arrived = Matrix(f.components() for f in found[end]).T
        found[onward[end].end] = onward[end].forces @ arrived
        end = onward[end].end
    return found


def _motions(mobility: Matrix, F: Forces) -> Motions:
    """The accelerations that forces make."""
    return Motions(Motion.from_components(list(mobility @ Vector(f.components()))) for f in F)


def weighted_square(e: Matrix, D: Matrix) -> Matrix:
    """e^T D e for a symmetric D."""
    columns, De = e.columns(), (D @ e).columns()
    n = range(len(columns))
    return _mirrored([[columns[r] @ De[c] for c in n if c >= r] for r in n])


def _mirrored(upper: Sequence[Sequence[Scalar]]) -> Matrix:
    """The symmetric matrix with these rows, each from the diagonal on."""
    n = range(len(upper))
    return Matrix([upper[min(r, c)][abs(c - r)] for c in n] for r in n)


def _by_mass_matrix(tree: Tree, q: Position, tasks: Sequence[Task], expressed_in: str) -> Matrix:
    """J H^-1 J^T from the sparse factors of H."""
    J = [row for task in tasks for row in task_jacobian(tree, q, task, expressed_in)]
    parents = tree.model.dof_parent
    factors = ltdl(crba(tree, q).rows, parents)
    solved = [Vector(solve_ltdl(*factors, row, parents)) for row in J]
    return _mirrored([[Vector(row) @ x for x in solved[r:]] for r, row in enumerate(J)])
