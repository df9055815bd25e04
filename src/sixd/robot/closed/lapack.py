"""The equations of constrained dynamics solved by LAPACK, sample by sample: FO00 (20)-(22) for large robots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["METHODS", "Dense", "by_embedding", "by_schur", "solved"]

Array = NDArray[Any]


class Dense(NamedTuple):
    """H qdd = u + L^T lambda, L qdd = c, of a batch: H (..., n, n), u (..., n), L (..., rows, n), c (..., rows)."""

    H: Array
    u: Array
    L: Array
    c: Array
    #: The least share of each row that counts, (..., rows): `sixd.algorithms.constraint_ranks`.
    tolerances: Array


def solved(by: Callable[[Dense], Array], e: Dense) -> Array:
    """qdd by a method; NaN for samples with numbers that are not finite, which LAPACK would refuse all for."""
    good = np.isfinite(e.u).all(axis=-1) & np.isfinite(e.c).all(axis=-1)
    good = good & np.isfinite(e.H).all(axis=(-1, -2)) & np.isfinite(e.L).all(axis=(-1, -2))
    if good.all():
        return by(e)
    qdd = np.full(e.u.shape, np.nan)
    if good.any():
        qdd[good] = by(Dense(e.H[good], e.u[good], e.L[good], e.c[good], e.tolerances[good]))
    return qdd


def measured(L: Array, tolerances: Array) -> tuple[Array, Array]:
    """The rows of L (..., rows, n) as long as their share that counts is small, 1 / root of the tolerance; and by what.

    Singular values of these rows count if they are more than 1. A row that is zero stays as it is.
    """
    size = np.linalg.norm(L, axis=-1)
    factor = np.where(size > 0.0, 1.0 / np.where(size > 0.0, size * np.sqrt(tolerances), 1.0), 1.0)
    return L * factor[..., None], factor


def pseudo_inverse(A: Array, tolerances: Array) -> Array:
    """Of A = L H^-1 L^T: scaled to 1 / tolerances on its diagonal, its eigenvalues of at most 1 count as zero."""
    diagonal = np.diagonal(A, axis1=-2, axis2=-1)
    some = diagonal > 0.0
    scale = np.where(some, 1.0 / np.sqrt(np.where(some, diagonal * tolerances, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(A * scale[..., :, None] * scale[..., None, :])
    kept = values > 1.0
    vectors = scale[..., :, None] * vectors
    return np.asarray((vectors * np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)[..., None, :]) @ _T(vectors))


def by_schur(e: Dense) -> Array:
    """FO00 (21) by eigenvalues of A = L H^-1 L^T."""
    HL = np.linalg.solve(e.H, np.concatenate([_T(e.L), e.u[..., None]], axis=-1))
    free, HL = HL[..., -1], HL[..., :-1]
    return free + _times(HL, _times(pseudo_inverse(e.L @ HL, e.tolerances), e.c - _times(e.L, free)))


def _roots(H: Array) -> Array:
    """R^-1 with R^-T H R^-1 = 1: coordinates in which the mass matrix is 1."""
    w = 1.0 / np.sqrt(np.diagonal(H, axis1=-2, axis2=-1))
    values, vectors = np.linalg.eigh(H * w[..., :, None] * w[..., None, :])
    return np.asarray(w[..., :, None] * vectors / np.sqrt(np.maximum(values, 1e-300))[..., None, :])


def by_kkt(e: Dense) -> Array:
    """FO00 (20), with the pseudo-inverse of its matrix in coordinates in which the mass matrix is 1.

    A singular value s of L makes an eigenvalue near -s^2 of the matrix.
    """
    roots, n = _roots(e.H), e.u.shape[-1]
    least = e.tolerances.min(axis=-1, initial=1.0, keepdims=True)
    L, factor = measured(e.L @ roots, e.tolerances / least)
    one, zero = np.broadcast_to(np.eye(n), e.H.shape), np.zeros((*L.shape[:-1], L.shape[-2]))
    K = np.concatenate([np.concatenate([one, _T(L)], axis=-1), np.concatenate([L, zero], axis=-1)], axis=-2)
    right = np.concatenate([_times(_T(roots), e.u), e.c * factor], axis=-1)
    values, vectors = np.linalg.eigh(K)
    kept = np.abs(values) > least
    found = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0) * _times(_T(vectors), right)
    return _times(roots, _times(vectors, found)[..., :n])


def by_nullspace(e: Dense) -> Array:
    """FO00 (22), with the null space of L from its singular values, in coordinates in which the mass matrix is 1."""
    roots = _roots(e.H)
    L, factor = measured(e.L @ roots, e.tolerances)
    U, s, Vh = np.linalg.svd(L, full_matrices=True)
    rows, n = U.shape[-1], L.shape[-1]
    kept = s > 1.0
    fixed = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0) * _times(_T(U), e.c * factor)[..., : min(rows, n)]
    free = _times(Vh, _times(_T(roots), e.u))
    free[..., : min(rows, n)] = np.where(kept, fixed, free[..., : min(rows, n)])
    return _times(roots, _times(_T(Vh), free))


def by_embedding(e: Dense, independent: tuple[int, ...]) -> Array:
    """G^T H G y = G^T (u - H g), where the other degrees of freedom follow by least squares from L qdd = c.

    NaN where L does not determine them.
    """
    n = e.u.shape[-1]
    others = [k for k in range(n) if k not in independent]
    w = 1.0 / np.sqrt(np.diagonal(e.H, axis1=-2, axis2=-1))
    L, factor = measured(e.L * w[..., None, :], e.tolerances)
    U, s, Vh = np.linalg.svd(L[..., others], full_matrices=False)
    determined = np.where((s > 1.0).sum(axis=-1) == len(others), 1.0, np.nan)[..., None, None]
    gain = np.where(s > 1.0, 1.0 / np.where(s > 1.0, s, 1.0), 0.0)
    inverse = w[..., others, None] * (_T(Vh) * gain[..., None, :]) @ (_T(U) * factor[..., None, :]) * determined
    G, g = np.zeros((*e.u.shape[:-1], n, len(independent))), np.zeros(e.u.shape)
    G[..., list(independent), :] = np.eye(len(independent))
    G[..., others, :] = -inverse @ e.L[..., list(independent)]
    g[..., others] = _times(inverse, e.c)
    M, right = _T(G) @ e.H @ G, _times(_T(G), e.u - _times(e.H, g))
    return _times(G, np.linalg.solve(M, right[..., None])[..., 0]) + g


def _T(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)


def _times(A: Array, x: Array) -> Array:
    return np.asarray((A @ x[..., None])[..., 0])


METHODS: dict[str, Callable[[Dense], Array]] = {
    "schur": by_schur,
    "kkt": by_kkt,
    "nullspace": by_nullspace,
}
