"""What is to be compiled: a function, a model, and what the function's arguments are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from inspect import Parameter, signature
from typing import Any

from sixd.errors import ModelError
from sixd.ir import ShapedPort
from sixd.model import Model
from sixd.rolled import STATE

__all__ = ["Request"]

#: The most characters of a kernel's name.
LONGEST = 200
#: What a model has, and what it has computed of itself.
_OF_MODELS = {f.name for f in fields(Model)} | {k for k, x in vars(Model).items() if isinstance(x, cached_property)}


@dataclass(frozen=True)
class Request:
    """What is to be compiled."""

    function: Callable[..., Any]
    model: Model
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    title: str | None = None
    parameters: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the kernel is called: one line that can be printed, of at most `LONGEST` characters."""
        text = self.title or str(getattr(self.function, "__name__", "kernel"))
        return "".join(c if c.isprintable() else "_" for c in text[:LONGEST])

    def apart(self) -> Request:
        """The same for a model without what robots add to it: the kernels that a robot has used.

        It is what kernels keep, to record what they compute when that is asked for. Robots keep kernels. If kernels
        kept robots in turn none would ever go, for NumPy hides from Python's collector what a gufunc keeps.
        """
        model = object.__new__(Model)
        vars(model).update({name: value for name, value in list(vars(self.model).items()) if name in _OF_MODELS})
        return replace(self, model=model)

    def ports(self) -> list[ShapedPort]:
        """The arguments that vary. Of those whose shape is known only f_ext may be left out, where it has a default."""
        found = []
        for name, parameter in list(signature(self.function).parameters.items())[1:]:
            required = parameter.default is Parameter.empty
            if name in self.fixed:
                continue
            if name in STATE and (required or name != "f_ext" or name in self.shapes):
                found.append(ShapedPort(name, STATE[name]))
            elif name in self.shapes:
                found.append(ShapedPort(name, tuple(self.shapes[name])))
            elif required:
                raise ModelError(
                    f"the shape of argument {name!r} is not known: give it as shapes={{{name!r}: ...}}, or its value "
                    f"as {name}=..."
                )
        return found

    def known_by_name(self) -> bool:
        """Whether names tell what is computed: the function and the joints are sixd's own, arguments are plain."""
        if "<" in getattr(self.function, "__qualname__", "<"):
            return False
        owners = [self.function, *self.model.joint_types]
        return self.has_plain_arguments() and all(str(getattr(x, "__module__", "")).startswith("sixd.") for x in owners)

    def has_plain_arguments(self) -> bool:
        """Whether fixed arguments are told apart by their text."""
        values = self.fixed.values()
        return all(isinstance(x, int | float | str | type(None)) or hasattr(x, "components") for x in values)

    def key(self, *more: Any) -> str:
        """A text that tells requests apart, the same in every process."""
        where = f"{self.function.__module__}.{self.function.__qualname__}"
        return repr((where, self.name, sorted(self.shapes.items()), self.parameters, *more))

    def label(self, how: str, any_body: bool = False) -> str:
        """What people are told of the code: "rnea panda unrolled"; ``any_body``: it serves for all bodies."""
        shown = {k: x for k, x in self.fixed.items() if isinstance(x, int | float | str)}
        fixed = (f"{k}={'any' if any_body and type(x) is int else x}" for k, x in shown.items())
        return " ".join([self.name, how, *fixed, *(f"{name}=any" for name in self.parameters)])
