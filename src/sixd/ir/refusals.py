"""What cannot be recorded: errors that name the user's line, and that recorded code cannot catch."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from sixd.errors import SixdError

__all__ = ["TooLargeError", "TraceError", "UnsteadyError", "noted", "place", "recording"]

Refusal = TypeVar("Refusal", bound=SixdError)

#: Packages whose lines are not the user's.
_NOT_THE_USERS = frozenset({__name__.partition(".")[0], "numpy"})
#: The refusals of the recording that is going on. Code that catches them goes on, but what it does then is not what it
#: would do with numbers: `recording` raises the first one at the end.
_REFUSALS: ContextVar[list[SixdError] | None] = ContextVar("refusals", default=None)


def noted(refusal: Refusal) -> Refusal:
    """An error that ends the recording that is going on, even if the recorded code catches it."""
    refusals = _REFUSALS.get()
    if refusals is not None:
        refusals.append(refusal)
    return refusal


class TraceError(SixdError, TypeError):
    """Code cannot be recorded: it asks for the value of a traced number, say, which has none yet."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        noted(self)


class UnsteadyError(TraceError):
    """A function is none of its arguments alone: ``why`` tells how that was found, ``remedy`` what to do."""

    def __init__(
        self,
        name: str,
        why: str = "two recordings of it differ, as by random numbers, a clock or a counter",
        remedy: str = "Draw such numbers before, and give them as constants, arguments or inputs",
    ) -> None:
        self.why, self.remedy = why, remedy
        super().__init__(
            f"{name} is no function of its arguments alone: {why}, and compiled code would keep what one call had. "
            f"{remedy}"
        )

    def of(self, name: str) -> UnsteadyError:
        """The same of what has another name."""
        return UnsteadyError(name, self.why, self.remedy)


class TooLargeError(SixdError):
    """A recording has more nodes than allowed, or a result would have more entries."""


@contextmanager
def recording() -> Iterator[None]:
    """Turn errors of NumPy and Python about traced numbers into `TraceError`, with the line and what to use instead.

    A refusal that the recorded code caught is raised again at the end.
    """
    refusals: list[SixdError] = []
    token = _REFUSALS.set(refusals)
    try:
        yield
        if refusals:
            raise _caught(refusals[0])
    except (TypeError, AttributeError) as error:
        if isinstance(error, SixdError) or not any(word in str(error) for word in ("Traced", "ufunc")):
            raise
        raise TraceError(
            f"this cannot be recorded ({error}); use + - * / ** and the functions of sixd.ops: {place(error)}"
        ) from error
    finally:
        _REFUSALS.reset(token)


def _caught(refusal: Refusal) -> Refusal:
    """A refusal that recorded code has caught, with a message that tells so."""
    refusal.args = (
        f"{refusal} (the `except` around this line has caught the refusal, and what follows it would be recorded for "
        "numbers of all kinds: take the line out of the `try`)",
    )
    return refusal


def place(error: BaseException | None = None) -> str:
    """The line of the user's code that is running, or that raised an error: the innermost outside sixd and NumPy.

    Whose code a line is, its module's name tells. The path does not: anyone's folder may be called sixd.
    """
    if error is None:
        inwards = list(traceback.walk_stack(sys._getframe()))
    else:
        inwards = list(traceback.walk_tb(error.__traceback__))[::-1]
    for frame, line in inwards:
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in _NOT_THE_USERS:
            file = frame.f_code.co_filename
            # All texts that are run share the name <string>: Python may know another text by it.
            code = "" if file == "<string>" else linecache.getline(file, line, frame.f_globals).strip()
            return f"in {file}, line {line}{code and ': '}{code}"
    return "in sixd"
