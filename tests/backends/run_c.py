"""Runs what the printer "c" prints, for `tests/backends/test_printers.py`."""

from tests.backends.c_compiler import GCC, Library

__all__ = ["available", "load"]

available = GCC is not None
load = Library
