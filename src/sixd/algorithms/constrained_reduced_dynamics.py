"""The equations of motion of a robot with constraints, in as many coordinates as it has freedoms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_by_embedding import dofs
from sixd.algorithms.constrained_dynamics import factors_at, stabilised_bias
from sixd.algorithms.constraint_factors import ConstraintFactors
from sixd.algorithms.constraint_ranks import rank_tolerance
from sixd.algorithms.declared import Option, Position, Targets, Velocity
from sixd.algorithms.guarded import dot, guarded_ldl
from sixd.algorithms.inverse_dynamics import coriolis_forces, gravity_forces
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Tree
from sixd.ops import Scalar, divide, where
from sixd.spatial import Matrix, Vector

__all__ = ["Independent", "ReducedDynamics", "constrained_reduced_dynamics"]

Rows = list[list[Scalar]]


class Independent:
    """Degrees of freedom y of a robot with constraints that determine all others: x = G y if L x = 0.

    W = H_q^-1 - H_q^-1 L^T (L H_q^-1 L^T)^-1 L H_q^-1 maps joint forces to the accelerations that they make while the
    constraints hold, where H_q is the mass matrix of the tree. In terms of G it is W = G H^-1 G^T, with H = G^T H_q G.
    The rows of G at the independent degrees of freedom are those of the identity, so the block of W there is H^-1, its
    columns there are G H^-1, and both H and G follow from them.
    """

    def __init__(self, tree: Tree, system: ConstraintFactors, numbers: Sequence[int]) -> None:
        self.system, self.numbers = system, dofs(tree, numbers, "independent")
        n, m = tree.model.nv, range(len(self.numbers))
        still, units = [0.0] * len(system.L), [[float(i == k) for i in range(n)] for k in self.numbers]
        #: Rows of W, m x nv.
        self.W: Rows = [system.solve(still, unit).x for unit in units]
        inverse = [[row[k] for k in self.numbers] for row in self.W]
        # A coordinate that the constraints, and the coordinates before it, hold still does not move under its force.
        free = [system.mobility(unit) for unit in units]
        sine = max(map(rank_tolerance, tree.constraints()), default=0.0)
        factors = guarded_ldl(inverse, [divide(sine * free[k], inverse[k][k]) for k in m])
        #: Zero, or NaN if some coordinate is not independent, or there are more freedoms; H then is NaN, too.
        self.doubt: Scalar = where(system.rank < n - len(self.numbers) - 0.5, float("nan"), 0.0)
        for x in factors.inverse:
            self.doubt = where(x > 0.0, self.doubt, float("nan"))
        #: H, m x m.
        self.H: Rows = [[x + self.doubt for x in factors.solve([float(i == k) for i in m])] for k in m]
        columns = [[dot(h, column) for column in zip(*self.W, strict=True)] for h in self.H]
        #: The columns of G, m x nv.
        self.columns: Rows = [
            [float(i == j) if i in self.numbers else x for i, x in enumerate(column)]
            for j, column in zip(self.numbers, columns, strict=True)
        ]

    def follow(self, c: Sequence[Scalar]) -> list[Scalar]:
        """x with L x = c that is zero at the independent degrees of freedom."""
        x = self.system.solve(c).x
        y = [x[k] for k in self.numbers]
        rest = (value - dot(y, [column[i] for column in self.columns]) for i, value in enumerate(x))
        return [0.0 if i in self.numbers else value for i, value in enumerate(rest)]

    def project(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """G^T tau: joint forces by independent degree of freedom."""
        return [dot(column, forces) for column in self.columns]


class ReducedDynamics(NamedTuple):
    """H y'' + C + g = G^T tau, for m independent degrees of freedom y of a robot with constraints."""

    #: The mass matrix, m x m.
    H: Matrix
    #: Coriolis and centrifugal forces, (m,).
    C: Vector
    #: The forces that gravity takes, (m,).
    g: Vector
    #: How all degrees of freedom move along, nv x m: qd = G y'.
    G: Matrix
    #: The accelerations at y'' = 0, (nv,): qdd = G y'' + drift.
    drift: Vector


@algorithm(rolled=False)
def constrained_reduced_dynamics(
    tree: Tree, q: Position, qd: Velocity, targets: Targets = None, independent: Option[tuple[int, ...]] = ()
) -> ReducedDynamics:
    """The equations of motion in ``independent`` degrees of freedom y: H y'' + C + g = G^T tau.

    They are FO00 (15), (19) times G^T, with L G = 0, so that the forces of the constraints vanish: the projection of
    its method 3. qdd = G y'' + drift with L drift = c leaves H = G^T H_q G and C = G^T (C_q + H_q drift), where H_q and
    C_q are those of the tree. NaN where these coordinates do not determine the others.
    """
    system = factors_at(tree, q)
    y = Independent(tree, system, independent)
    drift = y.follow(stabilised_bias(tree, q, qd, targets, system.L))
    H = crba(tree, q).rows
    C = [x + dot(row, drift) for x, row in zip(coriolis_forces(tree, q, qd).values, H, strict=True)]
    g = gravity_forces(tree, q).values
    G = Matrix([x + y.doubt for x in row] for row in zip(*y.columns, strict=True))
    C_y, g_y, drift = ([x + y.doubt for x in values] for values in (y.project(C), y.project(g), drift))
    return ReducedDynamics(Matrix(y.H), Vector(C_y), Vector(g_y), G, Vector(drift))
