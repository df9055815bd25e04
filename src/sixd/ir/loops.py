"""Loop programs: programs with loops over the rows of a table, so that the same code serves any number of rows.

A *row* is what a loop visits, such as a body of a robot; row 0 is the base. The *table* holds numbers and indices for
each row (`sixd.ir.table`). The *workspace* is memory for what one sample computes: a *record* of numbers for each row,
and *cells*, which exist once. A *place* is a variable in the workspace; its numbers are called components.

Besides constants and primitives a loop program has these nodes:

=========================  =============================================================================================
``table``                  a number of the table at a row; the same for all samples
``lookup``                 an index of the table at a row, such as the row's parent
``named``                  a single index that comes with the table
``row``                    a fixed row
``index``, ``previous``    the row that a loop visits, and the one that it visited before
``entry``                  an entry of an input, at an index that is known at run time
``put``, ``get``           store or load a component of a place at a row, or of a cell, which needs no row
``write``, ``accumulate``  store an entry of an output, or add to it; entries that are never written are zero
=========================  =============================================================================================

``put``, ``get``, ``write`` and ``accumulate`` happen in the order of the program; everything else is pure.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sixd.ir.primitives import PRIMITIVES
from sixd.ir.program import MISFIT, Node, ProgramError, fits
from sixd.ops import Tabulated

__all__ = ["EFFECTS", "INDICES", "Loop", "LoopProgram", "Place", "Region", "ShapedPort", "needed", "only"]

#: Nodes whose value is an index, such as a row, and not a number.
INDICES = frozenset({"row", "index", "previous", "lookup", "named"})
#: Nodes that change memory and have no value.
EFFECTS = frozenset({"put", "write", "accumulate"})


@dataclass(frozen=True)
class ShapedPort:
    """An input or output of a loop program: a `Port` whose extents may be names, with numbers in the table."""

    name: str
    shape: tuple[int | str, ...]
    finite: bool = False


@dataclass(frozen=True)
class Place:
    """A variable in the workspace: ``size`` numbers for each row, or, if it is a cell, once.

    ``per`` tells whose records hold the numbers: "row", or a kind of scratch records, "scratch up" or "scratch
    down", which rows use one after the other (`sixd.ir.passes.locality`).
    """

    name: str
    size: int
    cell: bool = False
    per: str = "row"


@dataclass(frozen=True)
class Region:
    """Nodes, by number, and loops, in the order in which they run."""

    items: tuple[int | Loop, ...]

    def nodes(self) -> list[int]:
        """The nodes of the region and of the loops in it, each once, in the order of the program."""
        found: list[int] = []
        for item in self.items:
            if isinstance(item, Loop):
                for case in item.cases:
                    found += case.nodes()
            else:
                found.append(item)
        return found

    def loops(self) -> Iterator[Loop]:
        """The loops of the region and of the loops in it."""
        for item in self.items:
            if isinstance(item, Loop):
                yield item
                for case in item.cases:
                    yield from case.loops()


@dataclass(frozen=True)
class Loop:
    """A loop over rows. One of the cases runs for each row: if there are several, the row's lookup ``case`` says which.

    ``over`` says which rows the loop visits:

    - "rows": 1, 2, ... up to the last; in reverse if ``down``.
    - "chain": the row ``start`` (only if ``inclusive``), its parent, the parent's parent, ...; row 0 is not visited.
    - "if": none. The body runs once if the index ``start`` is not 0, else not at all.
    - Any other is the name of a sequence of rows in the table; in reverse if ``down``.
    """

    number: int
    over: str
    down: bool
    start: int | None
    inclusive: bool
    cases: tuple[Region, ...]


@dataclass(frozen=True)
class LoopProgram:
    """A pure function of one state and of a table."""

    name: str
    inputs: tuple[ShapedPort, ...]
    outputs: tuple[ShapedPort, ...]
    nodes: tuple[Node, ...]
    body: Region
    places: tuple[Place, ...]
    #: What the table must have, by name: numbers and indices of each row, sequences of rows, single indices, extents.
    columns: tuple[Any, ...]
    lookups: tuple[str, ...]
    sequences: tuple[str, ...]
    names: tuple[str, ...]
    extents: tuple[str, ...]

    def verify(self) -> LoopProgram:
        """Check that every operand is computed before it is used, and that every name exists."""
        constants, comparisons = ({k for k, n in enumerate(self.nodes) if n.op == op} for op in ("const", "less"))
        self._verify_region(self.body, constants, comparisons, ())
        return self

    def _verify_region(
        self, region: Region, visible: set[int], comparisons: set[int], open_loops: tuple[int, ...]
    ) -> None:
        """Check a region within what is ``visible``, which is as before when it ends."""
        own: list[int] = []
        for item in region.items:
            if isinstance(item, Loop):
                if item.start is not None and item.start not in visible:
                    raise ProgramError(f"{self.name}: loop {item.number} starts at a row that is not computed there")
                for case in item.cases:
                    self._verify_region(case, visible, comparisons, (*open_loops, item.number))
                continue
            node = self.nodes[item]
            missing = [a for a in node.args if a not in visible]
            if missing:
                raise ProgramError(f"{self.name}: node {item} ({node.op}) uses {missing}, which are not computed there")
            if node.op in ("index", "previous") and node.attr not in open_loops:
                raise ProgramError(f"{self.name}: node {item} is the row of loop {node.attr}, but is not in it")
            if not fits(node, comparisons):
                raise ProgramError(f"{self.name}: node {item} ({node.op}): {MISFIT}")
            self._verify_node(item, node)
            visible.add(item)
            own.append(item)
        visible.difference_update(own)

    def _verify_node(self, k: int, node: Node) -> None:
        known = {"table": self.columns, "lookup": self.lookups, "named": self.names}
        wrong = False
        if node.op in known:
            rows = 0 if node.op == "named" else 1
            wrong = node.attr not in known[node.op] or len(node.args) != rows
        elif node.op in ("put", "get"):
            place, component = node.attr
            rows = 0 if self.places[place].cell else 1
            operands = rows + 1 if node.op == "put" else rows
            wrong = component >= self.places[place].size or len(node.args) != operands
        elif node.op in ("entry", "write", "accumulate"):
            port, offsets = node.attr
            ports = self.inputs if node.op == "entry" else self.outputs
            rank = len(ports[port].shape)
            operands = rank if node.op == "entry" else rank + 1
            wrong = len(offsets) != rank or len(node.args) != operands
        elif node.op not in ("row", "index", "previous", "const"):
            wrong = node.op not in PRIMITIVES or len(node.args) != PRIMITIVES[node.op].arity
            wrong = wrong or isinstance(node.attr, Tabulated) is not (node.op == "pick")
        if wrong:
            raise ProgramError(f"{self.name}: node {k} is not a valid {node.op}: {node.args}, {node.attr}")

    def counts(self) -> Counter[str]:
        """How many nodes of each operation there are, a loop's body counted once for each case."""
        return Counter(self.nodes[k].op for k in self.body.nodes())

    @property
    def operations(self) -> int:
        """The number of additions, subtractions, multiplications and divisions, counted as in `counts`."""
        counts = self.counts()
        return sum(counts[op] for op in ("add", "sub", "mul", "div"))

    @property
    def fingerprint(self) -> str:
        """A hash of what the program computes, the same in every process."""
        parts = (self.inputs, self.outputs, self.nodes, self.body, self.places, self.columns, self.lookups)
        text = repr((*parts, self.sequences, self.names, self.extents))
        return hashlib.sha256(text.encode()).hexdigest()

    def __str__(self) -> str:
        ports = ", ".join(f"{p.name}{list(p.shape)}" for p in self.inputs)
        lines = [f"program {self.name}({ports}): {self.operations} operations, {len(self.columns)} columns"]
        self._print(self.body, lines, "  ")
        return "\n".join(lines)

    def _print(self, region: Region, lines: list[str], indent: str) -> None:
        for item in region.items:
            if isinstance(item, Loop):
                start = "" if item.start is None else f" from %{item.start}"
                on = " on" if item.start is not None and item.inclusive else ""
                down = ", down" if item.down else ""
                lines.append(f"{indent}loop {item.number} over {item.over}{start}{on}{down}")
                for k, case in enumerate(item.cases):
                    lines.append(f"{indent}  case {k}")
                    self._print(case, lines, indent + "    ")
                continue
            node = self.nodes[item]
            if node.op != "const":
                attr = "" if node.attr is None else f"{self._attr(node)} "
                lines.append(f"{indent}%{item} = {node.op} {attr}{', '.join(map(self._value, node.args))}")

    def _value(self, k: int) -> str:
        return f"{self.nodes[k].attr!r}" if self.nodes[k].op == "const" else f"%{k}"

    def _attr(self, node: Node) -> str:
        if node.op in ("put", "get"):
            return f"{self.places[node.attr[0]].name}.{node.attr[1]}"
        if node.op in ("entry", "write", "accumulate"):
            ports = self.inputs if node.op == "entry" else self.outputs
            return f"{ports[node.attr[0]].name}+{list(node.attr[1])}"
        return str(node.attr)


