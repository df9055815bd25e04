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
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from sixd.backends.llvm.cache import Cache, default_directory
from sixd.backends.llvm.target import assembly, compile_module, lanes, load_module
from sixd.backends.llvm.words import words_of
from sixd.errors import ModelError, SixdError
from sixd.ir import LoopProgram, Port, Program, ShapedPort, TooLargeError, trace
from sixd.ir.loops import Loop, Region
from sixd.ir.passes import fuse, improve_loops
from sixd.kernel import Code, Kernel
from sixd.model import Model, Tree
from sixd.model.tree import Slots
from sixd.parameters import PARAMETERS, check_parameters, named_parameters, parameters, with_parameters
from sixd.progress import Progress
from sixd.results import flat, parts
from sixd.rolled import STATE, RollError, offset_name, record
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
    """
    fixed = {k: int(x) if isinstance(x, np.integer) else x for k, x in fixed.items()}
    request = Request(function, model, dict(shapes or {}), fixed, name, named_parameters(parameters))
    check_parameters(model, request.parameters)
    if rolled is not None:
        return compile_rolled(request) if rolled else compile_unrolled(request)
    try:
        return compile_unrolled(request, LARGE)
    except TooLargeError:
        try:
            return compile_rolled(request)
        except (SixdError, TypeError, AttributeError):
            return compile_unrolled(request)


@dataclass(frozen=True)
class Request:
    """What is to be compiled."""

    function: Callable[..., Any]
    model: Model
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    title: str | None = None
    parameters: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.title or str(getattr(self.function, "__name__", "kernel"))

    def ports(self) -> list[ShapedPort]:
        """The arguments that vary. Of those whose shape is known only f_ext may be left out, where it has a default."""
        found = []
        for name, parameter in list(signature(self.function).parameters.items())[1:]:
            required = parameter.default is Parameter.empty
            if name in self.fixed:
                continue
            if name in STATE and (required or name != "f_ext" or name in self.shapes):
                found.append(ShapedPort(name, STATE[name]))
            elif name in self.shapes:
                found.append(ShapedPort(name, tuple(self.shapes[name])))
            elif required:
                raise ModelError(
                    f"the shape of argument {name!r} is not known: give it as shapes={{{name!r}: ...}}, or its value "
                    f"as {name}=..."
                )
        return found

    def known_by_name(self) -> bool:
        """Whether names tell what is computed: the function and the joints are sixd's own, arguments are plain."""
        if "<" in getattr(self.function, "__qualname__", "<"):
            return False
        owners = [self.function, *self.model.joint_types]
        return self.has_plain_arguments() and all(str(getattr(x, "__module__", "")).startswith("sixd.") for x in owners)

    def has_plain_arguments(self) -> bool:
        """Whether fixed arguments are told apart by their text."""
        values = self.fixed.values()
        return all(isinstance(x, int | float | str | type(None)) or hasattr(x, "components") for x in values)

    def key(self, *more: Any) -> str:
        """A text that tells requests apart, the same in every process."""
        where = f"{self.function.__module__}.{self.function.__qualname__}"
        return repr((where, self.name, sorted(self.shapes.items()), self.parameters, *more))


# ---- unrolled


def compile_unrolled(request: Request, limit: float = inf) -> Kernel:
    """The kernel with the code written out for every body; `TooLargeError` if the recording exceeds the limit."""
    found = find_unrolled(request)
    if found is not None:
        return found
    start = perf_counter()
    with Progress() as progress:
        program = _unrolled(request, limit, lambda n: progress(f"recording {request.name}, {n} nodes"))
        recorded = perf_counter()
        from sixd.backends.llvm.pieces import emit_modules

        key = _unrolled_key(request) or program.fingerprint
        note = {
            "inputs": [(p.name, p.shape) for p in program.inputs],
            "outputs": [(p.name, p.shape) for p in program.outputs],
            "operations": program.operations,
        }
        text = lambda width, report: emit_modules(fuse(program), width, report=report)  # noqa: E731
        module = _build(request.name, program, text, key, note, progress)
    times = {"record": recorded - start, "load" if module.cached else "compile": perf_counter() - recorded}
    return _unrolled_kernel(request, module, times, lambda: program)


