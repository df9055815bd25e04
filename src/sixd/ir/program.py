"""Straight-line programs: the intermediate representation of a recorded algorithm.

A program is a list of *nodes* in the order in which they run. A node is one number: a constant, an entry of an input,
or a primitive applied to earlier nodes. The inputs and outputs are *ports*, named arrays. A program computes one state;
in a batch, each state is a *sample*.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from sixd.errors import SixdError
from sixd.ir.primitives import PRIMITIVES
from sixd.ops import Tabulated

__all__ = ["Node", "Port", "Program", "ProgramError"]


#: Why operands do not fit (`fits`).
MISFIT = "the condition of a selection must be a comparison, and a comparison no other operand"


class ProgramError(SixdError):
    """A program breaks the rules of the intermediate representation: a mistake in sixd, not in the user's code."""


@dataclass(frozen=True)
class Port:
    """An input or output: a named array of one state. Its entries are numbered in C order.

    ``finite`` (of an input): a sample with an infinity or NaN in this input gets NaN in every output.
    """

    name: str
    shape: tuple[int, ...]
    finite: bool = False

    @property
    def size(self) -> int:
        return prod(self.shape)


class Node(NamedTuple):
    """One number: a constant, an entry of an input, or a primitive applied to earlier nodes."""

    op: str
    args: tuple[int, ...] = ()
    #: The number of a "const"; (port, entry) of an "input"; the table of a "pick"; None of other primitives.
    attr: Any = None

    @property
    def tables(self) -> tuple[Tabulated, ...]:
        """What a primitive takes before its operands: the table of a "pick"."""
        return (self.attr,) if self.op == "pick" else ()


@dataclass(frozen=True)
class Program:
    """A pure function of one state. ``results[port]`` lists the nodes that hold the entries of that output."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    nodes: tuple[Node, ...]
    results: tuple[tuple[int, ...], ...]

    def verify(self) -> Program:
        """Check that nodes use earlier ones, that primitives have all their operands, and that all entries exist."""
        arity = {name: primitive.arity for name, primitive in PRIMITIVES.items()}
        comparisons = {k for k, node in enumerate(self.nodes) if node.op == "less"}
        for k, node in enumerate(self.nodes):
            if arity.get(node.op) != len(node.args):
                self._verify_source(k, node)
            elif max(node.args) >= k or min(node.args) < 0:
                raise ProgramError(
                    f"{self.name}: node {k} ({node.op}) uses a node that does not come before it: {node.args}"
                )
            elif not fits(node, comparisons):
                raise ProgramError(f"{self.name}: node {k} ({node.op}): {MISFIT}")
            elif isinstance(node.attr, Tabulated) is not (node.op == "pick"):
                raise ProgramError(
                    f"{self.name}: node {k} ({node.op}) must have a table if it is a pick, and only then"
                )
        if len(self.results) != len(self.outputs):
            raise ProgramError(f"{self.name}: {len(self.outputs)} outputs but {len(self.results)} results")
        for port, entries in zip(self.outputs, self.results, strict=True):
            if len(entries) != port.size or any(not 0 <= e < len(self.nodes) for e in entries):
                raise ProgramError(f"{self.name}: output {port.name!r} needs {port.size} entries, all existing nodes")
            if not comparisons.isdisjoint(entries):
                raise ProgramError(f"{self.name}: output {port.name!r} has a comparison, which is no number")
        return self

    def _verify_source(self, k: int, node: Node) -> None:
        """Check a node that is not a primitive with all its operands: it must be a constant or an input."""
        where = f"{self.name}: node {k} ({node.op})"
        if node.op == "const":
            if node.args or not isinstance(node.attr, float):
                raise ProgramError(f"{where} must hold one float")
        elif node.op == "input":
            port, entry = node.attr
            if node.args or not (0 <= port < len(self.inputs) and 0 <= entry < self.inputs[port].size):
                raise ProgramError(f"{where} reads entry {entry} of input {port}, which does not exist")
        else:
            raise ProgramError(f"{where} is not a primitive that takes {len(node.args)} operands")

    def live(self) -> list[int]:
        """The nodes that the results need, in order."""
        return reachable(self.nodes, (node for entries in self.results for node in entries))

    def counts(self) -> Counter[str]:
        """How many nodes of each operation there are."""
        return Counter(node.op for node in self.nodes)

    @property
    def operations(self) -> int:
        """The number of additions, subtractions, multiplications and divisions. No other operation is counted."""
        counts = self.counts()
        return sum(counts[op] for op in ("add", "sub", "mul", "div"))

    @property
    def depth(self) -> int:
        """The length of the longest chain of primitives of which each needs the one before: the number of steps that
        the program takes if all operations that can run at once do so.
        """
        longest: list[int] = []
        for node in self.nodes:
            longest.append(1 + max(longest[k] for k in node.args) if node.args else 0)
        return max((longest[k] for entries in self.results for k in entries), default=0)

    @property
    def fingerprint(self) -> str:
        """A hash of what the program computes, the same in every process. The program's name is not part of it."""
        kept = vars(self)
        if "_fingerprint" not in kept:
            text = repr((self.inputs, self.outputs, [(n.op, n.args, n.attr) for n in self.nodes], self.results))
            kept["_fingerprint"] = hashlib.sha256(text.encode()).hexdigest()
        return str(kept["_fingerprint"])

    def __str__(self) -> str:
        ports = ", ".join(f"{p.name}{list(p.shape)}" for p in self.inputs)
        lines = [f"program {self.name}({ports}): {len(self.nodes)} nodes, {self.operations} operations"]
        for k, node in enumerate(self.nodes):
            lines.append(f"  %{k} = {self._text(node)}")
        for port, entries in zip(self.outputs, self.results, strict=True):
            lines.append(f"  {port.name}{list(port.shape)} = {' '.join(f'%{e}' for e in entries)}")
        return "\n".join(lines)

    def _text(self, node: Node) -> str:
        if node.op == "const":
            return f"{node.attr!r}"
        if node.op == "input":
            port, entry = node.attr
            return f"{self.inputs[port].name}[{entry}]"
        return f"{node.op} {', '.join([*map(repr, node.tables), *(f'%{a}' for a in node.args)])}"


def fits(node: Node, comparisons: Set[int]) -> bool:
    """Whether the condition of a selection is a comparison, and all other operands of nodes are numbers."""
    if node.op == "select":
        return node.args[0] in comparisons and comparisons.isdisjoint(node.args[1:])
    return comparisons.isdisjoint(node.args)


def reachable(nodes: Sequence[Node], roots: Iterable[int]) -> list[int]:
    """The nodes ``roots`` and all nodes that they depend on, in order."""
    needed: set[int] = set()
    todo = list(roots)
    while todo:
        k = todo.pop()
        if k not in needed:
            needed.add(k)
            todo.extend(nodes[k].args)
    return sorted(needed)


def compact(program: Program, keep: Sequence[int]) -> Program:
    """The program with only the nodes ``keep``, in this order. All their operands must be among them."""
    new = {old: k for k, old in enumerate(keep)}
    nodes = tuple(Node(n.op, tuple(new[a] for a in n.args), n.attr) for n in (program.nodes[k] for k in keep))
    results = tuple(tuple(new[e] for e in entries) for entries in program.results)
    return Program(program.name, program.inputs, program.outputs, nodes, results).verify()
