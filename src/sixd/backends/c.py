"""Programs as C99: one function, no allocation, nothing but <math.h>. For controllers without Python or LLVM.

Straight-line programs are written here, loop programs in `sixd.backends.c_loops`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from sixd.ir import Node, Port, Program
from sixd.ops import Tabulated

__all__ = ["RULES", "Function", "Picks", "declare", "identifier", "number", "to_c"]

#: Each primitive in C. A fused multiply-add is rounded twice, as in the interpreter.
RULES: dict[str, Callable[..., str]] = {
    "add": "{} + {}".format,
    "sub": "{} - {}".format,
    "mul": "{} * {}".format,
    "div": "{} / {}".format,
    "fma": "{} * {} + {}".format,
    "neg": "-{}".format,
    "abs": "fabs({})".format,
    "sqrt": "sqrt({})".format,
    "floor": "floor({})".format,
    "sin": "sin({})".format,
    "cos": "cos({})".format,
    "arctan2": "atan2({}, {})".format,
    "less": "{} < {}".format,
    "select": "{} ? {} : {}".format,
    "pick": "{}({}, {}, {})".format,
}

#: Forbids compilers to fuse multiplications and additions. gcc would warn of the pragma; with -std=c99 it fuses none.
_HEAD = """\
#include <math.h>

#if !defined(__GNUC__) || defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
"""

#: Keywords, and names of the C library that compilers know without a declaration.
_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    HUGE_VAL INFINITY NAN abort abs asm calloc clock div exit free gamma j0 j1 jn labs ldiv main malloc memcmp memcpy
    memmove memset printf putchar puts raise rand realloc remove rename scanf signal strlen system time y0 y1 yn
"""
#: Functions of <math.h>. Each exists with the endings f and l, too.
_MATH = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
    nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc
"""
_RESERVED = {*_WORDS.split(), *(name + ending for name in _MATH.split() for ending in ("", "f", "l"))}
#: Names of local variables in the functions written here.
_LOCAL = re.compile(r"[cikprt]\d+(_\d+)?")


def to_c(program: Program, comment: str = "", hidden: bool = False) -> str:
    """The program as the text of a C file with one function of one state.

    ``void name(const double in[...], ..., double out[...], ...)``: inputs in order, then outputs, each an array in C
    order; outputs must not overlap inputs. A ``hidden`` function is static: only this file knows it.
    """
    function = Function(program.name, program.inputs, program.outputs, hidden)
    picks = Picks(function)
    lines = []
    for k, node in enumerate(program.nodes):
        if node.op == "const":
            continue
        if node.op == "input":
            port, entry = node.attr
            text = f"{function.inputs[port]}[{entry}]"
        else:
            text = RULES[node.op](*picks.before(node), *(_operand(program, a) for a in node.args))
        lines.append(declare(node.op, k, text))
    for name, entries in zip(function.outputs, program.results, strict=True):
        lines += [f"{name}[{k}] = {_operand(program, e)};" for k, e in enumerate(entries)]
    lines = [*function.doubt(), *lines, *function.overwrite()]
    used = {node.attr[0] for node in program.nodes if node.op == "input"}
    used |= {p for p, port in enumerate(program.inputs) if port.finite}
    lines += [f"(void){name};" for p, name in enumerate(function.inputs) if p not in used]
    return function.file(f"{program.operations} operations.", comment, lines, list(picks.definitions()))


def declare(op: str, k: int, text: str) -> str:
    """The declaration of node k as a variable t<k>."""
    return f"const {'int' if op == 'less' else 'double'} t{k} = {text};"


def _operand(program: Program, k: int) -> str:
    node = program.nodes[k]
    return number(node.attr) if node.op == "const" else f"t{k}"


def number(x: float) -> str:
    """A number as an operand. The C compiler reads it back to the same bits."""
    if math.isnan(x):
        return "NAN"
    if math.isinf(x):
        return "HUGE_VAL" if x > 0 else "(-HUGE_VAL)"
    text = repr(float(x))
    return f"({text})" if math.copysign(1.0, x) < 0 else text


def identifier(name: str, taken: set[str], ending: str = "_") -> str:
    """A name like this one that C allows and that is not taken yet. It is added to ``taken``."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    text = text if re.match(r"[A-Za-z]", text) else f"f_{text}"
    while text in taken or text in _RESERVED or _LOCAL.fullmatch(text):
        text += ending
    taken.add(text)
    return text


