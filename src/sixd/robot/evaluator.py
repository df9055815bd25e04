"""How a method of a robot runs: its code is chosen on first use, kept, and called.

``robot._code[algorithm]`` is the code of an algorithm for this robot, an object that is called with arrays. For one
state it goes straight to machine code, which looks at types and shapes itself. Whatever is unusual (a batch, lists,
float32, arrays of Dask, a wrong shape) goes through `Method.__call__`, where arguments are coerced and mistakes are
explained.
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
from sixd.compiler.kernel import Kernel, attach_kernel
from sixd.compiler.request import Request, without_methods
from sixd.errors import ArgumentError, ModelError
from sixd.model import Frame, Model
from sixd.model.configuration import neutral
from sixd.process.forks import cached_property
from sixd.robot.later import run_later
from sixd.runtime.arguments import common_lead, is_lazy
from sixd.runtime.batches import as_batch, by_sample, evaluate

__all__ = ["BODY", "EXPRESSIONS", "Evaluated", "Method"]

Array = NDArray[Any]
#: What vectors of a frame can be expressed in.
EXPRESSIONS = ("body", "world", "aligned")
BODY = EXPRESSIONS[0]
#: An option that an algorithm does not have.
_NONE: Any = object()
#: So much code a robot keeps at hand; what was made first goes first, and is found again in the store of the process.
KEPT = 1_000


class Method:
    """The code of an algorithm for one robot: call it with arrays (..., *shape), by position, and perhaps ``out``."""

    def __init__(self, algorithm: Algorithm[Any, Any], request: Request, kernel: Kernel | None) -> None:
        #: What is computed. Its model is no robot: a method that led back to one would keep it from being freed.
        self.algorithm, self.model, self.fixed, self.kernel = algorithm, request.model, request.fixed, kernel
        self.request = request
        model, ports = request.model, request.ports()
        extents = {"nq": model.nq, "nv": model.nv, "moving": model.n_bodies}
        #: The names of the arguments, and the shape that each has for one state.
        self.names = [port.name for port in ports]
        self.cores = [tuple(extents[n] if isinstance(n, str) else n for n in port.shape) for port in ports]
        self.nonzero = _nonzero(model, algorithm, self.names)
        self._attached = attach_kernel(kernel, self, self.nonzero) if kernel is not None else None

    def __call__(self, *values: Any, out: Array | None = None) -> Any:
        named = zip(self.names, values, self.cores, strict=True)
        arrays = [as_batch(name, value, core, self._meaning(name)) for name, value, core in named]
        try:
            if any(map(is_lazy, arrays)):
                return self._later(arrays, out)
            self._refuse_invalid(arrays)
            return self._compute(arrays, out)
        except ValueError:
            leads = (a.shape[: a.ndim - len(core)] for a, core in zip(arrays, self.cores, strict=True))
            common_lead(dict(zip(self.names, leads, strict=True)))
            raise

    def _later(self, arrays: Sequence[Array], out: Any) -> Any:
        """An array of Dask, which calls this method for each of its chunks."""
        if out is not None:
            raise ArgumentError(f"on arrays of Dask {self.algorithm.__name__} has no out=: its results are new arrays")
        state = [np.zeros(core) for core in self.cores]
        for k, name in enumerate(self.names):
            if self.algorithm.declaration.kind(name) is Kind.POSITION:
                state[k] = neutral(self.model)
        return run_later(self, arrays, state)

    def __reduce__(self) -> Any:
        return method_of, (self.algorithm, replace(self.request), self.kernel)  # a request without what it worked out

    def _compute(self, arrays: Sequence[Array], out: Array | None) -> Any:
        """By the kernel, or by the algorithm itself where there is none."""
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
        """What the last axis of an argument is, for errors."""
        kind, robot = self.algorithm.declaration.kind(name), self.model.name or "this robot"
        if kind is Kind.POSITION:
            return f"nq of {robot}"
        if kind is Kind.VELOCITY:
            return f"nv of {robot}"
        return "moment, then force" if kind is Kind.FRAME_FORCE else ""

    def _refuse_invalid(self, arrays: Sequence[Array]) -> None:
        """Raise if a position is none, such as a zero quaternion. The last entry is asked first: it is rarely zero."""
        for port, first, number in self.nonzero:
            group = arrays[port][..., first : first + number]
            if (group[..., -1] == 0.0).any() and (group == 0.0).all(axis=-1).any():
                joint = next(j.name for j in self.model.joints if j.q.start <= first < j.q.stop)
                raise ModelError(
                    f"{self.names[port]} is no position of joint {joint!r}: its quaternion is zero; start from "
                    "robot.neutral() or robot.random()"
                )


#: A method whose calls for one state go straight to machine code.
QuickMethod = single_calls(Method)


def method_of(algorithm: Algorithm[Any, Any], request: Request, kernel: Kernel | None) -> Method:
    """The method that runs a kernel, or the algorithm itself where there is none."""
    return Method(algorithm, request, kernel) if kernel is None else QuickMethod(algorithm, request, kernel)


def fill(out: Any, result: Any) -> Any:
    """Write a result to an array that is there already, as NumPy's functions do."""
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
    """Groups of entries that must not all be zero: (argument, first entry, number of entries)."""
    positions = [k for k, name in enumerate(names) if algorithm.declaration.kind(name) is Kind.POSITION]
    joints = [joint for joint in model.joints if joint.mimic is None]
    groups = [(joint.q.start + first, number) for joint in joints for first, number in joint.type.nonzero]
    return [(k, first, number) for k in positions for first, number in groups]


class _Methods(dict[Any, Method]):
    """The code of a robot's methods: by algorithm, or by a tuple of an algorithm and what else is fixed."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        forget_when_chosen_anew(self)

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
        """Make the code of an algorithm and keep it under a key."""
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
        """The code of each algorithm for this robot: ``self._code[algorithms.crba](q)``."""
        return _Methods(without_methods(self))

    def _at(
        self,
        algorithm: Any,
        frame: str | Frame,
        expressed_in: str = _NONE,
        conventional: bool = _NONE,
        without: str | None = None,
    ) -> Method:
        """The code of an algorithm for a frame: what a vector of it is expressed in, which acceleration is meant.

        ``without`` names an argument that is None, for zero.
        """
        key = algorithm, frame, expressed_in, conventional, without
        try:
            found = self._code.get(key)
        except TypeError:  # what has no hash is no name of a frame
            found = None
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

    def _place(self, frame: str | Frame) -> dict[str, Any]:
        """The body that carries a frame of this robot, and the way from the body's coordinates to the frame's."""
        name = frame.name if isinstance(frame, Frame) else frame
        if not isinstance(name, str):
            raise ModelError(f"a frame is given by its name, not by {frame!r}")
        found = self.frames[name]
        if isinstance(frame, Frame) and frame != found:
            raise ModelError(f"this frame {name!r} belongs to another robot")
        return {"body": found.body, "offset": found.offset}
