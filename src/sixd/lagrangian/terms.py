"""The terms of Lagrange's equations of a chain in closed form: PBP95 (29), (32), (39), (40), (52)-(59), (65).

x, dx and ddx are n numbers of any kind, or arrays of samples (..., n). Indices of joints count from 1.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any, NamedTuple

from sixd.lagrangian.chain import Chain, coordinates_of
from sixd.lagrangian.factors import SpaceFactors
from sixd.ops import Scalar, stack
from sixd.spatial import Matrix, Motion, Vector
from sixd.spatial.linear import cross

__all__ = [
    "Pullback",
    "christoffel",
    "christoffel_symbol",
    "coriolis_matrix",
    "inertia_matrix",
    "inverse_dynamics",
    "kinetic_energy",
    "potential_energy",
    "potential_forces",
    "pullback",
]


def inertia_matrix(chain: Chain, x: Any) -> Matrix:
    """m_ij = sum over k >= j of <Ad_k^(i+1) A_i, Ad_k^(j+1) A_j>_k for i <= j, and m_ji = m_ij: (40)."""
    x, n = coordinates_of(chain, x), chain.n

    def entry(i: int, j: int) -> Scalar:
        return _sum(chain.inner(k, _carried(chain, i, k, x), _carried(chain, j, k, x)) for k in range(j, n + 1))

    upper = {(i, j): entry(i, j) for j in range(1, n + 1) for i in range(1, j + 1)}
    return Matrix([upper[min(i, j), max(i, j)] for j in range(1, n + 1)] for i in range(1, n + 1))


def kinetic_energy(chain: Chain, x: Any, dx: Any) -> Scalar:
    """T = sum of 1/2 <(w_i, v_i), (w_i, v_i)>_i = 1/2 sum m_ij dx_i dx_j: (39), (32), each with its factor 1/2."""
    x = coordinates_of(chain, x)
    velocities = ((i, chain.velocity(i, x, dx)) for i in range(1, chain.n + 1))
    return 0.5 * _sum(chain.inner(i, v, v) for i, v in velocities)


def christoffel_symbol(chain: Chain, i: int, j: int, k: int, x: Any) -> Scalar:
    """Gamma_ijk = Gamma_jik by the three cases (55)-(57)."""
    x = coordinates_of(chain, x)
    chain._need(i, j, k)
    i, j = sorted((i, j))

    def term(l: int, a: int, b: int, c: int) -> Scalar:
        """<Ad_l^b [Ad_(b-1)^(a+1) A_a, A_b], Ad_l^(c+1) A_c>_l: (53) makes the first factor d/dx_b Ad_l^(a+1) A_a."""
        return chain.inner(l, chain.derivative(a + 1, l, b, chain.A[a - 1], x), _carried(chain, c, l, x))

    if k <= i:
        terms = ((1.0, k, i, j), (1.0, k, j, i), (1.0, i, j, k))  # (55)
    elif k <= j:
        terms = ((1.0, k, j, i), (1.0, i, j, k), (-1.0, i, k, j))  # (56)
    else:
        terms = ((1.0, i, j, k), (-1.0, i, k, j), (-1.0, j, k, i))  # (57)
    links = range(max(i, j, k), chain.n + 1)
    return 0.5 * _sum(sign * term(l, a, b, c) for l in links for sign, a, b, c in terms)


def christoffel(chain: Chain, x: Any) -> Any:
    """All Gamma_ijk, an array (..., n, n, n): (52), by (55)-(57)."""
    x, every = coordinates_of(chain, x), range(1, chain.n + 1)
    return stack([christoffel_symbol(chain, i, j, k, x) for i in every for j in every for k in every], (chain.n,) * 3)


def coriolis_matrix(chain: Chain, x: Any, dx: Any) -> Matrix:
    """C with c_kj = sum_i Gamma_ijk dx_i, so that C dx are the Coriolis terms of (29), and dM/dt = C + C^T."""
    x, rates, every = coordinates_of(chain, x), coordinates_of(chain, dx, "dx"), range(1, chain.n + 1)
    return Matrix(
        [_sum(christoffel_symbol(chain, i, j, k, x) * rates[i - 1] for i in every) for j in every] for k in every
    )


def potential_energy(chain: Chain, x: Any) -> Scalar:
    """U = -sum m_i g . f_i r, where f_i r is the centre of mass of link i: (58), for a g that points down."""
    x = coordinates_of(chain, x)
    places = ((D, chain.moved(1, i, x)) for i, D in enumerate(chain.D, 1))
    return -_sum(chain.g @ (X.E.T @ D.h + X.r * D.m) for D, X in places)


def potential_forces(chain: Chain, x: Any) -> Vector:
    """phi_k = dU/dx_k = -sum over i >= k of m_i g . (f_i M_i^-1 Ad_i^(k+1)(A_k) M_i r): (59), for a g that points down.

    M_i r is the centre of mass of link i at home, which the screw Ad_i^(k+1) A_k moves; f_i M_i^-1 turns that velocity
    to where the link is now.
    """
    x = coordinates_of(chain, x)

    def term(k: int, i: int) -> Scalar:
        screw, D = _carried(chain, k, i, x), chain.D[i - 1]
        return chain.g @ (chain.moved(1, i, x).E.T @ (cross(screw.ang, D.h) + screw.lin * D.m))

    return Vector(-_sum(term(k, i) for i in range(k, chain.n + 1)) for k in range(1, chain.n + 1))


def inverse_dynamics(chain: Chain, x: Any, dx: Any, ddx: Any) -> Vector:
    """tau_k = sum_j m_kj ddx_j + sum_ij Gamma_ijk dx_i dx_j + phi_k: Lagrange's equations, (29)."""
    dx, ddx = Vector(coordinates_of(chain, dx, "dx")), Vector(coordinates_of(chain, ddx, "ddx"))
    C = coriolis_matrix(chain, x, dx.entries)
    return inertia_matrix(chain, x) @ ddx + C @ dx + potential_forces(chain, x)


class Pullback(NamedTuple):
    """The Jacobian J of f = (f_1, ..., f_n), 6n x n, and the metric G of SE(3)^n in the links' coordinates, 6n x 6n."""

    J: Matrix
    G: Matrix

    @property
    def M(self) -> Matrix:
        """The inertia matrix is the pull-back of the metric: J^T G J."""
        return self.J.T @ (self.G @ self.J)


def pullback(chain: Chain, x: Any) -> Pullback:
    """The map to the poses of all links, by its Jacobian, and the metric of their kinetic energies: (65).

    G can be taken to be script D and J to be L A, as the paper says: then both are in root coordinates at home.
    """
    factors = SpaceFactors.of(chain, x)
    return Pullback(factors.L @ factors.A, factors.D)


def _carried(chain: Chain, i: int, k: int, x: Any) -> Motion:
    """Ad_k^(i+1) A_i."""
    return chain.Ad(i + 1, k, chain.A[i - 1], x)


def _sum(terms: Any) -> Scalar:
    return reduce(add, terms)
