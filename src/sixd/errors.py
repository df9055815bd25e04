"""Typed errors and warnings. Each message names the culprit, what was found and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import takewhile

__all__ = [
    "ArgumentError",
    "AssemblyError",
    "ChoiceError",
    "FileError",
    "ModelError",
    "ModelWarning",
    "NameNotFoundError",
    "OutOfRangeError",
    "PoseError",
    "ShapeError",
    "SimulationError",
    "SimulationWarning",
    "SingularError",
    "SixdError",
    "SpatialTypeError",
]

#: Words beyond this length are not compared, and words are compared up to this many products of lengths: comparing two
#: words may take time with the cube of their length. It adds up to a tenth of a second.
_LONGEST, _MOST_COMPARED = 64, 400_000


def shorten(text: str, most: int = 200) -> str:
    """The text as errors show it: a long one without its middle."""
    if len(text) <= most:
        return text
    half = most // 2 - 3
    return f"{text[:half]} ... {text[-half:]}"


def closest(word: str, known: Iterable[str], n: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known words most similar to one, at most n; in bounded time, so that very many or long ones are passed over.

    Two words are as similar as the share of letters that they have in common, in the same order; ``cutoff`` is the
    least share.
    """
    if len(word) > _LONGEST:
        return []
    work = 0

    def affordable(candidate: str) -> bool:
        nonlocal work
        work += len(word) * len(candidate)
        return work <= _MOST_COMPARED

    # What two words can have in common is at most the shorter one.
    near = (k for k in known if 2 * min(len(k), len(word)) >= cutoff * (len(k) + len(word)))
    return get_close_matches(word, list(takewhile(affordable, near)), n=n, cutoff=cutoff)


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


class FileError(ModelError, OSError):
    """A file that cannot be read or written; where it or its folder is missing, it is a ``FileNotFoundError`` too."""

    @classmethod
    def of(cls, error: OSError, file: str, tried: str = "read", remedy: str = "") -> FileError:
        """The error for one of the operating system; ``tried`` is what was to be done with the file."""
        kind = MissingFileError if isinstance(error, FileNotFoundError) else cls
        found = kind(f"it cannot be {tried}: {error.strerror or error}{remedy and '; '}{remedy}", file=file)
        found.errno, found.strerror, found.filename = error.errno, error.strerror, file
        return found


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there, or is to be written into a folder that is not there."""


class OutOfRangeError(SixdError, IndexError):
    """A position in a sequence that is not there; says how many there are."""


class NameNotFoundError(SixdError, KeyError):
    """A body, joint or frame name that the model does not have; the message lists the closest ones."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        close = closest(self.name, self.known, n=3, cutoff=0.5) if isinstance(self.name, str) else []
        if close:
            hint = "did you mean " + " or ".join(repr(c) for c in close) + "?"
        elif not self.known:
            hint = "the model has none"
        else:
            shown = ", ".join(repr(shorten(n, 80)) for n in self.known[:8])
            hint = f"the model has {shown}" + (" ..." if len(self.known) > 8 else "")
        return f"no {self.kind} named {shorten(repr(self.name))}; {hint}"


class ShapeError(SixdError, ValueError):
    """An array argument whose shape does not fit: names the argument, the shape found and the shape needed."""


class PoseError(SixdError, ValueError):
    """Numbers given as a rotation, a pose, a transform or a unit vector that are none; says what is wrong with them."""


class ArgumentError(SixdError, TypeError):
    """An argument that is no plain array of real numbers: it has units, masked entries, or numbers of another kind."""


class ChoiceError(SixdError, ValueError):
    """A keyword with a value that is not one of those it knows."""


class SpatialTypeError(SixdError, TypeError):
    """An operation that has no meaning on spatial quantities, such as the scalar product of two motions."""


class SingularError(SixdError, ArithmeticError):
    """The forward dynamics of this mechanism has no answer here: a joint moves no inertia."""


class AssemblyError(SixdError, ArithmeticError):
    """A mechanism with loops that cannot be assembled: no position was found that keeps its constraints.

    ``q`` is the position with the smallest error that was found, and ``error`` that error, rad or m.
    """

    def __init__(self, message: str, q: object = None, error: float | None = None) -> None:
        self.message, self.q, self.error = message, q, error
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return AssemblyError, (self.message, self.q, self.error)


class SimulationError(SixdError, ArithmeticError):
    """A simulation that could not go on: a controller failed, or all samples left the finite numbers.

    ``time`` is when, in seconds; ``trajectory`` is what was computed until then.
    """

    def __init__(self, message: str, time: float | None = None, trajectory: object = None) -> None:
        self.message, self.time, self.trajectory = message, time, trajectory
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return SimulationError, (self.message, self.time, self.trajectory)


class SimulationWarning(UserWarning):
    """A simulation that went on, but not as asked for all samples: some blew up, or it was interrupted."""


class ModelWarning(_Placed, UserWarning):
    """Something odd in a robot description that does not stop it from being used.

    ``file``, ``line`` and ``element`` say where, when the description came from a file.
    """
