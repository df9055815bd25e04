"""Forward dynamics with constraints in independent coordinates: constraint embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import Equations, equations
from sixd.algorithms.constraint_ranks import RowMeasure, row_measures
from sixd.algorithms.constraints import constraint_jacobian
from sixd.algorithms.declared import Acceleration, ExternalForces, JointForces, Option, Position, Targets, Velocity
from sixd.algorithms.guarded import dot, guarded_ldl, is_nothing, largest
from sixd.algorithms.inverse_dynamics import rnea
from sixd.algorithms.passive import passive_forces
from sixd.errors import ModelError
from sixd.given import described, whole
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, divide, where

__all__ = ["constrained_forward_dynamics_embedding", "constrained_inverse_dynamics", "dofs"]

Rows = list[list[Scalar]]


@algorithm(rolled=False)
def constrained_forward_dynamics_embedding(
    tree: Tree,
    q: Position,
    qd: Velocity,
    tau: JointForces,
    f_ext: ExternalForces = None,
    targets: Targets = None,
    independent: Option[tuple[int, ...]] = (),
) -> Output:
    """qdd from the accelerations y of ``independent`` degrees of freedom: qdd = G y + g, G^T H G y = G^T (u - H g).

    The others depend on them through L qdd = c, which is solved by elimination with exchange of rows. There must be as
    many of them as L has independent rows. Where they cannot be solved for, the result is NaN.
    """
    free = dofs(tree, independent, "independent")
    qdd = tree.output()
    qdd.values = _solve(equations(tree, q, qd, tau, f_ext, targets), row_measures(tree, q), free)
    return qdd


@algorithm(rolled=False)
def constrained_inverse_dynamics(
    tree: Tree,
    q: Position,
    qd: Velocity,
    qdd: Acceleration,
    f_ext: ExternalForces = None,
    actuated: Option[tuple[int, ...]] = (),
    passive: Option[bool] = False,
) -> Output:
    """The forces of ``actuated`` degrees of freedom that produce qdd: tau = G^T (H qdd + C), the others zero.

    G maps velocities of the actuated degrees of freedom to all; there must be as many of them as the robot has
    freedoms. FO00 (15), (19): the multipliers do not matter, since L G = 0. Where they do not determine the motion, the
    result is NaN. With ``passive``, springs, dampers and friction do their part.
    """
    driven = dofs(tree, actuated, "actuated")
    needed = rnea(tree, q, qd, qdd, f_ext).values
    if passive:
        needed = [a - b for a, b in zip(needed, passive_forces(tree, q, qd).values, strict=True)]
    L = constraint_jacobian(tree, q).rows
    found = _dependent(len(needed), L, [0.0] * len(L), row_measures(tree, q), driven)
    tau = tree.output()
    for j in driven:
        tau.values[j] = needed[j] - dot([row.row[j] for row in found.values()], [needed[k] for k in found])
    return tau


def dofs(tree: Tree, numbers: Sequence[int], what: str) -> list[int]:
    """Degrees of freedom, checked and in order."""
    n = tree.model.nv
    found = [whole(x) for x in numbers] if isinstance(numbers, list | tuple) else [None]
    if not all(k is not None and 0 <= k < n for k in found):
        raise ModelError(f"{what} must be numbers of degrees of freedom, 0 to {n - 1}, not {described(numbers)}")
    return sorted({k for k in found if k is not None})


def _solve(e: Equations, measures: Sequence[RowMeasure], free: list[int]) -> list[Scalar]:
    n = len(e.u)
    found = _dependent(n, e.L, e.c, measures, free)
    G: Rows = [[0.0] * len(free) for _ in range(n)]
    g: list[Scalar] = [0.0] * n
    for place, k in enumerate(free):
        G[k][place] = 1.0
    for k, (row, right) in found.items():
        G[k], g[k] = [-row[j] for j in free], right
    columns = list(zip(*G, strict=True))
    HG = [[dot(row, column) for row in e.H] for column in columns]
    left = [u - dot(row, g) for u, row in zip(e.u, e.H, strict=True)]
    M = [[dot(columns[i], HG[j]) for j in range(i + 1)] for i in range(len(free))]
    y = guarded_ldl(M, [0.0] * len(free)).solve([dot(column, left) for column in columns])
    return [dot(row, y) + x for row, x in zip(G, g, strict=True)]


class _Row(NamedTuple):
    """qdd_k + row . qdd_independent = right, for a coordinate k that depends on others."""

    row: list[Scalar]
    right: Scalar


def _dependent(
    n: int, L: Sequence[Sequence[Scalar]], c: Sequence[Scalar], measures: Sequence[RowMeasure], free: list[int]
) -> dict[int, _Row]:
    """The rows of L qdd = c, solved for those of n coordinates that are not independent.

    Each is solved for by the row in which its coefficient is greatest, as a share of what the row could be.
    """
    m = len(c)
    if n - len(free) > m:
        raise ModelError(
            f"{len(free)} of {n} degrees of freedom determine the motion only if constraints give the other "
            f"{n - len(free)}, but there are {m} rows of constraints: name at least {n - m}"
        )
    B: Rows = [[*row, right] for row, right in zip(L, c, strict=True)]
    unused: list[Scalar] = [1.0] * m
    found: dict[int, _Row] = {}
    for j in (k for k in range(n) if k not in free):
        shares = [0.0 if is_nothing(B[r][j]) else measures[r].share(j, B[r][j]) for r in range(m)]
        sizes = [0.0 if is_nothing(x) else x * free_row for x, free_row in zip(shares, unused, strict=True)]
        best, is_row = largest(sizes)
        row = [dot(is_row, [B[r][k] for r in range(m)]) for k in range(n + 1)]
        inverse = float("nan") if is_nothing(row[j]) else where(best > 1.0, divide(1.0, row[j]), float("nan"))
        row = [0.0 if is_nothing(x) else x * inverse for x in row]
        for r in range(m):
            if not is_nothing(B[r][j]):
                factor = B[r][j] * (1.0 - is_row[r])
                B[r] = [x if is_nothing(y) else x - factor * y for x, y in zip(B[r], row, strict=True)]
        unused = [u if is_nothing(f) else u - f for u, f in zip(unused, is_row, strict=True)]
        for k, old in found.items():
            f = old.row[j]
            if not is_nothing(f):
                cleared = [x if is_nothing(y) else x - f * y for x, y in zip(old.row, row[:n], strict=True)]
                found[k] = _Row(cleared, old.right - f * row[n])
        found[j] = _Row(row[:n], row[n])
    return found
