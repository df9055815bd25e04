"""Backends: they turn programs into machine code (`llvm`) or into text in another language (printers, such as C).

To add a printer, write one file here that registers a `Printer`, and add its line below.
"""

from sixd.backends.c_loops import C as C
from sixd.backends.javascript import JAVASCRIPT as JAVASCRIPT
from sixd.backends.printers import PRINTERS as PRINTERS