def find_unrolled(request: Request) -> Kernel | None:
    """The kernel, if it is in the cache and can be found there without recording."""
    key = _unrolled_key(request)
    if key is None:
        return None
    start = perf_counter()
    module = _find(key)
    if module is None:
        return None
    return _unrolled_kernel(request, module, {"load": perf_counter() - start}, lambda: _unrolled(request))


def _unrolled_key(request: Request) -> str | None:
    if not request.known_by_name():
        return None
    fixed = [(k, x.components() if hasattr(x, "components") else x) for k, x in sorted(request.fixed.items())]
    return request.key("unrolled", request.model.fingerprint, fixed)


def _unrolled(request: Request, limit: float = inf, report: Callable[[int], None] | None = None) -> Program:
    model, own = request.model, {name: parameters(request.model, name) for name in request.parameters}
    extents = extents_of(model)
    ports = [Port(p.name, _numbers(p.shape, extents)) for p in request.ports()]
    ports += [Port(name, array.shape) for name, array in own.items()]

    def run(*numbers: Sequence[Any]) -> list[tuple[str, tuple[int, ...], list[Any]]]:
        arrays = {port.name: _array(port, values) for port, values in zip(ports, numbers, strict=True)}
        changed = {name: arrays.pop(name) for name in own}
        subject: Any = with_parameters(model, changed) if changed else model
        if hasattr(request.function, "body"):
            subject = Tree(subject)  # results by body stay together
        result = request.function(subject, **arrays, **request.fixed)
        return [(title, *_flat(part)) for title, part in parts(result)]

    return trace(run, ports, request.name, limit, report)


