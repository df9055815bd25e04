"""Odd-even reduction of a chain: which unknowns are eliminated in which round, and the rows this reads and writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from sixd.parallel.constraint_rows import Blocks

__all__ = ["Reduction", "Rows"]

Rows: TypeAlias = Any


@dataclass(frozen=True)
class Elimination:
    """Unknowns of one form that are eliminated at once, by their rows among unknowns of equal size."""

    form: Blocks
    own: Rows
    #: Rows of the neighbours, and of the blocks with them, among blocks of equal sizes; empty where there is none.
    left: Rows
    right: Rows
    left_block: Rows
    right_block: Rows
    #: Rows of the new blocks between the neighbours.
    between: Rows


class Reduction:
    """The rounds for unknowns of these sizes: every other one is eliminated, then every other one of the rest."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.row, count = [], defaultdict[int, int](int)
        for size in sizes:
            self.row.append(count[size])
            count[size] += 1
        self.counts = dict(count)
        self.blocks: dict[tuple[int, int], int] = defaultdict(int)
        active = list(range(len(sizes)))
        between = [self._block(k, k + 1) for k in active[:-1]]
        #: The row of the block of each unknown and the next one, at the start.
        self.first = tuple(between)
        self.rounds: list[list[Elimination]] = []
        while active:
            active, between = self._round(active, between)

    def _block(self, left: int, right: int) -> int:
        pair = self.sizes[left], self.sizes[right]
        self.blocks[pair] += 1
        return self.blocks[pair] - 1

    def _round(self, active: list[int], between: list[int]) -> tuple[list[int], list[int]]:
        """Eliminate the unknowns at places 0, 2, 4 and so on. Their neighbours stay, and meet each other."""
        forms: dict[Blocks, list[tuple[int, ...]]] = defaultdict(list)
        left_over = []
        for place in range(0, len(active), 2):
            k = active[place]
            left, right = place > 0, place + 1 < len(active)
            form = Blocks(
                self.sizes[k],
                self.sizes[active[place - 1]] if left else 0,
                self.sizes[active[place + 1]] if right else 0,
            )
            new = -1
            if left and right:
                new = self._block(active[place - 1], active[place + 1])
                left_over.append(new)
            forms[form].append(
                (
                    self.row[k],
                    self.row[active[place - 1]] if left else -1,
                    self.row[active[place + 1]] if right else -1,
                    between[place - 1] if left else -1,
                    between[place] if right else -1,
                    new,
                )
            )
        self.rounds.append(
            [
                Elimination(form, *(np.array(column) for column in zip(*rows, strict=True)))
                for form, rows in forms.items()
            ]
        )
        return active[1::2], left_over
