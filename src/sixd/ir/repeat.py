"""Programs that run many times in a row: what one step returns is what the next one gets.

A *rollout* runs a program for a number of steps, which is known only when it is run. The carried values go from step to
step; some inputs have a value of their own for each step; some outputs are recorded after every so many steps. A step
may take several runs of the program: it is run again until it says that the step is done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ir.interpret import interpret
from sixd.ir.program import Port, Program, ProgramError

__all__ = ["Repeated", "interpret_repeated"]


@dataclass(frozen=True)
class Repeated:
    """A program that is one step, and how steps follow one another. Ports are given by their numbers."""

    program: Program
    #: Pairs (input, output) of the same shape: a step gets as input what the step before it had as output.
    carried: tuple[tuple[int, int], ...]
    #: Inputs with a value for each step.
    stepped: tuple[int, ...] = ()
    #: Outputs that are recorded.
    recorded: tuple[int, ...] = ()
    #: An input of one number, which is the number of the step: 0, 1, 2, ...
    counter: int | None = None
    #: A pair (input, output) of one number each, for a step that takes several runs: the input is 0 in the first run of
    #: a step, and then what the output was in the run before. The step is done when that is not 0. Where several
    #: samples are run together some are done earlier than others: their values must not change any more.
    until: tuple[int, int] | None = None

    def verify(self) -> Repeated:
        """Check that all ports exist, that carried pairs have the same shape and that no input has two sources."""
        program, title = self.program, self.program.name
        fed = [i for i, _ in self.carried] + list(self.stepped) + list(self.own)
        taken = [o for _, o in (*self.carried, *self._until)]
        for numbers, ports in ((fed, program.inputs), ((*taken, *self.recorded), program.outputs)):
            if any(not 0 <= k < len(ports) for k in numbers):
                raise ProgramError(f"{title}: a rollout names ports {numbers}, but there are {len(ports)}")
        if len(set(fed)) < len(fed):
            raise ProgramError(f"{title}: an input of a rollout has two sources")
        for i, o in self.carried:
            if program.inputs[i].shape != program.outputs[o].shape:
                raise ProgramError(
                    f"{title}: {program.outputs[o].name} {program.outputs[o].shape} cannot be carried to "
                    f"{program.inputs[i].name} {program.inputs[i].shape}"
                )
        if self.counter is not None and program.inputs[self.counter].size != 1:
            raise ProgramError(f"{title}: the number of the step is one number")
        if any(program.inputs[i].size != 1 or program.outputs[o].size != 1 for i, o in self._until):
            raise ProgramError(f"{title}: whether a step is done is one number")
        return self

    @property
    def _until(self) -> tuple[tuple[int, int], ...]:
        return () if self.until is None else (self.until,)

    @property
    def own(self) -> tuple[int, ...]:
        """The inputs that a caller does not give: the number of the step, and whether it is done."""
        return (*(() if self.counter is None else (self.counter,)), *(i for i, _ in self._until))

    @property
    def given(self) -> tuple[int, ...]:
        """The inputs that a caller gives: all but its `own`."""
        return tuple(k for k in range(len(self.program.inputs)) if k not in self.own)

    @property
    def fingerprint(self) -> str:
        """A hash of what a rollout computes, the same in every process."""
        how = repr((self.program.fingerprint, self.carried, self.stepped, self.recorded, self.counter, *self._until))
        return hashlib.sha256(how.encode()).hexdigest()

    def core(self, k: int, steps: int) -> tuple[int, ...]:
        """The shape of input k for one sample: inputs with a value for each step have the steps as first axis."""
        port: Port = self.program.inputs[k]
        return (steps, *port.shape) if k in self.stepped else port.shape


def interpret_repeated(
    repeated: Repeated, steps: int, every: int, *arrays: Any
) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]:
    """Run a rollout step by step: the outputs of the last step, and the records, (..., steps // every, *shape).

    ``arrays`` are the given inputs: (..., *shape), or (..., steps, *shape) if they have a value for each step. This
    defines what a rollout computes; compiled code is compared with it.
    """
    program, inputs = repeated.program, dict(zip(repeated.given, map(np.asarray, arrays), strict=True))
    lead = np.broadcast_shapes(*(a.shape[: a.ndim - len(repeated.core(k, steps))] for k, a in inputs.items()))
    results: tuple[Any, ...] = ()
    records: list[list[Any]] = [[] for _ in repeated.recorded]
    for n in range(steps):
        now = {k: _at(a, n, program.inputs[k]) if k in repeated.stepped else a for k, a in inputs.items()}
        if repeated.counter is not None:
            now[repeated.counter] = np.full(program.inputs[repeated.counter].shape, float(n))
        now.update({i: np.zeros(program.inputs[i].shape) for i, _ in repeated._until})
        while True:
            results = interpret(program, *(now[k] for k in range(len(program.inputs))))
            now.update({i: np.asarray(results[o]) for i, o in (*repeated.carried, *repeated._until)})
            if not any((np.asarray(results[o]) == 0.0).any() for _, o in repeated._until):
                break
        inputs.update({i: now[i] for i, _ in repeated.carried})
        if (n + 1) % every == 0:
            for record, o in zip(records, repeated.recorded, strict=True):
                record.append(np.broadcast_to(results[o], (*lead, *program.outputs[o].shape)))
    return results, tuple(_stacked(r, len(lead)) for r in records)


def _at(array: NDArray[Any], n: int, port: Port) -> NDArray[Any]:
    """The value of an input at step n."""
    return np.take(array, n, axis=array.ndim - len(port.shape) - 1)


def _stacked(values: Sequence[Any], axis: int) -> NDArray[Any]:
    return np.stack(values, axis=axis) if values else np.empty(0)
