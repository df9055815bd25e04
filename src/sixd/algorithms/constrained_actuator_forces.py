"""Joint forces for a motion of a closed robot, by any choice of actuated degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_by_embedding import dofs
from sixd.algorithms.constraint_ranks import row_tolerances
from sixd.algorithms.constraints import constraint_jacobian
from sixd.algorithms.declared import Acceleration, ExternalForces, Position, Velocity
from sixd.algorithms.factorization import ltdl
from sixd.algorithms.gram_schmidt import GramSchmidt
from sixd.algorithms.guarded import Tolerances, is_nothing, largest
from sixd.algorithms.inverse_dynamics import rnea
from sixd.algorithms.mass_matrix import crba
from sixd.algorithms.null_space import NullSpace
from sixd.algorithms.passive import passive_forces
from sixd.algorithms.schur_complement import half_product, half_solve
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, absolute, divide, where

__all__ = ["ROUNDING", "ActuatorForces", "constrained_actuator_forces", "forces_of_actuators"]

#: An actuator counts as dependent on others if the square of the sine between what they do is less.
DEPENDENT = 1e-12
#: A residual below this, relative to the forces, is rounding.
ROUNDING = 1e-9


class ActuatorForces(NamedTuple):
    """Forces of the actuated degrees of freedom, zero for others, and the forces that are missing."""

    tau: Output
    residual: Output


@algorithm(rolled=False)
def constrained_actuator_forces(
    tree: Tree,
    q: Position,
    qd: Velocity,
    qdd: Acceleration,
    f_ext: ExternalForces = None,
    actuated: Sequence[int] = (),
    passive: bool = False,
) -> ActuatorForces:
    """tau of the degrees of freedom ``actuated`` that comes nearest to qdd, and of these the one with least squares.

    With h = H qdd + C, the accelerations that are lost are W (h - B tau), where W are the accelerations that forces
    make while the constraints hold, and B has a unit column for each actuator. Nearest in the metric of H means least
    (h - B tau)^T W (h - B tau). The residual are the joint forces H W (h - B tau), with which nothing would be lost.
    """
    h = rnea(tree, q, qd, qdd, f_ext).values
    if passive:
        h = [a - b for a, b in zip(h, passive_forces(tree, q, qd).values, strict=True)]
    tau, residual = tree.output(), tree.output()
    tau.values, residual.values = forces_of_actuators(tree, q, h, dofs(tree, actuated, "actuated"))
    return ActuatorForces(tau, residual)


class Found(NamedTuple):
    """Forces of all degrees of freedom, of which only actuated ones are not zero, and the forces that are missing."""

    tau: list[Scalar]
    residual: list[Scalar]


def forces_of_actuators(tree: Tree, q: Position, h: Sequence[Scalar], chosen: Sequence[int]) -> Found:
    """Forces of the degrees of freedom ``chosen``, in order, that do what the joint forces h would do."""
    if len(chosen) == tree.model.nv:
        return Found(_held_back(tree, q, h), [0.0] * len(h))
    return _nearest(tree, q, h, chosen)


def _held_back(tree: Tree, q: Position, h: Sequence[Scalar]) -> list[Scalar]:
    """h less what the constraints can hold, L^T lambda: if every joint has an actuator, nothing is missing."""
    L = constraint_jacobian(tree, q).rows
    basis = GramSchmidt(L, [1.0] * len(h), row_tolerances(tree, q, L))
    return basis.solve(basis.solve(h).rest).rest  # the second time it takes away what rounding has left


def _nearest(tree: Tree, q: Position, h: Sequence[Scalar], chosen: Sequence[int]) -> Found:
    """tau and the residual: h = B tau + L^T lambda + residual, where the residual is least in the metric of H^-1.

    With H = L_H^T D L_H, that is the sum of squares of L_H^-T residual, weighted by D^-1.
    """
    parents, n, rows = tree.model.dof_parent, len(h), constraint_jacobian(tree, q).rows
    L_H, D = ltdl(crba(tree, q).rows, parents)
    units = [[float(i == k) for i in range(n)] for k in chosen]
    columns = [half_solve(L_H, column, parents) for column in (*rows, *units)]
    of_rows = row_tolerances(tree, q, rows)
    groups = [*of_rows.groups, *range(len(rows), len(columns))]
    tolerances = Tolerances([*of_rows, *[DEPENDENT] * len(units)], groups)
    basis = GramSchmidt(columns, [divide(1.0, d) for d in D], tolerances)
    found = basis.solve(half_solve(L_H, h, parents))
    first, m = len(rows), range(len(chosen))
    replaced = [basis.dependence(first + j)[first:] for j in m]
    counts = [0.0 if is_nothing(x) else where(x > 0.0, 1.0, 0.0) for x in basis.inverse[first:]]
    spare = NullSpace([[float(i == j) - replaced[j][i] for i in m] for j in m], counts)
    tau: list[Scalar] = [0.0] * n
    for k, force in zip(chosen, spare.removed_from(found.x[first:]), strict=True):
        tau[k] = force
    return Found(tau, _told(half_product(L_H, found.rest, parents), tau))


def _told(residual: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
    """The residual, or zero if it is only what rounding has left."""
    most, _ = largest([absolute(x) for x in residual])
    size, _ = largest([absolute(x) for x in tau])
    counts = where(most > ROUNDING * size, 1.0, 0.0)
    return [x * counts for x in residual]
