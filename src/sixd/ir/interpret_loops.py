"""The interpreter of loop programs: it defines what they compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ir.loops import Loop, LoopProgram, Region
from sixd.ir.primitives import PRIMITIVES
from sixd.ir.table import Table

__all__ = ["interpret_loops"]


def interpret_loops(program: LoopProgram, table: Table, *arrays: Any) -> tuple[NDArray[Any], ...]:
    """Run a loop program on arrays (..., *shape), one for each input: its outputs, (..., *shape) each."""
    return _Run(program, table, [np.asarray(a, dtype=float) for a in arrays]).outputs()


class _Run:
    """One run of a program: the values of its nodes, the workspace, the outputs, and the row that each loop is at."""

    def __init__(self, program: LoopProgram, table: Table, arrays: list[NDArray[Any]]) -> None:
        self.program, self.table = program, table
        ranks = [len(port.shape) for port in program.inputs]
        leads = [a.shape[: a.ndim - rank] for a, rank in zip(arrays, ranks, strict=True)]
        lead = np.broadcast_shapes(*leads)
        # Move the axes of a state to the front: input[index] is then an array over the samples.
        self.inputs = [np.moveaxis(a, range(-r, 0), range(r)) if r else a for a, r in zip(arrays, ranks, strict=True)]
        self.out = [np.zeros((*table.shape(port.shape), *lead)) for port in program.outputs]
        self.values: dict[int, Any] = {k: n.attr for k, n in enumerate(program.nodes) if n.op == "const"}
        self.memory: dict[Any, Any] = {}
        self.at: dict[int, tuple[int, int]] = {}
        self.run(program.body)
        for port, a, rank in zip(program.inputs, self.inputs, ranks, strict=True):
            if port.finite:
                known = np.broadcast_to(np.isfinite(a).all(axis=tuple(range(rank))), lead)
                self.out = [np.where(known, out, np.nan) for out in self.out]

    def outputs(self) -> tuple[NDArray[Any], ...]:
        ranks = (len(port.shape) for port in self.program.outputs)
        return tuple(np.moveaxis(a, range(r), range(-r, 0))[()] for a, r in zip(self.out, ranks, strict=True))

    def run(self, region: Region) -> None:
        for item in region.items:
            if not isinstance(item, Loop):
                self.values[item] = self.node(item)
                continue
            for row, before in self.rows(item):
                self.at[item.number] = (row, before)
                case = int(self.lookup(row, "case")) if len(item.cases) > 1 else 0
                self.run(item.cases[case])

    def lookup(self, row: int, name: str) -> int:
        return int(self.table.indices[row, self.program.lookups.index(name)])

    def rows(self, loop: Loop) -> Iterator[tuple[int, int]]:
        """The rows that a loop visits, each with the one visited before, which only chains know."""
        if loop.over == "if":
            assert loop.start is not None
            if self.values[loop.start] != 0:
                yield 0, 0
            return
        if loop.over == "chain":
            assert loop.start is not None
            before = self.values[loop.start]
            row = before if loop.inclusive else self.lookup(before, "parent")
            while row > 0:
                yield row, before
                before, row = row, self.lookup(row, "parent")
            return
        every = range(1, self.table.rows + 1)
        names = self.program.sequences
        rows = every if loop.over == "rows" else self.table.sequences[names.index(loop.over)].tolist()
        for row in reversed(rows) if loop.down else rows:
            yield row, 0

    def node(self, k: int) -> Any:
        node, program = self.program.nodes[k], self.program
        args = [self.values[a] for a in node.args]
        if node.op in PRIMITIVES:
            return PRIMITIVES[node.op].evaluate(*node.tables, *args)
        if node.op == "table":
            return self.table.numbers[args[0], program.columns.index(node.attr)]
        if node.op == "lookup":
            return self.lookup(args[0], node.attr)
        if node.op == "named":
            return self.table.names[program.names.index(node.attr)]
        if node.op in ("index", "previous"):
            row, before = self.at[node.attr]
            return before if node.op == "previous" else row
        if node.op == "row":
            return node.attr
        if node.op == "get":
            return self.memory[node.attr, *args]
        if node.op == "put":
            *where, value = args
            self.memory[node.attr, *where] = value
            return None
        port, offsets = node.attr
        place = tuple(i + o for i, o in zip(args, offsets, strict=False))
        if node.op == "entry":
            return self.inputs[port][place]
        value = args[-1]
        self.out[port][place] = self.out[port][place] + value if node.op == "accumulate" else value
        return None
