"""Finds what only one side of a `select` needs, so that machine code can jump over it.

A program computes both sides of `where(c, x, y)`. Where one side takes long and nothing else needs it, code may look at
c first: a processor that guesses c right goes on with the other side at once, and does not wait for c. Selects that
follow one another and have the same condition make one *branch*: all of them are decided by one jump.

The numbers are the same to the bit: a jump leaves out only what a select would throw away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sixd.ir.program import Node

__all__ = ["Branch", "Items", "with_branches"]

#: What an operation costs, about: the time until its result is there, in times of an addition. Others cost one.
COSTS = {"div": 4, "sqrt": 5, "arctan2": 20, "const": 0, "input": 0, "neg": 0, "pick": 10}
#: A side that costs less is computed anyway: a wrong guess costs the processor as much.
WORTH = 8


@dataclass(frozen=True)
class Branch:
    """Selects with one condition. ``sides`` are the nodes that only their second, or only their third operands need."""

    condition: int
    selects: tuple[int, ...]
    sides: tuple[Items, Items]


#: Nodes in the order in which they run; a branch stands for its selects and for the nodes of its sides.
Items = tuple[int | Branch, ...]


def with_branches(nodes: Sequence[Node], order: Sequence[int], kept: Iterable[int]) -> Items:
    """Nodes in this order, with branches where they are worth it. ``kept`` are nodes whose values are needed later."""
    if not any(nodes[k].op == "select" for k in order):
        return tuple(order)
    uses = Counter(a for k in order for a in nodes[k].args)
    uses.update(set(kept))
    return _Level(nodes, uses, order).items()


class _Level:
    """The nodes of a program, or of one side of a branch, in order."""

    def __init__(self, nodes: Sequence[Node], uses: Counter[int], order: Sequence[int]) -> None:
        self.nodes, self.uses, self.order = nodes, uses, order
        #: The nodes that are not in a side of a branch of this level.
        self.here = set(order)

    def items(self) -> Items:
        """The order with branches. What a side of a later branch needs may be a branch itself: that is nested."""
        found: dict[int, Branch] = {}  # by the last of their selects, where the others are ready, too
        for selects in reversed(self._groups()):
            members = [k for k in selects if k in self.here]
            if not members:
                continue
            sides = [self._only_for(members, side) for side in (1, 2)]
            if max(map(self._cost, sides)) < WORTH:
                continue
            self.here.difference_update(*sides, members[:-1])
            nested = [_Level(self.nodes, self.uses, side).items() for side in sides]
            found[members[-1]] = Branch(self.nodes[members[-1]].args[0], tuple(members), (nested[0], nested[1]))
        return tuple(found.get(k, k) for k in self.order if k in self.here)

    def _groups(self) -> list[list[int]]:
        """Selects with the same condition, up to the first use of one of them; by their last select."""
        open_groups: dict[int, list[int]] = {}  # by condition
        condition: dict[int, int] = {}  # of selects in open groups
        closed: list[list[int]] = []
        for k in self.order:
            node = self.nodes[k]
            for a in node.args:
                if a in condition:
                    group = open_groups.pop(condition[a])
                    closed.append(group)
                    for member in group:
                        del condition[member]
            if node.op == "select":
                open_groups.setdefault(node.args[0], []).append(k)
                condition[k] = node.args[0]
        return sorted([*closed, *open_groups.values()], key=lambda group: group[-1])

    def _only_for(self, selects: Sequence[int], side: int) -> list[int]:
        """The nodes of this level that nothing needs but one side of selects, in order."""
        counted: Counter[int] = Counter()
        found: list[int] = []
        todo = [self.nodes[k].args[side] for k in selects]
        while todo:
            k = todo.pop()
            counted[k] += 1
            if counted[k] == self.uses[k] and k in self.here:
                found.append(k)
                todo.extend(self.nodes[k].args)
        return sorted(found)

    def _cost(self, some: Iterable[int]) -> int:
        return sum(COSTS.get(self.nodes[k].op, 1) for k in some)
