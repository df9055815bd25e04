"""Checks of the numbers that contacts are described by."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from sixd.errors import ModelError
from sixd.given import number

__all__ = ["within"]


def within(value: Any, what: str, least: float, most: float = inf, open_below: bool = False) -> float:
    """A finite number in [least, most], or in (least, most] if it is ``open_below``."""
    found = number(value, what)
    if isfinite(found) and least <= found <= most and not (open_below and found == least):
        return found
    wanted = f"more than {least:g}" if open_below else f"at least {least:g}"
    wanted += "" if most == inf else f" and at most {most:g}"
    raise ModelError(f"{what} must be a finite number, {wanted}, not {found!r}")
