"""Operational space: the equations of motion of a frame that is driven by a force at it."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.articulated_factors import articulated_factors
from sixd.algorithms.declared import BodyNumber, FrameOffset, Position, Velocity
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.inverse_dynamics import coriolis_forces, gravity_forces
from sixd.algorithms.jacobian import jacobian
from sixd.algorithms.kinematics import acceleration
from sixd.algorithms.mass_matrix import crba
from sixd.given import choice
from sixd.model.tree import Tree
from sixd.ops import Scalar, divide, where
from sixd.spatial import Matrix, Vector

__all__ = ["TASKS", "OperationalSpace", "operational_space", "task_rows"]

#: The rows of a Jacobian that a task is about.
TASKS = {"pose": slice(0, 6), "rotation": slice(0, 3), "position": slice(3, 6)}
#: A frame cannot move in some direction of the task where a pivot of J H^-1 J^T is below this share of its diagonal.
SINGULAR = 1e-12


class OperationalSpace(NamedTuple):
    """Lambda x'' + mu + p = f: the equations of motion of a frame, of the task's size."""

    #: The inertia that a force at the frame feels.
    Lambda: Matrix
    #: Coriolis and centrifugal forces.
    mu: Vector
    #: Gravity.
    p: Vector


@algorithm(rolled=False)
def operational_space(
    tree: Tree,
    q: Position,
    qd: Velocity,
    body: BodyNumber,
    offset: FrameOffset = None,
    expressed_in: str = "body",
    kind: str = "pose",
) -> OperationalSpace:
    """Lambda, mu and p of a frame: Lambda x'' + mu + p = f, for joint forces tau = J^T f.

    O. Khatib, "A unified approach for motion and force control of robot manipulators: the operational space
    formulation", 1987: Lambda = (J H^-1 J^T)^-1, mu = Lambda (J H^-1 c - (dJ/dt) qd), p = Lambda J H^-1 g, where c are
    Coriolis and centrifugal forces and g those of gravity. x'' = J qdd + (dJ/dt) qd is the spatial acceleration of the
    frame, gravity left out; for "aligned" the conventional one. ``kind`` is "pose" (6), "position" or "rotation" (3).
    H^-1 J^T comes from the sparse factors of H. Where the frame cannot move in every direction of the task, Lambda does
    not exist, and all results are NaN.
    """
    rows = task_rows(kind)
    J = [column.components()[rows] for column in jacobian(tree, q, body, offset, expressed_in).columns]
    drift = acceleration(tree, q, qd, None, body, offset, expressed_in, expressed_in == "aligned").components()[rows]
    H_inv_JT = _solved(tree, q, J)
    n = len(drift)
    mobility = Matrix([_dot([j[r] for j in J], column) for column in H_inv_JT] for r in range(n))
    Lambda = _inverse(mobility)
    c, g = coriolis_forces(tree, q, qd).values, gravity_forces(tree, q).values
    mu = Lambda @ Vector(_dot(column, c) - a for column, a in zip(H_inv_JT, drift, strict=True))
    p = Lambda @ Vector(_dot(column, g) for column in H_inv_JT)
    return OperationalSpace(Lambda, mu, p)


def task_rows(kind: str) -> slice:
    """The rows of a Jacobian that a task of this kind is about."""
    return TASKS[choice(kind, "kind", TASKS)]


def _solved(tree: Tree, q: Position, J: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """The columns of H^-1 J^T, J given by its columns."""
    columns = [list(row) for row in zip(*J, strict=True)]
    if tree.is_coupled:
        parents = tree.model.dof_parent
        factors = ltdl(crba(tree, q).rows, parents)
        return [solve_ltdl(*factors, b, parents) for b in columns]
    places = {i: tree.model.coordinates[i].v for i, _ in tree.outward()}
    blocks = {i: Matrix(J[place]) for i, place in places.items() if any(not _is_zero(x) for j in J[place] for x in j)}
    found = articulated_factors(tree, q).solve(blocks)
    x: list[list[Scalar]] = [[0.0] * tree.model.nv for _ in columns]
    for i, block in found.items():
        for column, entries in zip(x, block.columns(), strict=True):
            column[places[i]] = entries
    return x


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """The sum of products, without those of plain zeros."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        if not _is_zero(x) and not _is_zero(y):
            total = total + x * y
    return total


def _inverse(A: Matrix) -> Matrix:
    """The inverse of a symmetric positive semidefinite matrix by its factors A = L^T D L; NaN where it is singular."""
    n = len(A.rows)
    L, D, doubt = [list(row) for row in A.rows], [1.0] * n, 0.0
    for k in reversed(range(n)):
        regular = L[k][k] > SINGULAR * A[k, k]
        D[k], doubt = where(regular, L[k][k], 1.0), where(regular, doubt, nan)
        for i in reversed(range(k)):
            factor = divide(L[k][i], D[k])
            for j in range(i + 1):
                L[i][j] = L[i][j] - factor * L[k][j]
            L[k][i] = factor
    dense = range(-1, n - 1)
    columns = [solve_ltdl(L, D, [1.0 if r == k else 0.0 for r in range(n)], dense) for k in range(n)]
    return Matrix([x + doubt for x in column] for column in columns)
