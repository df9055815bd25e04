"""Loop programs as C99: loops stay loops, and the table is in the file.

The workspace is the last argument, ``work``; the file defines its length as ``<NAME>_WORK``. It grows with the number
of rows, so the caller decides where it lies: nothing large is on the stack, and only constants are static. Calls may
run at the same time if each has a workspace of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from sixd.backends.c import RULES, Function, Picks, declare, identifier, number, to_c
from sixd.backends.printers import Printer, register
from sixd.ir import LoopProgram, Port, Table
from sixd.ir.loops import Loop, Region
from sixd.ir.passes import bind, cases_in, record_layout, record_sizes

__all__ = ["C", "loops_to_c"]


def loops_to_c(program: LoopProgram, table: Table, comment: str = "") -> str:
    """The program on one table as the text of a C file with one function of one state.

    ``void name(const double in[...], ..., double out[...], ..., double work[NAME_WORK])``: as `sixd.backends.c.to_c`
    has it, and the workspace, which may hold anything and must not overlap the other arrays.
    """
    inputs, outputs = (
        [Port(port.name, table.shape(port.shape), port.finite) for port in side]
        for side in (program.inputs, program.outputs)
    )
    function = Function(program.name, inputs, outputs)
    body = _Body(bind(program, table), table, function)
    lines = [f"double {cell} = 0.0;" for cell in body.cells.values()]
    lines += function.doubt()
    body.used.update(name for name, _ in function.finite)
    for name, port in zip(function.outputs, outputs, strict=True):  # what is never written is zero
        lines.append(f"for (long k0 = 0; k0 < {port.size}; k0++) {name}[k0] = 0.0;")
    lines += body.region(body.program.body)
    lines += function.overwrite()
    lines += [f"(void){name};" for name in (*function.inputs, body.work) if name not in body.used]
    length = identifier(f"{function.name}_WORK".upper(), function.taken)
    about = f"workspace of {length} numbers, of any value; calls at the same time need one each"
    function.argument("and", body.work, f"double {body.work}[{length}]", about)
    definitions = [f"#define {length} {max(body.length, 1)}", "", *body.constants(), *body.picks.definitions(), ""]
    return function.file(f"loops over {table.rows} rows.", comment, lines, definitions)


class _Body:
    """Writes the regions of a program. Node k is a variable t<k> (a number) or r<k> (a row); loop n is at row i<n>."""

    def __init__(self, program: LoopProgram, table: Table, function: Function) -> None:
        self.program, self.table, self.function = program, table, function
        self.nodes = {k: program.nodes[k] for k in program.body.nodes()}
        self.picks = Picks(function)
        self.work = identifier("work", function.taken)
        self.numbers = identifier(f"{function.name}_table", function.taken)
        columns = {n.attr for k, n in self.nodes.items() if n.op == "table" and self.fixed(k) is None}
        self.columns = [column for column in program.columns if column in columns]
        self.tables: dict[str, tuple[str, Sequence[int]]] = {}
        #: The row that each loop is at and the one before, as C text.
        self.at: dict[int, tuple[str, str]] = {}
        #: The arguments that the text uses.
        self.used: set[str] = set()
        cells = {n.attr for n in self.nodes.values() if n.op == "get" and program.places[n.attr[0]].cell}
        self.cells = {attr: "c{}_{}".format(*attr) for attr in sorted(cells)}
        self.layout = record_layout(program)
        self.areas: dict[str, tuple[int, int]] = {}  # where the records of a kind start, and the size of each
        self.length = 0
        for per, size in record_sizes(program).items():
            self.areas[per] = self.length, size
            self.length += size * (table.rows + 1 if per == "row" else table.extents[per])

    # ---- constants

    def constants(self) -> Iterator[str]:
        """The tables that the text uses: one of numbers, with a line for each row, and one for each kind of index."""
        if self.columns:
            named = groupby(self.columns, key=lambda column: column[0])
            yield f"/* {', '.join(' '.join([name, *(str(k) for _, k in group)]) for name, group in named)} */"
            yield f"static const double {self.numbers}[{self.table.rows + 1}][{len(self.columns)}] = {{"
            places = [self.program.columns.index(column) for column in self.columns]
            for row in self.table.numbers[:, places].tolist():
                yield f"    {{{', '.join(number(x).strip('()') for x in row)}}},"
            yield "};"
        for name, entries in self.tables.values():
            kind = "short" if max(entries) < 2**15 else "long"
            yield f"static const {kind} {name}[{len(entries)}] = {{"
            for k in range(0, len(entries), 20):
                yield f"    {', '.join(map(str, entries[k : k + 20]))},"
            yield "};"

    def indices(self, name: str) -> str:
        """The name, in C, of the table of a lookup or of a sequence. The table is added to the constants."""
        if name not in self.tables:
            p, t = self.program, self.table
            found = t.indices[:, p.lookups.index(name)] if name in p.lookups else t.sequences[p.sequences.index(name)]
            title = identifier(f"{self.function.name}_{name}", self.function.taken)
            self.tables[name] = title, np.asarray(found).tolist()
        return self.tables[name][0]

    # ---- nodes

    def region(self, region: Region) -> Iterator[str]:
        for item in region.items:
            yield from self.loop(item) if isinstance(item, Loop) else self.node(item)

    def fixed(self, k: int) -> float | None:
        """The number of a node that is a constant, or a number of the table at a fixed row; else None."""
        node = self.program.nodes[k]
        if node.op == "const":
            return float(node.attr)
        rows = [self.program.nodes[a] for a in node.args] if node.op == "table" else []
        found = [self.table.numbers[row.attr, self.program.columns.index(node.attr)] for row in rows if row.op == "row"]
        return float(found[0]) if found else None

    def value(self, k: int) -> str:
        """A node as an operand."""
        node, x = self.program.nodes[k], self.fixed(k)
        if x is not None:
            return number(x)
        if node.op == "row":
            return str(node.attr)
        if node.op == "named":
            return str(self.table.names[self.program.names.index(node.attr)])
        if node.op in ("index", "previous"):
            row, before = self.at[node.attr]
            return before if node.op == "previous" else row
        return f"r{k}" if node.op == "lookup" else f"t{k}"

    def node(self, k: int) -> Iterator[str]:
        """The statement of a node, if it needs one."""
        node = self.nodes[k]
        args = [self.value(a) for a in node.args]
        if node.op in RULES:
            yield declare(node.op, k, RULES[node.op](*self.picks.before(node), *args))
        elif node.op == "lookup":
            yield f"const long r{k} = {self.indices(node.attr)}[{args[0]}];"
        elif node.op == "table" and self.fixed(k) is None:
            yield declare(node.op, k, f"{self.numbers}[{args[0]}][{self.columns.index(node.attr)}]")
        elif node.op == "get":
            yield declare(node.op, k, self.place(node.attr, args))
        elif node.op == "put":
            *row, value = args
            yield f"{self.place(node.attr, row)} = {value};"
        elif node.op == "entry":
            port, offsets = node.attr
            yield declare(node.op, k, self.entry(True, port, offsets, args))
        elif node.op in ("write", "accumulate"):
            port, offsets = node.attr
            sign = "+=" if node.op == "accumulate" else "="
            yield f"{self.entry(False, port, offsets, args)} {sign} {args[-1]};"

    def place(self, attr: tuple[int, int], row: Sequence[str]) -> str:
        """A component of a place in C: a cell, or an entry of the workspace, in a record of the row."""
        if not row:
            return self.cells[attr]
        self.used.add(self.work)
        start, size = self.areas[self.program.places[attr[0]].per]
        return f"{self.work}[{_sum(start + self.layout[attr], [(size, row[0])])}]"

    def entry(self, inward: bool, port: int, offsets: Sequence[int], rows: Sequence[str]) -> str:
        """An entry of an input or output, in C order."""
        p, f = self.program, self.function
        names, ports = (f.inputs, p.inputs) if inward else (f.outputs, p.outputs)
        self.used.add(names[port])
        shape = self.table.shape(ports[port].shape)
        steps = [int(np.prod(shape[k + 1 :], dtype=int)) for k in range(len(shape))]
        start = sum(step * offset for step, offset in zip(steps, offsets, strict=True))
        return f"{names[port]}[{_sum(start, list(zip(steps, rows, strict=False)))}]"

    # ---- loops

    def loop(self, loop: Loop) -> Iterator[str]:
        i, p = f"i{loop.number}", f"p{loop.number}"
        self.at[loop.number] = ("0" if loop.over == "if" else i), (p if loop.over == "chain" else "0")
        yield self.control(loop)
        if loop.over in self.program.sequences and self.asked("index", loop):
            yield f"    const long i{loop.number} = {self.indices(loop.over)}[k{loop.number}];"
        for line in self.cases(loop):
            yield f"    {line}"
        yield "}"

    def asked(self, op: str, loop: Loop) -> bool:
        """Whether a loop needs the row that it is at (``op`` "index"), or the one before ("previous")."""
        own = any(node.op == op and node.attr == loop.number for node in self.nodes.values())
        return own or (op == "index" and len(cases_in(self.program, self.table, loop)) > 1)

    def control(self, loop: Loop) -> str:
        start = "" if loop.start is None else self.value(loop.start)
        i, p, k = (f"{letter}{loop.number}" for letter in "ipk")
        if loop.over == "if":
            return f"if ({start} != 0) {{"
        if loop.over == "chain":
            parent = self.indices("parent")
            first = start if loop.inclusive else f"{parent}[{start}]"
            before, step = (f"{p} = {start}, ", f"{p} = {i}, ") if self.asked("previous", loop) else ("", "")
            return f"for (long {before}{i} = {first}; {i} > 0; {step}{i} = {parent}[{i}]) {{"
        counter, low, high = (i, 1, self.table.rows)
        if loop.over != "rows":
            counter, low, high = k, 0, len(self.table.sequences[self.program.sequences.index(loop.over)]) - 1
        if loop.down:
            return f"for (long {counter} = {high}; {counter} >= {low}; {counter}--) {{"
        return f"for (long {counter} = {low}; {counter} <= {high}; {counter}++) {{"

    def cases(self, loop: Loop) -> Iterator[str]:
        present = cases_in(self.program, self.table, loop)
        if len(present) == 1:
            yield from self.region(loop.cases[present[0]])
            return
        yield f"switch ({self.indices('case')}[i{loop.number}]) {{"
        for case in present:
            yield f"case {case}: {{"
            for line in self.region(loop.cases[case]):
                yield f"    {line}"
            yield "    break;"
            yield "}"
        yield "}"


def _sum(constant: int, terms: Sequence[tuple[int, str]]) -> str:
    """constant + factor row + ... in C; a constant of 0 and factors of 1 are left out."""
    constant += sum(factor * int(row) for factor, row in terms if row.isdecimal())
    parts = [row if factor == 1 else f"{factor} * {row}" for factor, row in terms if not row.isdecimal()]
    if constant != 0 or not parts:
        parts.append(str(constant))
    return " + ".join(parts)


C = register(Printer("c", to_c, loops_to_c))
