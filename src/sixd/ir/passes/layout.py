"""Where values lie in records, of rows and scratch: values that are not needed at the same time share a position.

A *component* is one number of a place. A *step* is an item of the program's body: a loop, or a node outside of loops. A
component is *born* in the first step that uses it, and *dies* in the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sixd.ir.loops import Loop, LoopProgram, Region

__all__ = ["record_layout", "record_sizes", "sink_stores"]

#: (place, number of the component).
Component = tuple[int, int]


def sink_stores(program: LoopProgram) -> LoopProgram:
    """Move stores to later positions, so that more components can share a position in the record.

    Stores outside of loops (to the base) move to just before the first step that uses the same place. In loops over
    rows, the first stores of new components move behind the last use of components that die there.
    """
    items: list[int | Loop] = []
    waiting: list[int] = []
    for item in program.body.items:
        if isinstance(item, int) and program.nodes[item].op == "put":
            waiting.append(item)
            continue
        used = _places(program, item)
        items += [k for k in waiting if program.nodes[k].attr[0] in used]
        waiting = [k for k in waiting if program.nodes[k].attr[0] not in used]
        items.append(item)
    program = replace(program, body=Region((*items, *waiting)))
    lives = _Lives(program)
    body = [lives.with_late_stores(item) if isinstance(item, Loop) else item for item in program.body.items]
    return replace(program, body=Region(tuple(body))).verify()


def _places(program: LoopProgram, item: int | Loop) -> set[int]:
    nodes = Region((item,)).nodes()
    return {program.nodes[k].attr[0] for k in nodes if program.nodes[k].op in ("put", "get")}


class _Lives:
    """The first and the last step that stores or loads each component, and which components are loaded at all."""

    def __init__(self, program: LoopProgram) -> None:
        self.program = program
        self.first: dict[Component, int] = {}
        self.last: dict[Component, int] = {}
        self.loaded: set[Component] = set()
        self.step = {item.number: n for n, item in enumerate(program.body.items) if isinstance(item, Loop)}
        #: The accesses of each step to a component, and the components that each case of a loop uses at its own row.
        self._of: dict[tuple[int, Component], list[int]] = {}
        self._orders: dict[int, list[list[Component]]] = {}
        for step, item in enumerate(program.body.items):
            for k in self.accesses(item):
                component = program.nodes[k].attr
                self._of.setdefault((step, component), []).append(k)
                self.first.setdefault(component, step)
                self.last[component] = step
                if program.nodes[k].op == "get":
                    self.loaded.add(component)

    def accesses(self, item: int | Loop) -> Iterator[int]:
        """The nodes that store or load components of records."""
        for k in Region((item,)).nodes():
            node = self.program.nodes[k]
            if node.op in ("put", "get") and not self.program.places[node.attr[0]].cell:
                yield k

    def at(self, k: int, loop: Loop) -> str:
        """The row of an access: the one that the loop is at ("own"), that row's parent ("parent"), or another ("")."""
        nodes = self.program.nodes
        row, own = nodes[nodes[k].args[0]], ("index", loop.number)
        if (row.op, row.attr) == own:
            return "own"
        if (row.op, row.attr) == ("lookup", "parent"):
            child = nodes[row.args[0]]
            if (child.op, child.attr) == own:
                return "parent"
        return ""

    def dies(self, component: Component, loop: Loop) -> bool:
        """Whether a component of a row is not used any more once a loop over rows has visited that row.

        A parent has a lower number than its children. So a downward loop visits it after them, and what they do to its
        record is done by then.
        """
        if loop.over != "rows" or self.last[component] != self.step[loop.number]:
            return False
        allowed = ("own", "parent") if loop.down else ("own",)
        mine = self._of[self.step[loop.number], component]
        return self.program.places[component[0]].per == "row" and all(self.at(k, loop) in allowed for k in mine)

    def is_born(self, component: Component, loop: Loop) -> bool:
        """Whether a loop over rows is the first step that uses a component, and only at its own row."""
        step = self.step[loop.number]
        return self.first[component] == step and all(self.at(k, loop) == "own" for k in self._of[step, component])

    def with_late_stores(self, loop: Loop) -> Loop:
        """The loop with the stores of components that are born in it behind the last use of those that die in it."""
        return replace(loop, cases=tuple(Region(tuple(self._late(case, loop))) for case in loop.cases))

    def _late(self, case: Region, loop: Loop) -> list[int | Loop]:
        """The items of a case in their new order."""
        nodes = self.program.nodes
        where = {k: n for n, item in enumerate(case.items) for k in self.accesses(item)}
        ends = [n for k, n in where.items() if self.at(k, loop) == "own" and self.dies(nodes[k].attr, loop)]
        if not ends:
            return list(case.items)
        late = [k for k, n in where.items() if k in case.items and n < max(ends) and self._can_wait(k, where, loop)]
        kept = [item for item in case.items if item not in late]
        behind = kept.index(case.items[max(ends)]) + 1
        return [*kept[:behind], *late, *kept[behind:]]

    def _can_wait(self, k: int, where: dict[int, int], loop: Loop) -> bool:
        """Whether a node stores a component that is born in the loop and is not used elsewhere in the case."""
        node = self.program.nodes[k]
        alone = all(self.program.nodes[other].attr != node.attr for other in where if other != k)
        return node.op == "put" and alone and self.is_born(node.attr, loop)

    def can_follow(self, component: Component, before: Component) -> bool:
        """Whether a component can take the position of one that dies in the loop in which it is born itself.

        In every case of the loop, the last use of the old one must come before the first store of the new one.
        """
        loop = self.program.body.items[self.first[component]]
        if not isinstance(loop, Loop) or not self.dies(before, loop) or not self.is_born(component, loop):
            return False
        return not any(
            component in order and before in order[order.index(component) :] for order in self._own_orders(loop)
        )

    def _own_orders(self, loop: Loop) -> list[list[Component]]:
        """The components that each case of a loop uses at its own row, in order."""
        if loop.number not in self._orders:
            self._orders[loop.number] = [
                [
                    self.program.nodes[k].attr
                    for item in case.items
                    for k in self.accesses(item)
                    if self.at(k, loop) == "own"
                ]
                for case in loop.cases
            ]
        return self._orders[loop.number]


def record_layout(program: LoopProgram) -> dict[Component, int]:
    """The position of each component in its record, a row's or scratch. Components that are never loaded have none.

    Two components share a position if one dies before the other is born: in an earlier step, or in the same loop, row
    by row.
    """
    lives = _Lives(program)
    layout: dict[Component, int] = {}
    taken: dict[str, list[Component]] = {}  # for each kind of record, the last component at each position
    for component in sorted(lives.loaded, key=lambda c: (lives.first[c], c)):
        holders = taken.setdefault(program.places[component[0]].per, [])
        for position, before in enumerate(holders):
            if lives.last[before] < lives.first[component] or lives.can_follow(component, before):
                holders[position] = component
                break
        else:
            position = len(holders)
            holders.append(component)
        layout[component] = position
    return layout


def record_sizes(program: LoopProgram) -> dict[str, int]:
    """How many numbers there are in the own record of a row, and in each kind of scratch record."""
    sizes = {"row": 0}
    for (place, _), position in record_layout(program).items():
        per = program.places[place].per
        sizes[per] = max(sizes.get(per, 0), position + 1)
    return sizes
