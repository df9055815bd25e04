"""From a function of a model to machine code: record, check, improve, emit, and wrap as a NumPy gufunc.

The one place that sees both robots and the compiler. A function is recorded in one of two ways:

- unrolled: body by body, with the robot's numbers as constants. Zeros and ones fold away: the fastest code. Its size,
  and the time to compile it, grow with the robot.
- rolled: the loops over bodies are kept, and read the robot's numbers from a table. One piece of code for all robots
  with the same types of joints, whatever their size.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from sixd import given
from sixd.algorithms.algorithm import is_algorithm
from sixd.backends.llvm.cache import Cache, default_directory
from sixd.backends.llvm.emit import emit_float32
from sixd.backends.llvm.later import InnerLoop
from sixd.backends.llvm.loop_entries import emit_loops, emit_loops_float32
from sixd.backends.llvm.pieces import emit_modules
from sixd.backends.llvm.target import assembly, compile_module, lanes, load_module
from sixd.backends.llvm.words import words_of
from sixd.errors import ArgumentError, ModelError, SixdError
from sixd.ir import LoopProgram, Port, Program, ShapedPort, Table, TooLargeError, trace
from sixd.ir.passes import fuse, improve_loops
from sixd.kernel import Code, Kernel
from sixd.model import Model, Tree
from sixd.note import header_of, note_of, operations_of
from sixd.parameters import PARAMETERS, check_parameters, named_parameters, parameters, with_parameters
from sixd.progress import Progress
from sixd.recent import Recent
from sixd.request import Request, is_own, shapes_of
from sixd.results import flat, parts
from sixd.rolled import RollError, offset_name
from sixd.rolled import record as record_loops
from sixd.spatial import Transform
from sixd.table import cases_of, extents_of, table_of, types_of

__all__ = ["Kernel", "compile"]

#: Recordings of more nodes are rolled if they can be: compiling them takes more than a second or two.
LARGE = 20_000
#: Seconds that a node takes to compile, roughly.
SECONDS = 1e-4


def compile(
    function: Callable[..., Any],
    model: Model,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    rolled: bool | None = None,
    parameters: str | Iterable[str] = (),
    nonfinite: str | Iterable[str] = (),
    **fixed: Any,
) -> Kernel:
    """A kernel from a function ``f(model, *arrays)`` of one state, written for any number.

    ``f`` is an algorithm of `sixd.algorithms` or of your own. Its arguments named q, qd, qdd, tau and f_ext have the
    shapes of the model; others need one in ``shapes``, or a value in ``fixed``, which is then a constant. Arguments
    with a default keep it. It returns an array (of recorded numbers), a spatial quantity, values by body, or a tuple of
    them: a pose is a 4x4 matrix, values by body are one array with the base first.

    ``rolled``: False writes the code out for every body, True keeps the loops over bodies (algorithms only), None
    chooses by the number of operations. ``parameters`` are numbers of the model that become arguments after the others,
    one set for all samples or one for each: "inertia", "placement", "axis", "rotor", "gravity"; `sixd.parameters` gives
    the model's own.

    A sample with an argument that is NaN or infinite has NaN in all its results, however it is run; the other samples
    are not touched by it. ``nonfinite`` names arguments of your own function that may be so, since it deals with that
    itself, such as limits that may be infinite.
    """
    given.instance(model, "model", Model, "sixd.load(...); the order is sixd.compile(function, robot)")
    given.function(function, "function")
    if not isinstance(name, str | None):
        raise ArgumentError(f"name must be text, what the kernel is called, not {given.described(name)}")
    fixed = {k: int(x) if isinstance(x, np.integer) else x for k, x in fixed.items()}
    own = frozenset(given.words(nonfinite, "nonfinite"))
    request = Request(function, model, shapes_of(shapes), fixed, name, named_parameters(parameters), own)
    check_parameters(model, request.parameters)
    if rolled is not None:
        return compile_rolled(request) if given.flag(rolled, "rolled") else compile_unrolled(request)
    if not is_algorithm(function):
        return compile_unrolled(request)
    try:
        return compile_unrolled(request, LARGE)
    except TooLargeError:
        try:
            return compile_rolled(request)
        except (SixdError, TypeError, AttributeError):
            return compile_unrolled(request)


# ---- unrolled


def compile_unrolled(request: Request, limit: float = inf) -> Kernel:
    """The kernel with the code written out for every body; `TooLargeError` if the recording exceeds the limit.

    Code from the cache is held to the same limit: what runs does not depend on what was compiled before.
    """
    found = find_unrolled(request)
    if found is not None:
        if found.code.module.note["recorded"] > limit:
            raise TooLargeError(f"the recording has more than {limit:.0f} nodes")
        return found
    start, nodes = perf_counter(), [0]
    with Progress() as progress:

        def report(n: int) -> None:
            nodes[0] = n
            progress(f"recording {request.name}, {n} nodes")

        program = record_unrolled(request, limit, report)
        recorded = perf_counter()
        key = _unrolled_key(request) or program.fingerprint
        note = {
            "title": request.label(f"{request.model.name} unrolled"),
            "inputs": [(p.name, p.shape, p.finite) for p in program.inputs],
            "outputs": [(p.name, p.shape, p.finite) for p in program.outputs],
            "operations": program.operations,
            "recorded": nodes[0],
        }
        text = lambda width, report: emit_modules(fuse(program), width, report=report)  # noqa: E731
        module = _build(request.name, program, text, key, note, progress)
    times = {"record": recorded - start, "load" if module.cached else "compile": perf_counter() - recorded}
    return _unrolled_kernel(request, key, module, times, lambda: program)


def find_unrolled(request: Request) -> Kernel | None:
    """The kernel, if it is in the cache and can be found there without recording."""
    key = _unrolled_key(request)
    if key is None:
        return None
    start = perf_counter()
    module = _find(key)
    if module is None:
        return None
    times, kept = {"load": perf_counter() - start}, request.apart()
    return _unrolled_kernel(request, key, module, times, lambda: record_unrolled(kept))


def _unrolled_key(request: Request) -> str | None:
    if not request.known_by_name():
        return None
    values = sorted(request.fixed.items())
    fixed = [(k, *_kind(x), x.components() if hasattr(x, "components") else x) for k, x in values]
    return request.key("unrolled", request.model.fingerprint, fixed)


def record_unrolled(request: Request, limit: float = inf, report: Callable[[int], None] | None = None) -> Program:
    """The program with the code written out for every body; `TooLargeError` beyond the limit."""
    model, own = request.model, {name: parameters(request.model, name) for name in request.parameters}
    extents = extents_of(model)
    ports = [Port(p.name, _numbers(p.shape, extents), p.finite) for p in request.ports()]
    ports += [Port(name, array.shape, finite=True) for name, array in own.items()]

    def run(*numbers: Sequence[Any]) -> list[tuple[str, tuple[int, ...], list[Any]]]:
        arrays = {port.name: _array(port, values) for port, values in zip(ports, numbers, strict=True)}
        changed = {name: arrays.pop(name) for name in own}
        subject: Any = with_parameters(model, changed) if changed else model
        if is_algorithm(request.function):
            subject = Tree(subject)  # results by body stay together
        result = request.function(subject, **arrays, **request.fixed)
        return [(title, *flat(part)) for title, part in parts(result)]

    return trace(run, ports, request.name, limit, report)


def _numbers(shape: tuple[int | str, ...], extents: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(extents[n] if isinstance(n, str) else n for n in shape)


def _array(port: Port, values: Sequence[Any]) -> Any:
    array = np.empty(port.size, dtype=object)
    array[:] = list(values)
    return array.reshape(port.shape)


def _unrolled_kernel(
    request: Request, key: str, module: Any, times: dict[str, float], program: Callable[[], Program]
) -> Kernel:
    """The kernel. It keeps ``program``, but not the request: a function of the user's own may lead to the kernel."""
    note, name, title = module.note, request.name, request.label(f"{request.model.name} unrolled float32")
    inputs, outputs = (tuple(Port(n, tuple(s), f) for n, s, f in note[side]) for side in ("inputs", "outputs"))
    float32 = lambda: _unrolled_float32(name, key, title, times, program)  # noqa: E731
    return Kernel(Code(name, inputs, outputs, note["operations"], lanes(), module, times, program, float32))


