"""Methods 1, 2 and 4 of Walker and Orin, 1982: forward dynamics by calls of inverse dynamics alone."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import JointForces, Position, Velocity
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.given import count
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import Link, links_of
from sixd.historical.luh_walker_paul import newton_euler
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, divide, where
from sixd.spatial import Vector

__all__ = ["PAPER", "Entries", "active", "solved", "walker_orin_1", "walker_orin_2", "walker_orin_4"]

#: The entries of the mass matrix by the numbers of two links, the one that carries the other first.
Entries = dict[tuple[int, int], Scalar]


@algorithm(rolled=False)
def walker_orin_1(tree: Tree, q: Position, qd: Velocity, tau: JointForces) -> Output:
    """qdd by method 1 of Walker and Orin, O(N^3): one call of inverse dynamics for each column of H, all of it.

    With velocities and gravity set to zero, inverse dynamics is tau = H qdd; a unit acceleration of joint j gives
    column j. One more call, with zero accelerations, gives the forces C of velocity and gravity. Then H qdd = tau - C
    is solved by Gaussian elimination that makes no use of symmetry.
    """
    links = links_of(tree, q, "walker_orin_1")
    columns = [_unit_column(links, j.i) for j in links]
    rows = [
        [column[i.i] + (i.rotor if i is j else 0.0) for j, column in zip(links, columns, strict=True)] for i in links
    ]
    return output(tree, _eliminate(rows, active(tree, links, qd, tau)))


@algorithm(rolled=False)
def walker_orin_2(tree: Tree, q: Position, qd: Velocity, tau: JointForces) -> Output:
    """qdd by method 2 of Walker and Orin, O(N^3): as method 1, with half of H, for H is symmetric.

    A unit acceleration of joint j moves only what joint j carries. So the recursion of column j starts at link j and
    ends there, as if link j - 1 were the base, and gives the entries on and below the diagonal.
    """
    links = links_of(tree, q, "walker_orin_2")
    H: Entries = {}
    for j in links:
        carried = set(tree.subtree(j.i))
        column = _unit_column([link for link in links if link.i in carried], j.i)
        H |= {(j.i, i): force for i, force in column.items()}
    return solved(tree, links, H, active(tree, links, qd, tau))


@algorithm(rolled=False)
def walker_orin_4(tree: Tree, q: Position, qd: Velocity, tau: JointForces, iterations: int | None = None) -> Output:
    """qdd by method 4 of Walker and Orin, O(N^2): conjugate gradients, without forming H.

    H times a vector is one call of inverse dynamics without velocities and gravity. Conjugate gradients need one such
    product in each iteration, and in exact arithmetic N iterations. Rounding makes them less precise than elimination
    where H is badly conditioned; more ``iterations`` help.
    """
    links = links_of(tree, q, "walker_orin_4")
    steps = len(links) if iterations is None else count(iterations, "iterations")
    residual = active(tree, links, qd, tau)
    x: list[Scalar] = [0.0] * len(links)
    direction, size = residual, _dot(residual, residual)
    for _ in range(steps):
        forces = newton_euler(links, _zeros(links), _by_link(links, direction), Vector.zero())
        product = [forces[k.i] + k.rotor * d for k, d in zip(links, direction, strict=True)]
        power = _dot(direction, product)
        length = where(power > 0.0, divide(size, power), 0.0)  # where nothing is left to do, the step is zero
        x = [a + length * d for a, d in zip(x, direction, strict=True)]
        residual = [r - length * p for r, p in zip(residual, product, strict=True)]
        before, size = size, _dot(residual, residual)
        share = where(before > 0.0, divide(size, before), 0.0)
        direction = [r + share * d for r, d in zip(residual, direction, strict=True)]
    return output(tree, x)


def active(tree: Tree, links: Sequence[Link], qd: Velocity, tau: JointForces) -> list[Scalar]:
    """tau - C: the forces that are left to accelerate, C being those of velocity and gravity."""
    C = newton_euler(links, {k.i: qd[k.i][0] for k in links}, _zeros(links), -tree.gravity.lin)
    return [tau[k.i][0] - C[k.i] for k in links]


def _unit_column(links: Sequence[Link], j: int) -> dict[int, Scalar]:
    """The forces of these links' joints if joint j has unit acceleration, at rest and without gravity; rotors apart."""
    return newton_euler(links, _zeros(links), {**_zeros(links), j: 1.0}, Vector.zero())


def solved(tree: Tree, links: Sequence[Link], H: Entries, b: list[Scalar]) -> Output:
    """qdd from H qdd = b, H symmetric and given by half of its entries, rotors apart."""
    parents = tree.model.dof_parent
    rows = [[H.get((j.i, i.i), 0.0) + (i.rotor if i is j else 0.0) for j in links] for i in links]
    return output(tree, solve_ltdl(*ltdl(rows, parents), b, parents))


def _eliminate(rows: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    """The solution of a full system by Gaussian elimination without exchanges, which H does not need."""
    n, A, x = len(b), [list(row) for row in rows], list(b)
    for k in range(n):
        for r in range(k + 1, n):
            factor = divide(A[r][k], A[k][k])
            A[r] = [y - factor * z if c > k else 0.0 for c, (y, z) in enumerate(zip(A[r], A[k], strict=True))]
            x[r] = x[r] - factor * x[k]
    for k in reversed(range(n)):
        for c in range(k + 1, n):
            x[k] = x[k] - A[k][c] * x[c]
        x[k] = divide(x[k], A[k][k])
    return x


def _zeros(links: Sequence[Link]) -> dict[int, Scalar]:
    return {k.i: 0.0 for k in links}


def _by_link(links: Sequence[Link], values: Sequence[Scalar]) -> dict[int, Scalar]:
    return {k.i: x for k, x in zip(links, values, strict=True)}


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return Vector(a) @ Vector(b)


def output(tree: Tree, values: Sequence[Scalar]) -> Output:
    out = tree.output()
    out.values = list(values)
    return out


#: The paper, for references.
PAPER = (
    "M. W. Walker, D. E. Orin, Efficient dynamic computer simulation of robotic mechanisms, "
    "Trans. ASME, J. Dynamic Systems, Measurement and Control 104"
)
WALKER_ORIN_1 = register(walker_orin_1, Computes.FORWARD_DYNAMICS, Takes.SCREWS, "O(N^3)", 1982, PAPER)
WALKER_ORIN_2 = register(walker_orin_2, Computes.FORWARD_DYNAMICS, Takes.SCREWS, "O(N^3)", 1982, PAPER)
WALKER_ORIN_4 = register(walker_orin_4, Computes.FORWARD_DYNAMICS, Takes.SCREWS, "O(N^2)", 1982, PAPER)
