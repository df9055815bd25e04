"""The Riemannian curvature of the mass matrix. It is zero if, in some coordinates, the mass matrix is constant.

With the covariant derivative D of `christoffel` and R(X, Y) Z = D_X D_Y Z - D_Y D_X Z - D_[X,Y] Z,

    R_ijkl = R(E_k, E_l) E_j . E_i
           = d_k Gamma_lji - d_l Gamma_kji + sum_r (Gamma_lir Gamma_kj^r - Gamma_kir Gamma_lj^r - c_klr Gamma_rji),

where E_k is unit velocity k, d_k the derivative along it, an index is raised by H^-1, and c are the structure
constants. If all qd are dq/dt, c is zero, the first two indices of Gamma commute, and this is PBP95 (66). The
derivatives of Gamma are found by dual numbers.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.along import derivative_along, independent
from sixd.algorithms.axes import units
from sixd.algorithms.brackets import rotor_symbols, structure_constants
from sixd.algorithms.christoffel import christoffel
from sixd.algorithms.declared import Number, Position, Tensor4
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.algorithms.mass_matrix import crba
from sixd.model.tree import Positions, TensorOutput, Tree
from sixd.ops import Scalar, divide

__all__ = ["curvature", "scalar_curvature"]

Pair: TypeAlias = tuple[int, int]


@algorithm(rolled=False)
def curvature(tree: Tree, q: Position) -> Tensor4:
    """R_ijkl, the curvature tensor of the mass matrix, nv x nv x nv x nv: PBP95 (66).

    R_ijkl = -R_jikl = -R_ijlk = R_klij, and R_ijkl + R_iklj + R_iljk = 0. The mass matrix must not be singular.
    """
    n, R = tree.model.nv, tree.tensor_output(4)
    Gamma, c = symbols(tree, q), structure_constants(tree, q)
    ways = [(joint, e) for joint in independent(tree) for e in units(joint.type.nv)]
    slope = [derivative_along(symbols, tree, q, [way]) for way in ways]
    halves, raised = _solved(tree, q, Gamma)
    pairs = list(combinations(range(n), 2))
    for first, (i, j) in enumerate(pairs):
        for k, l in pairs[first:]:
            x = slope[k][l, j, i] - slope[l][k, j, i]
            x = x + product(halves[l, i], raised[k, j]) - product(halves[k, i], raised[l, j])
            for r in range(n):
                x = x - c[k, l, r] * Gamma[r, j, i]
            _write(R, (i, j), (k, l), x)
    return R


@algorithm(rolled=False)
def scalar_curvature(tree: Tree, q: Position) -> Number:
    """sum R_ijkl H^-1_ik H^-1_jl: twice the sum of the sectional curvatures of all pairs of an orthonormal basis."""
    n, parents, R = tree.model.nv, tree.model.dof_parent, curvature(tree, q)
    L, D = ltdl(crba(tree, q).rows, parents)
    H_inv = [solve_ltdl(L, D, list(e), parents) for e in units(n)]
    half: Scalar = 0.0
    for i, j in combinations(range(n), 2):
        for k, l in combinations(range(n), 2):
            half = half + (H_inv[i][k] * H_inv[j][l] - H_inv[i][l] * H_inv[j][k]) * R[i, j, k, l]
    return 2.0 * half


def symbols(tree: Tree, q: Positions) -> TensorOutput:
    """Gamma_ijk of H with all rotors: those of `christoffel`, and what rotors add where qd is not dq/dt."""
    Gamma = christoffel(tree, q)
    Gamma.values = [a + b for a, b in zip(Gamma.values, rotor_symbols(tree, q).values, strict=True)]
    return Gamma


def product(a: list[Scalar], b: list[Scalar]) -> Scalar:
    """The sum of a_r b_r."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def _solved(tree: Tree, q: Positions, Gamma: TensorOutput) -> tuple[dict[Pair, list[Scalar]], dict[Pair, list[Scalar]]]:
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


def _write(R: TensorOutput, ij: Pair, kl: Pair, x: Scalar) -> None:
    """Write one component and those that are equal or opposite to it."""
    for (i, j), (k, l) in {(ij, kl), (kl, ij)}:
        R.add((i, j, k, l), x)
        R.add((j, i, k, l), -x)
        R.add((i, j, l, k), -x)
        R.add((j, i, l, k), x)
