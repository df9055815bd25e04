"""A figure that sixd is to reach, beside what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Goal", "at_least", "at_most"]


class Goal(NamedTuple):
    """A figure that is asked for, and what was found."""

    what: str
    asked: str
    found: str
    met: bool


def at_least(what: str, asked: float, found: float | None) -> Iterator[Goal]:
    """So many times faster; nothing if it was not measured."""
    if found is not None:
        yield Goal(what, f"at least {asked:g} x", f"{found:.1f} x", found >= asked)


def at_most(what: str, asked: float, found: float | None, unit: str = "", scale: float = 1.0) -> Iterator[Goal]:
    """So much of something, told in a unit that is ``scale`` times smaller; nothing if it was not measured."""
    if found is not None:
        yield Goal(what, f"at most {scale * asked:,.4g}{unit}", f"{scale * found:,.4g}{unit}", found <= asked)
