"""Tapes: programs as data, for programs that are too large to be compiled.

Machine code that is the same for all programs reads the tape and does what it says. Values are in *slots*, an array of
numbers in memory, and a slot is used again once its value is dead: no later instruction needs it. The inputs are in
slots from the start, the results at the end, as with programs in pieces (`sixd.ir.passes.cut`).

A tape is a row of words: for each run the number of its operation in `OPERATIONS` and how many instructions it has;
then for each instruction the slots of what it takes and the slots of what it makes. Before these come the numbers of
`LITERALS`: "const" has the number of a constant, "pick" that of the first number of its table, which is among the
constants, and how many there are. After the last run comes `END`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixd.ir.passes.runs import LITERALS, OPERATIONS, UNUSED, Instruction, instructions_of, runs_of
from sixd.ir.program import Program, ProgramError
from sixd.ops import Tabulated

__all__ = ["END", "Tape", "tape_of"]

#: How many instructions are arranged in runs at a time. Longer windows make runs hardly longer, and need more slots.
WINDOW = 4_000
#: The number of each operation, and of the end.
_NUMBERS = {op: number for number, op in enumerate(OPERATIONS)}
END = len(OPERATIONS)


@dataclass(frozen=True, eq=False)
class Tape:
    """A program as data; ``slots`` is the number of slots.

    ``inputs``: the first slot of each input, None if it is not used. ``results``: the slots of each output's entries.
    """

    words: NDArray[np.int32]
    constants: NDArray[np.float64]
    slots: int
    inputs: tuple[int | None, ...]
    results: tuple[tuple[int, ...], ...]
    #: How many instructions there are, and how many runs.
    instructions: int
    runs: int


def tape_of(program: Program) -> Tape:
    """The tape of a program, which is best fused before (`sixd.ir.passes.fuse`)."""
    writer = _Writer(program, runs_of(instructions_of(program), WINDOW))
    tape = writer.tape()
    writer.verify(tape)
    return tape


class _Writer:
    """Writes the tape of one program: goes through the runs in order and assigns slots on the way."""

    def __init__(self, program: Program, runs: list[list[Instruction]]) -> None:
        self.program, self.nodes, self.runs = program, program.nodes, runs
        self.slots, self.free = 0, list[int]()
        self.where: dict[int, int] = {}
        self.words: list[int] = []
        self.constants: list[float] = []
        self.tables: dict[Tabulated, int] = {}  # the number of the first constant of each
        instructions = [instruction for run in runs for instruction in run]
        self.number = len(instructions)
        #: The last instruction that takes each value. Results, and the inputs, are kept beyond the last one.
        self.last = {node: n for n, instruction in enumerate(instructions) for node in instruction.takes}
        self.last.update({node: self.number for entries in program.results for node in entries})
        self.entries = {k: self.nodes[k].attr for k in self.last if self.nodes[k].op == "input"}
        self.last.update(dict.fromkeys(self.entries, self.number))

    def tape(self) -> Tape:
        inputs, now = self.inputs(), 0
        for run in self.runs:
            self.words += _NUMBERS[run[0].op], len(run)
            for instruction in run:
                self.write(instruction, now)
                now += 1
        self.words.append(END)
        results = tuple(tuple(self.where[node] for node in entries) for entries in self.program.results)
        words, constants = np.array(self.words, dtype=np.int32), np.array(self.constants, dtype=float)
        return Tape(words, constants, self.slots, inputs, results, self.number, len(self.runs))

    def inputs(self) -> tuple[int | None, ...]:
        """Reserve slots side by side for each input that is used; the first one of each."""
        used = {port for port, _ in self.entries.values()}
        first: list[int | None] = []
        for number, port in enumerate(self.program.inputs):
            first.append(self.slots if number in used else None)
            self.slots += port.size if number in used else 0
        self.where = {k: (first[port] or 0) + entry for k, (port, entry) in self.entries.items()}
        return tuple(first)

    def write(self, instruction: Instruction, now: int) -> None:
        """Write an instruction. What it makes may be in the slots of what it is the last to take."""
        op, takes, makes = instruction
        self.words += self.literals(op, makes[0])
        for node in takes:
            self.words.append(self.where[node])
        for node in set(takes):
            if self.last[node] == now:
                self.free.append(self.where[node])
        slots = [self.take() for _ in makes]
        self.words += slots
        for node, slot in zip(makes, slots, strict=True):
            if node == UNUSED:
                self.free.append(slot)
            else:
                self.where[node] = slot

    def literals(self, op: str, node: int) -> list[int]:
        """The numbers that come first in an instruction; constants and tables are added on the way."""
        if op == "const":
            self.constants.append(self.nodes[node].attr)
            return [len(self.constants) - 1]
        if op == "pick":
            table: Tabulated = self.nodes[node].attr
            if table not in self.tables:
                self.tables[table] = len(self.constants)
                self.constants += table.array.ravel().tolist()
            return [self.tables[table], table.array.size]
        return []

    def take(self) -> int:
        """The slot freed last, which is likely to be in the CPU's cache, or a new one."""
        if self.free:
            return self.free.pop()
        self.slots += 1
        return self.slots - 1

    def verify(self, tape: Tape) -> None:
        """Check that each value that an instruction takes, and each result, is in its slot when it is needed."""
        held: dict[int, object] = {}  # what is in each slot
        for port, first in enumerate(tape.inputs):
            if first is not None:
                held.update({first + k: (port, k) for k in range(self.program.inputs[port].size)})

        def load(node: int, slot: int) -> None:
            if held.get(slot) != self.entries.get(node, node):
                raise ProgramError(f"{self.program.name}: slot {slot} holds {held.get(slot)}, not %{node}")

        words = iter(tape.words.tolist())
        for run in self.runs:
            if (next(words), next(words)) != (_NUMBERS[run[0].op], len(run)):
                raise ProgramError(f"{self.program.name}: {len(run)} {run[0].op} are not where they belong on the tape")
            for op, takes, makes in run:
                literals = [next(words) for _ in range(LITERALS.get(op, 0))]
                if not self.has(tape, op, literals, makes[0]):
                    raise ProgramError(f"{self.program.name}: the constants of %{makes[0]} are wrong on the tape")
                for node in takes:
                    load(node, next(words))
                held.update({next(words): node for node in makes})
        for wanted, slots in zip(self.program.results, tape.results, strict=True):
            for node, slot in zip(wanted, slots, strict=True):
                load(node, slot)
        if next(words) != END or any(not 0 <= slot < tape.slots for slot in held):
            raise ProgramError(f"{self.program.name}: there are {tape.slots} slots, but others are used")

    def has(self, tape: Tape, op: str, literals: list[int], node: int) -> bool:
        """Whether a tape has the constants of an instruction where its first numbers say."""
        if op == "const":
            return repr(float(tape.constants[literals[0]])) == repr(self.nodes[node].attr)
        if op == "pick":
            first, size = literals
            return tape.constants[first : first + size].tobytes() == self.nodes[node].attr.array.tobytes()
        return True
