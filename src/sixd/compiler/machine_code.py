"""Machine code of a program: loaded from the cache on disk, or compiled and stored there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sixd.backends.llvm.cache import Cache, default_directory
from sixd.backends.llvm.target import assembly, compile_module, lanes, load_module
from sixd.compiler.progress import Progress
from sixd.ir import LoopProgram, Program

__all__ = ["build_code", "find_code"]

#: Roughly the seconds that it takes to compile one node.
SECONDS = 1e-4


def find_code(key: str, size: int = 8) -> Any:
    """The machine code that the cache has under this key, or None; ``size`` is the bytes of a float, 8 or 4."""
    return load_module(_with_lanes(key, size), Cache(default_directory()))


def _with_lanes(key: str, size: int) -> str:
    return f"{key} {lanes(size)} float{8 * size}"


def build_code(
    name: str,
    program: Program | LoopProgram,
    text: Callable[[int, Callable[[float], None]], Iterable[str]],
    key: str,
    note: Any,
    progress: Progress,
    size: int = 8,
) -> Any:
    """The machine code of a program: from the cache, or compiled from the LLVM modules that ``text`` makes."""
    nodes = len(program.nodes)

    def report(done: float) -> None:
        progress(f"compiling {name}, {nodes} nodes, {100 * done:.0f}%", (1.0 - done) * nodes * SECONDS)

    def make() -> Iterator[str]:
        report(0.0)
        _show(1, f"sixd: {name}: {nodes} nodes")
        _show(2, program)
        for part in text(lanes(size), report):
            _show(3, part)
            _show(4, lambda part=part: assembly(part))
            yield part

    return compile_module(make, _with_lanes(key, size), Cache(default_directory()), note)


def _show(stage: int, text: object) -> None:
    """Print what SIXD_DEBUG asks for: 1 a line, 2 the program, 3 LLVM's assembly, 4 the machine's too."""
    level = os.environ.get("SIXD_DEBUG", "0")
    if level.isdecimal() and int(level) >= stage:
        print(text() if callable(text) else text, file=sys.stderr)
