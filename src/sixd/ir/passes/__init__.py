"""Passes: programs to better programs. Each is checked after it ran."""

from sixd.ir.passes.fuse import fuse

__all__ = ["fuse"]
