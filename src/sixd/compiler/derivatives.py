"""Derivatives of functions that can be recorded, as functions that can be recorded: compile them, or derive again.

A result has the shape that `sixd.compile` gives it: a pose is a 4x4 matrix, an inertia 6x6, values by body one array
with the base first. Functions with several results have a derivative of each.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import BoundArguments, Parameter, Signature
from math import isnan, nan
from typing import Any

import numpy as np

from sixd import given
from sixd.algorithms.algorithm import is_algorithm
from sixd.algorithms.declared import REQUIRED, resolved
from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.ir import Traced, substituted
from sixd.ir.autodiff import forward, reverse
from sixd.model import Model, ModelTree
from sixd.runtime.results import flat, parts

__all__ = ["gradient", "hessian", "jacobian", "jvp", "vjp"]

Function = Callable[..., Any]
Shape = tuple[int, ...]


def jacobian(function: Function, wrt: str) -> Function:
    """The function ``f(model, ...)`` made to return d f / d(argument): its shape, then that of the argument.

    Forward mode with sparse tangents: entries that are zero for every state cost nothing. The derivative is with
    respect to the numbers in the argument; for quaternions these are four numbers, not three angles. Where the function
    has no value (NaN, as for the base's own transform in `body_motion`), neither has the derivative. Other arguments
    count as constants, also where they are computed from the same numbers.
    """

    def run(outputs: list[Any], variables: list[Any], shape: Shape, inner: Shape) -> Any:
        rows = zip(forward(outputs, variables), map(_without_variables, outputs), strict=True)
        return _array([row.get(k, zero) for row, zero in rows for k in range(len(variables))], shape + inner)

    return _derived(function, wrt, run, "jacobian")


def gradient(function: Function, wrt: str) -> Function:
    """The function made to return the gradient of its one number with respect to an argument, by reverse mode."""

    def run(outputs: list[Any], variables: list[Any], shape: Shape, inner: Shape) -> Any:
        if len(outputs) != 1:
            raise ShapeError(f"a gradient is that of one number; this function returns {len(outputs)}: use jacobian")
        return _array(reverse(outputs, [1.0], variables), inner)

    return _derived(function, wrt, run, "gradient", single=True)


def hessian(function: Function, wrt: str) -> Function:
    """The function made to return the second derivatives of its one number with respect to an argument."""
    return jacobian(gradient(function, wrt), wrt)


def jvp(function: Function, wrt: str) -> Function:
    """The function with one more argument, ``tangent``, that returns (d f / d(argument)) tangent."""

    def run(outputs: list[Any], variables: list[Any], shape: Shape, inner: Shape, t: Any) -> Any:
        along = np.asarray(t, dtype=object).ravel().tolist()
        if len(along) != len(variables):
            raise ShapeError(f"tangent needs {len(variables)} numbers, one for each of {wrt}, not {len(along)}")
        rows = zip(forward(outputs, variables), map(_without_variables, outputs), strict=True)
        return _array([sum((d * along[k] for k, d in row.items()), zero) for row, zero in rows], shape)

    return _derived(function, wrt, run, "jvp", extra="tangent")


def vjp(function: Function, wrt: str) -> Function:
    """The function with one more argument, ``cotangent``: it returns cotangent^T d f / d(argument), by reverse mode."""

    def run(outputs: list[Any], variables: list[Any], shape: Shape, inner: Shape, t: Any) -> Any:
        weights = np.asarray(t, dtype=object).ravel().tolist()
        if len(weights) != len(outputs):
            raise ShapeError(f"cotangent needs {len(outputs)} numbers, one for each that the function returns")
        return _array(reverse(outputs, weights, variables), inner)

    return _derived(function, wrt, run, "vjp", extra="cotangent", single=True)


def _derived(
    function: Function, wrt: str, run: Function, what: str, extra: str | None = None, single: bool = False
) -> Function:
    """The function that records ``function`` and hands each result's numbers to ``run``.

    ``extra`` is the name of one more argument; ``single``: several results have no such derivative.
    """
    declared = resolved(given.function(function, "function"))
    first, *names = declared.parameters or [""]
    if not isinstance(wrt, str) or wrt not in names:
        known = ", ".join(map(repr, names))
        raise ChoiceError(f"wrt must be an argument of the function: {known}, not {given.described(wrt)}")
    title = f"{what}_of_{getattr(function, '__name__', 'function')}_by_{wrt}"
    asked = _signature(declared, wrt, extra)

    def derivative(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = BoundArguments(declared, asked.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise ArgumentError(f"{title}: {error}") from None
        values = bound.arguments
        more = [values.pop(extra, REQUIRED)] if extra else []
        argument = np.asarray(values.get(wrt, REQUIRED), dtype=object)
        places = argument.ravel().tolist()
        if not places or not all(isinstance(x, Traced) for x in places):
            raise ChoiceError(
                f"{title} needs recorded numbers for {wrt}, not {given.described(values.get(wrt))}: a derivative is by "
                f"what varies, and compiled before it is called: sixd.compile(sixd.{what}(f, {wrt!r}), robot)"
            )
        if is_algorithm(function) and isinstance(values[first], Model):
            values[first] = ModelTree(values[first])  # an algorithm leaves what is by body together then
        # Other arguments may depend on the same numbers, or these on each other: it is derived by numbers of its own.
        variables = [places[0].recorder.variable() for _ in places]
        values[wrt] = _array(variables, argument.shape)
        result = function(*bound.args, **bound.kwargs)
        found = []
        for _, part in parts(result):
            shape, outputs = flat(part)
            found.append((_numbers(outputs, title), variables, shape, argument.shape, *more))
        if single and isinstance(result, tuple):
            raise ShapeError(f"{title}: the function returns a tuple of {len(found)}, but {what} is for one result")
        each = [run(*one) for one in found]
        each = [_array(substituted(x.ravel().tolist(), variables, places), x.shape) for x in each]
        if not isinstance(result, tuple):
            return each[0]
        return type(result)(*each) if hasattr(result, "_fields") else tuple(each)

    derivative.__name__ = derivative.__qualname__ = title
    derivative.__doc__ = f"The {what} of {getattr(function, '__name__', 'a function')} by {wrt}."
    derivative.__signature__ = asked  # type: ignore[attr-defined]
    return derivative


def _signature(declared: Signature, wrt: str, extra: str | None) -> Signature:
    """That of the derivative: the same order, and ``extra`` last; it and ``wrt`` must be given."""
    order = [_required(p) if p.name == wrt else p for p in declared.parameters.values()]
    if extra in declared.parameters:
        raise ChoiceError(f"the function has an argument {extra!r} already: give it another name")
    if extra:
        kind = Parameter.POSITIONAL_OR_KEYWORD if order[-1].kind < Parameter.VAR_POSITIONAL else Parameter.KEYWORD_ONLY
        last = [p for p in order if p.kind is Parameter.VAR_KEYWORD]
        order = [p for p in order if p not in last] + [Parameter(extra, kind, default=REQUIRED), *last]
    return declared.replace(parameters=order)


def _required(parameter: Parameter) -> Parameter:
    """A parameter that must be given, where those before it may be left out."""
    return parameter if parameter.default is Parameter.empty else parameter.replace(default=REQUIRED)


def _numbers(outputs: list[Any], title: str) -> list[Any]:
    """Results that are numbers, recorded or constant: of anything else the derivative is not known."""
    for x in outputs:
        if not isinstance(x, Traced | float | int | np.floating | np.integer):
            raise ArgumentError(f"{title}: the function returns a {type(x).__name__}, which has no derivative")
    return outputs


def _without_variables(x: Any) -> float:
    """The derivative of a result by what it does not depend on: zero, or NaN where there is no value."""
    return nan if not isinstance(x, Traced) and isnan(x) else 0.0


def _array(values: list[Any], shape: tuple[int, ...]) -> Any:
    out = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        out[k] = value
    return out.reshape(shape)
