"""Derivatives of traced numbers: forward mode with sparse tangents, and reverse mode.

Both walk through the nodes recorded so far, and record the derivatives behind them. So derivatives are traced numbers,
which can be differentiated again, and what they share with the function itself is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixd import ops
from sixd.errors import SixdError
from sixd.ir.program import reachable
from sixd.ir.tracer import Recorder, Traced

__all__ = ["directional", "forward", "reverse"]

#: The smallest positive double: |x| < LEAST for x = 0 alone (for NaN it is false).
LEAST = 5e-324
#: The partial derivatives of each primitive with respect to its operands, from its value and its operands.
PARTIALS: dict[str, Callable[..., Sequence[Any]]] = {
    "add": lambda v, x, y: (1.0, 1.0),
    "sub": lambda v, x, y: (1.0, -1.0),
    "mul": lambda v, x, y: (y, x),
    "div": lambda v, x, y: (ops.divide(1.0, y), -(v * ops.divide(1.0, y))),
    "neg": lambda v, x: (-1.0,),
    "abs": lambda v, x: (ops.where(x < 0.0, -1.0, 1.0),),
    "sqrt": lambda v, x: (ops.divide(0.5, v),),
    "floor": lambda v, x: (0.0,),
    "sin": lambda v, x: (ops.cos(x),),
    "cos": lambda v, x: (-ops.sin(x),),
    "arctan2": lambda v, y, x: (ops.divide(x, x * x + y * y), -ops.divide(y, x * x + y * y)),
    "less": lambda v, x, y: (0.0, 0.0),
    "select": lambda v, c, x, y: (0.0, ops.where(c, 1.0, 0.0), ops.where(c, 0.0, 1.0)),
    "pick": lambda v, x: (0.0,),
}


def forward(results: Sequence[Any], variables: Sequence[Traced]) -> list[dict[int, Any]]:
    """The derivatives of each result: {number of the variable: derivative}. Variables left out have derivative zero.

    An expression has tangents only for the variables that it depends on: structural zeros are never recorded.
    """
    return _propagated(results, variables, [{k: 1.0} for k in range(len(variables))])


def directional(results: Sequence[Any], variables: Sequence[Traced], direction: Sequence[Any]) -> list[dict[int, Any]]:
    """The derivative of each result along one direction, as {0: sum_k d result / d variable_k direction_k}.

    Each expression has one tangent, however many variables there are. {} where a result depends on none of them.
    """
    return _propagated(results, variables, [{0: x} for x in direction])


def _propagated(
    results: Sequence[Any], variables: Sequence[Traced], seeds: Sequence[dict[int, Any]]
) -> list[dict[int, Any]]:
    """The tangents of the results, from those of the variables; an expression has the tangents of its operands."""
    recorder = _recorder(variables)
    tangents = {x.id: seed for x, seed in zip(variables, seeds, strict=True)}
    for k in _needed(recorder, results):
        node = recorder.nodes[k]
        if k in tangents or not any(tangents.get(a) for a in node.args):
            continue
        operands = [_number(recorder, a) for a in node.args]
        if node.op == "select":
            tangents[k] = _selected(operands[0], *(tangents.get(a, {}) for a in node.args[1:]))
            continue
        total: dict[int, Any] = {}
        for a, partial in zip(node.args, _partials(node.op, Traced(recorder, k), operands), strict=True):
            for variable, tangent in tangents.get(a, {}).items():
                term = partial * tangent
                total[variable] = total[variable] + term if variable in total else term
        tangents[k] = total
    return [tangents.get(x.id, {}) if isinstance(x, Traced) else {} for x in results]


def _selected(condition: Any, first: dict[int, Any], second: dict[int, Any]) -> dict[int, Any]:
    """The tangents of the selected side. Those of the other side may be infinite, and 0 times infinity is NaN."""
    variables = [*first, *(k for k in second if k not in first)]
    return {k: ops.where(condition, first.get(k, 0.0), second.get(k, 0.0)) for k in variables}


def reverse(results: Sequence[Any], weights: Sequence[Any], variables: Sequence[Traced]) -> list[Any]:
    """sum_i weight_i d result_i / d variable, for each variable, in one walk backwards through the nodes."""
    recorder = _recorder(variables)
    adjoints: dict[int, Any] = {}
    for x, weight in zip(results, weights, strict=True):
        if isinstance(x, Traced):
            adjoints[x.id] = adjoints[x.id] + weight if x.id in adjoints else weight
    stop = {x.id for x in variables}
    chosen: set[int] = set()  # operands of selections, direct or not: their adjoint is 0 where not selected
    for k in reversed(_needed(recorder, results)):
        node = recorder.nodes[k]
        if k not in adjoints or k in stop or not node.args:
            continue
        operands = [_number(recorder, a) for a in node.args]
        if node.op == "select" or k in chosen:
            chosen.update(node.args)
        for a, partial in zip(node.args, _partials(node.op, Traced(recorder, k), operands), strict=True):
            term = partial * adjoints[k]
            # Where k is not selected, the partial may be infinite and the adjoint is 0: their product would be NaN.
            if k in chosen and node.op in ("div", "sqrt", "arctan2"):
                term = ops.where(ops.absolute(adjoints[k]) < LEAST, 0.0, term)
            adjoints[a] = adjoints[a] + term if a in adjoints else term
    return [adjoints.get(x.id, 0.0) for x in variables]


def _recorder(variables: Sequence[Any]) -> Recorder:
    if not variables or not all(isinstance(x, Traced) for x in variables):
        raise SixdError("derivatives are taken with respect to traced numbers: give at least one, and no others")
    return variables[0].recorder


def _needed(recorder: Recorder, results: Sequence[Any]) -> list[int]:
    return reachable(recorder.nodes, (x.id for x in results if isinstance(x, Traced)))


def _number(recorder: Recorder, k: int) -> Any:
    node = recorder.nodes[k]
    return node.attr if node.op == "const" else Traced(recorder, k)


def _partials(op: str, value: Traced, operands: list[Any]) -> Sequence[Any]:
    if op not in PARTIALS:
        raise SixdError(f"no derivative is known for {op}")
    return PARTIALS[op](value, *operands)
