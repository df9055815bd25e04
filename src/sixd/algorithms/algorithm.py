"""Algorithms: functions of a tree that can also be called with a model and arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import Signature
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms.declared import Argument, Declaration, Kind, Result, read, resolved
from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.given import described, flag, function
from sixd.model import tree as walk
from sixd.model.closures import TargetNumbers
from sixd.model.model import Model
from sixd.model.model_tree import (
    BodyForces,
    MatrixOutput,
    ModelTree,
    MotionsOutput,
    Output,
    Positions,
    RowsMatrixOutput,
    RowsOutput,
    Slots,
    TensorOutput,
    Velocities,
)
from sixd.model.tree import Tree
from sixd.ops import doubt, unstack
from sixd.process.names import named
from sixd.samples import Samples, as_samples
from sixd.spatial import Force, Matrix, Transform, Vector
from sixd.spatial.value import Value, mapped, need_kind

__all__ = ["Algorithm", "algorithm", "is_algorithm", "is_nested"]

#: Results that are returned as arrays.
_ARRAYS = (Output, MatrixOutput, MotionsOutput, RowsOutput, RowsMatrixOutput, TensorOutput, Vector, Matrix)

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")

#: Whether an algorithm can be rolled: always, never, or only if no joint mimics another.
Rolled: TypeAlias = bool | Literal["uncoupled"]
#: The types of results that are returned as arrays if an algorithm is called with a model.
Arrays: TypeAlias = (
    walk.Output
    | walk.MatrixOutput
    | walk.ColumnsOutput
    | walk.TensorOutput
    | walk.RowsOutput
    | walk.RowsMatrixOutput
    | Vector
    | Matrix
)


class Algorithm(Generic[P, R_co]):
    """A function of a tree and one state that can be called with a model and arrays, and declares what they are.

    Called with a model, ``rnea(model, q, qd, qdd)``, the arguments that are declared as part of the state are arrays
    (or sequences of numbers of any kind), for one state or a batch. The results come back as arrays. If an argument of
    a sample is not finite, all results of that sample are NaN. Results by body are tuples, base first; motions, forces,
    transforms and inertias stay what they are. Called with a tree, from another algorithm, arguments and results are
    passed as they are.
    """

    #: The function of a tree that was made an algorithm.
    body: Callable[..., Any]
    #: What its arguments and its result are.
    declaration: Declaration
    #: Whether its loops can be kept, so that robots share its code: True, False, or "uncoupled".
    rolled: Rolled
    #: Whether most of its work is in loops within loops, over pairs of a body and one that carries it.
    nested: bool
    __name__: str
    __qualname__: str

    def __init__(self, body: Callable[Concatenate[Any, P], R_co], rolled: Rolled = True, nested: bool = False) -> None:
        self.body, self.rolled, self.nested = function(body, "body"), rolled, flag(nested, "nested")
        if not isinstance(rolled, bool) and rolled != "uncoupled":
            raise ChoiceError(f"rolled must be True, False or 'uncoupled', not {described(rolled)}")
        self.declaration = read(body)
        self.__signature__ = _for_callers(resolved(body))
        self.__wrapped__, self.__doc__, self.__module__ = body, body.__doc__, body.__module__
        self.__name__ = getattr(body, "__name__", type(body).__name__)
        self.__qualname__ = getattr(body, "__qualname__", self.__name__)

    @property
    def arguments(self) -> Mapping[str, Argument]:
        """What each argument after the model is."""
        return self.declaration.arguments

    @property
    def result(self) -> Result | None:
        """What it returns; None if its annotation does not say."""
        return self.declaration.result

    @property
    def rank(self) -> int | tuple[int, ...]:
        """The number of axes of one state's result as an array; a tuple of them where the result is a tuple."""
        if self.result is None:
            raise ArgumentError(
                f"{self.__name__} does not say what it returns: annotate its result, as in `-> Output` or `-> Motion`"
            )
        return self.result.rank

    @property
    def ranks(self) -> tuple[int, ...]:
        """The number of axes of each result."""
        return self.rank if isinstance(self.rank, tuple) else (self.rank,)

    def can_be_rolled(self, coupled: bool) -> bool:
        """Whether it is declared that it can be rolled, for trees with (``coupled``) or without mimic joints."""
        return self.rolled is True or (self.rolled == "uncoupled" and not coupled)

    @overload
    def __call__(self: Algorithm[P, Arrays], model: Model, *args: P.args, **kwargs: P.kwargs) -> NDArray[Any]: ...
    @overload
    def __call__(
        self: Algorithm[P, walk.Slots[T]], model: Model, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[T, ...]: ...
    @overload
    def __call__(self, model: Model | Tree, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    def __call__(self, model: Model | Tree, *args: P.args, **kwargs: P.kwargs) -> Any:
        tree = ModelTree(model) if isinstance(model, Model) else model
        if not isinstance(tree, Tree):
            raise ArgumentError(f"{self.__name__} is for a model (sixd.load(...)), not for {described(model)}")
        try:
            bound = self.__signature__.bind(tree, *args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{self.__name__}: {error}") from None
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            bound.arguments[name] = _view(tree, self.declaration.kind(name), name, value)
        result = self.body(*bound.args, **bound.kwargs)
        return _plain(_known(result, list(bound.arguments.values())[1:])) if tree is not model else result

    def __repr__(self) -> str:
        names = [p.replace(annotation=p.empty) for p in self.__signature__.parameters.values()]
        shown = self.__signature__.replace(parameters=names, return_annotation=self.__signature__.empty)
        return f"<algorithm {self.__name__}{shown}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled by name, as functions are. If it is not found under its name, it is pickled with its function."""
        is_found = named(self.__module__, self.__qualname__) is self
        return self.__qualname__ if is_found else (Algorithm, (self.body, self.rolled, self.nested))


@overload
def algorithm(body: Callable[Concatenate[Tree, P], R], /) -> Algorithm[P, R]: ...
@overload
def algorithm(
    *, rolled: Rolled = True, nested: bool = False
) -> Callable[[Callable[Concatenate[Tree, P], R]], Algorithm[P, R]]: ...
def algorithm(body: Callable[..., Any] | None = None, /, *, rolled: Rolled = True, nested: bool = False) -> Any:
    """Make an algorithm of a function ``body(tree, ...)`` for one state.

    Annotations say what its arguments and its result are (`sixd.algorithms.declared`). Arguments without such an
    annotation go by their names: q, qd, qdd, tau, f_ext and targets are the state; body, left, right and to are bodies;
    offset, left_offset and right_offset place frames on them. Other arguments are options, passed on as they are.

    ``@algorithm(rolled=False)`` declares that its loops over bodies cannot be recorded once for all robots, because it
    asks for the model itself or for the results of other algorithms. ``rolled="uncoupled"`` declares that they cannot
    if joints mimic others. ``nested=True`` declares that most of its work is in loops over the ancestors of each body.
    Rolled code of that is long, since it has a part for each pair of joint types, and slower than unrolled code; so
    larger programs are unrolled, and rolled code is made only for the pairs of joint types that a robot has.
    """
    if body is not None:
        return Algorithm(body, rolled, nested)
    return partial(Algorithm, rolled=rolled, nested=nested)


def _for_callers(signature: Signature) -> Signature:
    """The signature as callers with a model see it: the first argument is called model."""
    parameters = list(signature.parameters.values())
    if not parameters or "model" in signature.parameters:
        return signature
    return signature.replace(parameters=[parameters[0].replace(name="model", annotation=Model | Tree), *parameters[1:]])


def is_algorithm(function: Any) -> bool:
    """Whether a function takes a tree as well as a model.

    A function that `functools.wraps` has made look like an algorithm is not one.
    """
    return isinstance(function, Algorithm)


def is_nested(function: Any) -> bool:
    """Whether a function is an algorithm that declares loops within loops."""
    return isinstance(function, Algorithm) and function.nested


def _view(tree: Tree, kind: Kind, name: str, value: Any) -> Any:
    """An argument as the algorithm sees it: by joint or by body, arrays as samples, if it is part of the state."""
    if kind is not Kind.OPTION:
        value = as_samples(value)
    if kind is Kind.POSITION:
        return tree.positions(value, name)
    if kind is Kind.VELOCITY:
        return tree.velocities(value, name)
    if kind is Kind.BODY_FORCES:
        return tree.forces(value, name)
    if kind is Kind.FRAME_FORCE:
        return value if isinstance(value, Force) else Force.from_components(unstack(value))
    if kind is Kind.TARGETS:
        return value if value is None or isinstance(value, TargetNumbers) else _targets(tree, name, value)
    if kind is Kind.OFFSET and value is not None:
        need_kind(value, Transform, f"the argument {name}")
    return value


def _targets(tree: Tree, name: str, value: Any) -> TargetNumbers:
    """An array (..., targets, 3) as numbers."""
    needed = sum(c.targets.stop - c.targets.start for c in tree.constraints())
    numbers = unstack(value, rank=2)
    if len(numbers) != 3 * needed:
        raise ShapeError(f"{name} needs 3 numbers for each of {needed} prescribed rows, not {len(numbers)}")
    return TargetNumbers(numbers)


def _known(result: Any, arguments: Iterable[Any]) -> Any:
    """The result, with NaN for all its numbers in samples in which an argument is not finite.

    `Samples` are for the inside of an algorithm: what leaves it are NumPy's own arrays.
    """
    total = doubt(x for argument in arguments for x in _numbers(argument))
    if type(total) is float and total == 0.0:
        return result
    factor = 1.0 + total
    return _changed(result, lambda x: _unsampled(_times(x, factor)))


def _numbers(argument: Any) -> Sequence[Any]:
    """The numbers in an argument, as the algorithm sees it, that may be infinite or NaN."""
    if isinstance(argument, Positions | Velocities | BodyForces):
        return argument.values or ()
    if isinstance(argument, TargetNumbers):
        return argument
    if isinstance(argument, Value):
        return argument.components()
    if isinstance(argument, list | tuple):
        return [x for part in argument for x in _numbers(part)]
    if isinstance(argument, float):
        return (argument,)
    shape, kind = getattr(argument, "shape", None), getattr(getattr(argument, "dtype", None), "kind", "f")
    if shape is None or kind != "f":
        return ()
    return (argument,) if shape == () else unstack(argument)


def _changed(result: Any, change: Callable[[Any], Any]) -> Any:
    """The result with ``change`` of each number, or array of numbers, in its place."""
    if isinstance(result, tuple):
        parts = [_changed(part, change) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, list):
        return [_changed(part, change) for part in result]
    if isinstance(result, dict):
        return {name: _changed(part, change) for name, part in result.items()}
    if isinstance(result, Slots | Output | RowsOutput | TensorOutput):
        result.values = _changed(result.values, change)
    elif isinstance(result, MatrixOutput | RowsMatrixOutput):
        result.rows = _changed(result.rows, change)
    elif isinstance(result, MotionsOutput):
        result.columns = _changed(result.columns, change)
    elif isinstance(result, Value):
        return mapped(result, change)
    else:
        return change(result)
    return result


def _times(x: Any, factor: Any) -> Any:
    """A number times a factor, a comparison too; except integers and text, which stay as they are."""
    whole = isinstance(x, int | str | bytes | None) and not isinstance(x, bool)
    return x if whole or getattr(getattr(x, "dtype", None), "kind", "f") in "iuSU" else x * factor


def _unsampled(x: Any) -> Any:
    """Samples as NumPy's own array; without axes, as its number."""
    return x.view(np.ndarray)[()] if isinstance(x, Samples) else x


def _plain(result: Any) -> Any:
    """Results by joint as arrays, results by body as tuples (base first); typed values stay typed."""
    if isinstance(result, _ARRAYS):
        return result.array()
    if isinstance(result, Slots):
        return tuple(result.values)
    if isinstance(result, list):
        return [_plain(part) for part in result]
    if isinstance(result, tuple):
        parts = [_plain(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return result