def needed(nodes: Sequence[Node], body: Region, outputs: Container[int]) -> set[int]:
    """The nodes that these outputs need. Stores of a component that is never loaded are not needed."""
    puts: dict[Any, list[int]] = {}
    todo: list[int] = []
    for k in body.nodes():
        if nodes[k].op == "put":
            puts.setdefault(nodes[k].attr, []).append(k)
        elif nodes[k].op in EFFECTS and nodes[k].attr[0] in outputs:
            todo.append(k)
    starts: dict[int, list[int]] = {}  # for each node, the start nodes of the loops around it
    for loop in body.loops():
        if loop.start is not None:
            for k in Region((loop,)).nodes():
                starts.setdefault(k, []).append(loop.start)
    found: set[int] = set()
    while todo:
        k = todo.pop()
        if k not in found:
            found.add(k)
            todo += (*nodes[k].args, *starts.get(k, ()))
            if nodes[k].op == "get":
                todo += puts.get(nodes[k].attr, ())
    return found


def only(region: Region, new: Mapping[int, int]) -> Region:
    """The region with only the nodes that are in ``new``, under their new numbers, and without empty loops."""
    items: list[int | Loop] = []
    for item in region.items:
        if isinstance(item, Loop):
            cases = tuple(only(case, new) for case in item.cases)
            if any(case.items for case in cases):
                start = None if item.start is None else new[item.start]
                items.append(replace(item, start=start, cases=cases))
        elif item in new:
            items.append(new[item])
    return Region(tuple(items))
