"""Rollouts as LLVM assembly: a loop over time around a block, for W samples at a time.

The state of W samples stays in arrays of vectors from step to step, in the first cache. Samples are transposed into
them once at the beginning, and back once at the end. Inputs with a value for each step are read in each step, and
records are written when they are due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.emit import TOGETHER, emit_block, store_rows
from sixd.backends.llvm.gufunc_loop import (
    ALIGNMENT,
    BOOL,
    DOUBLE,
    I64,
    counted,
    declare_loop,
    forget_exceptions,
    release,
    reserve,
)
from sixd.backends.llvm.slots import copy_vectors, read_port
from sixd.ir import Port, Program, Repeated

__all__ = ["COUNT", "EVERY", "STEPS", "emit_rollout"]

#: The dimensions that a rollout is called with: samples, steps, and after how many steps it records.
COUNT, STEPS, EVERY = range(3)


def emit_rollout(repeated: Repeated) -> Callable[..., str]:
    """A function that makes the LLVM assembly of a rollout: ``emit`` for `pieces.emit_modules`.

        void rollout(void **arrays, int64 *dims, int64 *strides, void *data)

    ``arrays`` has an address for each input, each output and each recorded output; ``strides`` has two numbers of bytes
    for each: from sample to sample, and from step to step (or from record to record). The entries of one value lie side
    by side, in C order. Inputs that nobody gives (`Repeated.own`) have no array. There must be at least one step.
    """

    def emit(program: Program, width: int, make_block: Callable[..., ir.Function] | None = None) -> str:
        module, lanes = ir.Module(), Lanes(width, DOUBLE)
        together = TOGETHER if width == 1 else 1
        block = (make_block or emit_block)(module, program, lanes, "block", together=together, packed=True)
        _Rollout(module, repeated, Lanes(width, DOUBLE)).emit(block)
        return str(module)

    return emit


class _Rollout:
    """Emits the function ``rollout``."""

    def __init__(self, module: ir.Module, repeated: Repeated, lanes: Lanes) -> None:
        program = repeated.program
        self.repeated, self.lanes, self.inputs, self.outputs = repeated, lanes, program.inputs, program.outputs
        self.function = declare_loop(module, "rollout")
        self.b = b = lanes.builder = ir.IRBuilder(self.function.append_basic_block())
        arrays, dims, strides, _ = self.function.args
        self.count, self.steps, self.every = (b.load(b.gep(dims, [I64(k)])) for k in (COUNT, STEPS, EVERY))
        number = len(self.inputs) + len(self.outputs) + len(repeated.recorded)
        self.places = [b.load(b.gep(arrays, [I64(k)])) for k in range(number)]
        self.strides = [[b.load(b.gep(strides, [I64(2 * k + j)])) for j in range(2)] for k in range(number)]

    def emit(self, block: ir.Function) -> None:
        """The whole function: for W samples at a time, load them, run the steps, store the outputs of the last one."""
        b, w = self.b, self.lanes.width
        ports, data = (*self.inputs, *self.outputs), self.function.args[-1]
        sizes = [-(-port.size * w * self.lanes.size // ALIGNMENT) * ALIGNMENT for port in ports]
        starts = [0, *accumulate(sizes)]
        place, memory = reserve(b, max(starts[-1], 1))
        buffers = [b.gep(place, [I64(start)]) for start in starts[:-1]]
        self.vectors = [b.bitcast(buffer, self.lanes.type.as_pointer()) for buffer in buffers]
        self.until_record, self.records = b.alloca(I64), b.alloca(I64)
        n_in = len(self.inputs)
        with counted(b, I64(0), self.count, w) as first:
            last = b.sub(self.count, I64(1))
            # Lanes beyond the last sample repeat it: its results are written more than once.
            lanes = [b.add(first, I64(lane)) for lane in range(w)]
            self.samples = [b.select(b.icmp_signed("<", k, self.count), k, last) for k in lanes]
            for k in self.repeated.given:
                if k not in self.repeated.stepped:
                    read_port(self.lanes, self.inputs[k], self._rows(k), self.vectors[k])
            b.store(self.every, self.until_record)
            b.store(I64(0), self.records)
            with counted(b, I64(0), self.steps, 1) as step:
                self._inputs_of(step)
                with self._until_done():
                    b.call(block, [*(x for buffer in buffers for x in (buffer, I64(0))), data, BOOL(0)])
                    for i, o in self.repeated.carried:
                        copy_vectors(b, self.vectors[n_in + o], self.vectors[i], I64(self.inputs[i].size))
                self._record_if_due()
            for k, port in enumerate(self.outputs, start=n_in):
                self._store(port, self.vectors[k], self._rows(k))
        release(b, memory)
        forget_exceptions(self.b.module, b)
        b.ret_void()

    def _rows(self, array: int, step: Any = None) -> list[Any]:
        """The address of each sample of an array, at a step or a record."""
        b, (by_sample, by_step) = self.b, self.strides[array]
        start = self.places[array]
        if step is not None:
            start = b.gep(start, [b.mul(step, by_step)])
        return [b.gep(start, [b.mul(sample, by_sample)]) for sample in self.samples]

    def _inputs_of(self, step: Any) -> None:
        """Load the inputs that have a value for each step."""
        b, counter = self.b, self.repeated.counter
        for k in self.repeated.stepped:
            read_port(self.lanes, self.inputs[k], self._rows(k, step), self.vectors[k])
        if counter is not None:
            number = b.sitofp(step, DOUBLE)
            numbers = b.bitcast(self.vectors[counter], DOUBLE.as_pointer())
            for lane in range(self.lanes.width):
                b.store(number, b.gep(numbers, [I64(lane)]))

    @contextmanager
    def _until_done(self) -> Iterator[None]:
        """Run what is inside, again until all lanes are done with the step; once, if nothing says when that is.

        A lane is done unless its number is 0: NaN, the answer for a state that is not finite, ends a step, too.
        """
        b = self.b
        if self.repeated.until is None:
            yield
            return
        asked, told = self.repeated.until
        done, answer = (b.bitcast(self.vectors[k], DOUBLE.as_pointer()) for k in (asked, len(self.inputs) + told))
        for lane in range(self.lanes.width):
            b.store(DOUBLE(0.0), b.gep(done, [I64(lane)]))
        again, after = b.append_basic_block(), b.append_basic_block()
        b.branch(again)
        b.position_at_end(again)
        yield
        waits = BOOL(0)
        for lane in range(self.lanes.width):
            number = b.load(b.gep(answer, [I64(lane)]))
            b.store(number, b.gep(done, [I64(lane)]))
            waits = b.or_(waits, b.fcmp_ordered("==", number, DOUBLE(0.0)))
        b.cbranch(waits, again, after)
        b.position_at_end(after)

    def _record_if_due(self) -> None:
        b, n_in, n_out = self.b, len(self.inputs), len(self.outputs)
        left = b.sub(b.load(self.until_record), I64(1))
        b.store(left, self.until_record)
        with b.if_then(b.icmp_signed("==", left, I64(0)), likely=False):
            number = b.load(self.records)
            for k, o in enumerate(self.repeated.recorded):
                self._store(self.outputs[o], self.vectors[n_in + o], self._rows(n_in + n_out + k, number))
            b.store(self.every, self.until_record)
            b.store(b.add(number, I64(1)), self.records)

    def _store(self, port: Port, vectors: Any, rows: list[Any]) -> None:
        """Store the entries of an output from an array of vectors to W samples."""
        if self.lanes.width == 1:
            copy_vectors(self.b, vectors, self.b.bitcast(rows[0], vectors.type), I64(port.size))
        else:
            store_rows(self.lanes, vectors, I64(port.size), rows, BOOL(0))
