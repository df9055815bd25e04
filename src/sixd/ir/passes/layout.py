"""Where the values of a row lie in its record: values that are not needed at the same time share a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sixd.ir.loops import Loop, LoopProgram, Region

__all__ = ["record_layout", "record_sizes", "sink_stores"]

#: A place and the number of a component.
Component = tuple[int, int]


def sink_stores(program: LoopProgram) -> LoopProgram:
    """Move stores to where they are needed.

    Those outside of loops (to the base) go to just before the first loop that works on the same place. In a loop over
    rows those of new values go behind the last use of values that die in it, so that they can take their places.
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
    """From which step of a program (a loop, or a node outside of loops) to which a component is worked on."""

    def __init__(self, program: LoopProgram) -> None:
        self.program = program
        self.first: dict[Component, int] = {}
        self.last: dict[Component, int] = {}
        self.loaded: set[Component] = set()
        self.step = {item.number: n for n, item in enumerate(program.body.items) if isinstance(item, Loop)}
        for step, item in enumerate(program.body.items):
            for k in self.accesses(item):
                component = program.nodes[k].attr
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
        """Whether an access is at the row that a loop is at ("own"), at its parent's, or elsewhere ("")."""
        nodes = self.program.nodes
        row = nodes[nodes[k].args[0]]
        if (row.op, row.attr) == ("index", loop.number):
            return "own"
        above = nodes[row.args[0]] if (row.op, row.attr) == ("lookup", "parent") else row
        return "parent" if (above.op, above.attr) == ("index", loop.number) and above is not row else ""

    def dies(self, component: Component, loop: Loop) -> bool:
        """Whether nothing works on a component of a row once a loop over rows has done with that row.

        Parents have lower numbers: on the way down they come later, so what is done to them is not done any more.
        """
        if loop.over != "rows" or self.last[component] != self.step[loop.number]:
            return False
        allowed = ("own", "parent") if loop.down else ("own",)
        mine = (k for k in self.accesses(loop) if self.program.nodes[k].attr == component)
        return self.program.places[component[0]].per == "row" and all(self.at(k, loop) in allowed for k in mine)

    def is_born(self, component: Component, loop: Loop) -> bool:
        """Whether a loop over rows is the first that works on a component, each row on its own."""
        mine = [k for k in self.accesses(loop) if self.program.nodes[k].attr == component]
        return self.first[component] == self.step[loop.number] and all(self.at(k, loop) == "own" for k in mine)

    def with_late_stores(self, loop: Loop) -> Loop:
        """The loop with the first stores of its new components behind the last use of those that die."""
        return replace(loop, cases=tuple(Region(tuple(self._late(case, loop))) for case in loop.cases))

    def _late(self, case: Region, loop: Loop) -> list[int | Loop]:
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
        """Whether a node is the only one in its case that works on a component, and stores it first."""
        node = self.program.nodes[k]
        alone = all(self.program.nodes[other].attr != node.attr for other in where if other != k)
        return node.op == "put" and alone and self.is_born(node.attr, loop)

    def can_follow(self, component: Component, before: Component) -> bool:
        """Whether a component can have the place of one that dies in the loop that it is born in.

        In every case of the loop the old one must have been used before the new one is stored.
        """
        loop = self.program.body.items[self.first[component]]
        if not isinstance(loop, Loop) or not self.dies(before, loop) or not self.is_born(component, loop):
            return False
        for case in loop.cases:
            order = [k for item in case.items for k in self.accesses(item) if self.at(k, loop) == "own"]
            kinds = [self.program.nodes[k].attr for k in order]
            if component in kinds and before in kinds[kinds.index(component) :]:
                return False
        return True


def record_layout(program: LoopProgram) -> dict[Component, int]:
    """The place of each component that is loaded, in the record of its row or slot.

    Two components share a place if one is dead before the other is born: in a step of the program before, or in the
    same loop, row by row.
    """
    lives = _Lives(program)
    layout: dict[Component, int] = {}
    taken: dict[str, list[Component]] = {}  # for each position of a record, the last component that had it
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
    """How many numbers the record of a row and of each kind of slot has."""
    sizes = {"row": 0}
    for (place, _), position in record_layout(program).items():
        per = program.places[place].per
        sizes[per] = max(sizes.get(per, 0), position + 1)
    return sizes
