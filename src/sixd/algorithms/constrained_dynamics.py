"""Forward dynamics with constraints: the equations FO00 (20), and the Schur complement (21) that solves them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constraints import constraint_bias, constraint_error, constraint_jacobian
from sixd.algorithms.declared import Acceleration, ExternalForces, JointForces, Number, Position, Targets, Velocity
from sixd.algorithms.factorization import ltdl
from sixd.algorithms.guarded import dot, guarded_ldl, is_nothing
from sixd.algorithms.inverse_dynamics import bias_forces
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Output, RowsOutput, Tree
from sixd.ops import Scalar, divide

__all__ = [
    "ConstraintMultipliers",
    "Equations",
    "Projection",
    "SchurComplement",
    "constrained_acceleration",
    "constrained_forward_dynamics",
    "constrained_velocity",
    "constraint_correction",
    "constraint_multipliers",
    "equations",
    "stabilised_bias",
    "tolerances",
]

Rows = list[list[Scalar]]


class Equations(NamedTuple):
    """H qdd = u + L^T lambda and L qdd = c: FO00 (15), (18), (19), with u = tau - C."""

    H: Rows
    u: list[Scalar]
    L: Rows
    c: list[Scalar]
    #: Below which pivots, relative to what they would be without other rows, rows count as redundant.
    tolerances: list[float]


def equations(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces, targets: Targets
) -> Equations:
    """The equations of motion and the constraints on accelerations, with Baumgarte's terms where they are asked for.

    With the factors alpha, beta of a constraint, c becomes c - 2 alpha (L qd - r) - beta^2 phi.
    """
    u = [t - x for t, x in zip(tau.values, bias_forces(tree, q, qd, f_ext).values, strict=True)]
    L = constraint_jacobian(tree, q).rows
    return Equations(crba(tree, q).rows, u, L, stabilised_bias(tree, q, qd, targets, L), tolerances(tree))


def stabilised_bias(tree: Tree, q: Position, qd: Velocity, targets: Targets, L: Rows) -> list[Scalar]:
    """c of `constraint_bias`, with Baumgarte's terms where they are asked for; L are the rows at q."""
    c, closures = constraint_bias(tree, q, qd, targets).values, list(tree.constraints())
    if any(any(k.constraint.stabilisation) for k in closures):
        phi = constraint_error(tree, q, targets).values
        for k in closures:
            alpha, beta = k.constraint.stabilisation
            for row, target in zip(range(k.rows.start, k.rows.stop), k.targets_of(targets), strict=True):
                c[row] = c[row] - 2.0 * alpha * (dot(L[row], qd.values) - target[1]) - beta * beta * phi[row]
    return c


@algorithm(rolled=False)
def constrained_forward_dynamics(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, targets: Targets = None
) -> Output:
    """qdd by the Schur complement, on the sparse factors of the mass matrix: FO00 (21), its method 2.

    With H = L_H^T D L_H, the rows Y = L L_H^-1 keep the sparsity of branches, and A = Y D^-1 Y^T is the matrix of (21).
    Rows that depend on others (`rank_tolerance`) are left out, by each sample for itself.
    """
    qdd = tree.output()
    qdd.values = _solved(tree, equations(tree, q, qd, tau, f_ext, targets)).x
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
    lam = tree.rows_output()
    solution = _solved(tree, equations(tree, q, qd, tau, f_ext, targets))
    lam.values = solution.multipliers
    return ConstraintMultipliers(lam, solution.rank)


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
    dv.values = SchurComplement.at(tree, q).solve([-x for x in constraint_error(tree, q, targets).values]).x
    return dv


def _projected(tree: Tree, q: Position, x: Velocity, right: list[Scalar]) -> Projection:
    """x + H^-1 L^T lambda with L x = right."""
    system = SchurComplement.at(tree, q)
    solution = system.solve([r - dot(row, x.values) for r, row in zip(right, system.L, strict=True)])
    value, lam = tree.velocity_output(), tree.rows_output()
    value.values = [a + b for a, b in zip(x.values, solution.x, strict=True)]
    lam.values = solution.multipliers
    return Projection(value, lam)


