"""The 4x4 matrices of the Lagrangian formulations: poses, their derivatives, pseudo-inertias."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.algorithms.declared import Position
from sixd.historical.links import links_of
from sixd.model.tree import Tree
from sixd.ops import Scalar
from sixd.spatial import Inertia, Matrix, Vector
from sixd.spatial.linear import skew

__all__ = ["MatrixLink", "matrix_links", "trace"]


@dataclass(frozen=True)
class MatrixLink:
    """A link in 4x4 matrices. Points are (x, y, z, 1), directions (x, y, z, 0)."""

    #: The number of the link, and of the one that carries it.
    i: int
    p: int
    #: The pose of link i in link p, at this position of the joint.
    A: Matrix
    #: The joint's screw as a matrix: dA/dq = A Q, since the screw is fixed in link i.
    Q: Matrix
    #: The pseudo-inertia, the integral of x x^T over the masses, x = (x, y, z, 1).
    J: Matrix
    rotor: Scalar


def matrix_links(tree: Tree, q: Position, who: str) -> list[MatrixLink]:
    """The links from the base to the tips. ``who`` is the formulation that errors name."""
    return [
        MatrixLink(k.i, k.p, _bordered(k.E.T, k.r, 1.0), _bordered(skew(k.u), k.s, 0.0), pseudo_inertia(I), k.rotor)
        for k, I in ((link, tree.inertia(link.i)) for link in links_of(tree, q, who))
    ]


def pseudo_inertia(inertia: Inertia) -> Matrix:
    """[1/2 tr(I) 1 - I, h; h^T, m], with I and h about the origin."""
    I, h = inertia.I, inertia.h
    half = 0.5 * (I[0, 0] + I[1, 1] + I[2, 2])
    second = Matrix.diagonal((half,) * 3) - I
    return Matrix([*([*row, x] for row, x in zip(second.rows, h, strict=True)), [*h, inertia.m]])


def _bordered(R: Matrix, p: Vector, corner: float) -> Matrix:
    """[R, p; 0, corner]."""
    return Matrix([*([*row, x] for row, x in zip(R.rows, p, strict=True)), [0.0, 0.0, 0.0, corner]])


def trace(A: Matrix) -> Scalar:
    """The sum of the diagonal."""
    first, *more = (row[k] for k, row in enumerate(A.rows))
    for x in more:
        first = first + x
    return first
