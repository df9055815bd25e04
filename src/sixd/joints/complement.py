"""T, the constraint-force subspace of a joint whose motion subspace S is constant: F10a (33), (34)."""

from __future__ import annotations

from math import hypot

from sixd.spatial import Force, Forces, Motions

__all__ = ["complement"]

#: What is left of a unit vector counts as zero below this length.
NOTHING = 1e-9


def complement(S: Motions) -> Forces:
    """Forces that do no work on the motions S, as many as there are independent ones: T^T S = 0. Floats only.

    Their coordinates are orthonormal. Of the six unit forces, the one with the most left beside those already taken is
    next, so that axes along coordinate axes give unit forces, with exact zeros.
    """
    taken: list[list[float]] = []
    for column in S:
        left = _beside([float(x) for x in column.components()], taken)
        if hypot(*left) > NOTHING * hypot(*column.components()):
            taken.append(_unit(left))
    n = len(taken)
    while len(taken) < 6:
        rest = [_beside([1.0 if k == e else 0.0 for k in range(6)], taken) for e in range(6)]
        taken.append(_unit(max(rest, key=lambda x: round(hypot(*x), 9))))
    return Forces(Force.from_components(x) for x in taken[n:])


def _beside(x: list[float], taken: list[list[float]]) -> list[float]:
    """The part of x that is orthogonal to the orthonormal vectors taken; twice, since once loses digits."""
    for _ in range(2):
        for t in taken:
            along = sum(a * b for a, b in zip(x, t, strict=True))
            x = [a - along * b for a, b in zip(x, t, strict=True)]
    return x


def _unit(x: list[float]) -> list[float]:
    length = hypot(*x)
    return [a / length + 0.0 for a in x]