class Function:
    """A C function of one state: the names of its arguments, and the file around it."""

    def __init__(self, name: str, inputs: Sequence[Port], outputs: Sequence[Port], hidden: bool = False) -> None:
        self.linkage = "static " if hidden else ""
        self.taken: set[str] = set()
        self.name = identifier(name, self.taken)
        self.inputs = [identifier(p.name, self.taken) for p in inputs]
        self.outputs = [identifier(p.name, self.taken, "_out") for p in outputs]
        self.finite = [(n, p.size) for n, p in zip(self.inputs, inputs, strict=True) if p.finite]
        self.results = [(n, p.size) for n, p in zip(self.outputs, outputs, strict=True)]
        self.sum = identifier("doubt", self.taken)
        self.arguments: list[str] = []
        self.described: list[str] = []
        for n, port in zip(self.inputs, inputs, strict=True):
            self.argument("in ", n, f"const double {n}[{max(port.size, 1)}]", _shape(port))
        for n, port in zip(self.outputs, outputs, strict=True):
            self.argument("out", n, f"double {n}[{max(port.size, 1)}]", _shape(port))

    def doubt(self) -> Iterator[str]:
        """Statements that sum 0 x over all inputs that must be finite: the sum is 0 if they are, else NaN."""
        if self.finite:
            yield f"double {self.sum} = 0.0;"
        for name, size in self.finite:
            yield f"for (long k0 = 0; k0 < {size}; k0++) {self.sum} += 0.0 * {name}[k0];"

    def overwrite(self) -> Iterator[str]:
        """Statements that set all results to NaN if the sum of `doubt` is NaN."""
        for name, size in self.results if self.finite else ():
            yield f"if ({self.sum} != 0.0) for (long k0 = 0; k0 < {size}; k0++) {name}[k0] = NAN;"

    def argument(self, side: str, name: str, declaration: str, described: str) -> None:
        """Add an argument."""
        self.arguments.append(declaration)
        self.described.append(f"{side} {name}: {described}")

    def file(self, title: str, comment: str, body: Iterable[str], definitions: Sequence[str] = ()) -> str:
        """The text of the file: a comment, definitions, the function."""
        about = [f"{self.name}: {title}", *self.described, *comment.splitlines()]
        about = [line.replace("*/", "* /").replace("/*", "/ *") for line in about]
        lines = ["\n * ".join([f"/* {about[0]}", *about[1:]]), " */", _HEAD, *definitions]
        face = f"{self.linkage}void {self.name}({', '.join(self.arguments)})"
        return "\n".join([*lines, f"{face};", "", face, "{", *(f"    {line}" for line in body), "}", ""])


class Picks:
    """The tables that a C function looks into: constant arrays, and a function that looks numbers up."""

    def __init__(self, function: Function) -> None:
        self.function, self.tables = function, dict[Tabulated, str]()
        self.name = ""

    def before(self, node: Node) -> tuple[str, ...]:
        """What comes before the operands of a node: of a "pick" the function that looks up, table and last place."""
        if node.op != "pick":
            return ()
        (table,) = node.tables
        self.name = self.name or identifier(f"{self.function.name}_pick", self.function.taken)
        if table not in self.tables:
            self.tables[table] = identifier(f"{self.function.name}_table", self.function.taken)
        return self.name, self.tables[table], f"{table.array.size - 1}.0"

    def definitions(self) -> Iterator[str]:
        """The tables and the function."""
        if not self.tables:
            return
        yield f"static double {self.name}(const double *table, double last, double place)"
        yield "{"
        yield "    if (place != place) return place;"
        yield "    return table[(long)(place < 0.0 ? 0.0 : place > last ? last : place)];"
        yield "}"
        for table, name in self.tables.items():
            numbers = [number(x).strip("()") for x in table.array.ravel().tolist()]
            yield f"static const double {name}[{len(numbers)}] = {{"
            for k in range(0, len(numbers), 8):
                yield f"    {', '.join(numbers[k : k + 8])},"
            yield "};"


def _shape(port: Port) -> str:
    return " x ".join(map(str, port.shape)) or "one number"
