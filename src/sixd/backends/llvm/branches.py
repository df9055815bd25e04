"""Nodes of straight-line programs as LLVM assembly, with jumps over what no sample needs: `ir.passes.branches`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes
from sixd.ir.passes.branches import Branch, Items
from sixd.ir.program import Node

__all__ = ["Jumping"]


@dataclass(frozen=True)
class Jumping:
    """Emits nodes and branches one after the other.

    ``values`` has the values that are there already. ``value(k)`` is one of them, or one that is loaded and put there.
    ``emit(k, made)`` emits node k, or, if ``made`` is its value already, only notes it.
    """

    lanes: Lanes
    nodes: Sequence[Node]
    values: dict[int, Any]
    value: Callable[[int], Any]
    emit: Callable[[int, Any], None]

    def emit_items(self, items: Items) -> None:
        for item in items:
            if isinstance(item, Branch):
                for k, made in zip(item.selects, self._chosen(item), strict=True):
                    self.emit(k, made)
            else:
                self.emit(item, None)

    def _chosen(self, branch: Branch) -> list[Any]:
        """The values of the selects of a branch."""
        condition = self.value(branch.condition)
        flags = self.lanes.builder.bitcast(condition, ir.IntType(self.lanes.width))
        return self._of_one(branch, flags) if self.lanes.width == 1 else self._of_many(branch, condition, flags)

    def _of_one(self, branch: Branch, flag: Any) -> list[Any]:
        """One sample: one side is computed."""
        b, ends = self.lanes.builder, []
        with b.if_else(flag) as contexts:
            for side, context in enumerate(contexts):
                with context:
                    ends.append((self._side(branch, side), b.block))
        (first, after_first), (second, after_second) = ends
        return [self._merged((x, after_first), (y, after_second)) for x, y in zip(first, second, strict=True)]

    def _of_many(self, branch: Branch, condition: Any, flags: Any) -> list[Any]:
        """Many samples: a side is computed for all of them if one of them needs it."""
        b, sides = self.lanes.builder, []
        for side, if_none in enumerate((flags.type(0), flags.type(-1))):
            if not branch.sides[side]:
                sides.append(self._side(branch, side))
                continue
            before, unused = b.block, self.lanes.constant(0.0)
            with b.if_then(b.icmp_unsigned("!=", flags, if_none)):
                made, after = self._side(branch, side), b.block
            sides.append([self._merged((x, after), (unused, before)) for x in made])
        return [b.select(condition, x, y) for x, y in zip(*sides, strict=True)]

    def _side(self, branch: Branch, side: int) -> list[Any]:
        """What the selects take from one side. Values that are loaded or made in it are not there after it."""
        known = len(self.values)
        self.emit_items(branch.sides[side])
        found = [self.value(self.nodes[k].args[1 + side]) for k in branch.selects]
        while len(self.values) > known:
            self.values.popitem()
        return found

    def _merged(self, *choices: tuple[Any, ir.Block]) -> Any:
        """The value that was made on the way by which control came."""
        merged = self.lanes.builder.phi(choices[0][0].type)
        for value, block in choices:
            merged.add_incoming(value, block)
        return merged
