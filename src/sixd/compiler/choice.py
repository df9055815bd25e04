"""Which code a method of a robot runs. The kernels of this process are kept here, by the content of the model.

The choice depends on the robot and the algorithm only, not on time, on batches, or on what is on disk:

1. unrolled code for this one robot, if its program has at most `large` nodes: the fastest;
2. otherwise rolled code, which all robots with the same joint types share;
3. for an algorithm that cannot be rolled, unrolled code of at most `taped.COMPILED` nodes;
4. beyond that a tape, which is not compiled, and takes some times as long to run.

There is one exception, for fleets: more than `FLEET` robots with the same joint types, such as one robot with many
different inertias. A program would spend its time compiling unrolled code for each of them. So only the first `FLEET`
robots get it, and the others run the rolled code, which is compiled once for all of them. Results of the two kinds of
code agree to rounding, not to the bit. `set_kernels("unrolled")` or `set_kernels("rolled")` makes all robots of a fleet
run the same kind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Protocol
from weakref import WeakSet

from sixd import given
from sixd.compiler.compile import compile, large
from sixd.compiler.kernel import Kernel
from sixd.compiler.request import Request
from sixd.compiler.rolled.kernel import compile_rolled_if_possible, is_declared_possible
from sixd.compiler.taped import compile_written_out
from sixd.compiler.unrolled import compile_unrolled
from sixd.errors import ChoiceError
from sixd.ir import TooLargeError
from sixd.model import Model
from sixd.process import forks
from sixd.runtime.least_recently_used import Recent

__all__ = ["FLEET", "KINDS", "Chooser", "chooser", "forget_when_chosen_anew", "get_kernels", "kernel", "set_kernels"]

#: What `set_kernels` takes.
KINDS = ("auto", "unrolled", "rolled", "python")
#: This many robots with the same joint types get unrolled code of their own for an algorithm; others share rolled code.
FLEET = 8


class _Keeper(Protocol):
    """A store of chosen code."""

    def clear(self) -> None:
        """Forget all of it, because the choice has changed."""


_chosen: str | None = None
_keepers: WeakSet[_Keeper] = WeakSet()


def set_kernels(kind: str | None) -> None:
    """Set which code methods of robots run: "auto" (also None), "unrolled", "rolled", or "python": no machine code.

    "unrolled" is code for one robot only, compiled on first use in about a tenth of a second: the fastest. "rolled" is
    code that all robots with the same joint types share; an algorithm that cannot be rolled still runs unrolled code.
    Where neither is possible, because an unrolled program would take too long to compile, it runs from a tape.
    "auto" takes unrolled code for robots of usual size, and rolled code for very large robots and for programs that use
    more than eight robots with the same joint types. Every process that uses the same robots in the same order makes
    the same choice, whatever is on disk.

    The two kinds of code agree to rounding. For results that are the same to the bit whatever other robots a program
    uses, choose "unrolled" or "rolled", here or by the environment variable SIXD_KERNELS.
    """
    global _chosen
    _chosen = None if kind is None else given.choice(kind, "kernels", KINDS)
    for keeper in list(_keepers):
        keeper.clear()


def get_kernels() -> str:
    """The choice that holds: that of `set_kernels`, else that of the environment variable SIXD_KERNELS, else "auto".

    A method of a robot asks for it on its first call, and on the first call after `set_kernels`.
    """
    kind = _chosen or os.environ.get("SIXD_KERNELS") or "auto"
    if kind not in KINDS:
        raise ChoiceError(f"SIXD_KERNELS must be one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    return kind


def forget_when_chosen_anew(keeper: _Keeper) -> None:
    """Clear a store of chosen code whenever `set_kernels` is called."""
    _keepers.add(keeper)


class Chooser:
    """Chooses the code of one function for one model, and keeps it."""

    def __init__(self, request: Request, own_code: bool = True) -> None:
        #: Whether this robot is among the first `FLEET` of its kind, which get unrolled code of their own.
        self.request, self.own_code = request, own_code
        self.renew()
        forks.renew(self)
        self.made: dict[str, Kernel | None] = {}
        #: The unrolled program is known to have more nodes than this.
        self.exceeded = 0.0

    def renew(self) -> None:
        """Make a new lock. It is re-entrant: a signal handler may call the method that it has interrupted."""
        self.lock = threading.RLock()

    def __call__(self, limit: float = inf) -> Kernel | None:
        """The kernel; None if the function itself is to be run, in Python.

        Raises `TooLargeError` if the function cannot be rolled and its unrolled program has more nodes than ``limit``.
        """
        kind = get_kernels()
        if kind == "python" or not self.request.model.nv:
            return None
        with self.lock:
            if not is_declared_possible(self.request):
                return self._written_out(limit) or self._refuse(limit)
            if kind == "rolled" or (kind == "auto" and not self.own_code):
                return self._rolled() or self._written_out(limit) or self._refuse(limit)
            first = min(large(self.request.function), limit)
            return self._unrolled(first) or self._rolled() or self._written_out(limit) or self._refuse(limit)

    def _rolled(self) -> Kernel | None:
        if "rolled" not in self.made:
            self.made["rolled"] = compile_rolled_if_possible(self.request)
        return self.made["rolled"]

    def _unrolled(self, limit: float) -> Kernel | None:
        return self._straight(compile_unrolled, limit)

    def _written_out(self, limit: float) -> Kernel | None:
        return self._straight(compile_written_out, limit)

    def _straight(self, compile: Callable[[Request, float], Kernel], limit: float) -> Kernel | None:
        """The kernel without loops, unrolled or taped; None if its program has more nodes than the limit."""
        if self.made.get("straight") is None and limit > self.exceeded:
            try:
                self.made["straight"] = compile(self.request, limit)
            except TooLargeError:
                self.made["straight"], self.exceeded = None, limit
        return self.made.get("straight")

    def _refuse(self, limit: float) -> Kernel:
        raise TooLargeError(f"{self.request.name} has no code with loops, and written out more than {limit:.0f} nodes")


#: The choosers and kernels used most recently. A kernel of inverse kinematics, with its program, takes a megabyte.
_CHOOSERS: Recent[Chooser] = Recent(1_000)
_KERNELS: Recent[Kernel] = Recent(256)
#: For each function and set of joint types, the robots that get unrolled code of their own.
_FLEETS: Recent[set[str]] = Recent(1_000)


def _key(function: Any, model: Model, shapes: Mapping[str, Any], fixed: Mapping[str, Any], key: Any = None) -> Any:
    # The joint classes are in the key, because a user may define a new class under an old name. So are the types of
    # fixed values, because 1, 1.0 and True are equal. Floats are compared by their text, because 0.0 and -0.0 are
    # equal.
    values = tuple((name, type(x), repr(x) if isinstance(x, float) else x) for name, x in fixed.items())
    return (function, model.fingerprint, model.types, tuple(shapes.items()), values, key)


def chooser(
    function: Callable[..., Any], model: Model, shapes: Mapping[str, tuple[int, ...]], fixed: Mapping[str, Any]
) -> Chooser:
    """The chooser of a function for a model, shared by models with the same content. ``fixed`` has hashable values."""
    which = _key(function, model, shapes, fixed)
    found = _CHOOSERS.get(which)
    if found is not None:
        return found
    request = Request(function, model, shapes, fixed).apart()
    return _CHOOSERS.put(which, Chooser(request, _has_own_code(function, model)))


def _has_own_code(function: Callable[..., Any], model: Model) -> bool:
    """Whether a model is among the first `FLEET` with its joint types that use a function."""
    kind = function, frozenset(model.joint_types)
    fleet = _FLEETS.get(kind) or _FLEETS.put(kind, set())
    if len(fleet) < FLEET:
        fleet.add(model.fingerprint)
    return model.fingerprint in fleet


def kernel(
    function: Callable[..., Any],
    model: Model,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    key: Any = None,
    nonfinite: tuple[str, ...] = (),
    **fixed: Any,
) -> Kernel:
    """The kernel that `sixd.compile` makes of a function, kept for models with the same content.

    ``key`` distinguishes kernels of one function that have the same ``fixed`` values (which must be hashable).
    """
    which = _key(function, model, shapes or {}, fixed, (key, nonfinite))
    found = _KERNELS.get(which)
    return found or _KERNELS.put(which, compile(function, model, shapes=shapes, nonfinite=nonfinite, **fixed))
