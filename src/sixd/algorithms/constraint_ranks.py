"""When a row of the constraint Jacobian counts: one rule for all that asks how many rows are independent.

Rows are sums: an entry of row k is T_k^T X S_j, and where the bars of a loop are in line the sum vanishes but for the
rounding of its terms. Such a row has a direction, but it is one of rounding. So what is left of a row is measured by
what the row could be, not by the row itself. With T_k = (n, f), and l the length of the loop,

    |L_k|^2 = sum_j (L_kj w_j)^2,    s_k^2 = |n|^2 + (l |f|)^2,    w_j^-2 = |omega_j|^2 + (|v_j| / l)^2,

where (omega_j, v_j) is the motion of joint j per unit of its velocity: w_j makes a radian, or a length of the loop, the
unit of each coordinate. |L_k| is at most about s_k, whatever the position. If P_k is the pivot of row k in the
elimination of A = L H^-1 L^T, P_k / A_kk is the square of the sine between the row and those before it, and the row
counts if

    (P_k / A_kk) (|L_k| / s_k)^2 > rank_tolerance.

Both factors are shares, so units of length do not matter, nor do masses, and the first stays what it is where light
and heavy bodies meet. Loops' frames may be turned: s_k is that of all rows alike. `row_tolerances` are the least
P_k / A_kk with which rows count, and they are what every method of elimination is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constraints import constraint_jacobian, relative_pose
from sixd.algorithms.declared import Position
from sixd.algorithms.guarded import Tolerances, is_nothing, largest
from sixd.model.closures import Closure
from sixd.model.tree import RowsOutput, Tree
from sixd.ops import Scalar, divide, sqrt, where
from sixd.spatial import Force, Inertia, Transform

__all__ = [
    "ConstraintRanks",
    "RowMeasure",
    "constraint_ranks",
    "coordinate_units",
    "rank_tolerance",
    "row_measures",
    "row_tolerances",
]

#: What elimination leaves of a row that depends on others, as a share of its square: some units in the last place.
ROUNDING = 1e-14


class Motions(NamedTuple):
    """How far unit velocities move joints at their neutral position, by degree of freedom."""

    #: |omega_j|^2 and |v_j|^2.
    angular: list[Scalar]
    linear: list[Scalar]

    def weight(self, j: int, length: Scalar) -> Scalar:
        """w_j^2; 1 for a joint that does not move there."""
        square = self.angular[j] + divide(self.linear[j], length * length)
        return where(square > 0.0, divide(1.0, where(square > 0.0, square, 1.0)), 1.0)


class RowMeasure(NamedTuple):
    """What a row of a constraint is measured by."""

    motions: Motions
    #: l, m.
    length: Scalar
    #: s_k^2.
    most: Scalar
    #: The rank tolerance: what is left of the row counts as zero if its square is not more than this share of s_k^2.
    tolerance: float

    def share(self, j: int, x: Scalar) -> Scalar:
        """The square of entry x in column j, relative to what would count as zero."""
        return divide(x * x * self.motions.weight(j, self.length), self.most * self.tolerance)

    def square(self, row: Sequence[Scalar]) -> Scalar:
        """|L_k|^2."""
        total: Scalar = 0.0
        for j, x in enumerate(row):
            if not is_nothing(x):
                total = total + x * x * self.motions.weight(j, self.length)
        return total


def row_tolerances(tree: Tree, q: Position, L: Sequence[Sequence[Scalar]]) -> Tolerances:
    """For each row of L the least P_k / A_kk with which it counts, rank_tolerance (s_k / |L_k|)^2; 1 for zero rows.

    The rows of a constraint are a group.
    """
    found: list[Scalar] = []
    for measure, row in zip(row_measures(tree, q), L, strict=True):
        square, least = measure.square(row), measure.most * measure.tolerance
        found.append(1.0 if is_nothing(square) else where(square > 0.0, divide(least, square), 1.0))
    return Tolerances(found, [c.number for c in tree.constraints() for _ in range(c.constraint.rows)])


class ConstraintRanks(NamedTuple):
    """By row, `row_tolerances` and the sizes s_k."""

    tolerances: RowsOutput
    sizes: RowsOutput


@algorithm(rolled=False)
def constraint_ranks(tree: Tree, q: Position) -> ConstraintRanks:
    """By row, the least square of the sine between it and others with which it counts, and its size s_k, (rows,) each.

    The first is rank_tolerance (s_k / |L_k|)^2: the smaller a row is at this position, the more of it must be left.
    """
    tolerances, sizes = tree.rows_output(), tree.rows_output()
    tolerances.values = row_tolerances(tree, q, constraint_jacobian(tree, q).rows)
    sizes.values = [sqrt(measure.most) for measure in row_measures(tree, q)]
    return ConstraintRanks(tolerances, sizes)


def row_measures(tree: Tree, q: Position) -> list[RowMeasure]:
    """The measure of each row at a position. They are constants where the constraint's forces are."""
    motions, found = _motions(tree), list[RowMeasure]()
    for c in tree.constraints():
        constraint, length = c.constraint, _length(tree, c)
        X = Transform.identity() if constraint.constant_forces else relative_pose(tree, q, c)
        squares = [_square(force, length) for force in constraint.forces(X)]
        for j, G in zip(c.joints, constraint.coefficients(), strict=True):
            place = range(tree.model.nv)[tree.model.coordinates[j].v]
            for row, entries in enumerate(G.rows):
                for k, x in zip(place, entries, strict=True):
                    squares[row] = squares[row] + x * x * motions.weight(k, length)
        found += [RowMeasure(motions, length, s, rank_tolerance(c)) for s in squares]
    return found


