"""Fused multiply-adds: x y + z in one operation, with one rounding.

They are chosen here, and LLVM may not add others. So code for one sample and code for a batch give the same bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sixd.ir.loops import Loop, LoopProgram, Region
from sixd.ir.program import Node, Program, compact

__all__ = ["fuse", "fuse_loops"]


class _Fusion(NamedTuple):
    """A product and the sum that it is in, as x y + z.

    ``terms`` are x, y and z; ``negated`` is the position in them of the one to negate, 0 or 2, or None.
    """

    product: int
    terms: tuple[int, int, int]
    negated: int | None


def _fusion(node: Node, nodes: Sequence[Node], is_free: Callable[[int], bool]) -> _Fusion | None:
    """x y + z, x y - z or z - x y as one operation, or None. A product ``is_free`` if nothing else uses it.

    z - x y becomes fma(-x, y, z): signs cost nothing in a fused operation.
    """
    if node.op not in ("add", "sub"):
        return None
    products = [k for k, a in enumerate(node.args) if nodes[a].op == "mul" and is_free(a)]
    if not products:
        return None
    k = products[-1]  # of two products the later one, since the earlier one is ready first
    x, y = nodes[node.args[k]].args
    negated: int | None = None
    if node.op == "sub":
        negated = 2 if k == 0 else 0  # x y - z, or z - x y
    return _Fusion(node.args[k], (x, y, node.args[1 - k]), negated)


def fuse(program: Program) -> Program:
    """The program with fused multiply-adds where a product is used by one sum and nothing else."""
    uses: Counter[int] = Counter(a for node in program.nodes for a in node.args)
    uses.update(e for entries in program.results for e in entries)
    nodes: list[Node] = []
    new: list[int] = []  # the new number of each old node

    def put(node: Node) -> int:
        nodes.append(node)
        return len(nodes) - 1

    for node in program.nodes:
        found = _fusion(node, program.nodes, lambda a: uses[a] == 1)
        args = [new[a] for a in (found.terms if found else node.args)]
        if found and found.negated is not None:
            args[found.negated] = put(Node("neg", (args[found.negated],)))
        new.append(put(Node("fma" if found else node.op, tuple(args), None if found else node.attr)))
    results = tuple(tuple(new[e] for e in entries) for entries in program.results)
    fused = Program(program.name, program.inputs, program.outputs, tuple(nodes), results)
    return compact(fused, fused.live())


def fuse_loops(program: LoopProgram) -> LoopProgram:
    """The same for a loop program. Product and sum must be in the same region."""
    uses: Counter[int] = Counter(a for k in program.body.nodes() for a in program.nodes[k].args)
    nodes = list(program.nodes)
    gone: set[int] = set()

    def region(old: Region) -> Region:
        items: list[int | Loop] = []
        here = {item for item in old.items if isinstance(item, int)}
        for item in old.items:
            if isinstance(item, Loop):
                items.append(replace(item, cases=tuple(region(case) for case in item.cases)))
                continue
            found = _fusion(nodes[item], nodes, lambda a: a in here and uses[a] == 1)
            if found:
                args = list(found.terms)
                if found.negated is not None:
                    items.append(len(nodes))
                    nodes.append(Node("neg", (args[found.negated],)))
                    args[found.negated] = len(nodes) - 1
                nodes[item] = Node("fma", tuple(args))
                gone.add(found.product)
            items.append(item)
        return Region(tuple(item for item in items if isinstance(item, Loop) or item not in gone))

    body = region(program.body)
    return replace(program, nodes=tuple(nodes), body=body).verify()
