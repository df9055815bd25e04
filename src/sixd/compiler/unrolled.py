"""Unrolled kernels: their program is written out body by body, with the robot's numbers as constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

from sixd.algorithms.algorithm import is_algorithm
from sixd.backends.llvm.emit import emit_batches, emit_first, emit_float32
from sixd.backends.llvm.on_demand import InnerLoop, Later, in_main_interpreter
from sixd.backends.llvm.pieces import emit_modules
from sixd.backends.llvm.target import lanes
from sixd.compiler.kernel import Code, Kernel
from sixd.compiler.machine_code import build_code, find_code
from sixd.compiler.parameters import parameters, with_parameters
from sixd.compiler.pickles import Origin
from sixd.compiler.progress import Progress
from sixd.compiler.request import Request, code_of
from sixd.compiler.steady import drawn_from, need_steady
from sixd.compiler.variables import array_of
from sixd.ir import Port, Program, TooLargeError, trace
from sixd.ir.passes import fuse
from sixd.model import ModelTree
from sixd.runtime.least_recently_used import Recent
from sixd.runtime.results import flat, parts

__all__ = [
    "UNROLLED",
    "Modules",
    "Style",
    "build_kernel",
    "compile_unrolled",
    "find_kernel",
    "pieces_of",
    "record_unrolled",
    "recording_of",
    "unrolled_key",
]

#: Makes the LLVM modules of a program: of the number of lanes, a function to report progress to, and ``emit``.
Modules = Callable[..., Iterable[str]]


class Style(NamedTuple):
    """A way to run a program that is written out: as code of its own, or from a tape (`sixd.compiler.taped`)."""

    name: str
    #: Makes a kernel of this style; a pickle of the kernel calls it.
    make: Callable[[Request], Kernel]
    #: Prepares a program: gives the function that makes its LLVM modules.
    modules: Callable[[Program], Modules]


class Recording(NamedTuple):
    """A program, how many nodes were recorded for it (some of which it does not need), and the seconds that took."""

    program: Program
    nodes: int
    seconds: float


def compile_unrolled(request: Request, limit: float = inf) -> Kernel:
    """The kernel with unrolled code; `TooLargeError` if its program has more nodes than the limit.

    The limit holds for code from the cache too: what runs does not depend on what was compiled before.
    """
    return find_kernel(request, UNROLLED, limit) or build_kernel(request, UNROLLED, recording_of(request, limit))


def recording_of(request: Request, limit: float = inf) -> Recording:
    """Record a function, and show the progress of it."""
    start, nodes = perf_counter(), 0
    with Progress() as progress:

        def report(n: int) -> None:
            nonlocal nodes
            nodes = n
            progress(f"recording {request.name}, {n} nodes")

        program = record_unrolled(request, limit, report)
    return Recording(program, nodes, perf_counter() - start)


def build_kernel(request: Request, style: Style, recording: Recording) -> Kernel:
    """The kernel of a recording. If it was recorded before, its code is in the cache, and is not made again."""
    start, program = perf_counter(), recording.program
    key = unrolled_key(request, style.name) or f"{style.name} {program.fingerprint}"
    note = {
        "title": request.label(f"{request.model.name} {style.name}"),
        "inputs": [(p.name, p.shape, p.finite) for p in program.inputs],
        "outputs": [(p.name, p.shape, p.finite) for p in program.outputs],
        "operations": program.operations,
        "recorded": recording.nodes,
    }
    modules = cache(lambda: style.modules(program))
    with Progress() as progress:
        module = build_code(request.name, program, _text(modules, emit_first), key, note, progress)
    times = {"record": recording.seconds, "load" if module.cached else "compile": perf_counter() - start}
    return _kernel(request, style, key, module, times, lambda: program, modules)


def find_kernel(request: Request, style: Style, limit: float = inf, above: int = 0) -> Kernel | None:
    """The kernel, if the cache has its code and it can be found without recording the function; else None.

    It is None, too, if its program has no more nodes than ``above``. `TooLargeError` if it has more than the limit.
    """
    key = unrolled_key(request, style.name)
    if key is None:
        return None
    start = perf_counter()
    module = find_code(key)
    if module is None or module.note["recorded"] <= above:
        return None
    if module.note["recorded"] > limit:
        raise TooLargeError(f"the recording has more than {limit:.0f} nodes")
    times, kept = {"load": perf_counter() - start}, request.apart()
    program = cache(lambda: record_unrolled(kept))
    return _kernel(request, style, key, module, times, program, cache(lambda: style.modules(program())))


def unrolled_key(request: Request, kind: str = "unrolled") -> str | None:
    """The key of the code in the cache, from names and numbers; None if only a recording tells what is computed."""
    if not request.known_by_name():
        return None
    values = sorted(request.fixed.items())
    fixed = [(k, *request.kind_of(k), x.components() if hasattr(x, "components") else x) for k, x in values]
    return request.key(kind, request.model.fingerprint, fixed)


def record_unrolled(
    request: Request,
    limit: float = inf,
    report: Callable[[int], None] | None = None,
    written: Sequence[Any] = (),
) -> Program:
    """The program with all loops unrolled; `TooLargeError` if it has more nodes than the limit.

    What users write is recorded twice, but for what was the same twice before: `UnsteadyError` if both differ, or
    both draw random numbers.
    ``written`` are functions and classes of users that the request does not know of.
    """
    if request.is_steady:
        return _recorded_once(request, limit, report)
    program, drawn = drawn_from(lambda: _recorded_once(request, limit, report))
    key = program.fingerprint, *map(code_of, (*request.written, *written))
    if drawn or _STEADY.get(key) is None:
        need_steady(request.culprits, drawn, program, lambda: _recorded_once(request, limit, report))
        _STEADY.put(key, True)
    return program


#: The programs that were recorded twice, by fingerprint and by whose code they are, the most recent ones. Other code
#: may do the same once by chance: a counter that begins where a constant was.
_STEADY: Recent[bool] = Recent(4_096)


def _recorded_once(request: Request, limit: float, report: Callable[[int], None] | None) -> Program:
    model, own = request.model, {name: parameters(request.model, name) for name in request.parameters}
    ports = [Port(p.name, request.shape_for_model(p.shape), p.finite) for p in request.ports()]
    ports += [Port(name, array.shape, finite=True) for name, array in own.items()]

    def run(*numbers: Sequence[Any]) -> list[tuple[str, tuple[int, ...], list[Any]]]:
        arrays = {port.name: array_of(list(x), port.shape) for port, x in zip(ports, numbers, strict=True)}
        changed = {name: arrays.pop(name) for name in own}
        subject: Any = with_parameters(model, changed) if changed else model
        if is_algorithm(request.function):
            subject = ModelTree(subject)  # called with a tree, it returns values by body as `Slots`, not as a tuple
        result = request.function(subject, **arrays, **request.fixed)
        return [(title, *flat(part)) for title, part in parts(result)]

    return trace(run, ports, request.name, limit, report)


def _text(modules: Callable[[], Modules], emit: Callable[..., str]) -> Modules:
    """The argument ``text`` of `build_code`: makes the modules around what ``emit`` makes."""
    return lambda width, report: modules()(width, report, emit)


def _kernel(
    request: Request,
    style: Style,
    key: str,
    module: Any,
    times: dict[str, float],
    program: Callable[[], Program],
    modules: Callable[[], Modules],
) -> Kernel:
    """The kernel that runs a module.

    NumPy keeps the kernel's code alive in a way that Python's garbage collector cannot see. A user's function may refer
    to the kernel. If the code kept the request, and with it that function, the cycle would never be freed. So the code
    keeps ``program`` and ``modules`` only. The kernel's origin has the request too, but the collector can see that.
    """
    note, name, label = module.note, request.name, module.note["title"]
    inputs, outputs = (tuple(Port(n, tuple(s), f) for n, s, f in note[side]) for side in ("inputs", "outputs"))

    def inner_loop(kind: str, emit: Callable[..., str], size: int) -> InnerLoop:
        """An inner loop of the gufunc, for numbers of ``size`` bytes: from the cache, or made from the program."""
        start, part = perf_counter(), f"{key} {kind}"
        loop = find_code(part, size)
        if loop is None:
            recorded, about = program(), {"title": f"{label} {kind}"}
            with Progress() as progress:
                loop = build_code(name, recorded, _text(modules, emit), part, about, progress, size)
        times[kind] = perf_counter() - start
        return InnerLoop(loop.address("loop"), owner=loop)

    def float32() -> InnerLoop:
        return inner_loop("float32", emit_float32, 4)

    batches = Later(lambda: inner_loop("batches", emit_batches, 8))
    if not in_main_interpreter():
        batches.make_now()
    module.batches = batches  # the module's loop is a stub, which needs this as long as it lives
    operations, words, kind = note["operations"], batches.words, style.name
    code = Code(name, inputs, outputs, operations, lanes(), module, times, program, float32, words=words, kind=kind)
    return Kernel(code, Origin.of(style.make, request))


def pieces_of(program: Program) -> Modules:
    """Code of the program's own, with fused multiply-adds, in pieces if it is large."""

    def modules(width: int, report: Callable[[float], None], emit: Callable[..., str]) -> Iterator[str]:
        return emit_modules(fuse(program), width, emit, report)

    return modules


#: Code of the program's own: the fastest.
UNROLLED = Style("unrolled", compile_unrolled, pieces_of)
