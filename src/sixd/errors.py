"""Typed errors and warnings. Each message names the culprit, what was found and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "ArgumentError",
    "ChoiceError",
    "ModelError",
    "ModelWarning",
    "NameNotFoundError",
    "ShapeError",
    "SingularError",
    "SixdError",
    "SpatialTypeError",
]


class SixdError(Exception):
    """Base of every error that sixd raises on purpose."""


class _Placed(Exception):
    """A message with the place it is about: ``file``, ``line`` and ``element``, as far as they are known."""

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, element: str | None = None
    ) -> None:
        self.message, self.file, self.line, self.element = message, file, line, element
        super().__init__(self.__str__())

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        where = ", ".join(part for part in (place, f"<{self.element}>" if self.element else "") if part)
        return f"{where}: {self.message}" if where else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_placed, (type(self), self.message, self.file, self.line, self.element)


def _rebuild_placed(
    kind: type[_Placed], message: str, file: str | None, line: int | None, element: str | None
) -> _Placed:
    return kind(message, file=file, line=line, element=element)


class ModelError(_Placed, SixdError, ValueError):
    """A robot description that cannot be used.

    ``file``, ``line`` and ``element`` say where, when the description came from a file.
    """


class NameNotFoundError(SixdError, KeyError):
    """A body, joint or frame name that the model does not have; the message lists the closest ones."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        close = get_close_matches(str(self.name), self.known, n=3, cutoff=0.5)
        if close:
            hint = "did you mean " + " or ".join(repr(c) for c in close) + "?"
        elif not self.known:
            hint = "the model has none"
        else:
            shown = ", ".join(repr(n) for n in self.known[:8])
            hint = f"the model has {shown}" + (" ..." if len(self.known) > 8 else "")
        return f"no {self.kind} named {self.name!r}; {hint}"


class ShapeError(SixdError, ValueError):
    """An array argument whose shape does not fit: names the argument, the shape found and the shape needed."""


class ArgumentError(SixdError, TypeError):
    """An argument that is no plain array of real numbers: it has units, masked entries, or numbers of another kind."""


class ChoiceError(SixdError, ValueError):
    """A keyword with a value that is not one of those it knows."""


class SpatialTypeError(SixdError, TypeError):
    """An operation that has no meaning on spatial quantities, such as the scalar product of two motions."""


class SingularError(SixdError, ArithmeticError):
    """The forward dynamics of this mechanism has no answer here: a joint moves no inertia."""


class ModelWarning(_Placed, UserWarning):
    """Something odd in a robot description that does not stop it from being used.

    ``file``, ``line`` and ``element`` say where, when the description came from a file.
    """
