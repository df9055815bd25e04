"""Compiled functions, as users hold them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sixd.backends.llvm.call import call_module
from sixd.backends.llvm.emit import emit, emit_float32
from sixd.backends.llvm.gufunc import make_gufunc
from sixd.backends.llvm.on_demand import InnerLoop, Later, in_main_interpreter
from sixd.backends.llvm.pieces import emit_modules, number_of_pieces
from sixd.backends.llvm.rolled_entries import emit_loops, emit_loops_float32
from sixd.backends.llvm.tape import emit_taped
from sixd.backends.llvm.target import assembly
from sixd.backends.llvm.vectorcall import attach, single_calls
from sixd.backends.printers import PRINTERS, print_program
from sixd.compiler.pickles import Origin
from sixd.errors import ArgumentError, ChoiceError, ShapeError, SixdError
from sixd.files import replacing
from sixd.given import choice, described, file_path
from sixd.ir import LoopProgram, Port, Program, Table, interpret, interpret_loops
from sixd.ir.passes import fuse
from sixd.ir.passes.tape import tape_of
from sixd.process.forks import cached_property
from sixd.runtime.arguments import (
    common_lead,
    explain_types,
    is_lazy,
    plain_arguments,
    real_numbers,
    run_lazily,
    shape_of,
)
from sixd.runtime.threads import Threaded

__all__ = ["Code", "Kernel", "attach_kernel"]

#: Rough costs in nanoseconds: of an operation in one lane, and of a number that is read or written.
_OPERATION, _NUMBER = 0.25, 0.1
#: How many times as long an operation takes if it is read from a tape.
_TAPED = 5.0


@dataclass(frozen=True)
class Code:
    """What a kernel runs: machine code and, for rolled code, the table of the robot."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    #: Operations for one state.
    operations: int
    width: int
    module: Any
    times: dict[str, float]
    #: Returns the program that the code was made from. If the code came from the cache, it is recorded now.
    record: Callable[[], Program | LoopProgram]
    #: Makes the code for float32. It is called when that is first needed.
    float32: Callable[[], InnerLoop]
    table: Table | None = None
    #: The memory that the machine code is given a pointer to, if any.
    words: Any = None
    #: "unrolled", "rolled" or "taped".
    kind: str = "unrolled"


