"""The declaration of an algorithm: what its arguments and its result are, said once by its annotations:

    @algorithm
    def rnea(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None) -> Output:

`@algorithm` reads them once (`read`). Everything that runs the algorithm goes by the `Declaration`: the call on
numbers, kernels, recorded loops, the robot's table, tests. An argument without such an annotation goes by its name if
that is one of `NAMES`, so that a short function of a user's own needs no annotations. Every other argument is an
option: a value that is the same for all samples, and that sixd passes on as it is.

The result is annotated with what the function returns: an `Output`, `Slots` of motions, a `Transform`, a `Number`, a
named tuple of these.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from inspect import Parameter, Signature, signature, unwrap
from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from sixd.errors import ChoiceError
from sixd.model.tree import (
    ColumnsOutput,
    MatrixOutput,
    Output,
    RegressorOutput,
    RowsMatrixOutput,
    RowsOutput,
    Slots,
    TensorOutput,
)
from sixd.spatial import ArticulatedInertia, Force, Inertia, Matrix, Motion, Transform, Vector

__all__ = [
    "REQUIRED",
    "Acceleration",
    "Argument",
    "BodyNumber",
    "Declaration",
    "ExternalForces",
    "FrameForce",
    "FrameOffset",
    "JointForces",
    "Kind",
    "Number",
    "Option",
    "Part",
    "Position",
    "Result",
    "Targets",
    "Tensor3",
    "Tensor4",
    "Velocity",
    "offset_on",
    "read",
    "resolved",
]

T = TypeVar("T")


class _Required:
    """The type of `REQUIRED`."""

    def __repr__(self) -> str:
        return "required"


#: The default of an argument that must be given although it follows arguments that have a default.
REQUIRED: Any = _Required()
#: The axes of one state's value: numbers, or "nq", "nv", "moving" (the number of bodies without the base).
Shape: TypeAlias = tuple[int | str, ...]


class Kind(Enum):
    """What an argument is."""

    POSITION = "position"
    VELOCITY = "velocity"
    BODY_FORCES = "forces by body"
    FRAME_FORCE = "force on a frame"
    TARGETS = "targets of prescribed motions"
    BODY = "body"
    OFFSET = "frame on a body"
    OPTION = "option"


@dataclass(frozen=True)
class Meaning:
    """What an annotation says of an argument: its kind, its shape if it is an array, the body that an offset is on."""

    kind: Kind
    shape: Shape | None = None
    body: str | None = None


_POSITION, _VELOCITY = Meaning(Kind.POSITION, ("nq",)), Meaning(Kind.VELOCITY, ("nv",))
_FORCES, _FRAME_FORCE = Meaning(Kind.BODY_FORCES, ("moving", 6)), Meaning(Kind.FRAME_FORCE, (6,))
_TARGETS = Meaning(Kind.TARGETS, ("targets", 3))
_BODY, _OPTION, _NUMBER = Meaning(Kind.BODY), Meaning(Kind.OPTION), "one number of any kind"

#: A position (..., nq). Inside an algorithm ``q[i]`` is the vector of joint i's coordinates.
Position = Annotated[Any, _POSITION]
#: A velocity (..., nv). Inside an algorithm it is seen by joint; None stands for zero.
Velocity = Annotated[Any, _VELOCITY]
#: An acceleration (..., nv). Inside an algorithm it is seen by joint; None stands for zero.
Acceleration = Annotated[Any, _VELOCITY]
#: Joint forces (..., nv). Inside an algorithm they are seen by joint; None stands for zero.
JointForces = Annotated[Any, _VELOCITY]
#: Forces on the bodies in their coordinates (..., N, 6). Inside an algorithm they are seen by body; None stands for no
#: forces.
ExternalForces = Annotated[Any, _FORCES]
#: One force, (..., 6) or a `Force`. Inside an algorithm it is a `Force`.
FrameForce = Annotated[Any, _FRAME_FORCE]
#: For each row of constraints whose motion is prescribed: position, velocity, acceleration, (..., targets, 3). None
#: stands for those that the constraints hold by themselves. Inside an algorithm it is a list of all numbers.
Targets = Annotated[Any, _TARGETS]
#: A body, by its number.
BodyNumber = Annotated[int, _BODY]
#: A value that is the same for all samples. An argument needs this, as in ``to: Option[str]``, only if its name is in
#: `NAMES`.
Option = Annotated[T, _OPTION]
#: A result that is one number of any kind.
Number = Annotated[Any, _NUMBER]
#: Results with three axes, and with four, by degree of freedom.
Tensor3 = Annotated[TensorOutput, 3]
Tensor4 = Annotated[TensorOutput, 4]


#: The names whose absence from a module is a mistake of whoever writes an algorithm.
_DECLARING = (
    *("Position", "Velocity", "Acceleration", "JointForces", "ExternalForces", "FrameForce", "Targets"),
    *("BodyNumber", "FrameOffset", "Option", "Output", "MatrixOutput", "RegressorOutput", "ColumnsOutput", "Slots"),
    *("Tensor3", "Tensor4", "RowsOutput", "RowsMatrixOutput"),
)


def offset_on(body: str) -> Meaning:
    """The meaning of an argument that is the transform to a frame from the body that the argument ``body`` gives."""
    return Meaning(Kind.OFFSET, body=body)


#: The transform from the coordinates of the argument ``body`` to those of a frame on it; None for the body's own frame.
FrameOffset = Annotated[Transform | None, offset_on("body")]

#: What arguments are by their names, if no annotation says it.
NAMES: Mapping[str, Meaning] = {
    "q": _POSITION,
    **dict.fromkeys(("qd", "qdd", "tau"), _VELOCITY),
    "f_ext": _FORCES,
    "targets": _TARGETS,
    **dict.fromkeys(("body", "left", "right", "to"), _BODY),
    "offset": offset_on("body"),
    **{f"{body}_offset": offset_on(body) for body in ("left", "right", "to")},
}


@dataclass(frozen=True)
class Argument:
    """An argument of an algorithm, after the model."""

    name: str
    kind: Kind
    #: The axes of one state's value, where it is an array whose shape the model tells.
    shape: Shape | None
    #: For a frame on a body: the argument that is the body.
    body: str | None
    required: bool


@dataclass(frozen=True)
class Part:
    """A result, or one of several: its name, and how many axes it has as an array for one state."""

    name: str
    rank: int
    #: "joint", "body", "row" (of the constraints) or "parameter" (ten for each body) if it has an entry for each; None
    #: if it is one quantity.
    by: str | None
    type: Any


@dataclass(frozen=True)
class Result:
    """What an algorithm returns for one state."""

    parts: tuple[Part, ...]
    #: Whether it is a tuple.
    several: bool

    @property
    def rank(self) -> int | tuple[int, ...]:
        """The number of axes as an array; a tuple of them where the result is a tuple."""
        ranks = tuple(part.rank for part in self.parts)
        return ranks if self.several else ranks[0]


@dataclass(frozen=True)
class Declaration:
    """What the arguments of a function, after the first, and its result are. The result is None if nothing says it."""

    arguments: Mapping[str, Argument]
    result: Result | None

    def bodies(self, fixed: Mapping[str, Any]) -> dict[str, int]:
        """The arguments with a value in ``fixed`` that are bodies."""
        return {name: x for name, x in fixed.items() if x is not None and self.kind(name) is Kind.BODY}

    def offset_of(self, body: str) -> str | None:
        """The name of the argument that places a frame on the body of this argument, if there is one."""
        offsets = (a.name for a in self.arguments.values() if a.kind is Kind.OFFSET and a.body == body)
        return next(offsets, None)

    def kind(self, name: str) -> Kind:
        """What an argument is. One that the function collects in ``**more`` is an option."""
        argument = self.arguments.get(name)
        return Kind.OPTION if argument is None else argument.kind


def read(function: Callable[..., Any]) -> Declaration:
    """The declaration of a function, from its annotations or, where these say nothing, the names of its arguments."""
    found = resolved(function)
    arguments = {}
    for name, parameter in list(found.parameters.items())[1:]:
        meaning = _meaning(parameter.annotation) or NAMES.get(name, _OPTION)
        required = parameter.default is Parameter.empty or parameter.default is REQUIRED
        arguments[name] = Argument(name, meaning.kind, meaning.shape, meaning.body, required)
    return Declaration(types.MappingProxyType(arguments), _result(found.return_annotation))


def resolved(function: Callable[..., Any]) -> Signature:
    """The signature of a function with its annotations as objects, without those that cannot be evaluated."""
    found, names = signature(function), getattr(unwrap(function), "__globals__", {})
    parameters = [p.replace(annotation=_object(p.annotation, names)) for p in found.parameters.values()]
    return found.replace(parameters=parameters, return_annotation=_object(found.return_annotation, names))


def _object(annotation: Any, names: dict[str, Any]) -> Any:
    """The object that an annotation written as text stands for; nothing if only type checkers understand it.

    Those know names that Python does not have, and take brackets and bars where Python has none (TypeError). A name
    like one of those that declare arguments and results is taken for a mistake, and so is what is no expression.
    """
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, names)
    except (NameError, AttributeError) as error:
        meant = get_close_matches(error.name or "", _DECLARING, n=1, cutoff=0.8)
        if meant:
            where = "import it where Python sees it, not only type checkers" if meant[0] == error.name else "misspelt?"
            raise ChoiceError(
                f"the annotation {annotation!r} is not known; {meant[0]} of sixd declares a meaning: {where}"
            ) from None
        return Parameter.empty
    except TypeError as error:
        meant = [name for name in _DECLARING if re.search(rf"\b{name}\b", annotation)]
        if meant:
            raise ChoiceError(
                f"the annotation {annotation!r} cannot be evaluated ({error}), so {meant[0]} declares nothing there"
            ) from None
        return Parameter.empty
    except SyntaxError as error:
        raise ChoiceError(
            f"the annotation {annotation!r} is no expression of Python ({error.msg}): give a type, or none at all"
        ) from None


def _meaning(annotation: Any) -> Meaning | None:
    """The `Meaning` in an annotation, also in one of several: ``BodyNumber | None``."""
    for part in get_args(annotation) if _is_union(annotation) else (annotation,):
        for x in getattr(part, "__metadata__", ()):
            if isinstance(x, Meaning):
                return x
    return None


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


#: The types of results: how many axes they have as arrays, and what they have an entry for each of.
_RESULTS: tuple[tuple[Any, int, str | None], ...] = (
    *((kind, 0, None) for kind in (Number, float, int)),
    *((kind, 1, None) for kind in (Vector, Motion, Force)),
    *((kind, 2, None) for kind in (Matrix, Transform, Inertia, ArticulatedInertia)),
    (Output, 1, "joint"),
    (MatrixOutput, 2, "joint"),
    (RegressorOutput, 2, "parameter"),
    (ColumnsOutput, 2, "joint"),
    (RowsOutput, 1, "row"),
    (RowsMatrixOutput, 2, "row"),
    (Tensor3, 3, "joint"),
    (Tensor4, 4, "joint"),
)


def _result(annotation: Any) -> Result | None:
    """The result that an annotation declares; None if it does not say it, or not of every part."""
    if get_origin(annotation) is tuple and Ellipsis not in get_args(annotation):
        kinds = {f"out{k}": kind for k, kind in enumerate(get_args(annotation))}
    elif hasattr(annotation, "_fields"):
        kinds = _fields(annotation)
    else:
        part = _part("out", annotation)
        return None if part is None else Result((part,), several=False)
    parts = tuple(part for name, kind in kinds.items() if (part := _part(name, kind)))
    return Result(parts, several=True) if len(parts) == len(kinds) else None


def _fields(annotation: Any) -> dict[str, Any]:
    """The fields of a named tuple with their types; Any for all of them if only type checkers know one."""
    try:
        return get_type_hints(annotation, include_extras=True)
    except NameError:
        return dict.fromkeys(annotation._fields, Any)


def _part(name: str, annotation: Any) -> Part | None:
    """A result of this type. Values by body, and those of a list, have one axis more than a single value."""
    if get_origin(annotation) in (Slots, list):
        each = _part(name, get_args(annotation)[0])
        by = "body" if get_origin(annotation) is Slots else None
        return None if each is None else Part(name, each.rank + 1, by, annotation)
    known = ((rank, by) for kind, rank, by in _RESULTS if kind == annotation)
    return next((Part(name, rank, by, annotation) for rank, by in known), None)
