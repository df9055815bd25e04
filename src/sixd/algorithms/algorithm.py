"""What makes a function of a tree an algorithm: it can be called with a model and arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec

from sixd.errors import ArgumentError
from sixd.given import described
from sixd.model.model import Model
from sixd.model.tree import BodyForces, MatrixOutput, MotionsOutput, Output, Positions, Slots, Tree, Velocities
from sixd.ops import doubt, unstack
from sixd.spatial import Matrix, Transform, Vector
from sixd.spatial.value import Value, need_kind

__all__ = ["algorithm", "is_algorithm"]

P = ParamSpec("P")


def _view(tree: Tree, name: str, value: Any) -> Any:
    if name == "q":
        return tree.positions(value)
    if name in ("qd", "qdd", "tau"):
        return tree.velocities(value, name)
    if name == "f_ext":
        return tree.forces(value)
    if (name == "offset" or name.endswith("_offset")) and value is not None:
        need_kind(value, Transform, f"the argument {name}")
    return value


def algorithm(body: Callable[Concatenate[Tree, P], Any]) -> Callable[Concatenate[Model | Tree, P], Any]:
    """Make an algorithm of a function ``body(tree, ...)`` for one state.

    Its arguments named q, qd, qdd, tau and f_ext are the state: inside they are seen by joint or by body, outside they
    are arrays (or sequences of any number): (..., nq), (..., nv), (..., N, 6). Other arguments are passed as they are.
    Called with a model, the result comes back as arrays, all NaN in samples in which an argument is not finite; called
    with a tree, from another algorithm, it stays as it is.
    """
    parameters = signature(body)

    @wraps(body)
    def run(model: Model | Tree, *args: P.args, **kwargs: P.kwargs) -> Any:
        tree = Tree(model) if isinstance(model, Model) else model
        if not hasattr(tree, "outward"):
            raise ArgumentError(f"{body.__name__} is for a model (sixd.load(...)), not for {described(model)}")
        try:
            bound = parameters.bind(tree, *args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{body.__name__}: {error}") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            bound.arguments[name] = _view(tree, name, value)
        result = body(*bound.args, **bound.kwargs)
        return _plain(_known(result, list(bound.arguments.values())[1:])) if tree is not model else result

    run.body = body  # type: ignore[attr-defined]
    run.algorithm = run  # type: ignore[attr-defined]
    return run  # type: ignore[return-value]


def is_algorithm(function: Any) -> bool:
    """Whether a function was made by `algorithm`, so that it takes a tree as well as a model.

    `functools.wraps` copies all attributes to a function around it, which need not take a tree.
    """
    return getattr(function, "algorithm", None) is function


def _known(result: Any, arguments: Iterable[Any]) -> Any:
    """The result, with NaN in all its numbers in the samples in which an argument is not finite."""
    total = doubt(x for argument in arguments for x in _numbers(argument))
    return result if type(total) is float and total == 0.0 else _times(result, 1.0 + total)


def _numbers(argument: Any) -> Sequence[Any]:
    """The numbers in an argument as the algorithm sees it that may be infinite or NaN."""
    if isinstance(argument, Positions | Velocities | BodyForces):
        return argument.values or ()
    if isinstance(argument, Value):
        return argument.components()
    if isinstance(argument, list | tuple):
        return [x for part in argument for x in _numbers(part)]
    if isinstance(argument, float):
        return (argument,)
    shape, kind = getattr(argument, "shape", None), getattr(getattr(argument, "dtype", None), "kind", "f")
    return () if shape is None or kind != "f" else (argument,) if shape == () else unstack(argument)


def _times(result: Any, factor: Any) -> Any:
    """All numbers of a result times a factor; what counts, compares or names something stays as it is."""
    if isinstance(result, tuple):
        parts = [_times(part, factor) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, list):
        return [_times(part, factor) for part in result]
    if isinstance(result, dict):
        return {name: _times(part, factor) for name, part in result.items()}
    if isinstance(result, Slots | Output):
        result.values = _times(result.values, factor)
    elif isinstance(result, MatrixOutput):
        result.rows = _times(result.rows, factor)
    elif isinstance(result, MotionsOutput):
        result.columns = _times(result.columns, factor)
    elif isinstance(result, Transform):
        return Transform.from_components(_times(result.components(), factor))
    elif not isinstance(result, int | str | bytes | None):
        return result if getattr(getattr(result, "dtype", None), "kind", "f") in "biuSU" else result * factor
    return result


def _plain(result: Any) -> Any:
    """Results by joint as arrays, results by body as tuples (base first); typed values stay typed."""
    if isinstance(result, Output | MatrixOutput | MotionsOutput | Vector | Matrix):
        return result.array()
    if isinstance(result, Slots):
        return tuple(result.values)
    if isinstance(result, tuple):
        parts = [_plain(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return result
