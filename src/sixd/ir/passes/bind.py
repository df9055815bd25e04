"""Specialises a loop program to one table, and leaves out what never runs on it."""

from __future__ import annotations

from dataclasses import replace

from sixd.ir.loops import Loop, LoopProgram, Region, needed, only
from sixd.ir.table import Table

__all__ = ["bind", "cases_in"]


def bind(program: LoopProgram, table: Table) -> LoopProgram:
    """The program without cases that no row has, loops that never run, and nodes that are not needed then.

    Nodes and cases keep their numbers. The result is valid for this table alone.
    """
    body = _without(program.body, program, table)
    kept = needed(program.nodes, body, range(len(program.outputs)))
    return replace(program, body=only(body, {k: k for k in kept})).verify()


def cases_in(program: LoopProgram, table: Table, loop: Loop) -> list[int]:
    """The cases of a loop that some row of the table has."""
    if len(loop.cases) == 1:
        return [0]
    return sorted(set(table.indices[1:, program.lookups.index("case")].tolist()))


def _without(region: Region, program: LoopProgram, table: Table) -> Region:
    items: list[int | Loop] = []
    for item in region.items:
        if not isinstance(item, Loop):
            items.append(item)
        elif _runs(item, program, table):
            present = cases_in(program, table, item)
            cases = (_without(c, program, table) if k in present else Region(()) for k, c in enumerate(item.cases))
            items.append(replace(item, cases=tuple(cases)))
    return Region(tuple(items))


def _runs(loop: Loop, program: LoopProgram, table: Table) -> bool:
    """Whether a loop can have rows to visit."""
    if loop.over in program.sequences:
        return len(table.sequences[program.sequences.index(loop.over)]) > 0
    return table.rows > 0
