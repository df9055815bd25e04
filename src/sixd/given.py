"""Checks of what users give: a name, a number, a choice, a switch. Each returns it, or raises an error that names it.

The first argument of each function is what was given, ``what`` is what the error calls it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Set
from inspect import signature
from math import isfinite
from numbers import Complex, Real
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from sixd.errors import ArgumentError, ChoiceError, ModelError

__all__ = [
    "choice",
    "count",
    "described",
    "file_path",
    "finite",
    "flag",
    "function",
    "instance",
    "name",
    "number",
    "numbers",
    "whole",
    "words",
]

T = TypeVar("T")
_TEXT, _FLOATS = (str, bytes, bytearray), frozenset({float})


def described(value: Any) -> str:
    """A value as errors show it: as Python writes it if that is short, else its type."""
    if isinstance(value, int) and value.bit_length() > 64:
        return "a huge number"
    text = repr(value) if isinstance(value, str | bytes | int | float | list | tuple | dict | set | None) else ""
    return text if 0 < len(text) < 60 else f"a {type(value).__name__}"


def name(value: Any, what: str) -> str:
    """A name: text that is not empty."""
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a name, not {described(value)}")
    if not value:
        raise ModelError(f"{what} must be a name, but it is empty")
    return value


def whole(value: Any) -> int | None:
    """A value as a whole number; None if it is not one. True and False are not."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def count(value: Any, what: str, least: int = 1) -> int:
    """A whole number, at least ``least`` and at most `sys.maxsize`."""
    found = whole(value)
    if found is None or not least <= found <= sys.maxsize:
        raise ModelError(f"{what} must be a whole number of at least {least}, not {described(value)}")
    return found


def flag(value: Any, what: str) -> bool:
    """True or False. Text is refused, since "no" would count as true in Python."""
    if isinstance(value, bool) or type(value).__name__ == "bool":  # NumPy's bool is another class than Python's
        return bool(value)
    raise ArgumentError(f"{what} must be True or False, not {described(value)}")


def choice(value: Any, what: str, known: Iterable[str]) -> str:
    """A word, if it is one of those that are known."""
    if isinstance(value, str) and value in known:
        return value
    raise ChoiceError(f"{what} must be one of {', '.join(map(repr, known))}, not {described(value)}")


def words(value: Any, what: str) -> tuple[str, ...]:
    """One text, or several, as a tuple."""
    is_several = isinstance(value, Iterable) and not isinstance(value, str)
    found = tuple(value) if is_several else (value,)
    for word in found:
        if not isinstance(word, str):
            raise ArgumentError(f"{what} must be a name or several, not {described(value)}")
    return found


def file_path(value: Any, what: str) -> Path:
    """The path of a file: text without NUL, or a path."""
    text = fspath(value) if isinstance(value, str | PathLike) else None
    if isinstance(text, str) and "\0" not in text:
        return Path(text)
    raise ArgumentError(f"{what} must be the path of a file, not {described(value)}")


def instance(value: Any, what: str, kind: type[T], example: str) -> T:
    """An object of one type; ``example`` tells how one is made."""
    if isinstance(value, kind):
        return value
    raise ArgumentError(f"{what} must be a {kind.__name__} ({example}), not {described(value)}")


def function(value: Any, what: str) -> Callable[..., Any]:
    """A function whose signature is known."""
    try:
        signature(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} must be a function f(model, ...), not {described(value)}") from None
    return value


def number(value: Any, what: str) -> float:
    """One real number of any kind, as a float. Text is refused, even if it spells a number."""
    if type(value) is float:
        return value
    if type(value) is int or (_may_be_real(value) and getattr(value, "shape", ()) == ()):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ModelError(f"{what} must be a number, not {described(value)}")


def _may_be_real(value: Any) -> bool:
    """Whether a value is no text and no complex number."""
    return not isinstance(value, _TEXT) and (isinstance(value, Real) or not isinstance(value, Complex))


def _has_entries(value: Any) -> bool:
    """Whether a value has entries in a fixed order."""
    unfit = isinstance(value, (*_TEXT, Mapping, Set)) or getattr(value, "shape", 1) == ()
    return isinstance(value, Iterable) and not unfit


def numbers(value: Any, what: str, count: int | None = None) -> tuple[float, ...]:
    """Real numbers, as floats; with ``count``, this many."""
    if type(value) is tuple and (count is None or len(value) == count) and _FLOATS.issuperset(map(type, value)):
        return value  # the usual case
    wanted = "numbers" if count is None else f"{count} numbers"
    if type(value) not in (tuple, list) and not _has_entries(value):
        raise ModelError(f"{what} must be {wanted}, not {described(value)}")
    each = f"{what}: each entry"
    found = tuple(number(x, each) for x in value)
    if count is not None and len(found) != count:
        raise ModelError(f"{what} must be {wanted}, not {len(found)}: {described(found)}")
    return found


def finite(value: Any, what: str, count: int) -> tuple[float, ...]:
    """This many finite numbers, as floats."""
    found = numbers(value, what, count)
    if not all(map(isfinite, found)):
        raise ModelError(f"{what} must be {count} finite numbers, not {found}")
    return found
