"""Rolled kernels: their code keeps the loops over bodies and reads the robot's numbers from a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from sixd.algorithms.algorithm import Algorithm, is_algorithm, is_nested
from sixd.backends.llvm.on_demand import InnerLoop
from sixd.backends.llvm.rolled_data import words_of
from sixd.backends.llvm.rolled_entries import emit_loops, emit_loops_float32
from sixd.backends.llvm.target import lanes
from sixd.compiler.kernel import Code, Kernel
from sixd.compiler.machine_code import build_code, find_code
from sixd.compiler.parameters import PARAMETERS
from sixd.compiler.pickles import Origin
from sixd.compiler.progress import Progress
from sixd.compiler.request import Request, is_own
from sixd.compiler.robot_table import cases_of, pairs_of, table_of, types_of
from sixd.compiler.rolled.bodies import RollError
from sixd.compiler.rolled.header import header_of, note_of, operations_of
from sixd.compiler.rolled.record import STATE
from sixd.compiler.rolled.record import record as record_loops
from sixd.compiler.steady import drawn_from, need_steady
from sixd.errors import ModelError
from sixd.given import described, whole
from sixd.ir import LoopProgram, Port, ShapedPort, Table, TraceError
from sixd.ir.passes import improve_loops
from sixd.runtime.least_recently_used import Recent
from sixd.spatial import Transform

__all__ = ["compile_rolled", "compile_rolled_if_possible", "is_declared_possible", "record_rolled"]


@dataclass
class Shared:
    """Machine code that all robots with the same joint types share."""

    module: Any
    #: The program; without its nodes if the code came from the cache.
    header: LoopProgram
    note: dict[str, Any]
    #: The module for single precision, once it is needed.
    float32: Any = None


#: The shared code that this process has used recently.
_SHARED: Recent[Shared] = Recent(500)


def compile_rolled_if_possible(request: Request) -> Kernel | None:
    """The kernel with rolled code; None if the function cannot be rolled.

    sixd's own algorithms and joints declare whether they can be rolled, so an error in recording them is a bug and is
    raised. Those of users are tried: if the recorder refuses what it sees, they cannot be rolled.
    """
    if not is_declared_possible(request):
        return None
    try:
        return compile_rolled(request)
    except (RollError, TraceError):
        if is_own(request.function) and all(map(is_own, request.model.joint_types)):
            raise
        return None


def is_declared_possible(request: Request) -> bool:
    """Whether the function can be rolled, as far as that is known before recording.

    The algorithm declares it. In addition, no part of the state may be a constant, and rotor inertias may not be inputs
    if the robot has mimic joints.
    """
    function, coupled = request.function, request.model.is_coupled
    if not isinstance(function, Algorithm) or not function.can_be_rolled(coupled):
        return False
    fixed = (name for name, x in request.fixed.items() if x is not None)
    has_fixed_state = any(request.declaration.kind(name) in STATE for name in fixed)
    return not has_fixed_state and not (coupled and "rotor" in request.parameters)


def compile_rolled(request: Request) -> Kernel:
    """The kernel with rolled code; `RollError` if the function cannot be rolled."""
    if not is_algorithm(request.function):
        raise RollError(f"{request.name} is no algorithm of a tree, such as those of sixd.algorithms: it is unrolled")
    request, start = replace(request, fixed=with_offsets(request)), perf_counter()
    key, model, nested = _rolled_key(request), request.model, is_nested(request.function)
    shared = _shared_code(request, key)
    module, header, note, bound = shared.module, shared.header, shared.note, perf_counter()
    frames = note["in_body_frames"]
    table = table_of(header, model, frames, cases_of(model, nested, frames), request.fixed, request.declaration)
    inputs, outputs = (
        tuple(Port(p.name, table.shape(p.shape), p.finite) for p in side) for side in (header.inputs, header.outputs)
    )
    times = {"load" if module.cached else "compile": bound - start, "table": perf_counter() - bound}
    name, record = request.name, _recorder(request, header)
    code = Code(
        name,
        inputs,
        outputs,
        operations_of(note["operations"], model, nested),
        lanes(),
        module,
        times,
        record,
        lambda: _rolled_float32(name, key, times, shared, table, record),
        table,
        words_of(header, table),
        "rolled",
    )
    return Kernel(code, Origin.of(compile_rolled, request))


def _shared_code(request: Request, key: str | None) -> Shared:
    """The code of a request: what this process has used, or what is on disk under this key, or newly compiled."""
    # What a user's function computes may change with the objects it refers to, so its code is identified by its
    # recording.
    own = _rolled_key(request, in_process=True) if is_own(request.function) else None
    shared = _SHARED.get(own) if own else None
    if shared is None and key is not None:
        module = find_code(key)
        shared = None if module is None else Shared(module, header_of(module.note), module.note)
    if shared is None:
        program, in_body_frames = record_rolled(request)
        better = improve_loops(program)
        own = own or (better.fingerprint, in_body_frames)
        shared = _SHARED.get(own) or _compiled(request, key, program, better, in_body_frames)
    if own is not None:
        _SHARED.put(own, shared)
    return shared


def _compiled(
    request: Request, key: str | None, program: LoopProgram, better: LoopProgram, in_body_frames: bool
) -> Shared:
    """The code of a program with loops as it was recorded, made from the ``better`` one that the passes made of it."""
    kinds = ", ".join(kind.name for kind in types_of(request.model, is_nested(request.function)))
    note = {"title": request.label(f"rolled ({kinds})", any_body=True), **note_of(better, program, in_body_frames)}

    def text(width: int, _: Any) -> list[str]:
        return [emit_loops(better, width)]

    with Progress() as progress:
        module = build_code(request.name, better, text, key or better.fingerprint, note, progress)
    return Shared(module, better, note)


def _recorder(request: Request, header: LoopProgram) -> Callable[[], LoopProgram]:
    """A function that returns the whole program: the header, or a new recording if that has no nodes."""
    if header.nodes:
        # The request is not kept: a user's function in it may refer to the kernel, and the cycle would never be freed.
        return lambda: header
    kept = request.apart()
    return lambda: improve_loops(record_rolled(kept)[0])


def _rolled_float32(
    name: str,
    key: str | None,
    times: dict[str, float],
    shared: Shared,
    table: Table,
    record: Callable[[], LoopProgram],
) -> InnerLoop:
    """The inner loop for single precision, with a table of float32.

    The code is already there from another robot, or it comes from the cache, or it is made from the program.
    """
    start = perf_counter()
    if shared.float32 is None and key is not None:
        shared.float32 = find_code(key, 4)
    if shared.float32 is None:
        program = record()

        def text(width: int, _: Any) -> list[str]:
            return [emit_loops_float32(program, width)]

        with Progress() as progress:
            note = {"title": f"{shared.note['title']} float32"}
            shared.float32 = build_code(name, program, text, key or program.fingerprint, note, progress, 4)
    with np.errstate(all="ignore"):
        numbers = table.numbers.astype(np.float32)
    words = words_of(shared.header, table, numbers)
    times["float32"] = perf_counter() - start
    return InnerLoop(shared.float32.address("loop"), words.ctypes.data, (shared.float32, table, numbers, words))


def with_offsets(request: Request) -> dict[str, Any]:
    """The fixed arguments, with an offset for each body that can have one: the identity if none is given."""
    fixed = dict(request.fixed)
    for name, body in request.bodies.items():
        if whole(body) is None:
            raise ModelError(f"{name} must be the number of a body, not {described(body)}")
        if not 0 <= body <= request.model.n_bodies:
            raise ModelError(f"{name} is body {body}, but there are bodies 0 to {request.model.n_bodies}")
        offset = request.declaration.offset_of(name)
        if offset is not None and fixed.get(offset) is None:
            fixed[offset] = Transform.identity()
    return fixed


def record_rolled(request: Request) -> tuple[LoopProgram, bool]:
    """The program with loops of a request, and whether it works in the bodies' own frames.

    What users write is recorded twice: `UnsteadyError` if both differ, or both draw random numbers.
    """
    if request.is_steady:
        return _recorded_once(request)
    found, drawn = drawn_from(lambda: _recorded_once(request))
    need_steady(request.culprits, drawn, found[0], lambda: _recorded_once(request)[0])
    return found


def _recorded_once(request: Request) -> tuple[LoopProgram, bool]:
    model, nested = request.model, is_nested(request.function)
    return record_loops(
        request.function,
        request.declaration,
        request.name,
        lambda in_body_frames: cases_of(model, nested, in_body_frames),
        pairs_of(model) if nested else None,
        model.is_coupled,
        [*request.ports(), *(ShapedPort(name, PARAMETERS[name], finite=True) for name in request.parameters)],
        request.fixed,
        request.parameters,
        any_frames=is_own(request.function),
    )


def _rolled_key(request: Request, in_process: bool = False) -> Any:
    """A key that identifies rolled code, in all processes or in this one; None if only a recording can."""
    plain = request.known_by_name() if not in_process else request.has_plain_arguments()
    if not plain:
        return None
    # The values of bodies and spatial quantities are in the table: the code depends on their kind only.
    fixed = [(k, *request.kind_of(k)) for k in sorted(request.fixed)]
    kinds = types_of(request.model, is_nested(request.function))
    pairs = sorted((a.name, b.name) for a, b in pairs_of(request.model)) if is_nested(request.function) else None
    text = request.key("rolled", [kind.name for kind in kinds], pairs, request.model.is_coupled, fixed)
    return (text, request.function, kinds) if in_process else text
