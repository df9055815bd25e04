"""Programs as runs: instructions of one operation after another, for code that is told at run time what to do.

Such code jumps for each run to the loop that does its operation. The CPU cannot guess these jumps, so runs should be
long. The order within the program is free as long as every operand is made before it is used.

The operations are the primitives, with four changes. Constants are instructions, too. Sine and cosine of an angle are
made together. A negation inside a fused multiply-add, which costs nothing in machine code, is part of the operation:
"fnma" is -x y + z, "fms" is x y - z.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixd.ir.primitives import PRIMITIVES
from sixd.ir.program import Node, Program

__all__ = ["LITERALS", "OPERATIONS", "UNUSED", "Instruction", "instructions_of", "runs_of"]

#: Every operation, with the number of values that it takes and of those that it makes.
OPERATIONS: dict[str, tuple[int, int]] = {
    "const": (0, 1),
    **{name: (p.arity, 1) for name, p in PRIMITIVES.items() if name not in ("sin", "cos")},
    "fnma": (3, 1),
    "fms": (3, 1),
    "sincos": (1, 2),
}
#: How many numbers come first in an instruction, before what it takes: where a constant is, or where a table starts and
#: how long it is.
LITERALS = {"const": 1, "pick": 2}
#: In place of a sine or a cosine that nothing needs.
UNUSED = -1


class Instruction(NamedTuple):
    """One operation. ``takes`` and ``makes`` are nodes of the program."""

    op: str
    takes: tuple[int, ...]
    makes: tuple[int, ...]


def instructions_of(program: Program) -> list[Instruction]:
    """The instructions that the results of a program need, in its order. Entries of inputs are there without any."""
    nodes = program.nodes
    found: list[Instruction] = []
    pairs: dict[int, int] = {}  # for each angle, the number of the instruction that makes its sine and cosine
    for k, node in enumerate(nodes):
        if node.op in ("sin", "cos"):
            _add_angle(found, pairs, node, k)
        elif node.op == "fma":
            found.append(_fused(nodes, node.args, k))
        elif node.op != "input":
            found.append(Instruction(node.op, node.args, (k,)))
    needed = {node for entries in program.results for node in entries}
    kept: list[Instruction] = []
    for instruction in reversed(found):
        if not needed.isdisjoint(instruction.makes):
            needed.update(instruction.takes)
            kept.append(instruction)
    return kept[::-1]


def _add_angle(found: list[Instruction], pairs: dict[int, int], node: Node, k: int) -> None:
    """Let the instruction of this angle, or a new one, make the node k, a sine or a cosine."""
    place, angle = ("sin", "cos").index(node.op), node.args[0]
    number = pairs.get(angle)
    if number is None or found[number].makes[place] != UNUSED:
        number = pairs[angle] = len(found)
        found.append(Instruction("sincos", node.args, (UNUSED, UNUSED)))
    sine, cosine = found[number].makes
    found[number] = Instruction("sincos", node.args, (sine, k) if place else (k, cosine))


def _fused(nodes: Sequence[Node], terms: tuple[int, ...], k: int) -> Instruction:
    """x y + z, with at most one of the negations in it as part of the operation."""
    x, y, z = terms
    if nodes[x].op == "neg":
        return Instruction("fnma", (nodes[x].args[0], y, z), (k,))
    if nodes[z].op == "neg":
        return Instruction("fms", (x, y, nodes[z].args[0]), (k,))
    return Instruction("fma", terms, (k,))


def runs_of(instructions: Sequence[Instruction], window: int) -> list[list[Instruction]]:
    """The instructions in runs of the same operation.

    Each ``window`` of instructions is arranged by itself, so that values do not live much longer than in the program's
    order. The next run takes the operation of which most are ready. What becomes ready meanwhile joins it, behind the
    others: the CPU works on several instructions at once, and need not wait then for what one has just made.
    """
    runs: list[list[Instruction]] = []
    for start in range(0, len(instructions), window):
        runs += _arranged(instructions[start : start + window])
    return runs


def _arranged(some: Sequence[Instruction]) -> list[list[Instruction]]:
    maker = {node: i for i, instruction in enumerate(some) for node in instruction.makes}
    users: list[list[int]] = [[] for _ in some]
    waits = [0] * len(some)  # how many operands of each are not made yet
    ready: dict[str, list[int]] = {}
    for i, instruction in enumerate(some):
        for node in instruction.takes:
            if node in maker:
                users[maker[node]].append(i)
                waits[i] += 1
        if not waits[i]:
            ready.setdefault(instruction.op, []).append(i)
    runs = []
    while ready:
        op = max(ready, key=lambda op: len(ready[op]))
        run = ready[op]
        for i in run:  # the list grows meanwhile
            for user in users[i]:
                waits[user] -= 1
                if not waits[user]:
                    ready.setdefault(some[user].op, []).append(user)
        del ready[op]
        runs.append([some[i] for i in run])
    return runs
