"""Passes: programs to better programs. Each is checked after it ran."""

from sixd.ir.loops import LoopProgram
from sixd.ir.passes.bind import bind, cases_in
from sixd.ir.passes.fuse import fuse, fuse_loops
from sixd.ir.passes.layout import record_layout, record_sizes, sink_stores
from sixd.ir.passes.locality import use_slots

__all__ = ["bind", "cases_in", "fuse", "improve_loops", "record_layout", "record_sizes"]


def improve_loops(program: LoopProgram) -> LoopProgram:
    """All passes for programs with loops, in turn."""
    return fuse_loops(sink_stores(use_slots(program)))
