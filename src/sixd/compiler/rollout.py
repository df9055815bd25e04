"""Rollouts: a function of one step, compiled with the loop over time inside the machine code.

>>> rollout = Rollout(step, robot, carried={"q": "q_next", "qd": "qd_next"}, stepped=("tau",))
>>> last, records = rollout(1000, {"q": q0, "qd": qd0, "tau": tau}, every=10)

The bits are those of as many calls of the kernel of one step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.backends.c_repeat import repeated_to_c
from sixd.backends.llvm.repeat import emit_rollout
from sixd.backends.llvm.target import lanes
from sixd.compiler.machine_code import build_code
from sixd.compiler.parameters import check_parameters, named_parameters
from sixd.compiler.progress import Progress
from sixd.compiler.request import Request, shapes_of
from sixd.compiler.taped import COMPILED_STEP, taped_modules
from sixd.compiler.unrolled import Modules, pieces_of, record_unrolled
from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.given import count
from sixd.ir import Program, Repeated, interpret_repeated
from sixd.model import Model
from sixd.process.forks import cached_property
from sixd.runtime.arguments import common_lead, real_numbers
from sixd.runtime.threads import WORTH, get_threads, in_pieces

__all__ = ["Rollout", "by_sample"]

Array = NDArray[Any]
#: Roughly the nanoseconds of one operation in one lane, by which work is shared among threads.
_OPERATION = {"unrolled": 0.25, "taped": 1.25}


class _Arrays(NamedTuple):
    """What the machine code reads and writes, with the samples as first axis: inputs, last outputs, records."""

    given: list[Array]
    last: list[Array]
    kept: list[Array]


class Rollout:
    """A function ``f(model, *arrays)`` of one step, run many times in one call.

    ``carried`` maps arguments to results: what a step returns under the name ``q_next`` is the argument ``q`` of the
    next one. Results are named by the fields of the named tuple that ``f`` returns. ``stepped`` are arguments with a
    value for each step, ``recorded`` results that are kept after every so many steps. ``counter`` is an argument that
    gets the number of the step. ``until`` is a pair (argument, result) of one number each for steps that take several
    runs of ``f`` (`Repeated.until`): ``f`` is run again until the result is not 0. ``shapes``, ``parameters``,
    ``nonfinite`` and ``fixed`` are those of `sixd.compile`. A function that is known to do the same in every recording
    is ``steady``; others are recorded twice.

    The steps of one sample follow one another; samples are computed W at a time in vector registers and shared among
    threads, without changing a bit. All is in double precision. A step whose program is too large to be compiled runs
    from a tape, with the loop over time around it in the same machine code.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        model: Model,
        *,
        carried: Mapping[str, str],
        stepped: Iterable[str] = (),
        recorded: Iterable[str] = (),
        counter: str | None = None,
        until: tuple[str, str] | None = None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        parameters: str | Iterable[str] = (),
        nonfinite: Iterable[str] = (),
        name: str | None = None,
        steady: bool = False,
        **fixed: Any,
    ) -> None:
        own, names = frozenset(nonfinite), named_parameters(parameters)
        request = Request(function, model, shapes_of(shapes), fixed, name, names, own, steady).apart()
        check_parameters(model, request.parameters)
        self.request = request
        self._wiring = dict(carried), tuple(stepped), tuple(recorded), counter, until

    @cached_property
    def repeated(self) -> Repeated:
        """The program of one step, and how steps follow one another."""
        with Progress() as progress:

            def report(n: int) -> None:
                progress(f"recording {self.request.name}, {n} nodes")

            program = record_unrolled(self.request, report=report)
        carried, stepped, recorded, counter, until = self._wiring
        inputs, outputs = ([p.name for p in ports] for ports in (program.inputs, program.outputs))
        return Repeated(
            program,
            tuple((_number(i, inputs, "argument"), _number(o, outputs, "result")) for i, o in carried.items()),
            tuple(_number(i, inputs, "argument") for i in stepped),
            tuple(_number(o, outputs, "result") for o in recorded),
            None if counter is None else _number(counter, inputs, "argument"),
            None if until is None else (_number(until[0], inputs, "argument"), _number(until[1], outputs, "result")),
        ).verify()

    @cached_property
    def _given(self) -> tuple[int, ...]:
        """The numbers of the arguments that a caller gives."""
        return self.repeated.given

    @property
    def program(self) -> Program:
        """The program of one step."""
        return self.repeated.program

    @cached_property
    def kind(self) -> str:
        """Which code runs a step: "unrolled", or "taped" if its program is too large to be compiled (`Kernel.kind`)."""
        return "unrolled" if len(self.program.nodes) <= COMPILED_STEP else "taped"

    @cached_property
    def operations(self) -> int:
        """Operations of one step."""
        return self.program.operations

    def __call__(
        self, steps: int, arrays: Mapping[str, Any], every: int = 1
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """The results of the last step, (..., *shape) by name; and records, (..., steps // every, *shape) by name.

        ``arrays`` has (..., *shape) for every argument, or (..., steps, *shape) if it has a value for each step.
        """
        steps, every = count(steps, "steps", 1), count(every, "every", 1)
        given = self._arguments(steps, arrays)
        lead = common_lead({name: a.shape[: a.ndim - len(core)] for name, (a, core) in given.items()})
        flat = {name: by_sample(array, core, lead) for name, (array, core) in given.items()}
        outputs, recorded = self.program.outputs, [self.program.outputs[o] for o in self.repeated.recorded]
        last = {p.name: np.empty((prod(lead), *p.shape)) for p in outputs}
        kept = {p.name: np.empty((prod(lead), steps // every, *p.shape)) for p in recorded}
        self.run(steps, every, flat, last, kept)
        return (
            {p.name: last[p.name].reshape(lead + p.shape) for p in outputs},
            {p.name: kept[p.name].reshape(*lead, steps // every, *p.shape) for p in recorded},
        )

    def run(
        self,
        steps: int,
        every: int,
        given: Mapping[str, Array],
        last: Mapping[str, Array],
        kept: Mapping[str, Array],
    ) -> None:
        """Run so many steps of all samples, from and to arrays that are there already; nothing is checked.

        The first axis of all arrays is the sample, the second one of ``kept``, and of arguments with a value for each
        step, the record or the step. The numbers of one value lie side by side in memory; the first two axes may have
        any stride. ``last`` gets all results of the last step, ``kept`` the records.
        """
        inputs = [given[self.program.inputs[k].name] for k in self._given]
        results = [last[p.name] for p in self.program.outputs]
        records = [kept[self.program.outputs[o].name] for o in self.repeated.recorded]
        samples = len(results[0])
        if samples:
            code = self._one if samples == 1 else self._many
            work = samples * steps * self.operations * _OPERATION[self.kind] / lanes()
            threads = min(get_threads(), max(int(work / WORTH), 1))
            arrays = _Arrays(inputs, results, records)
            in_pieces(samples, threads, partial(self._run, code.address("rollout"), steps, every, arrays))

    def interpret(
        self, steps: int, arrays: Mapping[str, Any], every: int = 1
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """The same by the interpreter, which defines what a rollout computes. It is slow, and for comparison."""
        given = self._arguments(count(steps, "steps", 1), arrays)
        last, kept = interpret_repeated(self.repeated, steps, count(every, "every", 1), *(a for a, _ in given.values()))
        outputs = self.program.outputs
        names = [outputs[o].name for o in self.repeated.recorded]
        return dict(zip((p.name for p in outputs), last, strict=True)), dict(zip(names, kept, strict=True))

    def to_c(self) -> str:
        """The rollout of one sample as C99: the function of one step, and one that runs it many times."""
        about = "Generated by sixd; angles in radians, SI units, vectors angular first."
        return repeated_to_c(self.repeated, about)

    def _arguments(self, steps: int, arrays: Mapping[str, Any]) -> dict[str, tuple[Array, tuple[int, ...]]]:
        """The arrays in the order of the inputs, each with the shape that it has for one sample."""
        repeated, title = self.repeated, self.request.name
        names = {self.program.inputs[k].name: k for k in repeated.given}
        for name in arrays:
            if name not in names:
                raise ChoiceError(f"{title} has no argument {name!r}: it takes {', '.join(names)}")
        found = {}
        for name, k in names.items():
            if name not in arrays:
                raise ArgumentError(f"{title} takes {', '.join(names)}: {name} is missing")
            array, core = real_numbers(name, arrays[name]), repeated.core(k, steps)
            if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
                needed = ", ".join(["...", *map(str, core)])
                raise ShapeError(f"{name} has shape {array.shape}, but ({needed}) is needed for {steps} steps")
            found[name] = array, core
        return found

    def _run(self, address: int, steps: int, every: int, arrays: _Arrays, piece: slice) -> None:
        """Run the machine code for some of the samples."""
        places, strides = [], []
        inputs = dict(zip(self._given, arrays.given, strict=True))
        for k in range(len(self.program.inputs)):
            array = inputs.get(k)  # those that nobody gives have none
            places.append(0 if array is None else array[piece].ctypes.data)
            by_step = 0 if array is None or k not in self.repeated.stepped else array.strides[1]
            strides += [0 if array is None else array.strides[0], by_step]
        for array in arrays.last:
            places.append(array[piece].ctypes.data)
            strides += [array.strides[0], 0]
        for array in arrays.kept:
            places.append(array[piece].ctypes.data)
            strides += [array.strides[0], array.strides[1]]
        number = len(range(*piece.indices(len(arrays.last[0]))))
        words = [np.array(x, dtype=np.int64) for x in (places, (number, steps, every), strides)]
        _ROLLOUT(address)(*(x.ctypes.data for x in words), None)

    @cached_property
    def _one(self) -> Any:
        """The machine code for one sample."""
        return self._code(1)

    @cached_property
    def _many(self) -> Any:
        """The machine code for W samples at a time."""
        return self._code(lanes())

    @cached_property
    def _modules(self) -> Modules:
        """Makes the LLVM modules of one step; kept, so that the tape of a large one is made once."""
        return (taped_modules if self.kind == "taped" else pieces_of)(self.program)

    def _code(self, width: int) -> Any:
        emit = emit_rollout(self.repeated)

        def modules(_: int, report: Callable[[float], None]) -> Any:
            return self._modules(width, report, emit)

        about = {"title": self.request.label(f"{self.request.model.name} rollout of {width}")}
        key = f"rollout {width} {self.kind} {self.repeated.fingerprint}"
        with Progress() as progress:
            return build_code(self.request.name, self.program, modules, key, about, progress)


#: void rollout(arrays, dims, strides, data); ctypes lets other threads run meanwhile.
_ROLLOUT = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4)


def _number(name: str, names: list[str], what: str) -> int:
    if name not in names:
        raise ChoiceError(f"there is no {what} {name!r}: there are {', '.join(map(repr, names))}")
    return names.index(name)


def by_sample(array: Array, core: tuple[int, ...], lead: tuple[int, ...]) -> Array:
    """An array (samples, *core) whose values lie side by side in memory; samples that share a value need no copies."""
    values = array.shape[: array.ndim - len(core)]
    if prod(values) == 1:
        one = np.ascontiguousarray(array, dtype=float).reshape(core)
        return np.broadcast_to(one, (prod(lead), *core))
    return np.ascontiguousarray(np.broadcast_to(array, lead + core), dtype=float).reshape(-1, *core)
