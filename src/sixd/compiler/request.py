"""A request: what is to be compiled. A function, a model, and what the function's arguments are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from sixd.algorithms.algorithm import Algorithm
from sixd.algorithms.declared import Declaration, Kind, Shape, read
from sixd.errors import ArgumentError, ChoiceError, ModelError, ShapeError
from sixd.given import count, described, whole
from sixd.ir import ShapedPort
from sixd.model import Model
from sixd.process.forks import cached_property
from sixd.process.sources import makes_code

__all__ = ["Request", "code_of", "extents_of", "is_own", "shapes_of"]

#: Types whose values have different texts if they differ, so that the text can be part of a key.
_PLAIN = (int, float, bool, str, type(None))


def shapes_of(shapes: Any) -> dict[str, tuple[int, ...]]:
    """Shapes as users give them, {name: shape}, checked. A shape is a whole number or a sequence of them."""
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        raise ArgumentError(f"shapes maps names of arguments to shapes, as {{'point': (3,)}}, not {described(shapes)}")
    found = {}
    for name, shape in shapes.items():
        entries = shape if isinstance(shape, tuple | list) else (shape,)
        found[name] = tuple(count(n, f"each extent of shapes[{name!r}]", 0) for n in entries)
    return found


def is_own(thing: Any) -> bool:
    """Whether a function or class is defined in the modules of sixd that make code (`sixd.process.sources`).

    The name of a function does not tell: `functools.wraps` copies it to functions that compute something else, and what
    a module has under a name may have been replaced. So the object is compared with those that existed when sixd was
    imported.
    """
    return _OWN.get(id(thing)) is thing


def _is_sixds(thing: Any) -> bool:
    """Whether a module of sixd defines a class or a function that holds nothing else: users' functions may be in it."""
    if isinstance(thing, type):
        return thing.__module__.partition(".")[0] == "sixd"
    if is_own(thing):
        return True
    if isinstance(thing, Algorithm):
        return _is_sixds(thing.body)
    if isinstance(thing, FunctionType):
        return thing.__closure__ is None and str(thing.__globals__.get("__name__")).partition(".")[0] == "sixd"
    return False


def code_of(written: Any) -> Any:
    """What tells the code of a user apart from other code: that of a function, or the class, of an object as well."""
    if isinstance(written, FunctionType):
        return written.__code__
    return written if isinstance(written, type) else type(written)


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _defined() -> dict[int, Any]:
    """The functions and classes that the loaded modules which make code have defined, by id."""
    modules = [m for name, m in list(sys.modules.items()) if makes_code(name) and m is not None]
    things = (x for module in modules for x in vars(module).values() if callable(x))
    return {id(x): x for x in things if makes_code(str(getattr(x, "__module__", "")))}


_OWN = _defined()


def _is_plain(x: Any) -> bool:
    """Whether values of this type have different texts if they differ."""
    if type(x) is tuple:
        return all(map(_is_plain, x))
    return type(x) in _PLAIN or (hasattr(x, "components") and is_own(type(x)))


#: The most characters of a kernel's name.
LONGEST = 200
#: The attributes that belong to a model: its fields, and its cached properties.
_OF_MODELS = {f.name for f in fields(Model)} | {k for k, x in vars(Model).items() if isinstance(x, cached_property)}


def without_methods(model: Model) -> Model:
    """A plain `Model` with the same content, without the kernels that a robot has used.

    Robots keep kernels. If kernels also kept robots, neither would ever be freed: Python's garbage collector cannot see
    what a gufunc keeps.
    """
    plain = object.__new__(Model)
    vars(plain).update({name: value for name, value in list(vars(model).items()) if name in _OF_MODELS})
    return plain


def extents_of(model: Model) -> dict[str, int]:
    """The sizes by which shapes of arguments and results are declared."""
    n = model.n_bodies
    sizes = {"nq": model.nq, "nv": model.nv, "bodies": n + 1, "moving": n, "parameters": 10 * n}
    return sizes | {"rows": model.n_rows, "targets": model.n_targets}


