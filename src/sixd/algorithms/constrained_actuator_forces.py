"""Joint forces for a motion of a closed robot, by any choice of actuated degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_by_embedding import dofs_of
from sixd.algorithms.constrained_dynamics import factors_at
from sixd.algorithms.constraint_factors import ConstraintFactors
from sixd.algorithms.constraints import constraint_jacobian
from sixd.algorithms.declared import Acceleration, ExternalForces, Position, Velocity
from sixd.algorithms.guarded import dot, guarded_ldl, largest
from sixd.algorithms.inverse_dynamics import rnea
from sixd.algorithms.null_space import NullSpace
from sixd.algorithms.passive import passive_forces
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, absolute, where

__all__ = ["ROUNDING", "ActuatorForces", "constrained_actuator_forces"]

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
    (h - B tau)^T W (h - B tau), so B^T W B tau = B^T W h. The residual is H W (h - B tau).
    """
    h = rnea(tree, q, qd, qdd, f_ext).values
    if passive:
        h = [a - b for a, b in zip(h, passive_forces(tree, q, qd).values, strict=True)]
    chosen, tau, residual = dofs_of(tree, actuated, "actuated"), tree.output(), tree.output()
    if len(chosen) == tree.model.nv:
        tau.values, residual.values = _held_back(tree, q, h), [0.0] * len(h)
    else:
        tau.values, residual.values = _nearest(factors_at(tree, q), h, chosen)
    return ActuatorForces(tau, residual)


def _held_back(tree: Tree, q: Position, h: Sequence[Scalar]) -> list[Scalar]:
    """h less what the constraints can hold, L^T lambda: if every joint has an actuator, nothing is missing."""
    L = constraint_jacobian(tree, q).rows
    tolerances = [c.constraint.rank_tolerance for c in tree.constraints() for _ in range(c.constraint.rows)]
    factors = guarded_ldl([[dot(L[i], L[j]) for j in range(i + 1)] for i in range(len(L))], tolerances)
    for _ in range(2):  # the second time it takes away what rounding has left
        lam = factors.solve([dot(row, h) for row in L])
        h = [a - dot(lam, column) for a, column in zip(h, zip(*L, strict=True), strict=True)]
    return list(h)


def _nearest(
    system: ConstraintFactors, h: Sequence[Scalar], chosen: Sequence[int]
) -> tuple[list[Scalar], list[Scalar]]:
    """tau and the residual, with one step of refinement."""
    n, m, still = len(h), range(len(chosen)), [0.0] * len(system.L)
    responses = [system.solve(still, [float(i == k) for i in range(n)]).x for k in chosen]  # W B
    A = [[responses[j][chosen[i]] for j in m] for i in m]
    factors = guarded_ldl(A, [DEPENDENT] * len(m))
    counts = [where(x > 0.0, 1.0, 0.0) for x in factors.inverse]
    columns = [factors.solve([A[i][j] for i in m]) for j in m]
    spare = NullSpace([[float(i == j) - columns[j][i] for i in m] for j in m], counts)
    forces: list[Scalar] = [0.0] * len(m)
    rest = list(h)
    for _ in range(2):
        lost = system.solve(still, rest).x
        step = factors.solve([lost[k] for k in chosen])
        forces = [a + b for a, b in zip(forces, step, strict=True)]
        for k, x in zip(chosen, step, strict=True):
            rest[k] = rest[k] - x
    forces = spare.removed_from(forces)
    tau: list[Scalar] = [0.0] * n
    for k, x in zip(chosen, forces, strict=True):
        tau[k] = x
    rest = [a - b for a, b in zip(h, tau, strict=True)]
    held = system.forces(system.solve(still, rest).multipliers)
    return tau, _told([a + b for a, b in zip(rest, held, strict=True)], tau)


def _told(residual: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
    """The residual, or zero if it is only what rounding has left."""
    most, _ = largest([absolute(x) for x in residual])
    size, _ = largest([absolute(x) for x in tau])
    counts = where(most > ROUNDING * size, 1.0, 0.0)
    return [x * counts for x in residual]
