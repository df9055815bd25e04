"""Printers write programs as text. Each is a file in this folder that registers a `Printer` for `Kernel.to`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sixd.errors import ChoiceError
from sixd.ir import LoopProgram, Program, Table

__all__ = ["PRINTERS", "Printer", "print_program", "register"]

#: Functions that return the text of a program, or of a loop program on a table. The str is a comment for its head.
PrintStraight: TypeAlias = Callable[[Program, str], str]
PrintLoops: TypeAlias = Callable[[LoopProgram, Table, str], str]


@dataclass(frozen=True)
class Printer:
    """Writes programs in one language: ``straight`` takes programs, ``loops`` loop programs, if it is not None.

    The text computes what the interpreter does, for one state.
    """

    name: str
    straight: PrintStraight
    loops: PrintLoops | None = None


#: The printers by name.
PRINTERS: dict[str, Printer] = {}


def register(new: Printer) -> Printer:
    """Make a printer known to `Kernel.to`. Its name must be new."""
    if new.name in PRINTERS:
        raise ChoiceError(f"a printer called {new.name!r} is registered already")
    PRINTERS[new.name] = new
    return new


def print_program(name: str, program: Program | LoopProgram, table: Table | None, comment: str) -> str:
    """The text of a program, written by the printer of this name. A loop program needs its table."""
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
