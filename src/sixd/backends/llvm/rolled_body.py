"""Loop programs as LLVM assembly: the same machine code for any number of rows.

All that depends on the table comes through ``data``, the words of `sixd.backends.llvm.rolled_data`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes, sincos
from sixd.backends.llvm.emit import RULES
from sixd.backends.llvm.gufunc_loop import BYTE, I64
from sixd.backends.llvm.rolled_data import FIRST, SPARE
from sixd.ir.loops import Loop, LoopProgram, Region
from sixd.ir.passes import record_layout, record_sizes

__all__ = ["Words", "emit_body"]

WORDS = I64.as_pointer()


class Words:
    """Emits code that reads the words of ``data``."""

    def __init__(self, program: LoopProgram, builder: ir.IRBuilder, data: Any) -> None:
        self.program, self.b = program, builder
        self.data = builder.bitcast(data, WORDS)

    def _load(self, k: int) -> Any:
        return self.b.load(self.b.gep(self.data, [I64(k)]))

    def spare(self, kind: str) -> Any:
        """The address of the word that holds a workspace not in use."""
        return self.b.gep(self.data, [I64(SPARE[kind])])

    def numbers(self, real: Any) -> Any:
        return self.b.inttoptr(self._load(0), real.as_pointer())

    def indices(self) -> Any:
        return self.b.inttoptr(self._load(1), WORDS)

    def rows(self) -> Any:
        return self._load(2)

    def extent(self, n: int | str) -> Any:
        return I64(n) if isinstance(n, int) else self._load(FIRST + self.program.extents.index(n))

    def count(self, per: str) -> Any:
        """The number of records of a kind: one for each row, the base included, or the scratch records."""
        return self.b.add(self.rows(), I64(1)) if per == "row" else self.extent(per)

    def sequence(self, name: str) -> tuple[Any, Any]:
        k = FIRST + len(self.program.extents) + 2 * self.program.sequences.index(name)
        return self.b.inttoptr(self._load(k), WORDS), self._load(k + 1)

    def named(self, name: str) -> Any:
        p = self.program
        return self._load(FIRST + len(p.extents) + 2 * len(p.sequences) + p.names.index(name))


def emit_body(module: ir.Module, program: LoopProgram, lanes: Lanes, name: str) -> ir.Function:
    """void body(in..., out..., numbers, indices, data, work): arrays of vectors over the lanes, in C order.

    ``work``, the workspace, has a record for each row, the base included, then scratch records. Outputs must hold zeros
    if the program does not write all of their entries.
    """
    ports = len(program.inputs) + len(program.outputs)
    vector = lanes.type.as_pointer()
    kinds = [vector] * ports + [lanes.real.as_pointer(), WORDS, BYTE, vector]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), kinds), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    for pointer in function.args:
        pointer.add_attribute("noalias")
    lanes.builder = ir.IRBuilder(function.append_basic_block())
    _Body(program, lanes, function).run()
    return function


class _Body:
    """Emits the regions of a program into a function."""

    def __init__(self, program: LoopProgram, lanes: Lanes, function: ir.Function) -> None:
        self.program, self.lanes, self.function = program, lanes, function
        self.b = lanes.builder
        n_in, n_out = len(program.inputs), len(program.outputs)
        self.inputs, self.outputs = function.args[:n_in], function.args[n_in : n_in + n_out]
        self.numbers, self.indices, data, self.work = function.args[n_in + n_out :]
        self.words = Words(program, self.b, data)
        self.layout = record_layout(program)
        self.cells: dict[tuple[int, int], Any] = {}
        self.values: dict[int, Any] = {}
        self.trigonometry: list[dict[int, tuple[Any, Any]]] = []
        self.at: dict[int, tuple[Any, Any]] = {}
        self.extents = {n: self.words.extent(n) for n in program.extents}
        self.rows = self.words.rows()
        self.areas = {}
        start: Any = I64(0)
        for per, size in record_sizes(program).items():
            self.areas[per] = self.b.gep(self.work, [start]), size
            start = self.b.add(start, self.b.mul(self.words.count(per), I64(size)))

    def run(self) -> None:
        self.region(self.program.body)
        self.b.ret_void()

    def region(self, region: Region) -> None:
        self.trigonometry.append({})
        for item in region.items:
            if isinstance(item, Loop):
                self.loop(item)
            else:
                self.values[item] = self.node(item)
        self.trigonometry.pop()

    # ---- nodes

    def value(self, k: int) -> Any:
        node = self.program.nodes[k]
        return self.lanes.constant(node.attr) if node.op == "const" else self.values[k]

    def node(self, k: int) -> Any:
        node, b = self.program.nodes[k], self.b
        args = [self.value(a) for a in node.args]
        if node.op in ("sin", "cos"):
            sine, cosine = self.sincos(node.args[0])
            return cosine if node.op == "cos" else sine
        if node.op in RULES:
            return RULES[node.op](self.lanes, *node.tables, *args)
        if node.op == "row":
            return I64(node.attr)
        if node.op in ("index", "previous"):
            row, before = self.at[node.attr]
            return before if node.op == "previous" else row
        if node.op == "lookup":
            return self.lookup(args[0], node.attr)
        if node.op == "named":
            return self.words.named(node.attr)
        if node.op == "table":
            columns = self.program.columns
            place = b.add(b.mul(args[0], I64(len(columns))), I64(columns.index(node.attr)))
            return self.lanes.spread(b.load(b.gep(self.numbers, [place])))
        if node.op == "get":
            return self.load(self.place(node.attr, args))
        if node.op == "put":
            *row, value = args
            if self.program.places[node.attr[0]].cell or node.attr in self.layout:
                self.store(value, self.place(node.attr, row))
            return None
        number, offsets = node.attr
        return self.port(node.op, number, offsets, args)

    def sincos(self, angle: int) -> tuple[Any, Any]:
        """Sine and cosine of an angle. They are computed together, once for a region and the loops inside it."""
        for known in self.trigonometry:
            if angle in known:
                return known[angle]
        self.trigonometry[-1][angle] = sincos(self.lanes, self.value(angle))
        return self.trigonometry[-1][angle]

    def lookup(self, row: Any, name: str) -> Any:
        lookups = self.program.lookups
        place = self.b.add(self.b.mul(row, I64(len(lookups))), I64(lookups.index(name)))
        return self.b.load(self.b.gep(self.indices, [place]))

    def place(self, attr: tuple[int, int], row: Sequence[Any]) -> Any:
        if row:
            area, size = self.areas[self.program.places[attr[0]].per]
            return self.b.gep(area, [self.b.add(self.b.mul(row[0], I64(size)), I64(self.layout[attr]))])
        if attr not in self.cells:
            with self.b.goto_entry_block():
                self.cells[attr] = self.b.alloca(self.lanes.type)
        return self.cells[attr]

    def load(self, place: Any) -> Any:
        return self.b.load(place)

    def store(self, value: Any, place: Any) -> None:
        self.b.store(value, place)

    def port(self, op: str, port: int, offsets: Sequence[int], args: Sequence[Any]) -> Any:
        """Load an entry of an input, or store one of an output; entries are in C order."""
        b = self.b
        declared = self.program.inputs if op == "entry" else self.program.outputs
        place: Any = I64(0)
        for row, offset, extent in zip(args, offsets, declared[port].shape, strict=False):
            step = self.extents[extent] if isinstance(extent, str) else I64(extent)
            place = b.add(b.mul(place, step), b.add(row, I64(offset)))
        pointer = b.gep((self.inputs if op == "entry" else self.outputs)[port], [place])
        if op == "entry":
            return self.load(pointer)
        value = args[-1]
        self.store(b.fadd(self.load(pointer), value) if op == "accumulate" else value, pointer)
        return None

    # ---- loops

    def loop(self, loop: Loop) -> None:
        """Emit a loop. Its counter is in memory; a pass of LLVM moves it to a register."""
        b = self.b
        if loop.over == "if":
            assert loop.start is not None
            with b.if_then(b.icmp_signed("!=", self.values[loop.start], I64(0))):
                self.region(loop.cases[0])
            return
        with b.goto_entry_block():
            counter, before = b.alloca(I64), b.alloca(I64)
        first, test, step, fetch = self.control(loop, counter, before)
        head, body, after = (b.append_basic_block() for _ in range(3))
        first()
        b.branch(head)
        b.position_at_end(head)
        b.cbranch(test(), body, after)
        b.position_at_end(body)
        self.at[loop.number] = fetch()
        self.cases(loop)
        step()
        b.branch(head)
        b.position_at_end(after)

    def control(self, loop: Loop, counter: Any, before: Any) -> tuple[Any, Any, Any, Any]:
        """Functions that emit the parts of a loop: start, condition, step, and the current row with the one before."""
        b, rows = self.b, self.rows
        if loop.over == "chain":
            assert loop.start is not None
            start = self.values[loop.start]

            def begin() -> None:
                b.store(start, before)
                b.store(start if loop.inclusive else self.lookup(start, "parent"), counter)

            def go_on() -> None:
                row = b.load(counter)
                b.store(row, before)
                b.store(self.lookup(row, "parent"), counter)

            return (
                begin,
                lambda: b.icmp_signed(">", b.load(counter), I64(0)),
                go_on,
                lambda: (b.load(counter), b.load(before)),
            )
        if loop.over == "rows":
            low, high, entries = I64(1), rows, None
        else:
            entries, length = self.words.sequence(loop.over)
            low, high = I64(0), b.sub(length, I64(1))

        def fetch() -> tuple[Any, Any]:
            k = b.load(counter)
            return k if entries is None else b.load(b.gep(entries, [k])), I64(0)

        return (
            lambda: b.store(high if loop.down else low, counter),
            lambda: b.icmp_signed(">=" if loop.down else "<=", b.load(counter), low if loop.down else high),
            lambda: b.store(b.add(b.load(counter), I64(-1 if loop.down else 1)), counter),
            fetch,
        )

    def cases(self, loop: Loop) -> None:
        b = self.b
        if len(loop.cases) == 1:
            self.region(loop.cases[0])
            return
        which = self.lookup(self.at[loop.number][0], "case")
        after, blocks = b.append_basic_block(), [b.append_basic_block() for _ in loop.cases]
        switch = b.switch(which, blocks[0])
        for k, (block, region) in enumerate(zip(blocks, loop.cases, strict=True)):
            if k > 0:  # case 0 is the default
                switch.add_case(I64(k), block)
            b.position_at_end(block)
            self.region(region)
            b.branch(after)
        b.position_at_end(after)
