"""The printers of programs: each is a file in this folder that registers a `Printer`. `Kernel.to` finds it by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sixd.errors import ChoiceError
from sixd.ir import LoopProgram, Program, Table

__all__ = ["PRINTERS", "Printer", "print_program", "register"]

#: From a straight program, and a comment for its head, to text; and from one with loops, on a table.
PrintStraight: TypeAlias = Callable[[Program, str], str]
PrintLoops: TypeAlias = Callable[[LoopProgram, Table, str], str]


@dataclass(frozen=True)
class Printer:
    """Writes programs in a language: straight ones, and those with loops, or None where it writes no loops.

    What is printed computes what the interpreter does, for one state. Both take a comment that explains the text.
    """

    name: str
    straight: PrintStraight
    loops: PrintLoops | None = None


#: The printers by name.
PRINTERS: dict[str, Printer] = {}


def register(new: Printer) -> Printer:
    """Make a printer known to `Kernel.to`. No two may share a name."""
    if new.name in PRINTERS:
        raise ChoiceError(f"a printer called {new.name!r} is registered already")
    PRINTERS[new.name] = new
    return new


def print_program(name: str, program: Program | LoopProgram, table: Table | None, comment: str) -> str:
    """The program in the language of the printer of this name; one with loops comes with its table."""
    printer = PRINTERS[name]
    if not isinstance(program, LoopProgram):
        return printer.straight(program, comment)
    if printer.loops is None:
        raise ChoiceError(
            f"the printer {name!r} writes no loops, and {program.name} has some: compile it with rolled=False, "
            "which writes the code out for every body"
        )
    assert table is not None
    return printer.loops(program, table, comment)
