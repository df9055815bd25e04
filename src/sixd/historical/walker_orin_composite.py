"""Method 3 of Walker and Orin, 1982: composite rigid bodies, in 3-D vectors."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import JointForces, Position, Velocity
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import Link, links_of
from sixd.historical.walker_orin import PAPER, Entries, active, solved
from sixd.model.tree import MatrixOutput, Output, Tree
from sixd.ops import Scalar, divide, where
from sixd.spatial import Matrix, Vector
from sixd.spatial.linear import UPPER, congruence, cross, symmetric

__all__ = ["walker_orin_3", "walker_orin_mass_matrix"]

#: Mass, centre of mass, and inertia about it.
Body = tuple[Scalar, Vector, Matrix]


@algorithm(rolled=False)
def walker_orin_3(tree: Tree, q: Position, qd: Velocity, tau: JointForces) -> Output:
    """qdd by method 3 of Walker and Orin, O(N^3): the composite-rigid-body algorithm, in 3-D vectors.

    If joint j alone accelerates, all links beyond it move as one rigid body. Its mass, centre of mass and inertia
    follow from those of the next one, so that a column of H costs one body instead of many. `sixd.algorithms.crba` is
    the same in 6-D vectors.
    """
    links = links_of(tree, q, "walker_orin_3")
    return solved(tree, links, _composite_entries(links), active(tree, links, qd, tau))


@algorithm(rolled=False)
def walker_orin_mass_matrix(tree: Tree, q: Position) -> MatrixOutput:
    """The mass matrix H of method 3 of Walker and Orin, `walker_orin_3`, by itself, O(N^2)."""
    links, H = links_of(tree, q, "walker_orin_mass_matrix"), tree.matrix_output()
    for (i, j), entry in _composite_entries(links).items():
        block = Matrix([[entry + (links[i - 1].rotor if i == j else 0.0)]])
        H[i, j] = block
        if i != j:
            H[j, i] = block
    return H


def _composite_entries(links: Sequence[Link]) -> Entries:
    """The entries of H, rotors apart. ``bodies[i]`` is what joint i carries, as one rigid body, in link i."""
    by_number = {k.i: k for k in links}
    bodies: dict[int, Body] = {k.i: (k.m, k.c, k.I) for k in links}
    H: Entries = {}
    for k in reversed(links):
        m, c, I = bodies[k.i]
        if k.p:
            bodies[k.p] = _joined(bodies[k.p], (m, k.r + k.E.T @ c, congruence(k.E, I)))
        f = (cross(k.u, c) + k.s) * m  # what accelerates the centre of mass, and the body about it
        n = I @ k.u + cross(c, f)
        link = k
        H[k.i, k.i] = k.u @ n + k.s @ f
        while link.p:
            f = link.E.T @ f
            n = link.E.T @ n + cross(link.r, f)
            link = by_number[link.p]
            H[link.i, k.i] = link.u @ n + link.s @ f
    return H


def _joined(one: Body, other: Body) -> Body:
    """Two bodies as one: the parallel-axis theorem on both."""
    (m1, c1, I1), (m2, c2, I2) = one, other
    m = m1 + m2
    share = divide(m2, where(m > 0.0, m, 1.0))
    d = c2 - c1
    reduced = d * (m1 * share)
    t = reduced @ d
    I = symmetric([I1[r, k] + I2[r, k] - reduced[r] * d[k] + (t if r == k else 0.0) for r, k in UPPER])
    return m, c1 + d * share, I


WALKER_ORIN_3 = register(walker_orin_3, Computes.FORWARD_DYNAMICS, Takes.SCREWS, "O(N^3)", 1982, PAPER)
WALKER_ORIN_MASS_MATRIX = register(walker_orin_mass_matrix, Computes.MASS_MATRIX, Takes.SCREWS, "O(N^2)", 1982, PAPER)
