"""Where the values of a row lie in its record: values that are not needed at the same time share a place."""

from __future__ import annotations

from dataclasses import replace

from sixd.ir.loops import Loop, LoopProgram, Region

__all__ = ["record_layout", "record_sizes", "sink_stores"]

Component = tuple[int, int]


def sink_stores(program: LoopProgram) -> LoopProgram:
    """Move stores outside of loops (to the base) to just before the first loop that works on the same place."""
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
    return replace(program, body=Region((*items, *waiting))).verify()


def _places(program: LoopProgram, item: int | Loop) -> set[int]:
    nodes = Region((item,)).nodes()
    return {program.nodes[k].attr[0] for k in nodes if program.nodes[k].op in ("put", "get")}


def record_layout(program: LoopProgram) -> dict[Component, int]:
    """The place of each component that is loaded, in the record of its row or slot.

    A component is alive from the first step of the program (a loop, or a node outside of loops) that works on it to
    the last one that loads it. Two components share a place if one is dead before the other is born.
    """
    first: dict[Component, int] = {}
    last: dict[Component, int] = {}
    for step, item in enumerate(program.body.items):
        for k in Region((item,)).nodes():
            node = program.nodes[k]
            if node.op in ("put", "get") and not program.places[node.attr[0]].cell:
                first.setdefault(node.attr, step)
                if node.op == "get":
                    last[node.attr] = step
    layout: dict[Component, int] = {}
    taken: dict[str, list[int]] = {}  # for each position of a record, the last step at which it is taken
    for component in sorted(last, key=lambda c: (first[c], c)):
        ends = taken.setdefault(program.places[component[0]].per, [])
        place = next((k for k, end in enumerate(ends) if end < first[component]), len(ends))
        if place == len(ends):
            ends.append(0)
        ends[place] = last[component]
        layout[component] = place
    return layout


def record_sizes(program: LoopProgram) -> dict[str, int]:
    """How many numbers the record of a row and of each kind of slot has."""
    sizes = {"row": 0}
    for (place, _), position in record_layout(program).items():
        per = program.places[place].per
        sizes[per] = max(sizes.get(per, 0), position + 1)
    return sizes
