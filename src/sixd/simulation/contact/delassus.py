"""How easily rows of velocities move: the matrix of Delassus."""

from __future__ import annotations

from collections.abc import Sequence

from sixd.ops import Scalar
from sixd.simulation.contact.factors import Factors, dot
from sixd.simulation.contact.sites import Sparse

__all__ = ["Delassus"]


class Delassus:
    """A = J H^-1 J^T, named after E. Delassus: the velocities that impulses make; by the sparse factors of H.

    For a closed robot H^-1 is what constraints leave of it (`ClosedFactors`).
    """

    def __init__(self, factors: Factors, rows: Sequence[Sparse]) -> None:
        self.factors, self.rows = factors, rows
        Y = [factors.inward(row) for row in rows]
        self.Z = [factors.weighed(y) for y in Y]
        n = range(len(rows))
        lower = [[dot(Y[r], self.Z[c]) for c in range(r + 1)] for r in n]
        self.A = [[lower[max(r, c)][min(r, c)] for c in n] for r in n]

    def velocity(self, row: int, qd: Sequence[Scalar]) -> Scalar:
        """J qd of one row."""
        return sum((x * qd[k] for k, x in self.rows[row].items()), 0.0)

    def response(self, p: Sequence[Scalar]) -> list[Scalar]:
        """H^-1 J^T p."""
        total: Sparse = {}
        for x, z in zip(p, self.Z, strict=True):
            for k, entry in z.items():
                total[k] = total[k] + entry * x if k in total else entry * x
        return self.factors.outward(total)
