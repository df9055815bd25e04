"""SciPy, which is imported when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sixd.errors import ArgumentError
from sixd.process.forks import importing

__all__ = ["scipy_module"]


def scipy_module(name: str, caller: str) -> Any:
    """The module of SciPy with this name, such as "optimize"; an error says who has called for it."""
    with importing:
        try:
            return import_module(f"scipy.{name}")
        except ImportError:
            raise ArgumentError(f"{caller} needs SciPy: pip install scipy, or 'sixd[fit]'") from None
