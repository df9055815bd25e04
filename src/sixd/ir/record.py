"""Recording of loop programs: the body of a loop runs once for each case, on a symbolic row.

A pure expression is recorded once; it is visible in its own loop and in the loops inside that. Loads are not pure. A
value that was stored or loaded in the current iteration is used again without a load, until there is a store to a row
that may be the same one.

A value that an earlier loop stored for the same row is computed again instead of loaded, where that is cheap: from
constants, the table, inputs, and sines and cosines, which are stored in its stead. The place of such a value must be
*steady*: a single loop stores to it, and only at its own row. A first recording finds the steady places
(`LoopRecorder.steady_places`), and a second one is told of them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any

from sixd.ir.loops import Loop, LoopProgram, Place, Region, ShapedPort, needed, only
from sixd.ir.primitives import PRIMITIVES
from sixd.ir.program import Node
from sixd.ir.refusals import TraceError
from sixd.ir.tracer import Recorder, Traced

__all__ = ["LoopRecorder"]


#: A value that takes more operations than this is loaded, not computed again.
CHEAP = 4


class _Open:
    """A region that is being recorded: a case of a loop. ``own`` is the loop's row, if the loop is over all rows.

    ``key`` identifies the region by its position among the loops recorded: the same in every recording.
    """

    def __init__(self, loop: int = -1, case: int = -1, key: tuple[Any, ...] = ()) -> None:
        self.loop, self.case, self.key = loop, case, key
        self.loops = self.places = 0  # how many of them were made in this region
        self.own: int | None = None
        self.items: list[int | Loop] = []
        self.index: dict[Any, int] = {}
        #: The values known to be stored at (place, row), by component; the row of a cell is -1.
        self.known: dict[tuple[int, int], list[Any]] = {}


class LoopRecorder(Recorder):
    """Records nodes into the innermost open region."""

    def __init__(self, steady: Container[Any] = ()) -> None:
        super().__init__()
        self.steady = steady
        self.place_keys: list[Any] = []
        #: For each place, the loops that stored to their own row of it; None stands for stores to other rows.
        self.stores: dict[int, set[int | None]] = {}
        #: Values that can be computed again: (place, component, case) -> (node, own row, loop).
        self.recipes: dict[tuple[int, int, int], tuple[int, int, int]] = {}
        #: The sines and cosines stored by (loop, case), each with its component in the loop's hidden place.
        self.kept: dict[tuple[int, int], dict[int, int]] = {}
        self.regions: list[_Open] = [_Open()]
        #: The region of each node; None for constants, which are visible everywhere.
        self.home: list[_Open | None] = []
        self.places: list[Place] = []
        #: The shapes of outputs.
        self.written: list[tuple[int | str, ...]] = []
        #: Pairs of rows that are never the same.
        self.distinct: set[frozenset[int]] = set()
        self.loops = 0

    # ---- pure nodes

    def add(self, op: str, *args: int, attr: Any = None) -> Traced:
        if op in PRIMITIVES and PRIMITIVES[op].commutes and args[0] > args[1]:
            args = (args[1], args[0])
        key = (op, args, attr)
        for region in reversed(self.regions):
            if key in region.index:
                return Traced(self, region.index[key])
        k = self.effect(op, *args, attr=attr)
        self.regions[-1].index[key] = k
        return Traced(self, k)

    def effect(self, op: str, *args: int, attr: Any = None) -> int:
        """Append a node to the innermost region, even if there is an equal one."""
        if self.comparisons and not self.comparisons.isdisjoint(args):
            args = self.numbers(op, args)
        for a in args:
            self.check(a)
        if op == "less":
            self.comparisons.add(len(self.nodes))
        self.nodes.append(Node(op, args, attr))
        self.home.append(self.regions[-1])
        self.regions[-1].items.append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def constant(self, x: float) -> int:
        before = len(self.nodes)
        k = super().constant(x)
        if k == before:
            self.home.append(None)
        return k

    def id(self, x: Any) -> int:
        k = super().id(x)
        self.check(k)
        return k

    def check(self, k: int) -> None:
        """Raise if a node belongs to a region that is closed."""
        home = self.home[k]
        if home is not None and home not in self.regions:
            raise TraceError("a value of one iteration is used in another: keep it in a slot or a cell")

    # ---- rows

    def row(self, op: str, *args: int, attr: Any = None) -> int:
        return self.add(op, *args, attr=attr).id

    def apart(self, *rows: int) -> None:
        """Note that no two of these rows are ever the same."""
        self.distinct.update(frozenset((a, b)) for a in rows for b in rows if a != b)

    def _may_be(self, a: int, b: int) -> bool:
        """Whether two rows may be the same one."""
        if a == b:
            return True
        na, nb = self.nodes[a], self.nodes[b]
        if na.op == nb.op == "row":
            return na.attr == nb.attr
        return frozenset((a, b)) not in self.distinct

    # ---- places

    def place(self, name: str, size: int, cell: bool = False) -> int:
        region = self.regions[-1]
        self.places.append(Place(name, size, cell))
        self.place_keys.append((*region.key, region.places))
        region.places += 1
        return len(self.places) - 1

    def put(self, place: int, row: int | None, values: Sequence[Any]) -> None:
        """Store numbers at a row of a place, or in a cell (row None)."""
        known = self.regions[-1].known
        where = (place, -1 if row is None else row)
        for other in [key for key in known if key[0] == place]:
            if row is None or self._may_be(other[1], row):
                del known[other]
        known[where] = list(values)
        rows = () if row is None else (row,)
        region = self.regions[-1]
        own = row is not None and row == region.own
        if row is not None and not self._is_base(row):
            self.stores.setdefault(place, set()).add(region.loop if own else None)
        for key in [key for key in self.recipes if key[0] == place and key[2] == region.case]:
            del self.recipes[key]
        for component, value in enumerate(values):
            node = self.id(value)
            if own and row is not None and self.place_keys[place] in self.steady and self._keep(node, row):
                self.recipes[place, component, region.case] = node, row, region.loop
            self.effect("put", *rows, node, attr=(place, component))

    def get(self, place: int, row: int | None, size: int) -> list[Any]:
        """The first ``size`` components at a row of a place, or in a cell (row None)."""
        known = self.regions[-1].known
        where = (place, -1 if row is None else row)
        if where not in known or len(known[where]) < size:
            known[where] = [self._load(place, row, k) for k in range(size)]
        return known[where][:size]

    def _load(self, place: int, row: int | None, component: int) -> Any:
        region = self.regions[-1]
        recipe = self.recipes.get((place, component, region.case))
        if row is None or row != region.own or recipe is None or recipe[2] == region.loop:
            rows = () if row is None else (row,)
            return Traced(self, self.effect("get", *rows, attr=(place, component)))
        node, old, loop = recipe
        return self._again(node, old, row, self.kept.get((loop, region.case), {}), _hidden(loop))

    def _is_base(self, row: int) -> bool:
        return self.nodes[row].op == "row" and self.nodes[row].attr == 0

    def steady_places(self) -> set[Any]:
        """The keys of places that a single loop stores to, and only at its own row or at the base."""
        found = {place for place, loops in self.stores.items() if None not in loops and len(loops) == 1}
        return {self.place_keys[place] for place in found}

    def _keep(self, k: int, own: int) -> bool:
        """Whether a value is cheap to compute again. If so, the sines and cosines that it needs are stored."""
        sines: list[int] = []
        if self._price(k, own, CHEAP, sines) > CHEAP:
            return False
        region = self.regions[-1]
        kept = self.kept.setdefault((region.loop, region.case), {})
        for sine in sines:
            if sine not in kept:
                kept[sine] = len(kept)
                self.effect("put", own, sine, attr=(_hidden(region.loop), kept[sine]))
        return True

    def _price(self, k: int, own: int, budget: float, sines: list[int]) -> float:
        """The number of operations that compute a value again; infinite beyond the budget. Appends to ``sines``."""
        node = self.nodes[k]
        if node.op == "const" or (node.op in ("table", "lookup") and node.args == (own,)):
            return 0
        if node.op in ("sin", "cos") and self.home[k] is self.regions[-1]:
            sines.append(k)
            return 0
        if node.op == "entry":
            rows = (a for a in node.args if self.nodes[a].op != "row" and a != own)
            return 0 if all(self._price(a, own, 0, sines) == 0 for a in rows) else inf
        if node.op not in ("add", "sub", "mul", "neg"):
            return inf
        price: float = 0 if node.op == "neg" else 1
        for a in node.args:
            if price > budget:
                return inf
            price += self._price(a, own, budget - price, sines)
        return price

    def _again(self, k: int, old: int, new: int, kept: dict[int, int], hidden: int) -> Any:
        """Compute a value again: the earlier loop calls its row ``old``, the current one calls the same row ``new``."""
        node = self.nodes[k]
        if k == old:
            return Traced(self, new)
        if node.op in ("const", "row"):
            return node.attr if node.op == "const" else Traced(self, k)
        if k in kept:
            key = ("kept", (new, hidden), kept[k])
            index = self.regions[-1].index
            if key not in index:
                index[key] = self.effect("get", new, attr=(hidden, kept[k]))
            return Traced(self, index[key])
        args = [self._again(a, old, new, kept, hidden) for a in node.args]
        return self.add(node.op, *(self.id(a) for a in args), attr=node.attr)

    # ---- outputs

    def output(self, *shape: int | str) -> int:
        """A new array to write to. `program` is told which of them are results."""
        self.written.append(shape)
        return len(self.written) - 1

    def write(self, output: int, rows: Sequence[int], offsets: Sequence[int], value: Any, add: bool = False) -> None:
        """Write a number to the entry rows + offsets (one of each for every axis), or add it to the entry."""
        self.effect("accumulate" if add else "write", *rows, self.id(value), attr=(output, tuple(offsets)))

    # ---- loops

    @contextmanager
    def case(self, loop: int, case: int, every: bool, first: bool) -> Iterator[_Open]:
        """Record into a new region, a case of a loop. ``every``: the loop is over all rows; ``first``: it begins."""
        around = self.regions[-1]
        if first:
            around.loops += 1
        region = _Open(loop, case, (*around.key, (around.loops, case)))
        self.regions.append(region)
        if every and len(self.regions) == 2:
            region.own = self.row("index", attr=loop)
        try:
            yield region
        finally:
            self.regions.pop()

    def close(
        self, number: int, over: str, cases: Sequence[_Open | None], down: bool, start: int | None, inclusive: bool
    ) -> None:
        """Append a finished loop to the region around it. None stands for a case that no row of the loop has.

        The loop may have stored to any row, so nothing is known of the workspace afterwards.
        """
        regions = tuple(Region(() if case is None else tuple(case.items)) for case in cases)
        self.regions[-1].items.append(Loop(number, over, down, start, inclusive, regions))
        self.regions[-1].known.clear()

    # ---- comparison

    def text(self, items: Sequence[int | Loop]) -> list[Any]:
        """What a region does, without the numbers of nodes, places and loops, which differ between recordings."""
        found: list[Any] = []
        for item in items:
            if isinstance(item, Loop):
                found.append(("loop", item.over, item.down, item.inclusive, *(self.text(c.items) for c in item.cases)))
                continue
            node = self.nodes[item]
            attr = node.attr[1] if node.op in ("put", "get", "write", "accumulate") else node.attr
            attr = None if node.op in ("index", "previous") else attr
            constants = tuple(repr(self.nodes[a].attr) for a in node.args if self.nodes[a].op == "const")
            found.append((node.op, attr, constants))
        return found

    # ---- the end

    def program(self, name: str, inputs: Sequence[ShapedPort], results: Sequence[tuple[str, int]]) -> LoopProgram:
        """The recorded program, without what no result needs. Results are pairs of a name and an `output`."""
        body = Region(tuple(self.regions[0].items))
        place = {output: k for k, (_, output) in enumerate(results)}
        if len(place) < len(results):
            raise TraceError("one result is returned twice")
        outputs = [ShapedPort(title, self.written[output]) for title, output in results]
        live = needed(self.nodes, body, place)
        nodes: list[Node] = []
        new: dict[int, int] = {}
        for k in (*(k for k, n in enumerate(self.nodes) if n.op == "const"), *body.nodes()):
            if k in live and k not in new:
                node = self.nodes[k]
                attr = (place[node.attr[0]], node.attr[1]) if node.op in ("write", "accumulate") else node.attr
                new[k] = len(nodes)
                nodes.append(Node(node.op, tuple(new[a] for a in node.args), attr))
        kept = only(body, new)
        used = [nodes[k] for k in new.values()]
        places = _number_places(nodes, self.places)
        columns = _names(used, "table")
        lookups = tuple(sorted({*_names(used, "lookup"), *_lookups(kept)}))
        shapes = (extent for port in (*inputs, *outputs) for extent in port.shape)
        extents = tuple(sorted({extent for extent in shapes if isinstance(extent, str)}))
        return LoopProgram(
            name, tuple(inputs), tuple(outputs), tuple(nodes), kept, places, columns, lookups,
            tuple(sorted(_sequences(kept))), _names(used, "named"), extents,
        ).verify()  # fmt: skip


def _hidden(loop: int) -> int:
    """The hidden place of a loop, for the sines and cosines that `_keep` stores. Only hidden places are negative."""
    return -1 - loop


def _number_places(nodes: list[Node], places: Sequence[Place]) -> tuple[Place, ...]:
    """Number the places in use from 0, and change the nodes accordingly."""
    used = sorted({node.attr[0] for node in nodes if node.op in ("put", "get")})
    sizes = {p: 1 + max(n.attr[1] for n in nodes if n.op in ("put", "get") and n.attr[0] == p) for p in used}
    for k, node in enumerate(nodes):
        if node.op in ("put", "get"):
            nodes[k] = Node(node.op, node.args, (used.index(node.attr[0]), node.attr[1]))
    return tuple(Place(places[p].name, sizes[p], places[p].cell) if p >= 0 else Place("kept", sizes[p]) for p in used)


def _lookups(region: Region) -> set[str]:
    """The lookups that loops use themselves, without a node."""
    loops = list(region.loops())
    needed = {"parent"} if any(loop.over == "chain" for loop in loops) else set()
    return needed | ({"case"} if any(len(loop.cases) > 1 for loop in loops) else set())


def _sequences(region: Region) -> set[str]:
    return {loop.over for loop in region.loops()} - {"rows", "chain"}


def _names(nodes: Sequence[Node], op: str) -> tuple[Any, ...]:
    return tuple(sorted({node.attr for node in nodes if node.op == op}))
