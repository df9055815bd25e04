"""Derivatives of traced numbers: forward mode with sparse tangents, and reverse mode.

Both walk through the nodes recorded so far, and record the derivatives behind them. So derivatives are traced numbers,
which can be differentiated again, and what they share with the function itself is computed once.

A side of a selection that is not taken adds nothing to a derivative, also where its own derivative is infinite or NaN.
Forward mode selects tangents as the function selects values. Reverse mode knows for each expression under which
conditions a result depends on it (`_Reach`), and takes its partial derivatives for zero elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from sixd import ops
from sixd.errors import SixdError
from sixd.ir.program import Node, reachable
from sixd.ir.tracer import Recorder, Traced

__all__ = ["directional", "forward", "reverse"]

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
    needed = _needed(recorder, results)
    reach = _Reach(recorder, needed, list(adjoints))
    for k in reversed(needed):
        node = recorder.nodes[k]
        if k not in adjoints or k in stop or not node.args:
            continue
        operands = [_number(recorder, a) for a in node.args]
        if node.op == "select":
            condition, bar = operands[0], adjoints[k]
            terms = [0.0, ops.where(condition, bar, 0.0), ops.where(condition, 0.0, bar)]
        else:
            partials = _partials(node.op, Traced(recorder, k), operands)
            terms = [reach.limited(partial, k) * adjoints[k] for partial in partials]
        for a, term in zip(node.args, terms, strict=True):
            if isinstance(term, Traced) or term != 0.0:
                adjoints[a] = adjoints[a] + term if a in adjoints else term
    return [adjoints.get(x.id, 0.0) for x in variables]


#: The sides of selections that are taken together, as (condition, whether it holds).
Path = frozenset[tuple[int, bool]]
ALWAYS: frozenset[Path] = frozenset({frozenset()})
#: Where more paths than this lead from a node to the results, a recorded number says whether one of them is taken.
PATHS = 8


class _Reach:
    """For each node the paths from it to the results: which sides of selections must be taken for it to matter."""

    def __init__(self, recorder: Recorder, needed: Sequence[int], roots: Sequence[int]) -> None:
        self.recorder = recorder
        self.paths: dict[int, frozenset[Path]] = {}
        uses = dict.fromkeys(roots, ALWAYS)
        for k in reversed(needed):
            if k not in uses:  # a condition, which has no derivative
                continue
            self.paths[k] = found = self._few(_joined(uses.pop(k)))
            node = recorder.nodes[k]
            if node.op == "select":
                condition, *sides = node.args
                for a, holds in zip(sides, (True, False), strict=True):
                    side = {path | {(condition, holds)} for path in found if (condition, not holds) not in path}
                    uses[a] = uses.get(a, frozenset()) | side
            elif node.op not in ("less", "floor", "pick"):
                for a in node.args:
                    uses[a] = found if found is ALWAYS else uses.get(a, frozenset()) | found
        #: Whether a node is finite wherever the function is: what every result needs is taken to be.
        self.finite: dict[int, bool] = {}
        for k in needed:
            self.finite[k] = self.paths.get(k) is ALWAYS or self._is_finite(recorder.nodes[k])

    def limited(self, partial: Any, k: int) -> Any:
        """A partial derivative of node k; 0 where no path from it is taken, if it may be infinite or NaN there."""
        paths = self.paths[k]
        if paths is ALWAYS or not isinstance(partial, Traced) or self._finite(partial.id):
            return partial
        return ops.where(self._taken(paths), partial, 0.0)

    def _finite(self, k: int) -> bool:
        if k not in self.finite:  # recorded since: an expression of a few nodes behind those of the function
            self.finite[k] = self._is_finite(self.recorder.nodes[k])
        return self.finite[k]

    def _is_finite(self, node: Node) -> bool:
        if node.op == "const":
            return isfinite(node.attr)
        return node.op not in ("div", "sqrt") and all(map(self._finite, node.args))

    def _few(self, paths: frozenset[Path]) -> frozenset[Path]:
        return paths if len(paths) <= PATHS else frozenset({frozenset({(self._taken(paths).id, True)})})

    def _taken(self, paths: frozenset[Path]) -> Traced:
        """The condition that one of the paths is taken."""
        total: Any = 0.0
        for path in sorted(map(sorted, paths)):
            taken: Any = 1.0
            for condition, holds in path:
                c = Traced(self.recorder, condition)
                taken = ops.where(c, taken, 0.0) if holds else ops.where(c, 0.0, taken)
            total = total + taken
        found: Traced = total > 0.0
        return found


def _joined(paths: frozenset[Path]) -> frozenset[Path]:
    """The same in fewer paths: two that differ in one side alone become one; what another path covers is left out."""
    found, new = set(paths), set(paths)
    while new:
        new = {p - {(c, side)} for p in new for c, side in p if p - {(c, side)} | {(c, not side)} in found} - found
        found |= new
    return ALWAYS if frozenset() in found else frozenset(p for p in found if not any(q < p for q in found))


def _recorder(variables: Sequence[Any]) -> Recorder:
    if not variables or not all(isinstance(x, Traced) for x in variables):
        raise SixdError("derivatives are taken with respect to traced numbers: give at least one, and no others")
    return variables[0].recorder


def _needed(recorder: Recorder, results: Sequence[Any]) -> list[int]:
    return reachable(recorder.nodes, (recorder.own(x) for x in results if isinstance(x, Traced)))


def _number(recorder: Recorder, k: int) -> Any:
    node = recorder.nodes[k]
    return node.attr if node.op == "const" else Traced(recorder, k)


def _partials(op: str, value: Traced, operands: list[Any]) -> Sequence[Any]:
    if op not in PARTIALS:
        raise SixdError(f"no derivative is known for {op}")
    return PARTIALS[op](value, *operands)
