"""How a method of a robot runs: its code is chosen on first use, kept, and called.

``robot._code[algorithm]`` is a `Method`: the code of an algorithm for this robot. It is called with arrays. A call for
one state goes straight to machine code, which checks types and shapes itself. Every other call (a batch, lists,
float32, Dask arrays, a wrong shape) goes through `Method.__call__`, which converts arguments and explains mistakes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.algorithms.algorithm import Algorithm
from sixd.algorithms.declared import Kind
from sixd.backends.llvm.vectorcall import single_calls
from sixd.compiler.choice import chooser, forget_when_chosen_anew
from sixd.compiler.frames import frame_of
from sixd.compiler.kernel import Kernel, attach_kernel
from sixd.compiler.request import Request, without_methods
from sixd.errors import ArgumentError
from sixd.ir import TooLargeError
from sixd.model import Frame, Model
from sixd.model.configuration import need_positions, neutral
from sixd.process.forks import cached_property
from sixd.robot.later import run_later
from sixd.runtime.arguments import common_lead, is_lazy
from sixd.runtime.batches import as_batch, by_sample, evaluate

__all__ = ["BODY", "EXPRESSIONS", "NAMED", "Evaluated", "Method"]

Array = NDArray[Any]
#: The coordinates in which vectors of a frame can be expressed.
EXPRESSIONS = ("body", "world", "aligned")
BODY = EXPRESSIONS[0]
#: An option that an algorithm does not have.
_NONE: Any = object()
#: The named tuples that methods of algorithms with several results return; those of other algorithms return tuples.
NAMED: dict[Algorithm[Any, Any], type[tuple[Any, ...]]] = {}
#: The most methods that a robot keeps. The oldest is removed first; its code is still in the store of the process.
KEPT = 1_000


class Method:
    """The code of an algorithm for one robot. Call it with arrays (..., *shape) by position, and perhaps ``out``."""

    def __init__(self, algorithm: Algorithm[Any, Any], request: Request, kernel: Kernel | None) -> None:
        #: The model is a plain `Model`: a method that referred to its robot would keep it from being freed.
        self.algorithm, self.model, self.fixed, self.kernel = algorithm, request.model, request.fixed, kernel
        self.request = request
        model, ports = request.model, request.ports()
        #: The names of the arguments, and the shape that each has for one state.
        self.names = [port.name for port in ports]
        self.cores = [request.shape_for_model(port.shape) for port in ports]
        self.nonzero = _nonzero(model, algorithm, self.names)
        self.named = NAMED.get(algorithm, tuple)
        self._attached = attach_kernel(kernel, self, self.nonzero, self.named) if kernel is not None else None

    def __call__(self, *values: Any, out: Array | None = None) -> Any:
        named = zip(self.names, values, self.cores, strict=True)
        arrays = [as_batch(name, value, core, self._meaning(name)) for name, value, core in named]
        try:
            if any(map(is_lazy, arrays)):
                return self._in_class(self._later(arrays, out))
            self._refuse_invalid(arrays)
            return self._in_class(self._compute(arrays, out))
        except ValueError:
            leads = (a.shape[: a.ndim - len(core)] for a, core in zip(arrays, self.cores, strict=True))
            common_lead(dict(zip(self.names, leads, strict=True)))
            raise

    def _in_class(self, result: Any) -> Any:
        """The result; several in the named tuple of the algorithm, if it has one."""
        return result if self.named is tuple else self.named._make(result)  # type: ignore[attr-defined]

    def _later(self, arrays: Sequence[Array], out: Any) -> Any:
        """A Dask array, which calls this method for each of its chunks."""
        if out is not None:
            raise ArgumentError(f"on arrays of Dask {self.algorithm.__name__} has no out=: its results are new arrays")
        state = [np.zeros(core) for core in self.cores]
        for k, name in enumerate(self.names):
            if self.algorithm.declaration.kind(name) is Kind.POSITION:
                state[k] = neutral(self.model)
        return run_later(self, arrays, state)

    def __reduce__(self) -> Any:
        return method_of, (self.algorithm, replace(self.request), self.kernel)  # `replace` leaves out cached properties

    def _compute(self, arrays: Sequence[Array], out: Array | None) -> Any:
        """The result of the kernel or, if there is none, of the algorithm itself."""
        if self.kernel is not None:
            return self.kernel(*arrays) if out is None else self.kernel(*arrays, out=out)
        rank = self.algorithm.rank

        def run(**state: Array) -> Any:
            result = self.algorithm(self.model, **state, **self.fixed)
            if isinstance(rank, int):
                return by_sample(result, rank)
            return tuple(by_sample(part, r) for part, r in zip(result, rank, strict=True))

        ranked = {name: (a, len(core)) for name, a, core in zip(self.names, arrays, self.cores, strict=True)}
        result = evaluate(run, ranked, rank)
        return result if out is None else fill(out, result)

    def _meaning(self, name: str) -> str:
        """What the last axis of an argument stands for, as errors say it."""
        kind, robot = self.algorithm.declaration.kind(name), self.model.name or "this robot"
        if kind is Kind.POSITION:
            return f"nq of {robot}"
        if kind is Kind.VELOCITY:
            return f"nv of {robot}"
        return "moment, then force" if kind is Kind.FRAME_FORCE else ""

    def _refuse_invalid(self, arrays: Sequence[Array]) -> None:
        """Raise if q has a quaternion that is zero, or another group of entries that must not be zero.

        The last entry of a group is looked at first, because it is rarely zero.
        """
        for port, first, number in self.nonzero:
            if (arrays[port][..., first + number - 1] == 0.0).any():
                need_positions(self.model, self.names[port], arrays[port])


#: A method whose calls for one state go straight to machine code.
QuickMethod = single_calls(Method)


def method_of(algorithm: Algorithm[Any, Any], request: Request, kernel: Kernel | None) -> Method:
    """The method that runs a kernel, or the algorithm itself where there is none."""
    return Method(algorithm, request, kernel) if kernel is None else QuickMethod(algorithm, request, kernel)


def fill(out: Any, result: Any) -> Any:
    """Write a result to the array ``out``, as NumPy's functions do."""
    if not isinstance(out, np.ndarray):
        raise ArgumentError(f"out must be an array to be filled, not {given.described(out)}")
    if out.shape != result.shape:
        raise ArgumentError(f"out has shape {out.shape}, but the result has {result.shape}")
    try:
        np.copyto(out, result, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"out cannot be filled: {error}") from None
    return out