@single_calls
class Kernel:
    """A compiled function of one state that broadcasts: call it like the function, with arrays (..., *shape).

    Arrays are given by position or by name. It is a NumPy gufunc (``kernel.gufunc``): ``out=``, strides, casting and
    batch axes work as NumPy's own. A result depends on its own sample only, to the bit: not on the size of the batch,
    the position in it, the strides or the number of threads (`sixd.set_threads`). If all arrays are float32, or fit in
    it by NumPy's rules (float16, int16), the kernel computes in single precision; that code is made by the first such
    call. ``kind`` tells which code it runs.

    Dask arrays give Dask arrays. Labels (pandas, xarray) are ignored; arrays with units or masked entries are refused.
    A kernel is pickled as its function, model and options, which requires that the function can be imported by name. A
    process that reads the pickle loads the machine code from its cache, or compiles it, once.
    """

    def __init__(self, code: Code, origin: Origin) -> None:
        self.code, self.origin = code, origin
        self.inputs, self.outputs, self.times, self.width = code.inputs, code.outputs, code.times, code.width
        self._names = tuple(port.name for port in code.inputs)
        ports = ", ".join(f"{p.name} {p.shape}" for p in code.inputs)
        self.__name__ = code.name
        kind = "" if code.kind == "unrolled" else f", {code.kind}"
        self.__doc__ = f"{code.name}({ports}), {code.operations} operations{kind}"
        data = code.words.ctypes.data if code.words is not None else 0
        if in_main_interpreter():
            later = Later(code.float32)
            single = InnerLoop(code.module.address("loop32"), later.data, later)
        else:
            single = code.float32()
        double = InnerLoop(code.module.address("loop"), data, (code.module, code.table, code.words))
        self.gufunc, self._keep = make_gufunc(code.name, self.__doc__, code.inputs, code.outputs, single, double)
        numbers = sum(port.size for port in (*code.inputs, *code.outputs))
        each = _TAPED * _OPERATION if code.kind == "taped" else _OPERATION
        cost = max(each * code.operations / code.width + _NUMBER * numbers, 1.0)
        self._run = Threaded(self.gufunc, [port.shape for port in code.inputs], cost)
        self._attached = attach_kernel(self, self)

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        if not options.keys().isdisjoint(self._names):
            arrays = self._in_order(arrays, options)
        for array in arrays:
            if type(array) is not np.ndarray:
                arrays = plain_arguments(self.inputs, arrays)
                if any(map(is_lazy, arrays)):
                    self._explain(arrays)
                    return run_lazily(self, arrays, options)
                break
        try:
            return self._run(*arrays, **options)
        except SixdError:
            raise
        except ValueError as error:
            self._explain(arrays)
            raise ShapeError(f"{self.__name__}: {error}") from None
        except (TypeError, NotImplementedError, OverflowError) as error:
            explain_types(self.inputs, arrays)
            raise ArgumentError(f"{self.__name__}: {error}") from None

    def _in_order(self, arrays: Sequence[Any], options: dict[str, Any]) -> tuple[Any, ...]:
        """The arrays in the order of the inputs, if some are given by name. Those are removed from ``options``."""
        missing = [name for name in self._names[len(arrays) :] if name not in options]
        twice = [name for name in self._names[: len(arrays)] if name in options]
        if missing or twice:
            what = f"{missing[0]} is missing" if missing else f"{twice[0]} is given twice"
            raise ArgumentError(f"{self.__name__} takes {', '.join(self._names)}: {what}")
        return (*arrays, *(options.pop(name) for name in self._names[len(arrays) :]))

    def _explain(self, arrays: Sequence[Any]) -> None:
        """Raise an error that names the argument if a shape is wrong, or all if their batch axes do not fit."""
        for port, array in zip(self.inputs, arrays, strict=False):
            shape = shape_of(port.name, array)
            if len(shape) < len(port.shape) or shape[len(shape) - len(port.shape) :] != port.shape:
                needed = ", ".join(["...", *map(str, port.shape)])
                raise ShapeError(f"{port.name} has shape {shape}, but ({needed}) is needed") from None
        given = list(zip(self.inputs, map(np.shape, arrays), strict=False))
        common_lead({port.name: shape[: len(shape) - len(port.shape)] for port, shape in given})

    @property
    def kind(self) -> str:
        """Which code the kernel runs: "unrolled", code for this robot; "rolled", with the loops over bodies; "taped".

        A program too large to be compiled is "taped": it is data, which a small piece of machine code plays. Its
        results are those of unrolled code to the bit, and take about four times as long.
        """
        return self.code.kind

    @property
    def rolled(self) -> bool:
        """Whether the loops over bodies are kept: one piece of code for all robots with these joint types."""
        return self.code.kind == "rolled"

    @cached_property
    def program(self) -> Program | LoopProgram:
        """The recorded program, node by node; print it. If the code came from the cache, it is recorded now."""
        return self.code.record()

    def interpret(self, *arrays: Any) -> Any:
        """The result by the interpreter, which defines what the program means. It is slow, and for comparison."""
        if len(arrays) != len(self.inputs):
            names = ", ".join(port.name for port in self.inputs)
            raise ArgumentError(f"{self.__name__} takes {len(self.inputs)} arrays, {names}, not {len(arrays)}")
        arrays = tuple(real_numbers(port.name, array) for port, array in zip(self.inputs, arrays, strict=True))
        self._explain(arrays)
        program = self.program
        if isinstance(program, LoopProgram):
            assert self.code.table is not None
            results = interpret_loops(program, self.code.table, *arrays)
        else:
            results = interpret(program, *arrays)
        return results[0] if len(results) == 1 else results

    def to(self, name: str, path: str | Path | None = None) -> str:
        """The kernel for one state as source text, made by the printer of this name: "c" or "javascript".

        It is written to ``path`` if one is given. A rolled kernel keeps its loops, with the robot's table in the text.
        `sixd.backends.PRINTERS` has the printers.
        """
        choice(name, "name", PRINTERS)
        about = "Generated by sixd; angles in radians, SI units, vectors angular first."
        text = print_program(name, self.program, self.code.table, about)
        if path is not None:
            with replacing(file_path(path, "path")) as part:
                part.write_text(text, encoding="utf-8")
        return text

    def to_c(self, path: str | Path | None = None) -> str:
        """The kernel for one state as one C99 file without dependencies; written to ``path`` if one is given.

        A rolled kernel keeps its loops, has the robot's table in the file, and its last argument is an array to work
        in.
        """
        return self.to("c", path)

    def report(self) -> str:
        """A line of text: operations, loads and stores, code size, compile times.

        Code in one piece is compiled again to read the size of its stack.
        """
        hidden = ("const", "input", "row", "index", "previous", "lookup", "named")
        counts = ", ".join(f"{n} {op}" for op, n in sorted(self.program.counts().items()) if op not in hidden)
        loads, stores = (sum(port.size for port in side) for side in (self.inputs, self.outputs))
        times = ", ".join(f"{stage} {1e3 * t:.0f} ms" for stage, t in self.times.items())
        each = "; each row: " if self.rolled else ": "
        pieces = "" if isinstance(self.program, LoopProgram) else self._parts(self.program)
        total = f" {self.code.operations} operations" if self.rolled else ""
        stack = None if pieces else self.stack_bytes()
        room = "" if stack is None else f", {stack} of stack"
        sizes = f"{self.width} lanes, {self.code.module.size} bytes of code{pieces}{room}"
        return f"{self.__name__}{total}{each}{counts}; {loads} loads, {stores} stores; {sizes}; {times}"

    def _parts(self, program: Program) -> str:
        """What the code consists of, if it is not one piece."""
        if self.kind == "taped":
            tape = tape_of(fuse(program))
            return f" and of the tape: {tape.instructions} instructions in {tape.runs} runs, {tape.slots} slots"
        number = number_of_pieces(fuse(program))
        return f" in {number} pieces" if number > 1 else ""

    def assembly(self, dtype: Any = np.float64) -> str:
        """The kernel in the assembly language of this CPU, for float64 or float32. It is compiled again for that."""
        kinds = (np.float32, np.float64)
        if not (isinstance(dtype, type | np.dtype) and any(dtype == kind for kind in kinds)):
            raise ChoiceError(f"dtype must be numpy.float32 or numpy.float64, not {described(dtype)}")
        single = np.dtype(dtype) == np.float32
        width = 2 * self.width if single else self.width
        if isinstance(self.program, LoopProgram):
            emit_rolled = emit_loops_float32 if single else emit_loops
            return assembly(emit_rolled(self.program, width))
        fused, emit_straight = fuse(self.program), emit_float32 if single else emit
        if self.kind == "taped":
            modules = emit_taped(fused, tape_of(fused), width, emit_straight)
        else:
            modules = emit_modules(fused, width, emit_straight)
        return "\n".join(map(assembly, modules))

    def stack_bytes(self) -> int | None:
        """The most bytes of stack that a function of the kernel takes, by its assembly; None if that does not tell."""
        found = re.findall(r"sub(?:q\s+\$|\s+sp, sp, #)(\d+)", self.assembly())
        return max(map(int, found), default=None)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.origin.reduced()

    def __copy__(self) -> Kernel:
        return self

    def __deepcopy__(self, memo: Any) -> Kernel:
        return self

    def __repr__(self) -> str:
        return f"<kernel {self.__doc__}>"


def attach_kernel(
    kernel: Kernel,
    owner: Any,
    nonzero: Sequence[tuple[int, int, int]] = (),
    result: type[tuple[Any, ...]] = tuple,
) -> Any:
    """Let calls of ``owner`` for one state run the kernel's machine code. Returns what must live as long as ``owner``.

    ``nonzero`` lists groups of entries (input, first entry, number of entries). If all entries of a group are zero, the
    call goes to the owner's own ``__call__``, which explains what is wrong with that state. ``result`` is the class of
    a tuple of several results.
    """
    code = kernel.code
    call, state = call_module().address("call"), code.module.address("one_state")
    inputs = [(port.name, port.shape) for port in code.inputs]
    data = code.words.ctypes.data if code.words is not None else 0
    return attach(owner, call, state, inputs, [port.shape for port in code.outputs], data, nonzero, result)
