"""Derivatives of functions that can be recorded, as functions that can be recorded: compile them, or derive again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from sixd.errors import ChoiceError, ShapeError
from sixd.ir import Traced
from sixd.ir.autodiff import forward, reverse

__all__ = ["gradient", "hessian", "jacobian", "jvp", "vjp"]

Function = Callable[..., Any]


def jacobian(function: Function, wrt: str) -> Function:
    """The function ``f(model, ...)`` made to return d f / d(argument): its shape, then that of the argument.

    Forward mode with sparse tangents: entries that are zero for every state cost nothing. The derivative is with
    respect to the numbers in the argument; for quaternions these are four numbers, not three angles.
    """

    def run(outputs: list[Any], variables: list[Any], shape: tuple[int, ...], inner: tuple[int, ...]) -> Any:
        rows = forward(outputs, variables)
        return _array([row.get(k, 0.0) for row in rows for k in range(len(variables))], shape + inner)

    return _derived(function, wrt, run, "jacobian")


def gradient(function: Function, wrt: str) -> Function:
    """The function made to return the gradient of its one number with respect to an argument, by reverse mode."""

    def run(outputs: list[Any], variables: list[Any], shape: tuple[int, ...], inner: tuple[int, ...]) -> Any:
        if len(outputs) != 1:
            raise ShapeError(f"a gradient is that of one number; this function returns {len(outputs)}: use jacobian")
        return _array(reverse(outputs, [1.0], variables), inner)

    return _derived(function, wrt, run, "gradient")


def hessian(function: Function, wrt: str) -> Function:
    """The function made to return the second derivatives of its one number with respect to an argument."""
    return jacobian(gradient(function, wrt), wrt)


def jvp(function: Function, wrt: str) -> Function:
    """The function with one more argument, ``tangent``, that returns (d f / d(argument)) tangent."""

    def run(outputs: list[Any], variables: list[Any], shape: tuple[int, ...], inner: tuple[int, ...], t: Any) -> Any:
        along = np.asarray(t, dtype=object).ravel().tolist()
        rows = forward(outputs, variables)
        return _array([_sum(d * along[k] for k, d in row.items()) for row in rows], shape)

    return _derived(function, wrt, run, "jvp", extra="tangent")


def vjp(function: Function, wrt: str) -> Function:
    """The function with one more argument, ``cotangent``: it returns cotangent^T d f / d(argument), by reverse mode."""

    def run(outputs: list[Any], variables: list[Any], shape: tuple[int, ...], inner: tuple[int, ...], t: Any) -> Any:
        weights = np.asarray(t, dtype=object).ravel().tolist()
        if len(weights) != len(outputs):
            raise ShapeError(f"cotangent needs {len(outputs)} numbers, one for each that the function returns")
        return _array(reverse(outputs, weights, variables), inner)

    return _derived(function, wrt, run, "vjp", extra="cotangent")


def _derived(function: Function, wrt: str, run: Function, what: str, extra: str | None = None) -> Function:
    parameters = signature(function)
    if wrt not in list(parameters.parameters)[1:]:
        names = ", ".join(map(repr, list(parameters.parameters)[1:]))
        raise ChoiceError(f"wrt must be an argument of the function: {names}, not {wrt!r}")

    @wraps(function)
    def derivative(model: Any, *args: Any, **kwargs: Any) -> Any:
        more = {extra: kwargs.pop(extra)} if extra and extra in kwargs else {}
        if extra and not more:
            *args, last = args  # type: ignore[assignment]
            more = {extra: last}
        bound = parameters.bind(model, *args, **kwargs)
        argument = np.asarray(bound.arguments[wrt], dtype=object)
        variables = argument.ravel().tolist()
        if not all(isinstance(x, Traced) for x in variables):
            raise ChoiceError(
                f"a derivative is compiled before it is called: sixd.compile(sixd.{what}(f, {wrt!r}), robot)"
            )
        result = function(model, *bound.args[1:], **bound.kwargs)
        if not isinstance(result, np.ndarray) and hasattr(result, "array"):
            result = result.array()
        outputs = np.asarray(result, dtype=object)
        return run(outputs.ravel().tolist(), variables, outputs.shape, argument.shape, *more.values())

    order = list(parameters.parameters.values())
    if extra:
        order.append(order[0].replace(name=extra, kind=order[-1].kind, default=order[0].empty))
    derivative.__name__ = f"{what}_of_{getattr(function, '__name__', 'function')}_by_{wrt}"
    derivative.__signature__ = parameters.replace(  # type: ignore[attr-defined]
        parameters=[p for p in order if p.default is p.empty] + [p for p in order if p.default is not p.empty]
    )
    return derivative


def _array(values: list[Any], shape: tuple[int, ...]) -> Any:
    out = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        out[k] = value
    return out.reshape(shape)


def _sum(terms: Any) -> Any:
    total: Any = 0.0
    for term in terms:
        total = total + term
    return total
