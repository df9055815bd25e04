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

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sixd.algorithms.constraints import relative_pose
from sixd.algorithms.declared import Position
from sixd.algorithms.guarded import is_nothing
from sixd.model.closures import Closure
from sixd.model.tree import Tree
from sixd.ops import Scalar, divide, sqrt, where
from sixd.spatial import Force, Inertia, Transform, Vector

__all__ = ["RowMeasure", "loop_length", "rank_tolerance", "row_measures", "row_tolerances", "tolerances_by"]

#: What elimination leaves of a row that depends on others, as a share of its square: some units in the last place.
ROUNDING = 1e-14


class RowMeasure(NamedTuple):
    """What a row of a constraint is measured by."""

    #: w_j^2 by degree of freedom; zero where the row has no entries.
    weights: list[Scalar]
    #: s_k^2 times the rank tolerance: what is left of the row counts as zero if its square is not more.
    least: Scalar

    def share(self, j: int, x: Scalar) -> Scalar:
        """The square of entry x in column j, relative to what would count as zero."""
        return divide(x * x * self.weights[j], self.least)

    def square(self, row: Sequence[Scalar]) -> Scalar:
        """|L_k|^2."""
        total: Scalar = 0.0
        for x, w in zip(row, self.weights, strict=True):
            if not is_nothing(x):
                total = total + x * x * w
        return total


def row_tolerances(tree: Tree, q: Position, L: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """For each row of L the least P_k / A_kk with which it counts, rank_tolerance (s_k / |L_k|)^2."""
    return tolerances_by(row_measures(tree, q), L)


def tolerances_by(measures: Iterable[RowMeasure], L: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """`row_tolerances` by measures that are known; 1 for rows that are zero, since nothing of them can count."""
    found: list[Scalar] = []
    for measure, row in zip(measures, L, strict=True):
        square = measure.square(row)
        found.append(1.0 if is_nothing(square) else where(square > 0.0, divide(measure.least, square), 1.0))
    return found


def row_measures(tree: Tree, q: Position) -> list[RowMeasure]:
    """The measure of each row at a position. They are constants where the constraint's forces are."""
    found: list[RowMeasure] = []
    for c in tree.constraints():
        constraint, length = c.constraint, loop_length(tree, c)
        weights = _weights(tree, c, length)
        X = Transform.identity() if constraint.constant_forces else relative_pose(tree, q, c)
        squares = [_square(force, length) for force in constraint.forces(X)]
        for j, G in zip(c.joints, constraint.coefficients(), strict=True):
            own = weights[tree.model.coordinates[j].v]
            squares = [s + _weighted(row, own) for s, row in zip(squares, G.rows, strict=True)]
        found += [RowMeasure(weights, s * rank_tolerance(c)) for s in squares]
    return found


def rank_tolerance(c: Closure) -> float:
    """That of a constraint, as far as double precision tells pivots from zero."""
    return max(c.constraint.rank_tolerance, ROUNDING)


def loop_length(tree: Tree, c: Closure) -> Scalar:
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


def _weights(tree: Tree, c: Closure, length: Scalar) -> list[Scalar]:
    """w_j^2 by degree of freedom, from the motions of joints at their neutral position."""
    model = tree.model
    sizes: list[Scalar] = [0.0] * model.nv
    for i in {*c.path_a, *c.path_b, *c.joints}:
        joint, place = tree.joint(i), model.coordinates[i]
        for j, motion in zip(range(model.nv)[place.v], joint.subspace(joint.neutral()), strict=True):
            lin = motion.lin * divide(1.0, length)
            sizes[j] = sizes[j] + place.ratio * place.ratio * (motion.ang @ motion.ang + lin @ lin)
    return [0.0 if is_nothing(x) else where(x > 0.0, divide(1.0, where(x > 0.0, x, 1.0)), 1.0) for x in sizes]


def _square(force: Force, length: Scalar) -> Scalar:
    """|n|^2 + (l |f|)^2."""
    f = force.lin * length
    return force.ang @ force.ang + f @ f


def _weighted(row: Iterable[Scalar], weights: Iterable[Scalar]) -> Scalar:
    """A sum of squares of coefficients, with weights."""
    return sum((x * x * w for x, w in zip(row, weights, strict=True)), 0.0)
