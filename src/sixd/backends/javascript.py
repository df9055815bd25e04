"""Programs as JavaScript, for web pages: one function of arrays. Loops are not written; sin, cos are the browser's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from sixd.backends.printers import Printer, register
from sixd.ir import Program
from sixd.ops import Tabulated

__all__ = ["JAVASCRIPT", "RULES", "arrow_function", "to_javascript"]

#: Each primitive in JavaScript. A fused multiply-add is rounded twice, as in the interpreter.
RULES: dict[str, Callable[..., str]] = {
    "add": "{}+{}".format,
    "sub": "{}-{}".format,
    "mul": "{}*{}".format,
    "div": "{}/{}".format,
    "fma": "{}*{}+{}".format,
    "neg": "-{}".format,
    "abs": "Math.abs({})".format,
    "sqrt": "Math.sqrt({})".format,
    "floor": "Math.floor({})".format,
    "sin": "Math.sin({})".format,
    "cos": "Math.cos({})".format,
    "arctan2": "Math.atan2({},{})".format,
    "less": "{}<{}".format,
    "select": "{}?{}:{}".format,
    "pick": "{0}[{1}!=={1}?-1:Math.floor(Math.min(Math.max({1},0),{0}.length-1))]??NaN".format,
}

#: Words that are no names in a module.
_RESERVED = """
    arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof var void while with yield
"""


def to_javascript(program: Program, comment: str = "") -> str:
    """The program as the text of a module with one function of one state.

    It takes an array for each input and returns an array of arrays, one for each output; all are flat, in C order.
    """
    about = [f"{program.name}: {program.operations} operations."]
    about += [f"in  {port.name}: {list(port.shape)}" for port in program.inputs]
    about += [f"out {port.name}: {list(port.shape)}" for port in program.outputs]
    head = "\n".join(f"// {line}" for line in "\n".join([*about, comment]).splitlines())
    return f"{head}\nconst {_identifier(program.name)} = {arrow_function(program)};\n"


def arrow_function(program: Program) -> str:
    """The program as an expression: ``(i0,i1)=>{...;return [[...],...]}``, within a function with its tables if any."""
    inputs = [f"i{p}" for p in range(len(program.inputs))]
    lines = []
    tables: dict[Tabulated, str] = {}
    for k, node in enumerate(program.nodes):
        for table in node.tables:
            if table not in tables:
                tables[table] = f"T{len(tables)}"
        if node.op == "input":
            port, entry = node.attr
            lines.append(f"const t{k}=i{port}[{entry}];")
        elif node.op != "const":
            before = (tables[table] for table in node.tables)
            lines.append(f"const t{k}={RULES[node.op](*before, *(_operand(program, a) for a in node.args))};")
    results = ",".join(f"[{','.join(_operand(program, e) for e in entries)}]" for entries in program.results)
    finite = [name for name, port in zip(inputs, program.inputs, strict=True) if port.finite]
    if finite:
        sums = "+".join(f"{name}.reduce((s,x)=>s+0*x,0)" for name in finite)
        results = f"...[{results}].map(r=>{sums}===0?r:r.map(()=>NaN))"
    function = f"({','.join(inputs)})=>{{{''.join(lines)}return [{results}]}}"
    if not tables:
        return function
    numbers = (f"const {name}=[{','.join(map(_number, x.array.ravel().tolist()))}];" for x, name in tables.items())
    return f"(()=>{{{''.join(numbers)}return {function}}})()"


def _operand(program: Program, k: int) -> str:
    node = program.nodes[k]
    return _number(node.attr) if node.op == "const" else f"t{k}"


def _number(x: float) -> str:
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "(-Infinity)"
    text = repr(float(x))
    return f"({text})" if math.copysign(1.0, x) < 0 else text


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"f_{text}" if text in _RESERVED.split() or not re.match(r"[A-Za-z]", text) else text


JAVASCRIPT = register(Printer("javascript", to_javascript))
