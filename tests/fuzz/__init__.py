"""Fuzz targets: long random attacks, bounded in time; `make fuzz` runs them.

A target is a module with ``run(seconds, seed, cases)``, which attacks for a time, or ``cases`` times, and counts what
happened; ``BAD`` names the counts that must be zero. To add one: a file beside these, and its line here.
"""

from tests.fuzz import cache, files, kernels

__all__ = ["TARGETS"]

TARGETS = {"files": files, "kernels": kernels, "cache": cache}