def _unrolled_float32(
    name: str, key: str, title: str, times: dict[str, float], record: Callable[[], Program]
) -> InnerLoop:
    """The same in single precision: from the cache, or from the program."""
    start = perf_counter()
    module = _find(key, 4)
    if module is None:
        program = record()
        text = lambda width, report: emit_modules(fuse(program), width, emit_float32, report)  # noqa: E731
        with Progress() as progress:
            module = _build(name, program, text, key, {"title": title}, progress, 4)
    times["float32"] = perf_counter() - start
    return InnerLoop(module.address("loop"), owner=module)


# ---- rolled


@dataclass
class Shared:
    """Machine code that all robots with the same joint types share."""

    module: Any
    #: The program, or as much of it as the cache has kept.
    header: LoopProgram
    note: dict[str, Any]
    #: The module in single precision, once it is needed.
    float32: Any = None


#: What this process has of it.
_SHARED: Recent[Shared] = Recent(500)


def compile_rolled(request: Request) -> Kernel:
    """The kernel with loops; `RollError` if the function cannot be recorded so."""
    if not is_algorithm(request.function):
        raise RollError(f"{request.name} is no algorithm of a tree, such as those of sixd.algorithms: it is unrolled")
    model = request.model
    request = replace(request, fixed=_with_offsets(request))
    start = perf_counter()
    # What a function of the user's own computes may change with what it refers to: only its recording tells.
    key, own = _rolled_key(request), _rolled_key(request, in_process=True) if is_own(request.function) else None
    shared = _SHARED.get(own) if own else None
    if shared is None and key is not None:
        module = _find(key)
        shared = None if module is None else Shared(module, header_of(module.note), module.note)
    if shared is None:
        program, in_body_frames = _rolled(request)
        better = improve_loops(program)
        own = own or (better.fingerprint, in_body_frames)
        shared = _SHARED.get(own)
    if shared is None:
        kinds = ", ".join(kind.name for kind in types_of(model))
        note = {"title": request.label(f"rolled ({kinds})", any_body=True), **note_of(better, program, in_body_frames)}
        text = lambda width, _: [emit_loops(better, width)]  # noqa: E731
        with Progress() as progress:
            module = _build(request.name, better, text, key or better.fingerprint, note, progress)
        shared = Shared(module, better, note)
    if own is not None:
        _SHARED.put(own, shared)
    module, header, note = shared.module, shared.header, shared.note
    bound = perf_counter()
    table = table_of(header, model, note["in_body_frames"], cases_of(model, note["in_body_frames"]), request.fixed)
    inputs, outputs = (
        tuple(Port(p.name, table.shape(p.shape), p.finite) for p in side) for side in (header.inputs, header.outputs)
    )
    times = {"load" if module.cached else "compile": bound - start, "table": perf_counter() - bound}
    name = request.name
    if header.nodes:  # what is kept does not lead to the function, which may be the user's own and lead to the kernel
        record: Callable[[], LoopProgram] = lambda: header  # noqa: E731
    else:
        kept = request.apart()
        record = lambda: improve_loops(_rolled(kept)[0])  # noqa: E731
    code = Code(
        name,
        inputs,
        outputs,
        operations_of(note["operations"], model),
        lanes(),
        module,
        times,
        record,
        lambda: _rolled_float32(name, key, times, shared, table, record),
        table,
        words_of(header, table),
    )
    return Kernel(code)


