"""Kernels whose code is written out body by body, with the robot's numbers as constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

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
from sixd.compiler.request import Request
from sixd.compiler.robot_table import extents_of
from sixd.ir import Port, Program, TooLargeError, trace
from sixd.ir.passes import fuse
from sixd.model import ModelTree
from sixd.runtime.results import flat, parts

__all__ = ["compile_unrolled", "find_unrolled", "record_unrolled"]


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
        key = unrolled_key(request) or program.fingerprint
        note = {
            "title": request.label(f"{request.model.name} unrolled"),
            "inputs": [(p.name, p.shape, p.finite) for p in program.inputs],
            "outputs": [(p.name, p.shape, p.finite) for p in program.outputs],
            "operations": program.operations,
            "recorded": nodes[0],
        }
        module = build_code(request.name, program, _assembly(program, emit_first), key, note, progress)
    times = {"record": recorded - start, "load" if module.cached else "compile": perf_counter() - recorded}
    return _unrolled_kernel(request, key, module, times, lambda: program)


def find_unrolled(request: Request) -> Kernel | None:
    """The kernel, if it is in the cache and can be found there without recording."""
    key = unrolled_key(request)
    if key is None:
        return None
    start = perf_counter()
    module = find_code(key)
    if module is None:
        return None
    times, kept = {"load": perf_counter() - start}, request.apart()
    return _unrolled_kernel(request, key, module, times, lambda: record_unrolled(kept))


def unrolled_key(request: Request) -> str | None:
    if not request.known_by_name():
        return None
    values = sorted(request.fixed.items())
    fixed = [(k, *request.kind_of(k), x.components() if hasattr(x, "components") else x) for k, x in values]
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
            subject = ModelTree(subject)  # results by body stay together
        result = request.function(subject, **arrays, **request.fixed)
        return [(title, *flat(part)) for title, part in parts(result)]

    return trace(run, ports, request.name, limit, report)


def _numbers(shape: tuple[int | str, ...], extents: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(extents[n] if isinstance(n, str) else n for n in shape)


def _array(port: Port, values: Sequence[Any]) -> Any:
    """What the function gets for an argument: an array of numbers, or the number itself where the shape is ()."""
    if not port.shape:
        return values[0]
    array = np.empty(port.size, dtype=object)
    array[:] = list(values)
    return array.reshape(port.shape)


def _assembly(program: Program, emit: Callable[..., str]) -> Callable[[int, Callable[[float], None]], Iterator[str]]:
    """What `build_code` needs: the modules that ``emit`` makes of a program with fused multiply-adds."""

    def modules(width: int, report: Callable[[float], None]) -> Iterator[str]:
        return emit_modules(fuse(program), width, emit, report)

    return modules


def _unrolled_kernel(
    request: Request, key: str, module: Any, times: dict[str, float], program: Callable[[], Program]
) -> Kernel:
    """The kernel. Its code keeps ``program``, but not the request: a function of the user's own may lead to the kernel.

    NumPy hides from Python's collector what the code keeps. What the kernel keeps besides, its origin, is not hidden.
    """
    note, name, label = module.note, request.name, request.label(f"{request.model.name} unrolled")
    inputs, outputs = (tuple(Port(n, tuple(s), f) for n, s, f in note[side]) for side in ("inputs", "outputs"))

    def inner_loop(kind: str, emit: Callable[..., str], size: int) -> InnerLoop:
        """The loop of a gufunc for numbers of so many bytes: from the cache, or from the program."""
        start, part = perf_counter(), f"{key} {kind}"
        loop = find_code(part, size)
        if loop is None:
            recorded, about = program(), {"title": f"{label} {kind}"}
            with Progress() as progress:
                loop = build_code(name, recorded, _assembly(recorded, emit), part, about, progress, size)
        times[kind] = perf_counter() - start
        return InnerLoop(loop.address("loop"), owner=loop)

    def float32() -> InnerLoop:
        return inner_loop("float32", emit_float32, 4)

    batches = Later(lambda: inner_loop("batches", emit_batches, 8))
    if not in_main_interpreter():
        batches.make_now()
    module.batches = batches  # the module's loop is a stub, which needs it
    operations, words = note["operations"], batches.words
    code = Code(name, inputs, outputs, operations, lanes(), module, times, program, float32, words=words)
    return Kernel(code, Origin.of(compile_unrolled, request))
