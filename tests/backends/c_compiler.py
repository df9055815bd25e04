"""C files compiled without a warning and called through ctypes; the C library's functions for the interpreter."""

from __future__ import annotations

import ctypes
import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixd.ir.primitives import PRIMITIVES

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="needs a C compiler")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wvla", "-Wconversion", "-Wshadow", "-O1"]
#: A number that no result has: what must not be touched still holds it.
UNTOUCHED = -1.2345e234


def gcc(*arguments: Any) -> None:
    subprocess.run([str(GCC), *FLAGS, *map(str, arguments), "-lm"], check=True)


class Library:
    """The one function of a C file."""

    def __init__(self, text: str, folder: Path) -> None:
        source, library = folder / "kernel.c", folder / "kernel.so"
        source.write_text(text)
        gcc("-shared", "-fPIC", source, "-o", library)
        (self.name,) = re.findall(r"^void (\w+)\(.*\);$", text, re.MULTILINE)
        self.function = getattr(ctypes.CDLL(str(library)), self.name)
        lengths = re.findall(r"^#define \w+_WORK (\d+)$", text, re.MULTILINE)
        #: How much room the function wants beside its arguments; None if it takes none.
        self.work = int(lengths[0]) if lengths else None

    def __call__(self, outputs: Any, *arrays: Any) -> list[Any]:
        """The outputs (ports) for one state. Memory on both sides of what may be written stays as it was."""
        arrays = tuple(np.ascontiguousarray(a, dtype=float) for a in arrays)
        shapes = [port.shape for port in outputs] + ([] if self.work is None else [(self.work,)])
        padded = [np.full(2 + math.prod(shape), UNTOUCHED) for shape in shapes]
        pointers = [a.ctypes.data for a in arrays] + [a.ctypes.data + 8 for a in padded]
        self.function(*map(ctypes.c_void_p, pointers))
        assert all(a[0] == a[-1] == UNTOUCHED for a in padded)
        return [a[1:-1].reshape(port.shape) for a, port in zip(padded, outputs, strict=False)]


@pytest.fixture
def c_library_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter takes sin, cos and atan2 from the C library, as C does: NumPy's own differ in the last bit."""
    for name, function in {"sin": math.sin, "cos": math.cos, "arctan2": math.atan2}.items():
        each = np.vectorize(function, otypes=[float])
        monkeypatch.setitem(PRIMITIVES, name, replace(PRIMITIVES[name], evaluate=each))
