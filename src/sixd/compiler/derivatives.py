"""Derivatives of functions, as functions that can be recorded too: compile them, or differentiate them again.

``wrt`` says with respect to what. It is the name of an argument, or the name of parameters of the model in the form
that `sixd.parameters` gives: "inertia" (N, 10), "placement" (N, 4, 4), "axis" (N, 3), "pitch" (N,), "rotor" (nv,),
"gravity" (3,). If the function has an argument of such a name, the argument is meant. The derivative is taken at the
model's own parameters, or, in a kernel compiled with ``parameters=``, at those that the kernel is called with. Each
number of a parameter counts as independent. The entries of a rotation matrix and of a unit axis are not, so use these
derivatives only along directions in which the matrix stays a rotation and the axis stays a unit vector. Or use
``tangent=True``, which has six columns for each placement and two for each axis (`sixd.compiler.parameters`).

Several names, as in ``wrt=("q", "qd")``, give a plain tuple with one derivative for each, in that order.

A result has the shape that `sixd.compile` gives it: a pose is a 4x4 matrix, an inertia 6x6, values by body one array
with the base first. A function with several results has a derivative of each; with several names as well, these form
one flat tuple, result by result: (df/dq, df/dqd, dg/dq, dg/dqd).

Derivatives by q are taken by its nq numbers, of which a quaternion has four. With ``tangent=True`` they are taken in
the tangent space, which has nv dimensions: d/dv f(q (+) v) at v = 0, where q (+) v is `Robot.integrate`. Both are the
same if q is a vector. This applies to every argument that is a position, by its annotation (`Position`) or its name
(q). Results that are positions are differentiated number by number in both cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from inspect import BoundArguments, Parameter, Signature
from typing import Any

import numpy as np

from sixd import given
from sixd.algorithms.algorithm import is_algorithm
from sixd.algorithms.declared import REQUIRED, Kind, read, resolved
from sixd.compiler.derivative_kinds import KINDS
from sixd.compiler.parameters import PARAMETERS, TANGENTS
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.compiler.variables import Variables, array_of, by_arguments, by_parameters
from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.ir import Traced, substituted
from sixd.model import Model, ModelTree
from sixd.runtime.results import flat, parts

__all__ = ["Derivative", "gradient", "hessian", "jacobian", "jvp", "vjp", "with_inferred_shapes"]

Function = Callable[..., Any]
Wrt = str | Iterable[str]


def jacobian(function: Function, wrt: Wrt, tangent: bool = False) -> Derivative:
    """The function that returns d f / d(argument) of ``f(model, ...)``, with the axes of f, then of the argument.

    ``wrt`` is an argument, or parameters of the model: "inertia", "placement", "axis", "pitch", "rotor", "gravity"; or
    several of them, for a tuple of Jacobians. ``tangent``: derivatives by q are d/dv f(q (+) v) at v = 0, with nv
    columns, where q (+) v is `Robot.integrate`; otherwise they are by the numbers of q, four for a quaternion.
    Derivatives by placements are then by small motions of the joint's frame in its own coordinates, pose exp(x),
    (N, 6), and those by axes along two directions perpendicular to each, (N, 2).

    Forward mode with sparse tangents: entries that are zero for every state cost nothing. Where the function has no
    value (NaN, as for the base's own transform in `body_motion`), the derivative is NaN too. All other arguments count
    as constants, even if they are computed from the same numbers.
    """
    return Derivative("jacobian", function, wrt, tangent)


def gradient(function: Function, wrt: Wrt, tangent: bool = False) -> Derivative:
    """The function that returns the gradient of ``f``, which must return one number, by reverse mode.

    ``wrt`` and ``tangent`` are those of `jacobian`; several names give a tuple of gradients.
    """
    return Derivative("gradient", function, wrt, tangent)


def hessian(function: Function, wrt: Wrt, tangent: bool = False) -> Derivative:
    """The function that returns the second derivatives of ``f``, which must return one number.

    ``wrt`` is that of `jacobian`. Several names give a tuple of all blocks, row by row: ``wrt=("q", "qd")`` gives
    (d2f/dq dq, d2f/dq dqd, d2f/dqd dq, d2f/dqd dqd), each with the shape of the first argument, then of the second.
    ``tangent``: by q it is the second derivative of f(q (+) v) by v at v = 0. It is symmetric:
    f(q (+) v) = f(q) + g v + v^T H v / 2 + O(v^3).
    """
    return Derivative("hessian", function, wrt, tangent)


def jvp(function: Function, wrt: Wrt, tangent: bool = False) -> Derivative:
    """The function with one more argument, ``tangent``, that returns (d f / d(argument)) tangent.

    With several names in ``wrt`` there is an argument for each, ``tangent_q`` and ``tangent_qd``, and the products are
    added. `sixd.compile` knows their shapes: those of the arguments, or (nv,) for q in the tangent space.
    """
    return Derivative("jvp", function, wrt, tangent)


def vjp(function: Function, wrt: Wrt, tangent: bool = False) -> Derivative:
    """The function with one more argument, ``cotangent``: it returns cotangent^T d f / d(argument), by reverse mode.

    ``cotangent`` has the shape of the function's result, which `sixd.compile` finds out. Several names in ``wrt`` give
    a tuple, one array for each with the shape of that argument.
    """
    return Derivative("vjp", function, wrt, tangent)


class Derivative:
    """The derivative of a function: itself a function of a model and arrays that can be recorded.

    Two derivatives are equal if their kind, function, ``wrt`` and ``tangent`` are. They can be pickled if the function
    can.
    """

    def __init__(self, kind: str, function: Function, wrt: Wrt, tangent: bool = False) -> None:
        given.choice(kind, "kind", KINDS)
        declared = resolved(given.function(function, "function"))
        self.kind, self.function = kind, function
        self.wrt: str | tuple[str, ...] = wrt if isinstance(wrt, str) else given.words(wrt, "wrt")
        self.tangent = given.flag(tangent, "tangent")
        self.names = (self.wrt,) if isinstance(self.wrt, str) else self.wrt
        self._first, *arguments = declared.parameters or [""]
        _check_names(self.names, arguments)
        #: Which of the names are parameters of the model.
        self.parameters = tuple(name for name in self.names if name not in arguments)
        #: Which of the names are positions that vary in the tangent space.
        self.positions = tuple(name for name in self.names if self.tangent and _is_position(function, name))
        self.extra = _extra_arguments(kind, self.names, several=not isinstance(self.wrt, str))
        of, by = getattr(function, "__name__", "function"), "_".join(self.names)
        self.__name__ = self.__qualname__ = f"{kind}_of_{of}_by_{by}{'_tangent' if tangent else ''}"
        self.__doc__ = f"The {kind} of {of} by {', '.join(self.names)}."
        self._declared, self.__signature__ = declared, _signature(declared, self.names, self.extra)

    @property
    def innermost(self) -> Function:
        """The function of which this is a derivative, or a derivative of a derivative."""
        return getattr(self.function, "innermost", self.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = BoundArguments(self._declared, self.__signature__.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise ArgumentError(f"{self.__name__}: {error}") from None
        values = bound.arguments
        more = {name: values.pop(name, REQUIRED) for name in self.extra}
        for name, value in more.items():
            if value is REQUIRED:
                raise ArgumentError(f"{self.__name__}: missing a required argument: {name!r}")
        by = self._variables(values)
        if is_algorithm(self.function) and isinstance(values[self._first], Model):
            values[self._first] = ModelTree(values[self._first])  # to get values by body as `Slots`, not a tuple
        result = self.function(*bound.args, **bound.kwargs)
        return self._derived(result, by, more)

    def _variables(self, values: dict[str, Any]) -> list[Variables]:
        """The variables, in the order of the names. In ``values`` they replace arguments, or numbers of the model."""
        title, subject, found = self.__name__, values[self._first], {}
        if self.parameters:
            each, subject = by_parameters(title, self.parameters, values, subject, self.tangent)
            found = {x.name: x for x in each}
            values[self._first] = subject
        arguments = tuple(name for name in self.names if name not in self.parameters)
        for x in by_arguments(title, arguments, values, subject, self.positions):
            found[x.name], values[x.name] = x, x.value
        return [found[name] for name in self.names]

    def _derived(self, result: Any, by: list[Variables], more: dict[str, Any]) -> Any:
        """The derivatives of a result, with the point x_0 put in for the variables."""
        single, rule = KINDS[self.kind]
        if single and isinstance(result, tuple):
            what = f"the function returns a tuple of {len(result)}, but {self.kind} is for one result"
            raise ShapeError(f"{self.__name__}: {what}")
        found = []
        for _, part in parts(result):
            shape, outputs = flat(part)
            found += rule(_numbers(outputs, self.__name__), shape, by, more)
        variables, point = [v for x in by for v in x.variables], [p for x in by for p in x.point]
        found = [array_of(substituted(numbers, variables, point), shape) for shape, numbers in found]
        if not isinstance(self.wrt, str) and self.kind != "jvp":
            return tuple(found)
        if not isinstance(result, tuple):
            return found[0]
        return type(result)(*found) if hasattr(result, "_fields") else tuple(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derivative) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def __reduce__(self) -> Any:
        return Derivative, self._content

    @property
    def _content(self) -> tuple[Any, ...]:
        return self.kind, self.function, self.wrt, self.tangent

    def __repr__(self) -> str:
        return f"<{self.__name__}{self.__signature__}>"


def with_inferred_shapes(request: Request) -> Request:
    """The request with shapes for the arguments that jvp and vjp add to their function, if they are not given."""
    function = request.function
    if not isinstance(function, Derivative):
        return request
    inner = with_inferred_shapes(_of_inner_function(request, function))
    shapes = dict(inner.shapes)
    if set(function.extra).difference(request.shapes, request.fixed):
        shapes |= _shapes_of_extra(inner, function)
    return replace(request, shapes={**shapes, **request.shapes})


def _of_inner_function(request: Request, function: Derivative) -> Request:
    """The request for the function that is differentiated, without the arguments that only the derivative has."""
    shapes = {name: shape for name, shape in request.shapes.items() if name not in function.extra}
    fixed = {name: value for name, value in request.fixed.items() if name not in function.extra}
    return replace(request, function=function.function, shapes=shapes, fixed=fixed, nonfinite=frozenset())


def _shapes_of_extra(inner: Request, function: Derivative) -> dict[str, tuple[int, ...]]:
    """The shapes of the arguments that a derivative adds.

    A tangent has the shape of the argument it belongs to, a cotangent that of the result.
    """
    declared = inner.declaration.arguments
    known = {**PARAMETERS, **{name: x.shape for name, x in declared.items() if x.shape is not None}, **inner.shapes}
    shapes = {name: inner.shape_for_model(known[name]) for name in function.names if name in known}
    if function.kind == "jvp":
        shapes |= dict.fromkeys(function.positions, (inner.model.nv,))
        if function.tangent:
            shapes |= {k: inner.shape_for_model(TANGENTS[k]) for k in function.parameters if k in TANGENTS}
        return {name: shapes[by] for name, by in zip(function.extra, function.names, strict=True) if by in shapes}
    varying = {name: shape for name, shape in shapes.items() if name not in function.parameters}
    program = record_unrolled(replace(inner, shapes={**inner.shapes, **varying}))
    return dict.fromkeys(function.extra, program.outputs[0].shape)


def _numbers(outputs: list[Any], title: str) -> list[Any]:
    """The numbers of a result, if they are recorded or constant; anything else has no derivative and is refused."""
    for x in outputs:
        if not isinstance(x, Traced | float | int | np.floating | np.integer):
            raise ArgumentError(f"{title}: the function returns a {type(x).__name__}, which has no derivative")
    return outputs


# ---- names


def _is_position(function: Function, name: str) -> bool:
    """Whether an argument of a function is a position, as its annotation or its name says."""
    return read(function).kind(name) is Kind.POSITION


def _check_names(names: tuple[str, ...], arguments: Sequence[str]) -> None:
    known = [*arguments, *(name for name in PARAMETERS if name not in arguments)]
    for name in names:
        if name not in known:
            what = ", ".join(map(repr, arguments))
            more = ", ".join(map(repr, known[len(arguments) :]))
            raise ChoiceError(
                f"wrt must be an argument of the function: {what}; or parameters of the model: {more}; not {name!r}"
            )
    if not names or len(set(names)) < len(names):
        raise ChoiceError(f"wrt must be one name or several different ones, not {given.described(names)}")


def _extra_arguments(kind: str, names: tuple[str, ...], several: bool) -> tuple[str, ...]:
    """The names of the arguments that a derivative has beyond those of its function."""
    if kind == "vjp":
        return ("cotangent",)
    if kind == "jvp":
        return tuple(f"tangent_{name}" for name in names) if several else ("tangent",)
    return ()


def _signature(declared: Signature, names: tuple[str, ...], extra: tuple[str, ...]) -> Signature:
    """The signature of the derivative: that of the function, then ``extra``. ``names`` and ``extra`` must be given."""
    order = [_required(p) if p.name in names else p for p in declared.parameters.values()]
    for name in extra:
        if name in declared.parameters:
            raise ChoiceError(f"the function has an argument {name!r} already: give it another name")
        kind = Parameter.POSITIONAL_OR_KEYWORD if order[-1].kind < Parameter.VAR_POSITIONAL else Parameter.KEYWORD_ONLY
        last = [p for p in order if p.kind is Parameter.VAR_KEYWORD]
        order = [p for p in order if p not in last] + [Parameter(name, kind, default=REQUIRED), *last]
    return declared.replace(parameters=order)


def _required(parameter: Parameter) -> Parameter:
    """The parameter, marked as required. It keeps a default, `REQUIRED`, since parameters before it may have one."""
    return parameter if parameter.default is Parameter.empty else parameter.replace(default=REQUIRED)
