"""Rollouts as C99: the function of one step, and a function that runs it many times."""

from __future__ import annotations

from sixd.backends.c import Function, identifier, to_c
from sixd.ir import Repeated

__all__ = ["repeated_to_c"]


def repeated_to_c(repeated: Repeated, comment: str = "") -> str:
    """The text of a C file with a static function of one step (`to_c`) and, after it, the rollout of one sample:

        void name_rollout(long steps, long every, const double in[], ..., double out[], ..., double record[], ...)

    Inputs are those of the step that are given; one with a value for each step has them one after the other.
    Outputs are those of the last step. Each record holds an output after every ``every``-th step, one after the other.
    There must be at least one step.
    """
    program = repeated.program
    step = Function(program.name, program.inputs, program.outputs)
    taken = {*step.inputs, *step.outputs, step.name, "steps", "every", "n", "i"}
    name = identifier(f"{program.name}_rollout", taken)
    now = {i: identifier(f"{step.inputs[i]}_now", taken) for i, _ in repeated.carried}
    number = identifier("number", taken)
    records = {o: identifier(f"{step.outputs[o]}_record", taken) for o in repeated.recorded}
    arguments = ["long steps", "long every"]
    arguments += [f"const double {step.inputs[k]}[]" for k in repeated.given]
    arguments += [f"double {output}[]" for output in step.outputs]
    arguments += [f"double {record}[]" for record in records.values()]
    lines = [f"double {now[i]}[{max(program.inputs[i].size, 1)}];" for i in now]
    lines += [_copy(now[i], step.inputs[i], program.inputs[i].size) for i in now]
    done = identifier("done", taken)
    lines.append("for (long n = 0; n < steps; ++n) {")
    inputs = []
    for k, port in enumerate(program.inputs):
        if k == repeated.counter:
            lines.append(f"    const double {number}[1] = {{(double)n}};")
            inputs.append(number)
        elif repeated.until is not None and k == repeated.until[0]:
            inputs.append(done)
        elif k in repeated.stepped:
            inputs.append(f"{step.inputs[k]} + n * {port.size}")
        else:
            inputs.append(now.get(k, step.inputs[k]))
    run = [f"{step.name}({', '.join([*inputs, *step.outputs])});"]
    run += [_copy(now[i], step.outputs[o], program.inputs[i].size) for i, o in repeated.carried]
    if repeated.until is not None:
        answer = f"{step.outputs[repeated.until[1]]}[0]"
        ends = [f"{done}[0] = {answer};"]
        run = [
            f"double {done}[1] = {{0.0}};",
            "do {",
            *(f"    {x}" for x in (*run, *ends)),
            f"}} while ({answer} == 0.0);",
        ]
    lines += [f"    {x}" for x in run]
    if records:
        lines.append("    if ((n + 1) % every == 0) {")
        for o, record in records.items():
            size = program.outputs[o].size
            lines.append(f"        {_copy(f'({record} + (n / every) * {size})', step.outputs[o], size)}")
        lines.append("    }")
    lines += ["}", "(void)every;"]
    body = "\n".join(f"    {line}" for line in lines)
    return f"{to_c(program, comment, hidden=True)}\nvoid {name}({', '.join(arguments)})\n{{\n{body}\n}}\n"


def _copy(target: str, source: str, size: int) -> str:
    return f"for (int i = 0; i < {size}; ++i) {target}[i] = {source}[i];"
