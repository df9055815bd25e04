"""Random consistent states of mechanisms."""

from __future__ import annotations

from functools import cache

import numpy as np

import sixd
from tests.constraints.mechanisms import MECHANISMS

__all__ = ["consistent", "largest"]


@cache
def consistent(name: str, n: int = 12) -> tuple[sixd.ClosedRobot, np.ndarray, np.ndarray, np.ndarray]:
    """A mechanism with n positions around its own, velocities that keep the constraints, and joint forces."""
    closed, q = MECHANISMS[name]()
    rng = np.random.default_rng(7)
    moved = closed.tree.integrate(q, rng.uniform(-0.3, 0.3, size=(n, closed.nv)))
    q, qd = closed.project(moved, rng.normal(size=(n, closed.nv)))
    return closed, q, qd, rng.normal(size=(n, closed.nv))


def largest(found, wanted) -> float:
    """The largest difference of two arrays, relative to the largest entry."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