def _numbers(shape: tuple[int | str, ...], extents: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(extents[n] if isinstance(n, str) else n for n in shape)


def _array(port: Port, values: Sequence[Any]) -> Any:
    array = np.empty(port.size, dtype=object)
    array[:] = list(values)
    return array.reshape(port.shape)


def _flat(result: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and numbers of a result; values by body one after the other, the base first (NaN if it has none)."""
    if not isinstance(result, Slots):
        return flat(result)
    each = [None if value is None else flat(value) for value in result.values]
    shape = next(found[0] for found in each if found is not None)
    nothing = [float("nan")] * int(np.prod(shape))
    return (len(each), *shape), [x for found in each for x in (nothing if found is None else found[1])]


def _unrolled_kernel(request: Request, module: Any, times: dict[str, float], program: Callable[[], Program]) -> Kernel:
    note = module.note
    inputs, outputs = (tuple(Port(n, tuple(s)) for n, s in note[side]) for side in ("inputs", "outputs"))
    return Kernel(Code(request.name, inputs, outputs, note["operations"], lanes(), module, times, program))


# ---- rolled

#: Machine code of this process that all robots with the same joint types share.
_SHARED: dict[Any, Any] = {}
#: How many pieces of it are kept.
SHARED = 500


def compile_rolled(request: Request) -> Kernel:
    """The kernel with loops; `RollError` if the function cannot be recorded so."""
    if not hasattr(request.function, "body"):
        raise RollError(f"{request.name} is no algorithm of a tree, such as those of sixd.algorithms: it is unrolled")
    model = request.model
    request = replace(request, fixed=_with_offsets(request))
    start = perf_counter()
    key, own = _rolled_key(request), _rolled_key(request, in_process=True)
    shared = _SHARED.get(own) if own else None
    if shared is None and key is not None:
        module = _find(key)
        shared = None if module is None else (module, _header(module.note), module.note)
    if shared is None:
        program, in_body_frames = _rolled(request)
        better = improve_loops(program)
        from sixd.backends.llvm.loop_entries import emit_loops

        note = _note(better, program, in_body_frames)
        text = lambda width, _: [emit_loops(better, width)]  # noqa: E731
        with Progress() as progress:
            module = _build(request.name, better, text, key or better.fingerprint, note, progress)
        shared = (module, better, note)
    if own is not None:
        _SHARED[own] = shared
        while len(_SHARED) > SHARED:
            _SHARED.pop(next(iter(_SHARED)))
    module, header, note = shared
    bound = perf_counter()
    table = table_of(header, model, note["in_body_frames"], cases_of(model, note["in_body_frames"]), request.fixed)
    inputs, outputs = (
        tuple(Port(p.name, table.shape(p.shape)) for p in side) for side in (header.inputs, header.outputs)
    )
    times = {"load" if module.cached else "compile": bound - start, "table": perf_counter() - bound}
    code = Code(
        request.name,
        inputs,
        outputs,
        _operations(note["operations"], model),
        lanes(),
        module,
        times,
        lambda: improve_loops(_rolled(request)[0]),
        table,
        words_of(header, table),
    )
    return Kernel(code)


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
    return record(
        request.function,
        request.name,
        lambda in_body_frames: cases_of(model, in_body_frames),
        model.is_coupled,
        [*request.ports(), *(ShapedPort(name, PARAMETERS[name]) for name in request.parameters)],
        request.fixed,
        request.parameters,
        any_frames=str(getattr(request.function, "__module__", "")).startswith("sixd."),
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


def _note(better: LoopProgram, program: LoopProgram, in_body_frames: bool) -> dict[str, Any]:
    return {
        "inputs": [(p.name, p.shape) for p in better.inputs],
        "outputs": [(p.name, p.shape) for p in better.outputs],
        "columns": better.columns,
        "lookups": better.lookups,
        "sequences": better.sequences,
        "names": better.names,
        "extents": better.extents,
        "in_body_frames": in_body_frames,
        "operations": _operations_by_case(program),
    }


def _header(note: Mapping[str, Any]) -> LoopProgram:
    """The program without its nodes: what its table must hold."""
    inputs, outputs = (tuple(ShapedPort(n, tuple(s)) for n, s in note[side]) for side in ("inputs", "outputs"))
    lookups, sequences, names, extents = (tuple(note[k]) for k in ("lookups", "sequences", "names", "extents"))
    columns = tuple((what, component) for what, component in note["columns"])
    return LoopProgram("", inputs, outputs, (), Region(()), (), columns, lookups, sequences, names, extents)


def _operations_by_case(program: LoopProgram) -> list[list[float]]:
    """For each case: operations for each body of it, and for each pair of such a body and an ancestor."""
    kinds = ("add", "sub", "mul", "div")

    def count(region: Region) -> int:
        return sum(program.nodes[k].op in kinds for k in region.items if not isinstance(k, Loop))

    loops = [item for item in program.body.items if isinstance(item, Loop)]
    cases = max((len(loop.cases) for loop in loops), default=0)
    found = [[0.0, 0.0] for _ in range(cases)]
    for loop in loops:
        for k, case in enumerate(loop.cases):
            found[k][0] += count(case)
            inner = [c for item in case.items if isinstance(item, Loop) for c in item.cases]
            found[k][1] += sum(map(count, inner)) / max(len(inner), 1)
    return found


def _operations(by_case: Sequence[Sequence[float]], model: Model) -> int:
    if not by_case:
        return 0
    place = {kind: k for k, kind in enumerate(types_of(model))}
    cases = [place[type(body.joint.type)] for body in model.body_list[1:] if body.joint]
    total = sum(by_case[case][0] for case in cases)
    if any(pair for _, pair in by_case):
        depth = [-1] * (model.n_bodies + 1)  # the number of ancestors, the base left out
        for i, case in enumerate(cases, start=1):
            depth[i] = depth[model.parent[i]] + 1
            total += by_case[case][1] * depth[i]
    return round(total)


# ---- machine code


def _find(key: str) -> Any:
    return load_module(f"{key} {lanes()}", Cache(default_directory()))


def _build(
    name: str,
    program: Program | LoopProgram,
    text: Callable[[int, Callable[[float], None]], Iterable[str]],
    key: str,
    note: Any,
    progress: Progress,
) -> Any:
    """The machine code of a program from the modules of assembly that ``text`` makes, or from the cache."""
    width, nodes = lanes(), len(program.nodes)

    def report(done: float) -> None:
        progress(f"compiling {name}, {nodes} nodes, {100 * done:.0f}%", (1.0 - done) * nodes * SECONDS)

    def make() -> Iterator[str]:
        report(0.0)
        _show(1, f"sixd: {name}: {nodes} nodes")
        _show(2, program)
        for part in text(width, report):
            _show(3, part)
            _show(4, lambda part=part: assembly(part))
            yield part

    return compile_module(make, f"{key} {width}", Cache(default_directory()), note)


def _show(stage: int, text: object) -> None:
    """Print what SIXD_DEBUG asks for: 1 a line, 2 the program, 3 LLVM's assembly, 4 the machine's too."""
    level = os.environ.get("SIXD_DEBUG", "0")
    if level.isdecimal() and int(level) >= stage:
        print(text() if callable(text) else text, file=sys.stderr)
