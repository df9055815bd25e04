"""Programs with loops over the rows of a table: one piece of code for any number of rows.

Beside the primitives a looped program has

================  ===========================================================================================
``table``         an entry of a row of a table of numbers, the same for all samples
``entry``         an entry of an input at an index found at run time
``put``, ``get``  an entry of a row of the workspace, which belongs to one sample; of a cell if no row is given
``write``         an entry of an output; ``accumulate`` adds to it. What is never written is zero
``row``           a fixed row; ``index``, ``previous``: the row a loop is at, and was at before
``lookup``        an entry of a row of a table of indices; ``named``: an index that comes with the table
================  ===========================================================================================

``put``, ``get``, ``write`` and ``accumulate`` happen in the order of the program; everything else is pure.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sixd.ir.primitives import PRIMITIVES
from sixd.ir.program import Node, ProgramError

__all__ = ["EFFECTS", "INDICES", "Loop", "LoopProgram", "Place", "Region", "ShapedPort", "needed", "only"]

#: Nodes whose value is a row, not a number.
INDICES = frozenset({"row", "index", "previous", "lookup", "named"})
#: Nodes that are run for what they do.
EFFECTS = frozenset({"put", "write", "accumulate"})


@dataclass(frozen=True)
class ShapedPort:
    """An input or output whose extents are numbers or the names of numbers that come with the table.

    ``finite`` as in `Port`.
    """

    name: str
    shape: tuple[int | str, ...]
    finite: bool = False


@dataclass(frozen=True)
class Place:
    """Where values are kept: ``size`` numbers for each row, or once (a cell).

    ``per`` is what there is one of for each value: a "row", or a "slot", which rows use one after the other.
    """

    name: str
    size: int
    cell: bool = False
    per: str = "row"


@dataclass(frozen=True)
class Region:
    """What runs in order: nodes by number, and loops."""

    items: tuple[int | Loop, ...]

    def nodes(self) -> Iterator[int]:
        """The nodes of the region and of the loops in it, each once, in the order of the program."""
        for item in self.items:
            if isinstance(item, Loop):
                for case in item.cases:
                    yield from case.nodes()
            else:
                yield item

    def loops(self) -> Iterator[Loop]:
        """The loops of the region and of the loops in it."""
        for item in self.items:
            if isinstance(item, Loop):
                yield item
                for case in item.cases:
                    yield from case.loops()


@dataclass(frozen=True)
class Loop:
    """One of the cases runs for each row; the lookup ``case`` of the row tells which, unless there is only one.

    ``over``: "rows" for 1, 2, ... up to the last; "chain" for the rows met by going from the row ``start`` (itself left
    out unless ``inclusive``) by the lookup ``parent`` until 0; "if" to run once if ``start`` is not 0, else not; any
    other is the name of a sequence of rows. ``down`` turns the order around.
    """

    number: int
    over: str
    down: bool
    start: int | None
    inclusive: bool
    cases: tuple[Region, ...]


@dataclass(frozen=True)
class LoopProgram:
    """A pure function of one state, of the numbers in a table and of the indices that come with it."""

    name: str
    inputs: tuple[ShapedPort, ...]
    outputs: tuple[ShapedPort, ...]
    nodes: tuple[Node, ...]
    body: Region
    places: tuple[Place, ...]
    #: The names of what the table has for each row: numbers and indices; of sequences, of single indices, of extents.
    columns: tuple[Any, ...]
    lookups: tuple[str, ...]
    sequences: tuple[str, ...]
    names: tuple[str, ...]
    extents: tuple[str, ...]

    def verify(self) -> LoopProgram:
        """Check the rules: every operand is visible where it is used, every name exists."""
        self._verify_region(self.body, {k for k, node in enumerate(self.nodes) if node.op == "const"}, ())
        return self

    def _verify_region(self, region: Region, outer: set[int], open_loops: tuple[int, ...]) -> None:
        visible = set(outer)
        for item in region.items:
            if isinstance(item, Loop):
                if item.start is not None and item.start not in visible:
                    raise ProgramError(f"{self.name}: loop {item.number} starts at a row that is not known there")
                for case in item.cases:
                    self._verify_region(case, visible, (*open_loops, item.number))
                continue
            node = self.nodes[item]
            missing = [a for a in node.args if a not in visible]
            if missing:
                raise ProgramError(f"{self.name}: node {item} ({node.op}) uses {missing}, which are not known there")
            if node.op in ("index", "previous") and node.attr not in open_loops:
                raise ProgramError(f"{self.name}: node {item} is the row of loop {node.attr}, which is not open there")
            self._verify_node(item, node)
            visible.add(item)

    def _verify_node(self, k: int, node: Node) -> None:
        known = {"table": self.columns, "lookup": self.lookups, "named": self.names}
        wrong = False
        if node.op in known:
            wrong = node.attr not in known[node.op] or len(node.args) != (node.op != "named")
        elif node.op in ("put", "get"):
            place, component = node.attr
            rows = 0 if self.places[place].cell else 1
            wrong = component >= self.places[place].size or len(node.args) != rows + (node.op == "put")
        elif node.op in ("entry", "write", "accumulate"):
            port, offsets = node.attr
            ports = self.inputs if node.op == "entry" else self.outputs
            rank = len(ports[port].shape)
            wrong = len(offsets) != rank or len(node.args) != rank + (node.op != "entry")
        elif node.op not in ("row", "index", "previous", "const"):
            wrong = node.op not in PRIMITIVES or len(node.args) != PRIMITIVES[node.op].arity
        if wrong:
            raise ProgramError(f"{self.name}: node {k} is no {node.op}: {node.args}, {node.attr}")

    def counts(self) -> Counter[str]:
        """How many nodes of each operation there are, a loop's body counted once for each case."""
        return Counter(self.nodes[k].op for k in self.body.nodes())

    @property
    def operations(self) -> int:
        """Additions, subtractions, multiplications and divisions in the text of the program."""
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
                start = "" if item.start is None else f" from %{item.start}{' on' * item.inclusive}"
                lines.append(f"{indent}loop {item.number} over {item.over}{start}{', down' * item.down}")
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
    """The nodes that these outputs need. A component of a place that nobody loads is not stored."""
    puts: dict[Any, list[int]] = {}
    todo: list[int] = []
    for k in body.nodes():
        if nodes[k].op == "put":
            puts.setdefault(nodes[k].attr, []).append(k)
        elif nodes[k].op in EFFECTS and nodes[k].attr[0] in outputs:
            todo.append(k)
    starts: dict[int, list[int]] = {}  # where the loops around a node start
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