def _rolled_float32(
    name: str,
    key: str | None,
    times: dict[str, float],
    shared: Shared,
    table: Table,
    record: Callable[[], LoopProgram],
) -> InnerLoop:
    """The same in single precision: from another robot, from the cache, or from the program; with a table of floats."""
    start = perf_counter()
    if shared.float32 is None and key is not None:
        shared.float32 = _find(key, 4)
    if shared.float32 is None:
        program = record()
        text = lambda width, _: [emit_loops_float32(program, width)]  # noqa: E731
        with Progress() as progress:
            note = {"title": f"{shared.note['title']} float32"}
            shared.float32 = _build(name, program, text, key or program.fingerprint, note, progress, 4)
    with np.errstate(all="ignore"):
        numbers = table.numbers.astype(np.float32)
    words = words_of(shared.header, table, numbers)
    times["float32"] = perf_counter() - start
    return InnerLoop(shared.float32.address("loop"), words.ctypes.data, (shared.float32, table, numbers, words))


def _with_offsets(request: Request) -> dict[str, Any]:
    """The fixed arguments, with the frame on each body that is one: none is the body's own."""
    fixed = dict(request.fixed)
    known = signature(request.function).parameters
    for name in [name for name, x in fixed.items() if type(x) is int]:
        if not 0 <= fixed[name] <= request.model.n_bodies:
            raise ModelError(f"{name} is body {fixed[name]}, but there are bodies 0 to {request.model.n_bodies}")
        if offset_name(name) in known and fixed.get(offset_name(name)) is None:
            fixed[offset_name(name)] = Transform.identity()
    return fixed


def _rolled(request: Request) -> tuple[LoopProgram, bool]:
    model = request.model
    return record_loops(
        request.function,
        request.name,
        lambda in_body_frames: cases_of(model, in_body_frames),
        model.is_coupled,
        [*request.ports(), *(ShapedPort(name, PARAMETERS[name], finite=True) for name in request.parameters)],
        request.fixed,
        request.parameters,
        any_frames=is_own(request.function),
    )


def _rolled_key(request: Request, in_process: bool = False) -> Any:
    """What tells rolled code apart, in all processes or in this one; None if that cannot be told."""
    plain = request.known_by_name() if not in_process else request.has_plain_arguments()
    if not plain:
        return None
    # Bodies and spatial quantities are in the table: only that they are there matters.
    fixed = [(k, *_kind(x)) for k, x in sorted(request.fixed.items())]
    kinds = types_of(request.model)
    text = request.key("rolled", [kind.name for kind in kinds], request.model.is_coupled, fixed)
    return (text, request.function, kinds) if in_process else text


def _kind(x: Any) -> tuple[Any, ...]:
    if type(x) is int:
        return ("body",)
    if hasattr(x, "components"):
        return type(x).__name__, len(x.components()), len(getattr(x, "rows", ()))
    return type(x).__name__, x


# ---- machine code


def _find(key: str, size: int = 8) -> Any:
    """What is in the cache; ``size`` are the bytes of a number, 8 or 4."""
    return load_module(_with_lanes(key, size), Cache(default_directory()))


def _with_lanes(key: str, size: int) -> str:
    return f"{key} {lanes(size)} float{8 * size}"


def _build(
    name: str,
    program: Program | LoopProgram,
    text: Callable[[int, Callable[[float], None]], Iterable[str]],
    key: str,
    note: Any,
    progress: Progress,
    size: int = 8,
) -> Any:
    """The machine code of a program from the modules of assembly that ``text`` makes, or from the cache."""
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
