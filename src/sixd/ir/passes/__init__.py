"""Passes: they turn programs into faster ones that compute the same. The result of each is verified."""

from sixd.ir.loops import LoopProgram
from sixd.ir.passes.bind import bind, cases_in
from sixd.ir.passes.fuse import fuse, fuse_loops
from sixd.ir.passes.layout import record_layout, record_sizes, sink_stores
from sixd.ir.passes.locality import use_scratch

__all__ = ["bind", "cases_in", "fuse", "improve_loops", "record_layout", "record_sizes"]


def improve_loops(program: LoopProgram) -> LoopProgram:
    """Run all passes for loop programs."""
    return fuse_loops(sink_stores(use_scratch(program)))
