"""Fused multiply-adds in programs with loops: as in straight-line ones, where product and sum are in one region."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sixd.ir.loops import Loop, LoopProgram, Region
from sixd.ir.program import Node

__all__ = ["fuse_loops"]


def fuse_loops(program: LoopProgram) -> LoopProgram:
    """Turn x y + z, x y - z and z - x y into one operation each where the product has no other use."""
    uses: Counter[int] = Counter(a for k in program.body.nodes() for a in program.nodes[k].args)
    nodes = list(program.nodes)
    gone: set[int] = set()

    def region(old: Region) -> Region:
        items: list[int | Loop] = []
        here = {item for item in old.items if not isinstance(item, Loop)}
        for item in old.items:
            if isinstance(item, Loop):
                items.append(replace(item, cases=tuple(region(case) for case in item.cases)))
                continue
            node = nodes[item]
            products = [
                k for k, a in enumerate(node.args) if a in here and nodes[a].op == "mul" and uses[a] == 1
            ] if node.op in ("add", "sub") else []  # fmt: skip
            if products:
                k = products[-1]  # of two products the later one: the earlier is ready first
                product, z = node.args[k], node.args[1 - k]
                x, y = nodes[product].args
                gone.add(product)
                if node.op == "sub":
                    items.append(len(nodes))
                    nodes.append(Node("neg", (z if k == 0 else x,)))
                    x, z = (x, len(nodes) - 1) if k == 0 else (len(nodes) - 1, z)
                nodes[item] = Node("fma", (x, y, z))
            items.append(item)
        return Region(tuple(items))

    def without(old: Region) -> Region:
        items = (
            replace(item, cases=tuple(without(case) for case in item.cases)) if isinstance(item, Loop) else item
            for item in old.items
            if isinstance(item, Loop) or item not in gone
        )
        return Region(tuple(items))

    body = without(region(program.body))
    return replace(program, nodes=tuple(nodes), body=body).verify()
