"""Warnings that are shown for the user's line: the innermost one that is neither of sixd nor of what it calls."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import warnings
from functools import cache
from types import FrameType

__all__ = ["warn"]

#: Packages whose lines are not to blame.
_PASSED = frozenset({__name__.partition(".")[0], "numpy"})
#: Where Python's own modules are, which come between two of sixd, as `contextlib` does; and of folders in it, those
#: whose modules are not Python's own.
_PYTHON = tuple({os.path.join(os.path.realpath(sysconfig.get_path(name)), "") for name in ("stdlib", "platstdlib")})
_ADDED = re.compile(r"[\\/](site|dist)-packages[\\/]")


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
    while _is_passed(frame):
        if frame.f_back is None:
            return first
        frame = frame.f_back
    return frame


def _is_passed(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in _PASSED or (package in sys.stdlib_module_names and _is_of_python(frame.f_code.co_filename))


@cache
def _is_of_python(file: str) -> bool:
    """Whether a file is one of Python's own, whose names those of users may have: profile.py, code.py."""
    path = os.path.realpath(file)
    return file.startswith("<frozen ") or (path.startswith(_PYTHON) and not _ADDED.search(path))
