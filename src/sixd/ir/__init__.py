"""Programs: the operations of an algorithm, recorded by running it once on traced numbers.

A `Program` is a straight list of operations. A `LoopProgram` keeps the loops, and runs on the rows of a `Table`. A
`Repeated` program is one step of many.
Nothing here knows robots.
"""

from sixd.ir.interpret import interpret
from sixd.ir.interpret_loops import interpret_loops
from sixd.ir.loops import LoopProgram, ShapedPort
from sixd.ir.program import Node, Port, Program
from sixd.ir.record import LoopRecorder
from sixd.ir.refusals import TooLargeError, TraceError, UnsteadyError, noted, recording
from sixd.ir.repeat import Repeated, interpret_repeated
from sixd.ir.table import Table
from sixd.ir.tracer import Traced, substituted, trace

__all__ = [
    "LoopProgram",
    "LoopRecorder",
    "Node",
    "Port",
    "Program",
    "Repeated",
    "ShapedPort",
    "Table",
    "TooLargeError",
    "TraceError",
    "Traced",
    "UnsteadyError",
    "interpret",
    "interpret_loops",
    "interpret_repeated",
    "noted",
    "recording",
    "substituted",
    "trace",
]
