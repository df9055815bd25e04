"""Which linear combinations of parameters a set of linear equations determines, and how they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Combinations", "combinations_of"]

Array = NDArray[Any]
#: Singular values below this share of the largest count as zero, if columns have unit length. What is zero but for
#: rounding is near 1e-15, and what is not is seldom below 1e-6.
ZERO = 1e-10
#: Coefficients below this count as zero, for columns of unit length.
_SMALL = 1e-8


@dataclass(frozen=True, eq=False)
class Combinations:
    """The linear combinations ``matrix @ p`` of parameters p that equations A p = y determine, as few as there can be.

    Each combination starts with a parameter of its own, whose coefficient is 1 and which is in no other combination.
    The other parameters in it have the same effect as this one, as far as A tells, and cannot be told apart from it.
    """

    #: The names of all parameters.
    names: tuple[str, ...]
    #: The parameters that the combinations start with, by number.
    leading: tuple[int, ...]
    #: The coefficients, (count, parameters).
    matrix: Array
    #: The singular values of A with columns of unit length. The first `count` of them are not zero.
    singular_values: Array

    @property
    def count(self) -> int:
        """How many combinations there are: the rank of A."""
        return len(self.leading)

    @property
    def gap(self) -> float:
        """The smallest singular value that counts, divided by the largest that does not; infinite if all count.

        The rank is certain if the gap is wide: a million, say.
        """
        s, r = self.singular_values, self.count
        rest = s[r] if r < len(s) else 0.0
        return float(s[r - 1] / rest) if r and rest > 0.0 else float("inf")

    @property
    def alone(self) -> tuple[str, ...]:
        """The parameters that are determined by themselves."""
        single = np.count_nonzero(self.matrix, axis=1) == 1
        return tuple(self.names[k] for k, yes in zip(self.leading, single, strict=True) if yes)

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The parameters that are in no combination: nothing depends on them."""
        return tuple(name for name, column in zip(self.names, self.matrix.T, strict=True) if not column.any())

    def lines(self) -> list[str]:
        """The combinations as text, such as "link1.Izz + link2.Iyy + 0.25 link2.m"."""
        return [combination(row, self.names, first) for row, first in zip(self.matrix, self.leading, strict=True)]

    def __str__(self) -> str:
        without = ", ".join(self.without_effect) or "none"
        title = f"{self.count} combinations of {len(self.names)} parameters can be determined"
        return "\n".join([f"{title}:", *(f"  {line}" for line in self.lines()), f"without effect: {without}"])


def combination(row: Array, names: Sequence[str], first: int | None = None) -> str:
    """A linear combination as text; the parameter ``first``, if given, stands first."""
    order = sorted(np.flatnonzero(row).tolist(), key=lambda k: (k != first, k))
    text = ""
    for k in order:
        size = f"{abs(row[k]):.4g}"
        term = names[k] if size == "1" else f"{size} {names[k]}"
        sign = "-" if row[k] < 0.0 else "+"
        text += f" {sign} {term}" if text else f"-{term}" if sign == "-" else term
    return text or "0"


def combinations_of(A: Array, names: Sequence[str]) -> Combinations:
    """The combinations of parameters that the equations A p = y determine, A (equations, parameters).

    The rank is found by a singular value decomposition. A parameter leads a combination if its column does not depend
    on those before it. M. Gautier, "Numerical Calculation of the Base Inertial Parameters of Robots", 1991.
    """
    R = np.linalg.qr(A, mode="r") if len(A) > A.shape[1] else A
    length = np.linalg.norm(R, axis=0)
    used = length > ZERO * length.max(initial=0.0)
    scaled = np.where(used, R / np.where(used, length, 1.0), 0.0)
    _, s, Vt = np.linalg.svd(scaled, full_matrices=False)
    rank = int(np.count_nonzero(s > ZERO * s.max(initial=0.0)))
    rows = Vt[:rank]
    leading = _first_independent(rows, rank)
    matrix = np.linalg.solve(rows[:, leading], rows) if rank else rows
    matrix[np.abs(matrix) < _SMALL] = 0.0
    matrix[:, leading] = np.eye(rank)
    safe = np.where(used, length, 1.0)
    return Combinations(tuple(names), tuple(leading), matrix * safe / safe[leading][:, None], s)


def _first_independent(rows: Array, rank: int) -> list[int]:
    """The first columns of a matrix of this rank that do not depend on those before them.

    Columns that depend on others but for little are taken only if there are no better ones.
    """
    length = np.maximum(np.linalg.norm(rows, axis=0), 1e-6)
    basis, found = np.zeros((rank, 0)), list[int]()
    for least in (1e-2, 1e-4, 1e-6):
        for k in range(rows.shape[1]):
            if len(found) == rank:
                break
            rest = rows[:, k] - basis @ (basis.T @ rows[:, k])
            rest -= basis @ (basis.T @ rest)  # again, for what rounding has left
            size = np.linalg.norm(rest)
            if size > least * length[k] and k not in found:
                found.append(k)
                basis = np.column_stack([basis, rest / size])
    return sorted(found)
