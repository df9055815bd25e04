"""Forward dynamics with constraints, FO00 (20), and the projections that solve the same equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.articulated_loops import ArticulatedLoops
from sixd.algorithms.constraint_factors import ConstraintFactors, Solution
from sixd.algorithms.constraint_ranks import row_tolerances
from sixd.algorithms.constraints import constraint_bias, constraint_error, constraint_jacobian
from sixd.algorithms.declared import Acceleration, ExternalForces, JointForces, Number, Position, Targets, Velocity
from sixd.algorithms.guarded import Tolerances, dot
from sixd.algorithms.inverse_dynamics import bias_forces
from sixd.algorithms.mass_matrix import crba
from sixd.algorithms.schur_complement import SchurComplement
from sixd.errors import ModelError
from sixd.model.tree import Output, RowsOutput, Tree
from sixd.ops import Scalar, where

__all__ = [
    "FEW_ROWS",
    "ConstraintMultipliers",
    "Equations",
    "Projection",
    "constrained_acceleration",
    "constrained_forward_dynamics",
    "constrained_forward_dynamics_articulated",
    "constrained_velocity",
    "constraint_correction",
    "constraint_multipliers",
    "equations",
    "factors_at",
    "moving_forces",
    "solution_at",
    "stabilised_bias",
]

Rows = list[list[Scalar]]
#: With more rows than this, loops are solved within the articulated-body recursion.
FEW_ROWS = 24


class Equations(NamedTuple):
    """H qdd = u + L^T lambda and L qdd = c: FO00 (15), (18), (19), with u = tau - C."""

    H: Rows
    u: list[Scalar]
    L: Rows
    c: list[Scalar]
    #: Below which pivots, relative to what they would be without other rows, rows count as redundant.
    tolerances: Tolerances


def equations(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces, targets: Targets
) -> Equations:
    """The equations of motion and the constraints on accelerations, with Baumgarte's terms where they are asked for.

    With the factors alpha, beta of a constraint, c becomes c - 2 alpha (L qd - r) - beta^2 phi.
    """
    L = constraint_jacobian(tree, q).rows
    c = stabilised_bias(tree, q, qd, targets, L)
    return Equations(crba(tree, q).rows, moving_forces(tree, q, qd, tau, f_ext), L, c, row_tolerances(tree, q, L))


def moving_forces(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> list[Scalar]:
    """tau - C: the joint forces that are left to accelerate the tree."""
    return [t - x for t, x in zip(tau.values, bias_forces(tree, q, qd, f_ext).values, strict=True)]


def stabilised_bias(
    tree: Tree, q: Position, qd: Velocity, targets: Targets, L: Sequence[Sequence[Scalar]]
) -> list[Scalar]:
    """c of `constraint_bias`, with Baumgarte's terms where they are asked for; L are the rows at q."""
    c, closures = constraint_bias(tree, q, qd, targets).values, list(tree.constraints())
    if any(any(k.constraint.stabilisation) for k in closures):
        phi = constraint_error(tree, q, targets).values
        for k in closures:
            alpha, beta = k.constraint.stabilisation
            for row, target in zip(range(k.rows.start, k.rows.stop), k.targets_of(targets), strict=True):
                c[row] = c[row] - 2.0 * alpha * (dot(L[row], qd.values) - target[1]) - beta * beta * phi[row]
    return c


def factors_at(tree: Tree, q: Position, counts: Sequence[Scalar] | None = None) -> ConstraintFactors:
    """The equations of motion at a position, factorised in the way that takes fewer operations.

    With few rows that is the Schur complement, with many the articulated-body recursion, since it couples only rows
    that share joints. Trees with mimic joints have the first alone. Rows whose ``counts`` is zero are left out.
    """
    L = constraint_jacobian(tree, q).rows
    tolerances = row_tolerances(tree, q, L)
    if counts is not None:  # no pivot is larger than it would be without other rows
        shares = [where(count > 0.5, x, 1.0) for x, count in zip(tolerances, counts, strict=True)]
        tolerances = Tolerances(shares, tolerances.groups)
    if len(L) <= FEW_ROWS or tree.is_coupled:
        return SchurComplement(crba(tree, q).rows, L, tolerances, tree.model.dof_parent)
    return ArticulatedLoops(tree, q, L, tolerances)


