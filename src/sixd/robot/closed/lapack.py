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
    #: The tolerance of each row, (rows,); see `sixd.Constraint`.
    tolerances: Array


def solved(by: Callable[[Dense], Array], e: Dense) -> Array:
    """qdd by a method; NaN for samples with numbers that are not finite, which LAPACK would refuse all for."""
    good = np.isfinite(e.u).all(axis=-1) & np.isfinite(e.c).all(axis=-1)
    good = good & np.isfinite(e.H).all(axis=(-1, -2)) & np.isfinite(e.L).all(axis=(-1, -2))
    if good.all():
        return by(e)
    qdd = np.full(e.u.shape, np.nan)
    if good.any():
        qdd[good] = by(Dense(e.H[good], e.u[good], e.L[good], e.c[good], e.tolerances))
    return qdd


def by_schur(e: Dense) -> Array:
    """FO00 (21): eigenvalues of A = L H^-1 L^T, scaled to ones on its diagonal, that are too small count as zero."""
    HL = np.linalg.solve(e.H, np.concatenate([_T(e.L), e.u[..., None]], axis=-1))
    free, HL = HL[..., -1], HL[..., :-1]
    A = e.L @ HL
    diagonal = np.diagonal(A, axis1=-2, axis2=-1)
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(A * scale[..., :, None] * scale[..., None, :])
    kept = values > e.tolerances.max(initial=0.0)
    inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    right = scale * (e.c - _times(e.L, free))
    lam = scale * _times(vectors, inverse * _times(_T(vectors), right))
    return free + _times(HL, lam)


def by_kkt(e: Dense) -> Array:
    """FO00 (20), with the pseudo-inverse of its matrix, whose rows are scaled by the inertias."""
    n, w = e.u.shape[-1], 1.0 / np.sqrt(np.diagonal(e.H, axis1=-2, axis2=-1))
    H, L = e.H * w[..., :, None] * w[..., None, :], e.L * w[..., None, :]
    size = np.linalg.norm(L, axis=-1, keepdims=True)
    size = np.where(size > 0.0, size, 1.0)
    L = L / size
    zero = np.zeros((*L.shape[:-1], L.shape[-2]))
    K = np.concatenate([np.concatenate([H, _T(L)], axis=-1), np.concatenate([L, zero], axis=-1)], axis=-2)
    right = np.concatenate([np.broadcast_arrays(e.u * w, w)[0], e.c / size[..., 0]], axis=-1)
    inverse = np.linalg.pinv(K, rcond=e.tolerances.max(initial=0.0), hermitian=True)
    return w * _times(inverse, right)[..., :n]


def by_nullspace(e: Dense) -> Array:
    """FO00 (22), with the null space of L from its singular values."""
    w = 1.0 / np.sqrt(np.diagonal(e.H, axis1=-2, axis2=-1))
    L = e.L * w[..., None, :]
    size = np.linalg.norm(L, axis=-1, keepdims=True)
    size = np.where(size > 0.0, size, 1.0)
    U, s, Vh = np.linalg.svd(L / size, full_matrices=True)
    n, k = L.shape[-1], s.shape[-1]
    kept = s * s > e.tolerances.max(initial=0.0)
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    right = _times(_T(U), e.c / size[..., 0])[..., :k]
    start = w * _times(_T(Vh[..., :k, :]), inverse * right)
    depends = np.concatenate([kept, np.zeros((*kept.shape[:-1], n - k), dtype=bool)], axis=-1)
    K = w[..., :, None] * _T(Vh) * ~depends[..., None, :]
    M = _T(K) @ e.H @ K + np.where(depends, 1.0, 0.0)[..., :, None] * np.eye(n)
    y = np.linalg.solve(M, _times(_T(K), e.u - _times(e.H, start))[..., None])[..., 0]
    return _times(K, y) + start


def by_embedding(e: Dense, independent: tuple[int, ...]) -> Array:
    """G^T H G y = G^T (u - H g), where the other degrees of freedom follow by least squares from L qdd = c.

    NaN where L does not determine them.
    """
    n = e.u.shape[-1]
    others = [k for k in range(n) if k not in independent]
    U, s, Vh = np.linalg.svd(e.L[..., others], full_matrices=False)
    rank = (s * s > e.tolerances.min(initial=1.0) * s[..., :1] ** 2).sum(axis=-1)
    determined = np.where(rank == len(others), 1.0, np.nan)[..., None, None]
    inverse = _T(Vh) / s[..., None, :] @ _T(U) * determined if len(others) else np.zeros(_T(e.L[..., others]).shape)
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
