"""The forces by which constraints act, and what of them the motion does not tell."""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import factors_at, solution_at
from sixd.algorithms.constraints import constraint_subspaces
from sixd.algorithms.declared import ExternalForces, JointForces, Number, Position, Targets, Velocity
from sixd.algorithms.guarded import dot
from sixd.algorithms.null_space import NullSpace
from sixd.model.tree import RowsOutput, Tree
from sixd.spatial import Matrix

__all__ = ["LeastConstraintForces", "constraint_forces"]


class LeastConstraintForces(NamedTuple):
    """The forces of the constraints, tau_c = L^T multipliers; of all with the same effect the smallest."""

    multipliers: RowsOutput
    #: For each constraint, the spatial force (6) on its frame b, in coordinates of that frame.
    forces: Matrix
    rank: Number
    #: For each row 1 if its multiplier could be another without a change of motion, else 0.
    ambiguous: RowsOutput


@algorithm(rolled=False)
def constraint_forces(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None, targets: Targets = None
) -> LeastConstraintForces:
    """lambda of FO00 (19) with the least sum of squares, T lambda for each constraint, and the rank of L.

    A row that depends on others could share their forces: with row_j = sum_i z_ji row_i, e_j - z_j in the multipliers
    changes no motion. Forces L_j^T on the joints are held by the constraints alone, so z_j is what they hold them with.
    """
    system = factors_at(tree, q)
    found = solution_at(tree, system, q, qd, tau, f_ext, targets)
    rows, still = range(len(system.L)), [0.0] * len(system.L)
    held = [system.solve(still, row).multipliers for row in system.L]
    spare = NullSpace([[held[j][i] + float(i == j) for i in rows] for j in rows], system.independent)
    lam, ambiguous = tree.rows_output(), tree.rows_output()
    lam.values, ambiguous.values = spare.removed_from(found.multipliers), spare.reaches()
    T = constraint_subspaces(tree, q).rows
    forces = [[dot(lam.values[c.rows], column) for column in zip(*T[c.rows], strict=True)] for c in tree.constraints()]
    return LeastConstraintForces(lam, Matrix(forces), system.rank, ambiguous)
