"""The Riemannian curvature of the mass matrix: how far it is from that of bodies that move independently of each other.

With the covariant derivative D of `christoffel` and R(X, Y) Z = D_X D_Y Z - D_Y D_X Z - D_[X,Y] Z,

    R_ijkl = R(E_k, E_l) E_j . E_i
           = d_k Gamma_lji - d_l Gamma_kji + sum_r (Gamma_lir Gamma_kj^r - Gamma_kir Gamma_lj^r - c_kl^r Gamma_rji),

where E_k is unit velocity k, d_k the derivative along it, an index is raised by H^-1, and [E_k, E_l] = sum_r c_kl^r E_r.
If all qd are dq/dt, c is zero, the first two indices of Gamma commute, and this is PBP95 (66). d_k Gamma is found by dual
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.axes import bracket, units
from sixd.algorithms.christoffel import christoffel
from sixd.algorithms.declared import Number, Position, Tensor4
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.mass_matrix import crba
from sixd.dual import moving, rates
from sixd.joints import Joint
from sixd.model.tree import Positions, TensorOutput, Tree
from sixd.ops import Scalar, divide
from sixd.spatial import Vector

__all__ = ["curvature", "scalar_curvature"]

#: Pairs of degrees of freedom whose fields do not commute, with the coordinates of their bracket.
Brackets = dict[tuple[int, int], dict[int, Scalar]]


@algorithm(rolled=False)
def curvature(tree: Tree, q: Position) -> Tensor4:
    """R_ijkl, the curvature tensor of the mass matrix, nv x nv x nv x nv: PBP95 (66).

    R_ijkl = -R_jikl = -R_ijlk = R_klij, and R_ijkl + R_iklj + R_iljk = 0. The mass matrix must not be singular.
    """
    n, R = tree.model.nv, tree.tensor_output(4)
    Gamma = christoffel(tree, q)
    slope = [_along(tree, q, k) for k in range(n)]
    halves, raised = _solved(tree, q, Gamma)
    brackets = _brackets(tree, q)
    pairs = list(combinations(range(n), 2))
    for first, (i, j) in enumerate(pairs):
        for k, l in pairs[first:]:
            x = slope[k][l, j, i] - slope[l][k, j, i]
            x = x + _product(halves[l, i], raised[k, j]) - _product(halves[k, i], raised[l, j])
            for r, c in brackets.get((k, l), {}).items():
                x = x - c * Gamma[r, j, i]
            _place(R, (i, j), (k, l), x)
    return R


@algorithm(rolled=False)
def scalar_curvature(tree: Tree, q: Position) -> Number:
    """The sum of R_ijkl H^-1_ik H^-1_jl: twice the sum of the sectional curvatures of all pairs of an orthonormal basis."""
    n, parents, R = tree.model.nv, tree.model.dof_parent, curvature(tree, q)
    L, D = ltdl(crba(tree, q).rows, parents)
    H_inv = [solve_ltdl(L, D, list(e), parents) for e in units(n)]
    total: Scalar = 0.0
    for (i, j), (k, l) in ((a, b) for a in combinations(range(n), 2) for b in combinations(range(n), 2)):
        area = H_inv[i][k] * H_inv[j][l] - H_inv[i][l] * H_inv[j][k]
        total = total + 2.0 * area * R[i, j, k, l]
    return total


def _along(tree: Tree, q: Positions, k: int) -> TensorOutput:
    """The derivative of all Christoffel symbols along degree of freedom k, as `integrate` steps."""
    model, values = tree.model, list(q.values)
    (view,) = (view for view in model.joints if view.mimic is None and view.v.start <= k < view.v.stop)
    step, level = moving([1.0 if j == k else 0.0 for j in range(view.v.start, view.v.stop)], beside=values)
    values[view.q] = view.type.integrate(Vector(values[view.q]), Vector(step)).entries
    moved = christoffel(tree, tree.positions(values))
    moved.values = rates(moved.values, level)
    return moved


def _solved(tree: Tree, q: Positions, Gamma: TensorOutput) -> tuple[dict[tuple[int, int], list[Scalar]], ...]:
    """y = L^-T Gamma_ij and D^-1 y for every pair, where H = L^T D L: Gamma_ij H^-1 Gamma_kl is a product of them."""
    n, parents = tree.model.nv, tree.model.dof_parent
    L, D = ltdl(crba(tree, q).rows, parents)
    halves, raised = {}, {}
    for i in range(n):
        for j in range(n):
            y = [Gamma[i, j, r] for r in range(n)]
            for r in reversed(range(n)):
                k = r
                while (k := parents[k]) >= 0:
                    y[k] = y[k] - L[r][k] * y[r]
            halves[i, j], raised[i, j] = y, [divide(x, d) for x, d in zip(y, D, strict=True)]
    return halves, raised


def _product(a: list[Scalar], b: list[Scalar]) -> Scalar:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def _brackets(tree: Tree, q: Positions) -> Brackets:
    """[E_k, E_l] for k < l, of joints whose qd is not dq/dt."""
    found: Brackets = {}
    for view in tree.model.joints:
        if view.mimic is None and type(view.type).integrate is not Joint.integrate:
            at, numbers = Vector(q.values[view.q]), range(view.v.start, view.v.stop)
            for (k, x), (l, y) in combinations(zip(numbers, units(len(numbers)), strict=True), 2):
                found[k, l] = dict(zip(numbers, bracket(view.type, at, x, y), strict=True))
    return found


def _place(R: TensorOutput, ij: tuple[int, int], kl: tuple[int, int], x: Scalar) -> None:
    """Write one component and those that are equal or opposite to it."""
    for first, second in ((ij, kl), (kl, ij)) if ij != kl else ((ij, kl),):
        for left, right, sign in _turned(first, second):
            R.add((*left, *right), x if sign > 0 else -x)


def _turned(ij: tuple[int, int], kl: tuple[int, int]) -> Iterator[tuple[tuple[int, int], tuple[int, int], int]]:
    yield ij, kl, 1
    yield ij[::-1], kl, -1
    yield ij, kl[::-1], -1
    yield ij[::-1], kl[::-1], 1
