"""Least squares among parameters that bodies can have.

A body with density can have the inertia m, h, I if and only if its pseudo-inertia

    P = [1/2 tr(I) 1 - I, h; h^T, m],

the second moments of its mass, 4 x 4, is positive definite. The set of all these is convex, and

    D(P, P_0) = tr(P_0^-1 P) - log det(P_0^-1 P) - 4 >= 0

is a convex function on it that is zero at P_0 alone and infinite at the boundary, whatever the units and the frame. So

    1/2 |A p - z|^2 + w sum D(P_i, P_0i)

has one minimum, and no step of a descent leaves the set. T. Lee, P. M. Wensing, F. C. Park, "Geometric Robot Dynamic
Identification: A Convex Programming Approach", 2020. A number that must be positive, such as a friction, has
D(x, x_0) = x / x_0 - log(x / x_0) - 1 in the same way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError

__all__ = ["consistent_least_squares", "is_consistent", "pseudo_inertia"]

Array = NDArray[Any]


def _basis() -> Array:
    """P of the ten unit parameters, (10, 4, 4)."""
    E = np.zeros((10, 4, 4))
    E[0, 3, 3] = 1.0
    for k in range(3):
        E[1 + k, k, 3] = E[1 + k, 3, k] = 1.0
    for n, (r, c) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), start=4):
        if r == c:
            E[n, range(3), range(3)] = 0.5
        E[n, r, c] -= 1.0
        if r != c:
            E[n, c, r] -= 1.0
    return E


_E = _basis()
#: What the decrease that Newton's method predicts must fall below, in units of half the squared noise.
_DONE = 1e-9
_MOST_STEPS = 2_000
#: The factor of the weight from one stage to the next. Smaller ones need more steps where bodies hardly can exist.
_SHRINK = 0.3


def pseudo_inertia(parameters: Array) -> Array:
    """P of ten parameters (..., 10) in the order of `Inertia.components`, (..., 4, 4)."""
    return np.tensordot(parameters, _E, axes=1)


def is_consistent(parameters: Array) -> bool:
    """Whether a body with density can have these ten parameters: P is positive definite, beyond rounding."""
    P = pseudo_inertia(parameters)
    size = np.sqrt(np.maximum(np.diagonal(P), 0.0))
    return bool(size.all()) and bool(np.linalg.eigvalsh(P / np.outer(size, size))[0] > 1e-12)


class _Part(NamedTuple):
    """Parameters that one D belongs to: where they are, the matrices that they multiply, and P_0^-1."""

    own: slice
    basis: Array
    reference: Array


def consistent_least_squares(A: Array, z: Array, start: Array, bodies: int, weight: float) -> Array:
    """The p that minimises 1/2 |A p - z|^2 + weight * sum D, by Newton's method.

    The first 10 * ``bodies`` parameters belong to bodies, the others must be positive; all are in ``start``, which must
    be consistent. The weight decreases step by step to the one that is wanted, as in interior-point methods.
    """
    parts = [
        _Part(slice(10 * b, 10 * b + 10), _E, np.linalg.inv(pseudo_inertia(start[10 * b : 10 * b + 10])))
        for b in range(bodies)
    ]
    parts += [
        _Part(slice(k, k + 1), np.ones((1, 1, 1)), np.array([[1.0 / start[k]]])) for k in range(10 * bodies, len(start))
    ]
    p = start.copy()
    w = max(weight, float(np.sum((A @ p - z) ** 2)) / len(start))
    for _ in range(_MOST_STEPS):
        step, decrease = _newton_step(A, z, p, parts, w)
        p = _line_search(A, z, p, step, decrease, parts, w)
        if decrease < max(_DONE, 0.2 * (w - weight), 1e-12 * _cost(A, z, p, parts, 0.0)):
            if w == weight:
                return p
            w = max(weight, _SHRINK * w)
    raise ModelError(f"no minimum was found in {_MOST_STEPS} steps: are the torques of the log those of this robot?")


def _newton_step(A: Array, z: Array, p: Array, parts: list[_Part], w: float) -> tuple[Array, float]:
    """The step of Newton's method, and the decrease that it predicts.

    With P = L L^T, the gradient of D is J^T vec(L^T P_0^-1 L - 1) and its second derivative J^T J, where column i of J
    is L^-1 E_i L^-T. So the step solves a linear least-squares problem, in which nothing is squared.
    """
    rows, rest = [A], [A @ p - z]
    for part in parts:
        L = np.linalg.cholesky(np.tensordot(p[part.own], part.basis, axes=1))
        inverse = np.linalg.inv(L)
        J = np.zeros((L.size, len(p)))
        J[:, part.own] = (inverse @ part.basis @ inverse.T).reshape(len(part.basis), -1).T
        rows.append(np.sqrt(w) * J)
        rest.append(np.sqrt(w) * (L.T @ part.reference @ L - np.eye(len(L))).ravel())
    matrix, vector = np.concatenate(rows), np.concatenate(rest)
    scale = 1.0 / np.linalg.norm(matrix, axis=0)
    step = -scale * np.linalg.lstsq(matrix * scale, vector, rcond=None)[0]
    return step, float(0.5 * np.sum((matrix @ step) ** 2))


def _line_search(A: Array, z: Array, p: Array, step: Array, decrease: float, parts: list[_Part], w: float) -> Array:
    """p after the step, or the longest of halves, quarters, ... of it that lowers the cost enough.

    It goes at most 0.8 of the way to the boundary: from too near to it, many steps would be needed to come back.
    """
    before, length = _cost(A, z, p, parts, w), min(1.0, 0.8 * _room(p, step, parts))
    while length > 1e-12:
        there = p + length * step
        if _cost(A, z, there, parts, w) <= before - 0.2 * length * decrease + 1e-12 * abs(before):
            return there
        length *= 0.5
    return p


def _room(p: Array, step: Array, parts: list[_Part]) -> float:
    """How many such steps lead to the boundary of the set."""
    least = 0.0
    for part in parts:
        P, change = (np.tensordot(x[part.own], part.basis, axes=1) for x in (p, step))
        inverse = np.linalg.inv(np.linalg.cholesky(P))
        least = min(least, float(np.linalg.eigvalsh(inverse @ change @ inverse.T)[0]))
    return -1.0 / least if least < 0.0 else float("inf")


def _cost(A: Array, z: Array, p: Array, parts: list[_Part], w: float) -> float:
    total = 0.5 * float(np.sum((A @ p - z) ** 2))
    for part in parts:
        P = np.tensordot(p[part.own], part.basis, axes=1)
        try:
            L = np.linalg.cholesky(P)
        except np.linalg.LinAlgError:
            return float("inf")
        total += w * float(np.sum(part.reference * P) - 2.0 * np.log(np.diagonal(L)).sum())
    return total
