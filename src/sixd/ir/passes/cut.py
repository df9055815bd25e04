"""Cuts large programs into pieces of bounded size, so that the time to compile them is proportional to their size.

A *piece* is a run of nodes. Values that one piece computes and another uses go through *slots*, an array of numbers in
memory: one piece stores them, the others load them. A slot is used again once its value is dead: no later step needs
it. Inputs are in slots from the start; results are in slots at the end. Constants, negations and comparisons are
computed again in each piece that uses them: they cost nothing, or less than a load.

Sines and cosines are computed in steps of their own, each for a group of angles that are known at the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from sixd.ir.program import Program, ProgramError

__all__ = ["Angles", "Cut", "Piece", "angle_groups", "cut"]

#: Computed again in every piece that uses them.
AGAIN = ("const", "neg", "less")
#: Not computed by pieces, but in slots before they are used.
GIVEN = ("input", "sin", "cos")


@dataclass(frozen=True)
class Piece:
    """Nodes in the order in which they run, and the slots of values that they load from and store for other steps."""

    nodes: tuple[int, ...]
    loads: dict[int, int]
    stores: dict[int, int]


@dataclass(frozen=True)
class Angles:
    """A step that computes sines and cosines. ``slots`` are, for each angle, its own, its sine's and its cosine's."""

    angles: tuple[int, ...]
    slots: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Cut:
    """A program in pieces, run in the order of ``steps``; ``slots`` is the number of slots.

    ``inputs``: the first slot of each input, None if it is not used. ``results``: the slots of each output's entries.
    """

    program: Program
    steps: tuple[Piece | Angles, ...]
    slots: int
    inputs: tuple[int | None, ...]
    results: tuple[tuple[int, ...], ...]

    def verify(self) -> Cut:
        """Check that each value that a step loads, and each result, is in its slot when it is needed."""
        nodes = self.program.nodes
        held: dict[int, object] = {}  # what is in each slot
        for port, first in enumerate(self.inputs):
            if first is not None:
                held.update({first + k: ("input", port, k) for k in range(self.program.inputs[port].size)})

        def load(k: int, slot: int) -> None:
            if held.get(slot) != _value(self.program, k):
                raise ProgramError(f"{self.program.name}: slot {slot} holds {held.get(slot)}, not %{k}")

        for step in self.steps:
            if isinstance(step, Angles):
                for angle, (place, sine, cosine) in zip(step.angles, step.slots, strict=True):
                    load(angle, place)
                    held[sine], held[cosine] = ("sin", angle), ("cos", angle)
                continue
            known = set(step.loads)
            for k, slot in step.loads.items():
                load(k, slot)
            for k in step.nodes:
                if not known.issuperset(nodes[k].args) or nodes[k].op in GIVEN:
                    raise ProgramError(f"{self.program.name}: %{k} is used in a piece before its operands are made")
                known.add(k)
            for k, slot in step.stores.items():
                if k not in known or k in step.loads:
                    raise ProgramError(f"{self.program.name}: %{k} is stored by a piece that does not make it")
                held[slot] = k
        for wanted, slots in zip(self.program.results, self.results, strict=True):
            for k, slot in zip(wanted, slots, strict=True):
                load(k, slot)
        if any(not 0 <= slot < self.slots for slot in held):
            raise ProgramError(f"{self.program.name}: there are {self.slots} slots, but others are used")
        return self


def _value(program: Program, k: int) -> object:
    """What the slot of node k holds: an entry of an input, the sine or cosine of an angle, or else the node itself."""
    node = program.nodes[k]
    if node.op == "input":
        return ("input", *node.attr)
    return (node.op, *node.args) if node.op in ("sin", "cos") else k


def angle_groups(program: Program) -> Iterator[list[int]]:
    """The angles of sines and cosines, in groups. An angle depends on sines and cosines of earlier groups only."""
    depth: list[int] = []
    levels: dict[int, dict[int, None]] = {}
    for node in program.nodes:
        level = max((depth[a] for a in node.args), default=0)
        if node.op in ("sin", "cos"):
            levels.setdefault(level, {})[node.args[0]] = None
            level += 1
        depth.append(level)
    for level in sorted(levels):
        yield list(levels[level])


def cut(program: Program, size: int) -> Cut:
    """Cut a program into pieces of at most ``size`` nodes, at positions where few values are needed later."""
    return _Cutter(program).run(size)


class _Slots:
    """Slots in use and free ones. The slot freed last is taken first: it is likely to be in the CPU's cache."""

    def __init__(self) -> None:
        self.count = 0
        self.free: list[int] = []

    def take(self) -> int:
        if self.free:
            return self.free.pop()
        self.count += 1
        return self.count - 1

    def row(self, length: int) -> int:
        """The first of ``length`` new slots side by side."""
        self.count += length
        return self.count - length


