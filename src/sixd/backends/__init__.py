"""Backends: tables from primitives to code.

A printer of programs is one file here, which registers a `Printer`, and its line below.
"""

from sixd.backends.c_loops import C as C
from sixd.backends.printers import PRINTERS as PRINTERS
