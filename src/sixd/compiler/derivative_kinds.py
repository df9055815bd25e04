"""The kinds of derivatives: how each is computed from the recorded numbers of a result.

Each rule takes the numbers of one result, its shape, the variables ``by`` which it is differentiated, and ``more``: the
arguments, by name, that the derivative has in addition to those of its function (tangents or a cotangent). It returns
one derivative for each entry of ``by``, unless its docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import isnan, nan
from typing import Any

import numpy as np

from sixd.compiler.variables import Variables
from sixd.errors import ShapeError
from sixd.ir import Traced
from sixd.ir.autodiff import directional, forward, reverse

__all__ = ["KINDS"]

Shape = tuple[int, ...]
#: Each derivative as its shape and its numbers in C order.
Derivatives = list[tuple[Shape, list[Any]]]


def _jacobian(outputs: list[Any], shape: Shape, by: list[Variables], more: dict[str, Any]) -> Derivatives:
    rows = list(zip(forward(outputs, _all(by)), map(_without_variables, outputs), strict=True))
    found = []
    for x, (start, stop) in zip(by, _ranges(by), strict=True):
        found.append((shape + x.shape, [row.get(k, zero) for row, zero in rows for k in range(start, stop)]))
    return found


def _gradient(outputs: list[Any], shape: Shape, by: list[Variables], more: dict[str, Any]) -> Derivatives:
    if len(outputs) != 1:
        raise ShapeError(
            f"gradient and hessian are those of one number; this function returns {len(outputs)}: use jacobian"
        )
    return _split(reverse(outputs, [1.0], _all(by)), by)


def _hessian(outputs: list[Any], shape: Shape, by: list[Variables], more: dict[str, Any]) -> Derivatives:
    """The Jacobian of the gradient, block by block."""
    rows = _gradient(outputs, shape, by, more)
    return [block for inner, numbers in rows for block in _jacobian(numbers, inner, by, more)]


def _jvp(outputs: list[Any], shape: Shape, by: list[Variables], more: dict[str, Any]) -> Derivatives:
    """The sum of the products of each Jacobian with its tangent: a single derivative, without any Jacobian."""
    along: list[Any] = []
    for x, (name, tangent) in zip(by, more.items(), strict=True):
        along += _entries(tangent, x.shape, name, f"one number for each direction in which {x.name} varies")
    rows = zip(directional(outputs, _all(by), along), map(_without_variables, outputs), strict=True)
    return [(shape, [row.get(0, zero) for row, zero in rows])]


def _vjp(outputs: list[Any], shape: Shape, by: list[Variables], more: dict[str, Any]) -> Derivatives:
    ((name, cotangent),) = more.items()
    weights = _entries(cotangent, shape, name, "that of the function's result")
    return _split(reverse(outputs, weights, _all(by)), by)


def _all(by: Sequence[Variables]) -> list[Traced]:
    return [v for x in by for v in x.variables]


def _ranges(by: Sequence[Variables]) -> Iterable[tuple[int, int]]:
    """The range (first, one after the last) that the variables of each entry have in the list of all variables."""
    return pairwise([sum(len(x.variables) for x in by[:k]) for k in range(len(by) + 1)])


def _split(numbers: list[Any], by: list[Variables]) -> Derivatives:
    return [(x.shape, numbers[start:stop]) for x, (start, stop) in zip(by, _ranges(by), strict=True)]


def _entries(value: Any, shape: Shape, name: str, why: str) -> list[Any]:
    """The numbers of an argument that must have this shape."""
    array = np.asarray(value, dtype=object)
    if array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}, but {shape} is needed, {why}")
    return array.ravel().tolist()


def _without_variables(x: Any) -> float:
    """The derivative by a variable that a result does not depend on: zero, or NaN if the result is the constant NaN."""
    return nan if not isinstance(x, Traced) and isnan(x) else 0.0


#: For each kind: whether its function must have a single result, and the rule.
KINDS: dict[str, tuple[bool, Callable[..., Derivatives]]] = {
    "jacobian": (False, _jacobian),
    "gradient": (True, _gradient),
    "hessian": (True, _hessian),
    "jvp": (False, _jvp),
    "vjp": (True, _vjp),
}
