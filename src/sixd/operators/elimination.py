"""Gaussian elimination of sparse symmetric systems in blocks, in a given order, with a count of what it fills in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sixd.errors import ArgumentError, ShapeError
from sixd.spatial import Matrix, Vector, inverse

__all__ = ["BlockSystem", "Solution"]


@dataclass(frozen=True)
class Solution:
    """The unknowns by block, and how many blocks elimination had to add to the matrix."""

    x: Mapping[Any, Vector]
    #: Blocks, other than those of the matrix, that became nonzero. A perfect elimination order has none.
    filled: int


@dataclass
class BlockSystem:
    """A x = b with a symmetric A of blocks, of which most are zero. Unknowns have any names.

    Only one of the blocks (i, j) and (j, i) is stored, the other is its transpose. No rows are exchanged: each block
    that is eliminated must be invertible when its turn comes.
    """

    #: b by block.
    rhs: dict[Any, Vector] = field(default_factory=dict)
    #: The blocks of A by pairs of unknowns.
    blocks: dict[tuple[Any, Any], Matrix] = field(default_factory=dict)
    #: For each unknown, the others that it has a block with.
    neighbours: dict[Any, set[Any]] = field(default_factory=dict)

    def unknown(self, name: Hashable, diagonal: Matrix, rhs: Vector) -> None:
        """Add an unknown, with its diagonal block and right-hand side."""
        if name in self.rhs:
            raise ArgumentError(f"the unknown {name!r} is there already")
        self.rhs[name], self.blocks[name, name], self.neighbours[name] = rhs, diagonal, set()

    def couple(self, i: Hashable, j: Hashable, block: Matrix) -> bool:
        """Add to the block in the rows of i and the columns of j; whether there was none before."""
        if (j, i) in self.blocks and i != j:
            i, j, block = j, i, block.T
        new = (i, j) not in self.blocks
        self.blocks[i, j] = block if new else self.blocks[i, j] + block
        self.neighbours[i].add(j)
        self.neighbours[j].add(i)
        return new

    def block(self, i: Hashable, j: Hashable) -> Matrix:
        """The block in the rows of i and the columns of j."""
        return self.blocks[i, j] if (i, j) in self.blocks else self.blocks[j, i].T

    def matrix(self, order: Iterable[Hashable] | None = None) -> Matrix:
        """The whole matrix, its unknowns in this order (default: as they were added)."""
        names = list(self.rhs if order is None else order)
        rows: list[list[Any]] = []
        for i in names:
            parts = [self._block_or_zero(i, j) for j in names]
            rows += [[x for part in parts for x in part.rows[r]] for r in range(len(self.rhs[i]))]
        return Matrix(rows)

    def _block_or_zero(self, i: Any, j: Any) -> Matrix:
        if (i, j) in self.blocks or (j, i) in self.blocks:
            return self.block(i, j)
        return Matrix.zero(len(self.rhs[i]), len(self.rhs[j]))

    def solve(self, order: Iterable[Hashable], inverted: Callable[[Any, Matrix], Matrix] | None = None) -> Solution:
        """Eliminate the unknowns in this order, then find them in the opposite one.

        ``inverted(name, block)`` inverts the diagonal block of an unknown as elimination has left it; by default this
        is `sixd.spatial.inverse`, for definite matrices.
        """
        order = list(order)
        if len(order) != len(self.rhs) or set(order) != set(self.rhs):
            raise ShapeError("the order must have every unknown of the system once")
        rest = BlockSystem(dict(self.rhs), dict(self.blocks), {name: set(x) for name, x in self.neighbours.items()})
        filled, steps, place = 0, [], {name: k for k, name in enumerate(order)}
        for name in order:
            pivot = rest.blocks[name, name]
            pivot = inverse(pivot) if inverted is None else inverted(name, pivot)
            others = sorted(rest.neighbours[name], key=place.__getitem__)
            steps.append((name, pivot, {j: rest.block(name, j) for j in others}))
            filled += rest._eliminate(*steps[-1])
        x: dict[Any, Vector] = {}
        for name, pivot, row in reversed(steps):
            right = rest.rhs[name]
            for j, block in row.items():
                right = right - block @ x[j]
            x[name] = pivot @ right
        return Solution(x, filled)

    def _eliminate(self, name: Any, pivot: Matrix, row: Mapping[Any, Matrix]) -> int:
        """Remove an unknown: A_ij -= A_ik A_kk^-1 A_kj for all others i, j; how many blocks that adds."""
        filled, others = 0, list(row)
        scaled = {j: pivot @ block for j, block in row.items()}
        for place, i in enumerate(others):
            left = row[i].T
            self.neighbours[i].discard(name)
            self.rhs[i] = self.rhs[i] - left @ (pivot @ self.rhs[name])
            self.blocks[i, i] = self.blocks[i, i] - left @ scaled[i]
            for j in others[place + 1 :]:
                filled += self.couple(i, j, -(left @ scaled[j]))
        return filled
