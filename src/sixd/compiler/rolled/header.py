"""The note that is kept with rolled machine code: all that is needed to use the code for another robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sixd.compiler.robot_table import types_of
from sixd.ir import LoopProgram, ShapedPort
from sixd.ir.loops import Loop, Region
from sixd.model import Model

__all__ = ["header_of", "note_of", "operations_of"]


def note_of(better: LoopProgram, program: LoopProgram, in_body_frames: bool) -> dict[str, Any]:
    """The note as JSON data. ``better`` is the program after all passes, ``program`` the one before."""
    return {
        "inputs": [(p.name, p.shape, p.finite) for p in better.inputs],
        "outputs": [(p.name, p.shape, p.finite) for p in better.outputs],
        "columns": better.columns,
        "lookups": better.lookups,
        "sequences": better.sequences,
        "names": better.names,
        "extents": better.extents,
        "in_body_frames": in_body_frames,
        "operations": _operations_by_case(program),
    }


def header_of(note: Mapping[str, Any]) -> LoopProgram:
    """The program without its nodes, from its note: it says what the table must hold."""
    inputs, outputs = (tuple(ShapedPort(n, tuple(s), f) for n, s, f in note[side]) for side in ("inputs", "outputs"))
    lookups, sequences, names, extents = (tuple(note[k]) for k in ("lookups", "sequences", "names", "extents"))
    columns = tuple((what, component) for what, component in note["columns"])
    return LoopProgram("", inputs, outputs, (), Region(()), (), columns, lookups, sequences, names, extents)


def _operations_by_case(program: LoopProgram) -> list[list[float]]:
    """For each case: the operations for one body of it, and for one pair of such a body and an ancestor."""
    kinds = ("add", "sub", "mul", "div")

    def count(region: Region) -> int:
        return sum(program.nodes[k].op in kinds for k in region.items if not isinstance(k, Loop))

    loops = [item for item in program.body.items if isinstance(item, Loop)]
    cases = max((len(loop.cases) for loop in loops), default=0)
    found = [[0.0, 0.0] for _ in range(cases)]
    for loop in loops:
        for k, case in enumerate(loop.cases):
            found[k][0] += count(case)
            inner = [c for item in case.items if isinstance(item, Loop) for c in item.cases if c.items]
            found[k][1] += sum(map(count, inner)) / max(len(inner), 1)
    return found


def operations_of(by_case: Sequence[Sequence[float]], model: Model, nested: bool) -> int:
    """How many operations the program does for one state of this robot."""
    if not by_case:
        return 0
    place = {kind: k for k, kind in enumerate(types_of(model, nested))}
    cases = [place[type(body.joint.type)] for body in model.body_list[1:] if body.joint]
    total = sum(by_case[case][0] for case in cases)
    if any(pair for _, pair in by_case):
        depth = [-1] * (model.n_bodies + 1)  # the number of ancestors, the base left out
        for i, case in enumerate(cases, start=1):
            depth[i] = depth[model.parent[i]] + 1
            total += by_case[case][1] * depth[i]
    return round(total)