def rank_tolerance(c: Closure) -> float:
    """That of a constraint, as far as double precision tells pivots from zero."""
    return max(c.constraint.rank_tolerance, ROUNDING)


def coordinate_units(tree: Tree) -> list[Scalar]:
    """For each degree of freedom a radian, or the length of the longest loop, m: equal motions for searches."""
    longest, _ = largest([_length(tree, c) for c in tree.constraints()])
    motions = _motions(tree)
    return [sqrt(motions.weight(j, longest)) for j in range(tree.model.nv)]


def _length(tree: Tree, c: Closure) -> Scalar:
    """l, m: from joint to joint around the loop that a constraint closes, and the radii of gyration of its bodies.

    It is a constant of the model, 1 m if there is no length in it. What moves no frame relative to the other, such as
    the place of the loop on the base, does not count.
    """
    total: Scalar = 0.0
    for path, X in ((c.path_a, c.X_a), (c.path_b, c.X_b)):
        if path:
            total = total + sqrt(X.r @ X.r)
        for i in path[:-1]:
            r = tree.placement(i).r
            total = total + sqrt(r @ r)
        for i in path:
            total = total + _gyration(tree.inertia(i))
    return where(total > 0.0, total, 1.0)


def _gyration(I: Inertia) -> Scalar:
    """The radius of gyration about the origin, from the trace of the rotational inertia, 2 m r^2."""
    trace = I.I[0, 0] + I.I[1, 1] + I.I[2, 2]
    return where(I.m > 0.0, sqrt(divide(trace, 2.0 * where(I.m > 0.0, I.m, 1.0))), 0.0)


def _motions(tree: Tree) -> Motions:
    model = tree.model
    motions = Motions([0.0] * model.nv, [0.0] * model.nv)
    for i, _ in tree.outward():
        joint, place = tree.joint(i), model.coordinates[i]
        for j, motion in zip(range(model.nv)[place.v], joint.subspace(joint.neutral()), strict=True):
            for squares, part in zip(motions, (motion.ang, motion.lin), strict=True):
                squares[j] = squares[j] + place.ratio * place.ratio * (part @ part)
    return motions


def _square(force: Force, length: Scalar) -> Scalar:
    """|n|^2 + (l |f|)^2."""
    f = force.lin * length
    return force.ang @ force.ang + f @ f
