"""Warnings that are shown for the user's line: the innermost one that is neither of sixd nor of what it calls."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

__all__ = ["warn"]

#: Packages whose lines are not to blame. Those of Python itself come between two of sixd, as `contextlib` does.
_PASSED = frozenset({__name__.partition(".")[0], "numpy", *sys.stdlib_module_names}) - {"__main__"}


def warn(message: Warning | str, category: type[Warning] = UserWarning) -> None:
    """Warn, as `warnings.warn` does; the category of a message that is a warning itself is its class."""
    kind = type(message) if isinstance(message, Warning) else category
    frame = _caller()
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    place = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(message, kind, *place, names.get("__name__"), registry)


def _caller() -> FrameType:
    """The frame of the line to blame; where there is none, as in a thread of sixd's own, that which warns."""
    first = frame = sys._getframe(2)
    while str(frame.f_globals.get("__name__", "")).partition(".")[0] in _PASSED:
        if frame.f_back is None:
            return first
        frame = frame.f_back
    return frame
