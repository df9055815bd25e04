"""Programs as C99: one function, no allocation, nothing but <math.h>. For controllers without Python or LLVM."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from sixd.ir import Port, Program

__all__ = ["to_c"]

#: What each primitive is in C.
RULES: dict[str, Callable[..., str]] = {
    "add": "{} + {}".format,
    "sub": "{} - {}".format,
    "mul": "{} * {}".format,
    "div": "{} / {}".format,
    "fma": "{} * {} + {}".format,
    "neg": "-{}".format,
    "abs": "fabs({})".format,
    "sqrt": "sqrt({})".format,
    "sin": "sin({})".format,
    "cos": "cos({})".format,
    "arctan2": "atan2({}, {})".format,
    "less": "{} < {}".format,
    "select": "{} ? {} : {}".format,
}


def to_c(program: Program, comment: str = "") -> str:
    """The program as the text of a C file with one function of one state.

    ``void name(const double in[...], ..., double out[...], ...)``: inputs in order, then outputs, each an array in C
    order; outputs must not overlap inputs.
    """
    name = _identifier(program.name)
    inputs = [(_identifier(p.name), p) for p in program.inputs]
    outputs = [(_identifier(p.name), p) for p in program.outputs]
    taken = [n for n, _ in inputs]
    outputs = [(n if n not in taken else f"{n}_out", p) for n, p in outputs]
    arguments = [f"const double {n}[{max(p.size, 1)}]" for n, p in inputs]
    arguments += [f"double {n}[{max(p.size, 1)}]" for n, p in outputs]
    lines = [f"/* {name}: {program.operations} operations.", *_described(inputs, outputs), *_wrapped(comment), " */"]
    lines += ["#include <math.h>", "", f"void {name}({', '.join(arguments)});", ""]
    lines += [f"void {name}({', '.join(arguments)})", "{"]
    for k, node in enumerate(program.nodes):
        if node.op == "const":
            continue
        if node.op == "input":
            port, entry = node.attr
            text = f"{inputs[port][0]}[{entry}]"
        else:
            text = RULES[node.op](*(_operand(program, a) for a in node.args))
        kind = "int" if node.op == "less" else "double"
        lines.append(f"    const {kind} t{k} = {text};")
    for (n, _), entries in zip(outputs, program.results, strict=True):
        lines += [f"    {n}[{k}] = {_operand(program, e)};" for k, e in enumerate(entries)]
    used = {node.attr[0] for node in program.nodes if node.op == "input"}
    lines += [f"    (void){n};" for p, (n, _) in enumerate(inputs) if p not in used]
    return "\n".join([*lines, "}", ""])


def _operand(program: Program, k: int) -> str:
    node = program.nodes[k]
    if node.op != "const":
        return f"t{k}"
    if math.isnan(node.attr):
        return "NAN"
    if math.isinf(node.attr):
        return "HUGE_VAL" if node.attr > 0 else "(-HUGE_VAL)"
    text = repr(node.attr)
    return f"({text})" if math.copysign(1.0, node.attr) < 0 else text


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return text if re.match(r"[A-Za-z]", text) else f"f_{text}"


def _described(inputs: list[tuple[str, Port]], outputs: list[tuple[str, Port]]) -> list[str]:
    sides = [("in ", *item) for item in inputs] + [("out", *item) for item in outputs]
    return [f" * {side} {name}: {' x '.join(map(str, port.shape)) or 'one number'}" for side, name, port in sides]


def _wrapped(comment: str) -> list[str]:
    return [f" * {line}".rstrip() for line in comment.replace("*/", "* /").splitlines()]
