"""What users give where names and numbers are needed: as such, or a `ModelError` that says which argument is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from math import isfinite
from operator import index
from typing import Any

from sixd.errors import ModelError

__all__ = ["count", "described", "finite", "name", "number", "numbers"]

_TEXT, _FLOATS = (str, bytes, bytearray), frozenset({float})


def described(value: Any) -> str:
    """A value as errors show it: as it is written if that is short, else its type."""
    text = repr(value) if isinstance(value, str | bytes | int | float | list | tuple | dict | set | None) else ""
    return text if 0 < len(text) < 60 else f"a {type(value).__name__}"


def name(value: Any, what: str) -> str:
    """A name: text that is not empty."""
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a name, not {described(value)}")
    if not value:
        raise ModelError(f"{what} must be a name, but it is empty")
    return value


def count(value: Any, what: str, least: int = 1) -> int:
    """A whole number that is not too small."""
    if not hasattr(value, "__index__") or index(value) < least:
        raise ModelError(f"{what} must be a whole number of at least {least}, not {described(value)}")
    return index(value)


def number(value: Any, what: str) -> float:
    """One real number of any kind, as a float. Text is none, whatever it says."""
    if type(value) is float:
        return value
    if not isinstance(value, _TEXT) and getattr(value, "shape", ()) == ():
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ModelError(f"{what} must be a number, not {described(value)}")


def numbers(value: Any, what: str, count: int | None = None) -> tuple[float, ...]:
    """Real numbers, as floats; with ``count``, this many."""
    if type(value) is tuple and (count is None or len(value) == count) and _FLOATS.issuperset(map(type, value)):
        return value  # as most are
    wanted = "numbers" if count is None else f"{count} numbers"
    if isinstance(value, (*_TEXT, Mapping, Set)) or not isinstance(value, Iterable) or getattr(value, "shape", 1) == ():
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
