"""How all degrees of freedom of a closed robot follow independent ones, by NumPy: what kernels are compared with."""

from __future__ import annotations

import numpy as np

import sixd
from sixd import algorithms
from sixd.compiler.request import without_methods

__all__ = ["followers", "neighbour"]


def _violation(model, q, qd):
    """L qd."""
    return algorithms.constraint_jacobian(model, q) @ qd


def followers(closed: sixd.ClosedRobot, q: np.ndarray, qd: np.ndarray, free: list[int]) -> tuple[np.ndarray, ...]:
    """K and N, (nv, m), of one state: L K = 0 and L N = -d(L qd)/dq K, ones and zeros at the independent ones."""
    by_q = sixd.compile(sixd.jacobian(_violation, "q", tangent=True), without_methods(closed))(q, qd)
    return _solved(closed, q, free, None), _solved(closed, q, free, -by_q @ _solved(closed, q, free, None))


def neighbour(closed: sixd.ClosedRobot, q: np.ndarray, qd: np.ndarray, free: list[int], y: np.ndarray, z: np.ndarray):
    """The consistent position and velocity whose independent coordinates are those of q and qd, and y and z more."""
    there = np.zeros(closed.nv)
    there[free] = y
    at = closed.integrate(q, there)
    for _ in range(8):  # back to the constraints by the dependent coordinates, so that the independent ones stay
        at = closed.integrate(at, _solved(closed, at, free, -closed.constraint_error(at)[:, None])[:, 0])
    return at, _solved(closed, at, free, None) @ (qd[free] + z)


def _solved(closed: sixd.ClosedRobot, q: np.ndarray, free: list[int], b: np.ndarray | None) -> np.ndarray:
    """x with L x = b that is zero at the independent degrees of freedom; for None K, with L K = 0 and ones there."""
    L, rest = closed.constraint_jacobian(q), [k for k in range(closed.nv) if k not in free]
    x = np.zeros((closed.nv, len(free) if b is None else b.shape[1]))
    if b is None:
        x[free], b = np.eye(len(free)), -L[:, free]
    x[rest] = np.linalg.pinv(L[:, rest], rcond=1e-9) @ b
    return x
