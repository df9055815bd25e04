"""Programs: what is left of an algorithm once it has run on recorded numbers. Nothing here knows robots."""

from sixd.ir.interpret import interpret
from sixd.ir.program import Node, Port, Program
from sixd.ir.tracer import Traced, TraceError, trace

__all__ = ["Node", "Port", "Program", "TraceError", "Traced", "interpret", "trace"]
