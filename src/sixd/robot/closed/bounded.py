"""Small forces within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["least_norm_within"]

Array = NDArray[Any]
#: How much more an error counts than a force, relative to what a force does.
WEIGHT = 1e12
STEPS = 100


def least_norm_within(A: Array, b: Array, bounds: Array) -> Array:
    """x with the least |A x - b| within |x_k| <= bounds_k, and of these the smallest: A (..., m, n), b (..., m).

    Sample by sample. The optimum of 1/2 |x|^2 + w/2 |A x - b|^2, for a large w, is x = clip(A^T y) with
    A x + y / w = b: piecewise linear equations for y, the gradient of a concave function, which Newton's method with
    halved steps solves.
    """
    found = np.empty((*b.shape[:-1], A.shape[-1]))
    for sample in np.ndindex(b.shape[:-1]):
        found[sample] = _one(np.broadcast_to(A, (*b.shape[:-1], *A.shape[-2:]))[sample], b[sample], bounds)
    return found


def _one(A: Array, b: Array, bounds: Array) -> Array:
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return np.full(A.shape[1], np.nan)
    weight = WEIGHT / max(float((A * A).sum()), 1e-300)
    y, size = np.zeros(len(b)), float(np.sqrt(b @ b))

    def gain(y: Array) -> float:
        """The concave function whose gradient is b - A clip(A^T y) - y / w."""
        pull = A.T @ y
        x = np.clip(pull, -bounds, bounds)
        return float(b @ y - x @ pull + 0.5 * x @ x - 0.5 * y @ y / weight)

    for _ in range(STEPS):
        pull = A.T @ y
        x = np.clip(pull, -bounds, bounds)
        slope = b - A @ x - y / weight
        if float(np.sqrt(slope @ slope)) <= 1e-13 * size:
            break
        inside = A[:, np.abs(pull) <= bounds]
        step = np.linalg.solve(inside @ inside.T + np.eye(len(b)) / weight, slope)
        scale, before = 1.0, gain(y)
        while scale > 1e-12 and not gain(y + scale * step) > before:
            scale *= 0.5
        if scale <= 1e-12:
            break
        y = y + scale * step
    return np.asarray(np.clip(A.T @ y, -bounds, bounds))
