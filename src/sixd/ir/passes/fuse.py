"""Fused multiply-adds, decided here and nowhere later: a result is the same to the bit wherever it is computed."""

from __future__ import annotations

from collections import Counter

from sixd.ir.program import Node, Program, compact

__all__ = ["fuse"]


def fuse(program: Program) -> Program:
    """Turn x y + z, x y - z and z - x y into one operation each where the product has no other use.

    z - x y becomes fma(-x, y, z): signs cost nothing in a fused operation.
    """
    uses: Counter[int] = Counter(a for node in program.nodes for a in node.args)
    uses.update(e for entries in program.results for e in entries)
    nodes: list[Node] = []
    new: list[int] = []  # where each old node went

    def put(op: str, *args: int) -> int:
        nodes.append(Node(op, args))
        return len(nodes) - 1

    for node in program.nodes:
        args = tuple(new[a] for a in node.args)
        products = [k for k, a in enumerate(node.args) if program.nodes[a].op == "mul" and uses[a] == 1]
        products = products if node.op in ("add", "sub") else []
        if not products:
            nodes.append(Node(node.op, args, node.attr))
            new.append(len(nodes) - 1)
            continue
        k = products[-1]  # of two products the later one: the earlier is ready first
        x, y = (new[a] for a in program.nodes[node.args[k]].args)
        z = args[1 - k]
        if node.op == "sub":
            x, z = (x, put("neg", z)) if k == 0 else (put("neg", x), z)
        new.append(put("fma", x, y, z))
    results = tuple(tuple(new[e] for e in entries) for entries in program.results)
    fused = Program(program.name, program.inputs, program.outputs, tuple(nodes), results)
    return compact(fused, fused.live())
