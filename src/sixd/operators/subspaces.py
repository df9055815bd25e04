"""The forces that a joint transmits: a basis T of those that do no work on its motions S, and one dual to S."""

from __future__ import annotations

from sixd.ops import Scalar, divide, sqrt, where
from sixd.spatial import Force, Forces, Motions, inverse
from sixd.spatial.value import need_kind

__all__ = ["active_forces", "constraint_forces"]


def constraint_forces(S: Motions) -> Forces:
    """T, 6 - n forces of unit length with T^T S = 0 and T^T T = 1, for n independent motions S.

    By Householder's reflections, which turn the columns of S one after the other into the first n axes: what they make
    of the other axes is orthogonal to S. There is no branch, so S may depend on recorded numbers. T jumps where a
    reflection changes its side; the space that it spans does not.
    """
    need_kind(S, Motions, "a basis of constraint forces")
    columns = [column.components() for column in S]
    reflections: list[list[Scalar]] = []
    for k, column in enumerate(columns):
        for u in reflections:
            column = _reflected(u, column)
        reflections.append(_reflection(column, k))
    basis = []
    for axis in range(len(columns), 6):
        e: list[Scalar] = [1.0 if row == axis else 0.0 for row in range(6)]
        for u in reversed(reflections):
            e = _reflected(u, e)
        basis.append(Force.from_components(e))
    return Forces(basis)


def _reflection(x: list[Scalar], k: int) -> list[Scalar]:
    """u, scaled to u.u = 2, such that 1 - u u^T takes x to a vector that is zero beyond entry k."""
    length = sqrt(_dot(x[k:], x[k:]))
    u = [0.0] * k + [x[k] + where(x[k] < 0.0, -length, length), *x[k + 1 :]]
    scale = sqrt(divide(2.0, _dot(u[k:], u[k:])))
    return [0.0] * k + [entry * scale for entry in u[k:]]


def _reflected(u: list[Scalar], x: list[Scalar]) -> list[Scalar]:
    along = _dot(u, x)
    return [a - b * along for a, b in zip(x, u, strict=True)]


def _dot(x: list[Scalar], y: list[Scalar]) -> Scalar:
    total = x[0] * y[0]
    for a, b in zip(x[1:], y[1:], strict=True):
        total = total + a * b
    return total


def active_forces(S: Motions) -> Forces:
    """V, n forces with V^T S = 1: ``V @ tau`` is a joint force with S^T f = tau.

    Of all such forces these are the shortest, V = S (S^T S)^-1 in the coordinates of S, so T^T V = 0 for the T of
    `constraint_forces`.
    """
    need_kind(S, Motions, "a basis of active forces")
    alike = Forces(Force(m.ang, m.lin) for m in S)
    return alike @ inverse(alike.T @ S)
