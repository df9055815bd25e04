"""Curvature of robots that are too large for unrolled code of it: from results of other methods, in NumPy.

The derivative of the covariant derivative D_u v is found from inverse dynamics. Let h(w) be the forces of velocity w,
so that h(w) = H D_w w. `rnea_derivatives` gives their derivative by q, and with the bracket [u, v] = D_u v - D_v u

    H D_u v = 1/2 (h(u + v) - h(u) - h(v)) + 1/2 H [u, v].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.ir import TooLargeError

if TYPE_CHECKING:
    from sixd.robot.geometry import GeometryMethods

__all__ = ["LARGEST", "curvature_by_parts", "sectional_by_parts"]

Array = NDArray[Any]
#: The most degrees of freedom for which there is a curvature tensor: its entries then take 0.8 GB for one state.
LARGEST = 100


def curvature_by_parts(robot: GeometryMethods, q: Array) -> Array:
    """R_ijkl, (..., nv, nv, nv, nv), state by state."""
    n = robot.nv
    if n > LARGEST:
        raise TooLargeError(
            f"robot {robot.name!r} has {n} degrees of freedom, so its curvature tensor has {n}^4 entries; it is "
            f"computed for at most {LARGEST} of them: lock joints (robot.lock), or ask for planes (sectional_curvature)"
        )
    H_inv, c, Gamma = robot.inverse_mass_matrix(q), robot._structure, robot.christoffel(q) + robot._rotor_symbols
    R = np.empty((*q.shape[:-1], n, n, n, n), dtype=q.dtype)
    for state in np.ndindex(q.shape[:-1]):
        R[state] = _tensor(Gamma[state], _slopes(robot, q[state]), H_inv[state], c)
    return R


def _slopes(robot: GeometryMethods, q: Array) -> Array:
    """d_l Gamma_ijk of one state, with index order [i, j, k, l]."""
    n, unit = robot.nv, np.eye(robot.nv, dtype=q.dtype)
    own = _force_slopes(robot, q, unit)
    slopes = np.empty((n, n, n, n), dtype=q.dtype)
    for i in range(n):
        slopes[i] = 0.5 * (_force_slopes(robot, q, unit[i] + unit) - own[i] - own)
    if robot._structure.any():
        slopes += 0.5 * np.tensordot(robot._structure, robot.mass_matrix_derivative(q), axes=1)
    return slopes


def _force_slopes(robot: GeometryMethods, q: Array, w: Array) -> Array:
    """d h(w) / dq, (..., nv, nv): gravity apart."""
    return robot._weightless._code[algorithms.rnea_derivatives](q, w, np.zeros_like(w))[0]


def _tensor(Gamma: Array, slopes: Array, H_inv: Array, c: Array) -> Array:
    """d_k Gamma_lji - d_l Gamma_kji + sum_r (Gamma_lir Gamma_kj^r - Gamma_kir Gamma_lj^r - c_klr Gamma_rji)."""
    products = np.tensordot(Gamma, Gamma @ H_inv, axes=(2, 2))  # Gamma_abr Gamma_cd^r
    half = slopes.transpose(2, 1, 3, 0) + products.transpose(1, 3, 2, 0)  # with k and l exchanged, the other half
    R = half - half.swapaxes(2, 3)
    return R - np.tensordot(c, Gamma, axes=1).transpose(3, 2, 0, 1) if c.any() else R


def sectional_by_parts(robot: GeometryMethods, q: Array, u: Array, v: Array) -> Array:
    """The sectional curvature of the plane of u and v, (...), term by term as in `algorithms.sectional_curvature`."""
    H, H_inv = robot.mass_matrix(q), robot.inverse_mass_matrix(q)
    w = np.einsum("ijr,...i,...j->...r", robot._structure, u, v)
    Cu, Cv, Cw = (
        robot.coriolis_matrix(q, x) + np.einsum("ijk,...i->...kj", robot._rotor_symbols, x) for x in (u, v, w)
    )
    both, of_u, of_v = (_force_slopes(robot, q, x) for x in (u + v, u, v))
    mixed = 0.5 * (_times(both - of_u - of_v, v) + _times(Cv + np.swapaxes(Cv, -1, -2), w))  # d_v (H D_u v)
    x = _dot(u, _times(of_v, u) - mixed - _times(Cw, v))
    x = x + _dot(_times(Cv, u), _times(H_inv, _times(Cu, v))) - _dot(_times(Cu, u), _times(H_inv, _times(Cv, v)))
    uu, uv, vv = (_dot(a, _times(H, b)) for a, b in ((u, u), (u, v), (v, v)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return x / (uu * vv - uv * uv)


def _times(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)


def _dot(x: Array, y: Array) -> Array:
    return np.einsum("...i,...i->...", x, y)