class _Cutter:
    """Cuts one program. Nodes of the same input entry, sine or cosine share a slot; the first is their *home*."""

    def __init__(self, program: Program) -> None:
        self.program, self.nodes = program, program.nodes
        self.home: list[int] = []
        self.first: dict[tuple[str, Any], int] = {}
        #: The values that each node needs from slots or its own piece; for operands in `AGAIN`, their sources instead.
        self.sources: list[tuple[int, ...]] = []
        for k, node in enumerate(self.nodes):
            same = (node.op, node.attr or node.args)
            self.home.append(self.first.setdefault(same, k) if node.op in GIVEN else k)
            found: list[int] = []
            for a in node.args:
                found += self.sources[a] if self.nodes[a].op in AGAIN else (self.home[a],)
            self.sources.append(tuple(found))
        self.results = dict.fromkeys(self.home[k] for entries in program.results for k in entries)

    def run(self, size: int) -> Cut:
        runs: list[list[int]] = []  # the nodes of each step: of a piece, or angles
        angles: set[int] = set()  # the numbers of the steps with angles
        done: set[int] = set()
        for group in angle_groups(self.program):
            runs += self.split(self.order(group, done), size)
            angles.add(len(runs))
            runs.append(group)
        runs += self.split(self.order(self.results, done), size)
        return self.with_slots(runs, angles).verify()

    def order(self, roots: Iterable[int], done: set[int]) -> list[int]:
        """The nodes that ``roots`` need and that are not ``done`` yet, in the program's order. They are done then."""
        found: list[int] = []
        todo = list(roots)
        while todo:
            k = todo.pop()
            if k not in done:
                done.add(k)
                if self.nodes[k].op not in GIVEN:
                    found.append(k)
                    todo.extend(self.sources[k])
        return sorted(found)

    def split(self, order: list[int], size: int) -> list[list[int]]:
        """Split nodes into runs of ``size`` / 2 to ``size``, cut where few values are alive; the last is the rest."""
        crossing = self.crossing(order)
        runs, start = [], 0
        while len(order) - start > size:
            end = min(range(start + size, start + size // 2, -1), key=crossing.__getitem__)
            runs.append(order[start:end])
            start = end
        return [*runs, order[start:]] if start < len(order) else runs

    def crossing(self, order: list[int]) -> list[int]:
        """For each cut between nodes, how many values cross it. Results are not counted: they are stored anyway."""
        last = {k: i for i, k in enumerate(order)}
        for i, k in enumerate(order):
            for a in self.sources[k]:
                if a in last:
                    last[a] = i
        change = [0] * (len(order) + 2)
        for i, k in enumerate(order):
            if k not in self.results:
                change[i + 1] += 1
                change[last[k] + 1] -= 1
        return list(accumulate(change))

    def with_slots(self, runs: list[list[int]], angles: set[int]) -> Cut:
        """Assign slots, step by step: take slots for values that later steps need, then free those of dead values."""
        last: dict[int, int] = {}  # the last step that uses each value
        for number, run in enumerate(runs):
            for k in run:
                used = (self.home[k],) if number in angles else self.sources[k]
                last.update(dict.fromkeys(used, number))
        last.update(dict.fromkeys(self.results, len(runs)))
        dead: list[list[int]] = [[] for _ in range(len(runs) + 1)]
        for k, number in last.items():
            dead[number].append(k)
        slots, where = _Slots(), dict[int, int]()
        inputs = self.inputs(slots, where, last)
        steps: list[Piece | Angles] = []
        for number, run in enumerate(runs):
            if number in angles:
                steps.append(self.angles(run, slots, where, last))
            else:
                kept = [k for k in run if last.get(k, number) > number]
                where.update({k: slots.take() for k in kept})
                steps.append(self.piece(run, where, kept))
            slots.free += [where[k] for k in dead[number] if k in where]
        results = tuple(tuple(where[self.home[k]] for k in entries) for entries in self.program.results)
        return Cut(self.program, tuple(steps), slots.count, inputs, results)

    def inputs(self, slots: _Slots, where: dict[int, int], last: dict[int, int]) -> tuple[int | None, ...]:
        """Reserve slots side by side for each input that is used; the first one of each."""
        used = {self.nodes[k].attr[0] for k in last if self.nodes[k].op == "input"}
        first = tuple(slots.row(p.size) if n in used else None for n, p in enumerate(self.program.inputs))
        for k in last:
            if self.nodes[k].op == "input":
                port, entry = self.nodes[k].attr
                start = first[port]
                assert start is not None  # the port is used
                where[k] = start + entry
        return first

    def angles(self, run: list[int], slots: _Slots, where: dict[int, int], last: dict[int, int]) -> Angles:
        found: list[tuple[int, int, int]] = []
        unused: list[int] = []
        for angle in run:
            sine, cosine = slots.take(), slots.take()
            for op, slot in (("sin", sine), ("cos", cosine)):
                k = self.first.get((op, (angle,)), -1)  # -1: not in the program, but computed with the other one
                where[k] = slot
                if k not in last:
                    unused.append(slot)
            found.append((where[self.home[angle]], sine, cosine))
        slots.free += unused
        return Angles(tuple(run), tuple(found))

    def piece(self, run: list[int], where: dict[int, int], kept: list[int]) -> Piece:
        nodes: dict[int, None] = {}
        loads: dict[int, int] = {}

        def need(k: int) -> None:
            if k in nodes or k in loads:
                return
            if self.nodes[k].op in AGAIN:
                for a in self.nodes[k].args:
                    need(a)
                nodes[k] = None
            else:
                loads[k] = where[self.home[k]]

        for k in run:
            for a in self.nodes[k].args:
                need(a)
            nodes[k] = None
        return Piece(tuple(nodes), loads, {k: where[k] for k in kept})