@algorithm(rolled=False)
def constrained_forward_dynamics(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, targets: Targets = None
) -> Output:
    """qdd by the Schur complement, on the sparse factors of the mass matrix: FO00 (21), its method 2.

    With H = L_H^T D L_H, the rows Y = L L_H^-1 keep the sparsity of branches, and A = Y D^-1 Y^T is the matrix of (21).
    Rows that depend on others (`rank_tolerance`) are left out, by each sample for itself. With more than 24 rows, it is
    `constrained_forward_dynamics_articulated`.
    """
    qdd = tree.output()
    qdd.values = solution_at(tree, factors_at(tree, q), q, qd, tau, f_ext, targets).x
    return qdd


@algorithm(rolled=False)
def constrained_forward_dynamics_articulated(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, targets: Targets = None
) -> Output:
    """qdd with the rows solved for within the articulated-body recursion: O(N) where loops are local.

    A row is carried along the joints that move it, and solved for at the body that carries all its frames.
    """
    if tree.is_coupled:
        raise ModelError("trees with mimic joints have no articulated-body recursion: use constrained_forward_dynamics")
    L = constraint_jacobian(tree, q).rows
    system = ArticulatedLoops(tree, q, L, row_tolerances(tree, q, L))
    qdd = tree.output()
    qdd.values = solution_at(tree, system, q, qd, tau, f_ext, targets).x
    return qdd


class ConstraintMultipliers(NamedTuple):
    """The forces of the constraints, by row, and how many rows are independent."""

    multipliers: RowsOutput
    rank: Number


@algorithm(rolled=False)
def constraint_multipliers(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, targets: Targets = None
) -> ConstraintMultipliers:
    """lambda of FO00 (19) by (21), with tau_c = L^T lambda, and the rank of L. Redundant rows have zero."""
    lam, system = tree.rows_output(), factors_at(tree, q)
    lam.values = solution_at(tree, system, q, qd, tau, f_ext, targets).multipliers
    return ConstraintMultipliers(lam, system.rank)


class Projection(NamedTuple):
    """A velocity or acceleration that keeps the constraints, and the multipliers that lead to it."""

    value: Output
    multipliers: RowsOutput


@algorithm(rolled=False)
def constrained_velocity(tree: Tree, q: Position, qd: Velocity, targets: Targets = None) -> Projection:
    """The velocity nearest to qd, in the metric of H, that keeps the constraints: L qd = r, H (qd' - qd) = L^T lambda.

    It is what is left of qd when the constraints close with an impulse lambda, without restitution.
    """
    targeted = [target[1] for c in tree.constraints() for target in c.targets_of(targets)]
    return _projected(tree, q, qd, targeted)


@algorithm(rolled=False)
def constrained_acceleration(
    tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, targets: Targets = None
) -> Projection:
    """The acceleration nearest to qdd, in the metric of H, that keeps the constraints: L qdd = c. Gauss' principle."""
    return _projected(tree, q, qdd, constraint_bias(tree, q, qd, targets).values)


@algorithm(rolled=False)
def constraint_correction(tree: Tree, q: Position, targets: Targets = None) -> Output:
    """dv, a step of Newton's method: q (+) dv keeps the constraints up to the square of their error at q.

    It is the least step in the metric of H.
    """
    dv = tree.output()
    dv.values = factors_at(tree, q).solve([-x for x in constraint_error(tree, q, targets).values]).x
    return dv


def _projected(tree: Tree, q: Position, x: Velocity, right: list[Scalar]) -> Projection:
    """x + H^-1 L^T lambda with L x = right."""
    system = factors_at(tree, q)
    solution = system.solve([r - dot(row, x.values) for r, row in zip(right, system.L, strict=True)])
    value, lam = tree.velocity_output(), tree.rows_output()
    value.values = [a + b for a, b in zip(x.values, solution.x, strict=True)]
    lam.values = solution.multipliers
    return Projection(value, lam)


def solution_at(
    tree: Tree,
    system: ConstraintFactors,
    q: Position,
    qd: Velocity,
    tau: JointForces,
    f_ext: ExternalForces,
    targets: Targets,
) -> Solution:
    """The accelerations and multipliers at a state, from the equations factorised at its position."""
    return system.solve(stabilised_bias(tree, q, qd, targets, system.L), moving_forces(tree, q, qd, tau, f_ext))