def _solved(tree: Tree, e: Equations) -> Solution:
    return SchurComplement.of(tree, e).solve(e.c, e.u)


def tolerances(tree: Tree) -> list[float]:
    """The rank tolerance of each row."""
    return [c.constraint.rank_tolerance for c in tree.constraints() for _ in range(c.constraint.rows)]


class Solution(NamedTuple):
    """x with H x = u + L^T lambda and L x = c; lambda; and how many rows of L are independent."""

    x: list[Scalar]
    multipliers: list[Scalar]
    rank: Scalar


class SchurComplement:
    """The equations FO00 (20) at a position, factorised: H by its sparse factors, then L H^-1 L^T, the matrix of (21).

    Redundant rows are left out, by each sample for itself.
    """

    def __init__(self, H: Rows, L: Rows, tolerances: Sequence[float], parents: Sequence[int]) -> None:
        self.H, self.L, self.parents = H, L, parents
        self.L_H, D = ltdl(H, parents)
        self.inverse = [divide(1.0, d) for d in D]
        Y = [half_solve(self.L_H, row, parents) for row in L]
        self.Z = [[0.0 if is_nothing(x) else x * d for x, d in zip(row, self.inverse, strict=True)] for row in Y]
        self.factors = guarded_ldl([[dot(Y[i], self.Z[j]) for j in range(i + 1)] for i in range(len(Y))], tolerances)

    @classmethod
    def of(cls, tree: Tree, e: Equations) -> SchurComplement:
        """That of the equations of a tree."""
        return cls(e.H, e.L, e.tolerances, tree.model.dof_parent)

    @classmethod
    def at(cls, tree: Tree, q: Position) -> SchurComplement:
        """That of a tree at a position."""
        return cls(crba(tree, q).rows, constraint_jacobian(tree, q).rows, tolerances(tree), tree.model.dof_parent)

    def solve(self, c: Sequence[Scalar], u: Sequence[Scalar] | None = None) -> Solution:
        """FO00 (21): L H^-1 L^T lambda = c - L H^-1 u, then H x = u + L^T lambda.

        Without forces u, x is the change of velocity with L x = c that is least in the metric of H.
        """
        x: list[Scalar] = [0.0] * len(self.parents)
        if u is not None:
            y = half_solve(self.L_H, u, self.parents)
            x = [0.0 if is_nothing(a) else a * d for a, d in zip(y, self.inverse, strict=True)]
            c = [right - dot(z, y) for right, z in zip(c, self.Z, strict=True)]
        lam = self.factors.solve(c)
        for z, k in zip(self.Z, lam, strict=True):
            if not is_nothing(k):
                x = [a if is_nothing(b) else a + b * k for a, b in zip(x, z, strict=True)]
        return Solution(back_solve(self.L_H, x, self.parents), lam, self.factors.rank)

    def mobility(self, u: Sequence[Scalar]) -> Scalar:
        """u^T H^-1 u, without the constraints."""
        y = half_solve(self.L_H, u, self.parents)
        return dot(y, [0.0 if is_nothing(x) else x * d for x, d in zip(y, self.inverse, strict=True)])

    def forces(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """L^T lambda, by degree of freedom."""
        return [dot(column, multipliers) for column in zip(*self.L, strict=True)]


def half_solve(L: Sequence[Sequence[Scalar]], b: Sequence[Scalar], parents: Sequence[int]) -> list[Scalar]:
    """x with L^T x = b, for L of `ltdl`: only ancestors of nonzero entries become nonzero."""
    x = list(b)
    for i in reversed(range(len(x))):
        j = parents[i]
        while j >= 0 and not is_nothing(x[i]):
            if not is_nothing(L[i][j]):
                x[j] = x[j] - L[i][j] * x[i]
            j = parents[j]
    return x


def back_solve(L: Sequence[Sequence[Scalar]], b: Sequence[Scalar], parents: Sequence[int]) -> list[Scalar]:
    """x with L x = b, for L of `ltdl`."""
    x = list(b)
    for i in range(len(x)):
        j = parents[i]
        while j >= 0:
            if not is_nothing(L[i][j]):
                x[i] = x[i] - L[i][j] * x[j]
            j = parents[j]
    return x
