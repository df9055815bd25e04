"""Kernels that run from a tape: for programs that are written out, because they have no loops, and are very large.

Compiling such a program would take minutes or hours. Here it is not compiled: it is data (`sixd.ir.passes.tape`), which
a small piece of machine code plays. That code is ready in a fraction of a second, and the tape in some seconds. Results
are those of unrolled code to the bit; a call takes three to five times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf

from sixd.backends.llvm.tape import emit_taped
from sixd.compiler.kernel import Kernel
from sixd.compiler.request import Request
from sixd.compiler.unrolled import UNROLLED, Modules, Style, build_kernel, find_kernel, recording_of
from sixd.ir import Program, TooLargeError
from sixd.ir.passes import fuse
from sixd.ir.passes.tape import tape_of

__all__ = ["COMPILED", "COMPILED_STEP", "compile_taped", "compile_written_out", "taped_modules"]

#: Programs with more nodes run from a tape, if they cannot be rolled. LLVM takes ten seconds for 100,000. The
#: derivatives of forward dynamics of a humanoid, which may be called millions of times, have 150,000.
COMPILED = 160_000
#: The same for a step of a rollout. Of one state, a rollout from a tape takes longer than compiled code and its
#: compilation together after some 100,000 steps only, whatever the size.
COMPILED_STEP = 60_000


def compile_taped(request: Request, limit: float = inf) -> Kernel:
    """The kernel that runs from a tape; `TooLargeError` if its program has more nodes than the limit."""
    return find_kernel(request, TAPED, limit) or build_kernel(request, TAPED, recording_of(request, limit))


def compile_written_out(request: Request, limit: float = inf) -> Kernel:
    """The kernel with unrolled code if the program has at most `COMPILED` nodes, else the one that runs from a tape.

    `TooLargeError` if the program has more nodes than the limit. What is in the cache makes no difference.
    """
    found = find_kernel(request, TAPED, limit, above=COMPILED)
    if found is None:
        with suppress(TooLargeError):  # someone has asked for the code of a program that is too large
            found = find_kernel(request, UNROLLED, min(limit, COMPILED))
    if found is not None:
        return found
    recording = recording_of(request, limit)
    return build_kernel(request, UNROLLED if recording.nodes <= COMPILED else TAPED, recording)


def taped_modules(program: Program) -> Modules:
    """The function that makes the LLVM modules of a program with its tape (`unrolled.Style`)."""
    tape = tape_of(fuse(program))

    def modules(width: int, report: Callable[[float], None], emit: Callable[..., str]) -> Iterator[str]:
        return emit_taped(program, tape, width, emit)

    return modules


#: Run from a tape: ready in seconds, whatever the size.
TAPED = Style("taped", compile_taped, taped_modules)