def _nonzero(model: Model, algorithm: Algorithm[Any, Any], names: Sequence[str]) -> list[tuple[int, int, int]]:
    """Groups of entries that must not all be zero, such as quaternions: (argument, first entry, number of entries)."""
    positions = [k for k, name in enumerate(names) if algorithm.declaration.kind(name) is Kind.POSITION]
    joints = [joint for joint in model.joints if joint.mimic is None]
    groups = [(joint.q.start + first, number) for joint in joints for first, number in joint.type.nonzero]
    return [(k, first, number) for k in positions for first, number in groups]


class _Methods(dict[Any, Method]):
    """The methods of a robot, by algorithm, or by a tuple of an algorithm and its fixed arguments."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        forget_when_chosen_anew(self)

    def find(self, key: Any) -> Method | None:
        """The method under a key; None if there is none. A frame that is unhashable is no name and finds none."""
        try:
            return self.get(key)
        except TypeError:
            return None

    def __missing__(self, algorithm: Any) -> Method:
        return self.add(algorithm, algorithm)

    def add(
        self,
        key: Any,
        algorithm: Any,
        fixed: Mapping[str, Any] | None = None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        limit: float = float("inf"),
    ) -> Method:
        """Make the method of an algorithm and keep it under a key."""
        if not isinstance(algorithm, Algorithm):
            raise ArgumentError(f"methods run algorithms, made by @algorithm, not {given.described(algorithm)}")
        while len(self) >= KEPT:
            self.pop(next(iter(self)), None)
        choose = chooser(algorithm, self.model, shapes or {}, fixed or {})
        self[key] = method = method_of(algorithm, choose.request, choose(limit))
        return method


class Evaluated(Model):
    """A model with methods that run compiled code."""

    @cached_property
    def _code(self) -> _Methods:
        """The methods of this robot: ``self._code[algorithms.crba](q)``."""
        return _Methods(without_methods(self))

    def _at(
        self,
        algorithm: Any,
        frame: str | Frame,
        expressed_in: str = _NONE,
        conventional: bool = _NONE,
        without: str | None = None,
    ) -> Method:
        """The method of an algorithm for a frame; ``expressed_in`` and ``conventional`` are arguments of the algorithm.

        ``without`` names an argument that is fixed at None, which stands for zero.
        """
        key = algorithm, frame, expressed_in, conventional, without
        found = self._code.find(key)
        if found is not None:
            return found
        fixed = self._place(frame)
        if expressed_in is not _NONE:
            fixed["expressed_in"] = given.choice(expressed_in, "expressed_in", EXPRESSIONS)
        if conventional is not _NONE:
            fixed["conventional"] = given.flag(conventional, "conventional")
        if without is not None:
            fixed[without] = None
        return self._code.add(key, algorithm, fixed)

    def _direct(
        self,
        algorithm: Any,
        limit: float,
        shapes: dict[str, tuple[int, ...]] | None = None,
        options: Mapping[str, Any] | None = None,
        **fixed: Any,
    ) -> Method | None:
        """The method of an algorithm in unrolled code; None if that would have more nodes than the limit.

        ``fixed`` arguments are the same whenever this robot asks for the algorithm; ``options`` may differ.
        """
        options = options or {}
        key = (algorithm, "direct", *(shapes or ()), *options.values())
        found = self._code.get(key)
        if found is None and key not in self._too_large:
            try:
                found = self._code.add(key, algorithm, {**fixed, **options}, shapes or None, limit)
            except TooLargeError:
                self._too_large.add(key)
        return found

    @cached_property
    def _too_large(self) -> set[Any]:
        """Keys of methods whose unrolled code would be too large for this robot."""
        return set()

    def _place(self, frame: str | Frame) -> dict[str, Any]:
        """The body that carries a frame of this robot, and the transform from body to frame coordinates."""
        found = frame_of(self, frame)
        return {"body": found.body, "offset": found.offset}
