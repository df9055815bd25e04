"""The variables of a derivative: arguments of a function, or parameters of its model, as new recorded numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from sixd.algorithms.configuration import integrate
from sixd.compiler.parameters import (
    PARAMETERS,
    TANGENTS,
    check_parameters,
    moved,
    numbers_of,
    tangent_shape,
    with_parameters,
)
from sixd.errors import ChoiceError
from sixd.given import described
from sixd.ir import Traced
from sixd.model import Model, ModelTree

__all__ = ["Variables", "array_of", "by_arguments", "by_parameters", "model_of", "recorder_of"]


@dataclass(frozen=True)
class Variables:
    """The variables x for one argument or one kind of parameter, and the point x_0 at which the derivative is taken.

    ``value`` is what the function gets in their place: x itself. In a tangent space it is q (+) x for a position q, and
    parameters moved by x; x_0 = 0 then. ``shape`` is that of x.
    """

    name: str
    shape: tuple[int, ...]
    variables: list[Traced]
    point: list[Any]
    value: Any


def by_arguments(
    title: str, names: tuple[str, ...], values: Mapping[str, Any], subject: Any, positions: tuple[str, ...]
) -> list[Variables]:
    """The arguments of these names as variables. Those in ``positions`` vary in the tangent space."""
    found = []
    for name in names:
        given = np.asarray(values.get(name), dtype=object)
        places = given.ravel().tolist()
        if not places or not all(isinstance(x, Traced) for x in places):
            raise ChoiceError(
                f"{title} needs recorded numbers for {name}, not {described(values.get(name))}: a derivative is by "
                "what varies, and compiled before it is called: sixd.compile(sixd.jacobian(f, 'q'), robot)"
            )
        model = model_of(subject, title) if name in positions else None
        size = given.size if model is None else model.nv
        # Other arguments may be computed from the same recorded numbers, or these from each other: hence new variables.
        variables = [places[0].recorder.variable() for _ in range(size)]
        if model is None:
            found.append(Variables(name, given.shape, variables, places, array_of(variables, given.shape)))
        else:
            moved = integrate(model, places, variables)
            found.append(Variables(name, (size,), variables, [0.0] * size, moved))
    return found


def by_parameters(
    title: str, names: tuple[str, ...], values: Mapping[str, Any], subject: Any, tangent: bool = False
) -> tuple[list[Variables], Model]:
    """Parameters of a model as variables, at the values that the model has; and the model with these variables.

    With ``tangent``, placements and axes vary in their tangent spaces.
    """
    model = model_of(subject, title)
    check_parameters(model, names)
    recorder = recorder_of(title, values, model)
    found = []
    for name in names:
        own = numbers_of(model, name)
        shape = tangent_shape(model, name) if tangent else own.shape
        variables = [recorder.variable() for _ in range(prod(shape))]
        x = array_of(variables, shape)
        if tangent and name in TANGENTS:
            found.append(Variables(name, shape, variables, [0.0] * len(variables), moved(name, own, x)))
        else:
            found.append(Variables(name, shape, variables, own.ravel().tolist(), x))
    return found, with_parameters(model, {x.name: x.value for x in found})


def model_of(subject: Any, title: str) -> Model:
    """The model behind the first argument of a function, which is a model or a `ModelTree`."""
    if isinstance(subject, ModelTree):
        return subject.model
    if isinstance(subject, Model):
        return subject
    raise ChoiceError(f"{title} needs a model as its first argument, not {described(subject)}")


def recorder_of(title: str, values: Mapping[str, Any], model: Model) -> Any:
    """The recorder that is at work, found through any recorded number in the arguments or in the model."""
    numbers = (x for value in (*values.values(), *(numbers_of(model, name) for name in PARAMETERS)) for x in _in(value))
    found = next(numbers, None)
    if found is None:
        raise ChoiceError(
            f"{title} needs an argument that varies, with recorded numbers, beside the parameters of the model: "
            "compile it before it is called, sixd.compile(sixd.jacobian(f, 'inertia'), robot)"
        )
    return found.recorder


def _in(value: Any) -> Iterator[Traced]:
    """The recorded numbers in an argument."""
    if isinstance(value, Traced):
        yield value
    elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object and value.ndim):
        for part in value:
            yield from _in(part)


def array_of(values: list[Any], shape: tuple[int, ...]) -> Any:
    """Numbers of any kind as an array of objects; one number by itself where the shape is ()."""
    if not shape:
        return values[0]
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out.reshape(shape)
