"""Scratch: values that are needed for a short time share a few records, instead of having one in every row.

A *scratch record* is one that rows use one after the other. It takes less memory, which stays in the CPU's cache. Two
kinds of places can move to scratch records. Both are used in one loop over all rows, in which each row accesses itself
and its parent:

- In an upward loop (parents first), a value is needed until the last child of its row has run. On a chain two
  records are enough, whatever its length.
- In a downward loop (children first), a value that children add to is needed from the first child on until its own row
  has run. An earlier loop stores what it starts from, the *seed*. If the seed comes from the table alone, it is stored
  later instead: when the first child runs (the lookup ``opens`` is set), or, for a row without children, when the row
  itself runs (``leaf``).

The lookups ``scratch up`` and ``scratch down`` give the number of a row's scratch record in the two kinds of loops.
That of the base is 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sixd.ir.loops import Loop, LoopProgram, Region
from sixd.ir.program import Node

__all__ = ["use_scratch"]

#: What the components of a place start from: the node that an upward loop stores, by component.
Seed = dict[int, int]


def use_scratch(program: LoopProgram) -> LoopProgram:
    """Move places to scratch records where possible."""
    return _Rewrite(program).run()


class _Rewrite:
    """Rewrites one program."""

    def __init__(self, program: LoopProgram) -> None:
        self.program = program
        self.nodes = list(program.nodes)
        self.steps = [item for item in program.body.items if isinstance(item, Loop)]
        outside = [item for item in program.body.items if isinstance(item, int)]
        #: Places used outside of loops, other than by stores to the base: they stay as they are.
        self.outside = self.places(outside, "get") | self.places([k for k in outside if not self.at_base(k)], "put")

    def run(self) -> LoopProgram:
        upward = {p: loop for p, loop in self.single_loop().items() if not loop.down}
        seeded = self.seeded()
        places = list(self.program.places)
        for p in upward:
            places[p] = replace(places[p], per="scratch up")
        for p in seeded:
            places[p] = replace(places[p], per="scratch down")
        self.chosen = tuple(places)
        items = tuple(self.loop(item, seeded) if isinstance(item, Loop) else item for item in self.program.body.items)
        body = self.rows_to_scratch(Region(items), {})
        lookups = {n.attr for k in body.nodes() if (n := self.nodes[k]).op == "lookup"}
        return replace(
            self.program,
            nodes=tuple(self.nodes),
            body=body,
            places=self.chosen,
            lookups=tuple(sorted({*self.program.lookups, *lookups})),
            extents=tuple(sorted({*self.program.extents, *(p.per for p in self.chosen if p.per != "row")})),
        ).verify()

    # ---- which places

    def places(self, nodes: Iterable[int], *ops: str) -> set[int]:
        """The places that these nodes store to or load from (``ops``)."""
        return {self.nodes[k].attr[0] for k in nodes if self.nodes[k].op in ops}

    def at_base(self, k: int) -> bool:
        rows = [self.nodes[a] for a in self.nodes[k].args[:1]]
        return any(row.op == "row" and row.attr == 0 for row in rows)

    def near(self, loop: Loop, place: int) -> bool:
        """Whether a loop is over all rows, and uses a place only at its own row and at the parent's."""
        if loop.over != "rows":
            return False
        for k in Region((loop,)).nodes():
            node = self.nodes[k]
            if node.op in ("put", "get") and node.attr[0] == place:
                row = self.nodes[node.args[0]]
                own = row.op == "index" and row.attr == loop.number
                parent = row.op == "lookup" and row.attr == "parent" and self.nodes[row.args[0]] == _index(loop)
                if not (own or parent):
                    return False
        return True

    def loops_of(self, place: int, *ops: str) -> list[Loop]:
        return [loop for loop in self.steps if place in self.places(Region((loop,)).nodes(), *ops)]

    def candidates(self) -> list[int]:
        return [p for p, place in enumerate(self.program.places) if not place.cell and p not in self.outside]

    def single_loop(self) -> dict[int, Loop]:
        """Places that a single loop uses, at its own row and the parent's."""
        found = {}
        for p in self.candidates():
            loops = self.loops_of(p, "put", "get")
            if len(loops) == 1 and self.near(loops[0], p):
                found[p] = loops[0]
        return found

    def seeded(self) -> dict[int, tuple[Loop, Loop, Seed]]:
        """Places that one loop fills from the table and a later, downward loop uses: both loops, and the seed."""
        found = {}
        for p in self.candidates():
            loops = self.loops_of(p, "put", "get")
            if len(loops) == 2 and loops[1].down and self.near(loops[1], p) and self.loops_of(p, "get") == loops[1:]:
                seed = self.seed(loops[0], p)
                if seed is not None:
                    found[p] = (loops[0], loops[1], seed)
        return found

    def seed(self, loop: Loop, place: int) -> Seed | None:
        """What all cases of an upward loop store at their own row; None unless it is equal and from the table alone."""
        if loop.over != "rows" or loop.down:
            return None
        found: Seed | None = None
        for case in loop.cases:
            puts = [k for k in case.nodes() if self.nodes[k].op == "put" and self.nodes[k].attr[0] == place]
            if not puts or not set(puts) <= set(case.items):
                return None
            if any(self.nodes[self.nodes[k].args[0]] != _index(loop) for k in puts):
                return None
            own = self.nodes[puts[0]].args[0]
            nodes = {self.nodes[k].attr[1]: self.nodes[k].args[1] for k in puts}
            found = nodes if found is None else found
            # Check `from_table` before comparing texts: those of other expressions can be very long.
            if nodes.keys() != found.keys() or len(nodes) != len(puts):
                return None
            if not all(self.from_table(k, own) for k in nodes.values()):
                return None
            if any(self.text(nodes[c]) != self.text(found[c]) for c in nodes):
                return None
        return found

    def from_table(self, k: int, own: int) -> bool:
        node = self.nodes[k]
        if node.op == "table":
            return node.args == (own,)
        return node.op == "const" or (node.op == "neg" and self.from_table(node.args[0], own))

    def text(self, k: int) -> object:
        """An expression without the numbers of nodes, which differ between cases."""
        node = self.nodes[k]
        return (node.op, repr(node.attr), *(self.text(a) for a in node.args if node.op != "table"))

    # ---- rewriting

    def add(self, op: str, *args: int, attr: object = None) -> int:
        self.nodes.append(Node(op, args, attr))
        return len(self.nodes) - 1

    def loop(self, loop: Loop, seeded: dict[int, tuple[Loop, Loop, Seed]]) -> Loop:
        """The loop without stores of seeds, if it is the first one of a place; with them, if it is the second."""
        gone = {p for p, (first, _, _) in seeded.items() if first is loop}
        here = {p: seed for p, (_, second, seed) in seeded.items() if second is loop}
        cases = []
        for case in loop.cases:
            items = tuple(k for k in case.items if isinstance(k, Loop) or not self.stores(k, gone))
            cases.append(Region((*self.begin(loop, here), *items)))
        return replace(loop, cases=tuple(cases))

    def stores(self, k: int, places: set[int]) -> bool:
        return self.nodes[k].op == "put" and self.nodes[k].attr[0] in places

    def begin(self, loop: Loop, seeds: dict[int, Seed]) -> list[int | Loop]:
        """Nodes that store the seed of the parent if this is its first child, and of the row itself if it is a leaf."""
        if not seeds:
            return []
        own = self.add("index", attr=loop.number)
        parent = self.add("lookup", own, attr="parent")
        opens, leaf = self.add("lookup", own, attr="opens"), self.add("lookup", own, attr="leaf")
        items: list[int | Loop] = [own, parent, opens, leaf]
        for number, (row, flag) in enumerate(((parent, opens), (own, leaf))):
            region: list[int | Loop] = []
            for place, seed in seeds.items():
                for component, k in seed.items():
                    value = self.copy(k, row, region)
                    region.append(self.add("put", row, value, attr=(place, component)))
            key = 1000 * (loop.number + 1) + number  # a number that no recorded loop has
            items.append(Loop(key, "if", False, flag, True, (Region(tuple(region)),)))
        return items

    def copy(self, k: int, row: int, region: list[int | Loop]) -> int:
        """Compute a seed at another row; new nodes are appended to the region."""
        node = self.nodes[k]
        if node.op == "const":
            return k
        args = (row,) if node.op == "table" else tuple(self.copy(a, row, region) for a in node.args)
        region.append(self.add(node.op, *args, attr=node.attr))
        return len(self.nodes) - 1

    def rows_to_scratch(self, region: Region, known: dict[tuple[int, str], int]) -> Region:
        """In stores and loads of places in scratch records, replace the row by the number of its record."""
        known = dict(known)
        items: list[int | Loop] = []
        for item in region.items:
            if isinstance(item, Loop):
                items.append(replace(item, cases=tuple(self.rows_to_scratch(case, known) for case in item.cases)))
                continue
            node = self.nodes[item]
            per = self.chosen[node.attr[0]].per if node.op in ("put", "get") else "row"
            if per != "row":
                row = node.args[0]
                if (row, per) not in known:
                    known[row, per] = self.add("lookup", row, attr=per)
                    items.append(known[row, per])
                self.nodes[item] = Node(node.op, (known[row, per], *node.args[1:]), node.attr)
            items.append(item)
        return Region(tuple(items))


def _index(loop: Loop) -> Node:
    return Node("index", (), loop.number)