@dataclass(frozen=True)
class Request:
    """What is to be compiled. The fields are the arguments of `sixd.compile`, already checked."""

    function: Callable[..., Any]
    model: Model
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    title: str | None = None
    parameters: tuple[str, ...] = ()
    #: Arguments that may be NaN or infinite: the function deals with that itself.
    nonfinite: frozenset[str] = frozenset()
    #: Whether the function is known to do the same in every recording (see `is_steady`).
    steady: bool = False

    @property
    def name(self) -> str:
        """What the kernel is called: one line that can be printed, of at most `LONGEST` characters."""
        text = self.title or str(getattr(self.function, "__name__", "kernel"))
        return "".join(c if c.isprintable() else "_" for c in text[:LONGEST])

    @cached_property
    def declaration(self) -> Declaration:
        """What the function's arguments and its result are."""
        return self.function.declaration if isinstance(self.function, Algorithm) else read(self.function)

    @property
    def bodies(self) -> dict[str, int]:
        """The fixed arguments that are bodies."""
        return self.declaration.bodies(self.fixed)

    def apart(self) -> Request:
        """The same request for a plain `Model` (see `without_methods`).

        This is what kernels keep, so that they can record their program when it is asked for.
        """
        return replace(self, model=without_methods(self.model))

    def shape_for_model(self, declared: Shape) -> tuple[int, ...]:
        """A declared shape, such as ("moving", 6), in the numbers of this model."""
        extents = extents_of(self.model)
        return tuple(extents[n] if isinstance(n, str) else n for n in declared)

    def ports(self) -> list[ShapedPort]:
        """The inputs of the kernel: the arguments that vary.

        An argument whose shape follows from the model is an input even if it has a default. The exceptions are forces
        on bodies and targets: with a default, they are an input only if ``shapes`` names them.
        """
        found: list[ShapedPort] = []
        self._check_names()
        for name, argument in self.declaration.arguments.items():
            if name in self.fixed:
                continue
            may_be_left_out = argument.kind in (Kind.BODY_FORCES, Kind.TARGETS) and not argument.required
            if argument.shape is not None and (name in self.shapes or not may_be_left_out):
                found.append(ShapedPort(name, argument.shape, name not in self.nonfinite))
            elif name in self.shapes:
                found.append(ShapedPort(name, tuple(self.shapes[name]), name not in self.nonfinite))
            elif argument.required:
                raise ModelError(
                    f"the shape of argument {name!r} is not known: give it as shapes={{{name!r}: ...}}, or its value "
                    f"as {name}=..."
                )
        names = [port.name for port in found]
        for name in sorted(self.nonfinite.difference(names)):
            raise ChoiceError(f"nonfinite names {name!r}, but the arguments are {', '.join(map(repr, names))}")
        return found

    def _check_names(self) -> None:
        """Raise if what was given does not fit the function's arguments, or if one cannot be given by its name."""
        declared = signature(self.function).parameters
        kinds = {parameter.kind for parameter in declared.values()}
        for where, names in (("shapes", self.shapes), ("the call", self.fixed)):
            for name in sorted(set(map(str, names)).difference(declared)):
                if Parameter.VAR_KEYWORD not in kinds:
                    raise ChoiceError(f"{where} names {name!r}, but the function has no such argument")
        for name, parameter in list(declared.items())[1:]:
            if parameter.kind is Parameter.POSITIONAL_ONLY:
                raise ArgumentError(f"{self.name} takes {name} by position only, but kernels give arguments by name")
        for name, body in self.bodies.items():
            if whole(body) is None:
                raise ModelError(f"{name} must be the number of a body, not {described(body)}")
        for name, argument in self.declaration.arguments.items():
            if argument.shape is None or name not in self.shapes:
                continue
            needed = self.shape_for_model(argument.shape)
            if tuple(self.shapes[name]) != needed:
                raise ShapeError(f"{name} has shape {needed} for this model, not {tuple(self.shapes[name])}")

    def known_by_name(self) -> bool:
        """Whether names tell what is computed: function, joints, constraints are sixd's own, fixed arguments plain."""
        return self.has_plain_arguments() and all(is_own(x) for x in (self.function, *self.model.types))

    @property
    def is_steady(self) -> bool:
        """Whether every recording is known to be the same: code of sixd has no random numbers, clocks and counters."""
        innermost = getattr(self.function, "innermost", self.function)
        return (self.steady or _is_sixds(innermost)) and all(map(_is_sixds, self.model.types))

    @property
    def written(self) -> list[Any]:
        """What in it the user may have written: the function, then joint types and kinds of constraints."""
        innermost = getattr(self.function, "innermost", self.function)
        own = [] if self.steady or _is_sixds(innermost) else [innermost]
        return own + sorted((kind for kind in self.model.types if not _is_sixds(kind)), key=_path)

    @property
    def culprits(self) -> str:
        """The same, for errors."""
        return " or ".join(_path(x) if isinstance(x, type) else self.name for x in self.written)

    def has_plain_arguments(self) -> bool:
        """Whether the texts of fixed arguments differ if their values do."""
        return all(map(_is_plain, self.fixed.values()))

    def key(self, *more: Any) -> str:
        """A text that identifies the request, the same in every process, provided that it is `known_by_name`."""
        where = [str(getattr(self.function, name, "")) for name in ("__module__", "__qualname__")]
        return repr((where, self.name, sorted(self.shapes.items()), self.parameters, sorted(self.nonfinite), *more))

    def label(self, how: str, any_body: bool = False) -> str:
        """The title of the code for people: "rnea panda unrolled". With ``any_body``, bodies are shown as "any"."""
        shown = {k: x for k, x in self.fixed.items() if isinstance(x, int | float | str)}
        fixed = (f"{k}={'any' if any_body and k in self.bodies else x}" for k, x in shown.items())
        return " ".join([self.name, how, *fixed, *(f"{name}=any" for name in self.parameters)])

    def kind_of(self, name: str) -> tuple[Any, ...]:
        """What rolled code depends on in a fixed argument.

        For bodies and spatial quantities that is only their kind, since their values are in the table.
        """
        x = self.fixed[name]
        if name in self.bodies:
            return ("body",)
        if hasattr(x, "components"):
            return type(x).__name__, len(x.components()), len(getattr(x, "rows", ()))
        return type(x).__name__, x
