"""The kernels of this process: made on first use, kept by the content of the model, chosen by how much they are used.

A method of a robot that is called for the first time looks for machine code in this order:

1. code written out for this very robot, kept in memory or on disk by an earlier use;
2. code with loops, which all robots with the same types of joints share: from memory, from disk, else compiled;
3. for what has no such loops, code written out, if it is small; else Python itself, on arrays of samples.

Once a robot has been used so much that its own code is worth the time to compile it, that is made, if it is not too
large. Results of the two kinds of code agree to rounding, not to the bit. So the last bits of a result depend on what
this process and earlier ones have done; `set_kernels` ("unrolled", "rolled" or "python") makes them depend on the robot
and the state alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

from sixd import given
from sixd.compiler.compile import LARGE, compile
from sixd.compiler.kernel import Kernel
from sixd.compiler.request import Request
from sixd.compiler.rolled.kernel import compile_rolled_if_possible
from sixd.compiler.unrolled import compile_unrolled, find_unrolled
from sixd.errors import ChoiceError
from sixd.ir import TooLargeError
from sixd.model import Model
from sixd.process import forks
from sixd.runtime.least_recently_used import Recent

__all__ = ["KINDS", "Chooser", "chooser", "get_kernels", "kernel", "set_kernels"]

#: What `set_kernels` takes.
KINDS = ("auto", "unrolled", "rolled", "python")
#: What cannot be rolled is compiled at once up to this many nodes: a second or so.
SMALL = 5_000
#: Operations done after which code for this robot alone is worth the time to compile it.
WORTH = 2e10
#: Samples run in Python after which a larger recording is worth compiling.
MANY = 2_000

_chosen: str | None = None


def set_kernels(kind: str | None) -> None:
    """Which code the methods of robots run: "auto" (also None), "unrolled", "rolled", or "python" for no machine code.

    "unrolled" compiles for each robot on first use: the fastest code, after a second or so. "rolled" uses code that all
    robots with the same joint types share, where there is such code. "auto" takes the first if an earlier process has
    left it in the cache (SIXD_CACHE), else starts with the second and goes over to the first for robots that are used
    much; results then change once, by rounding.

    For results that are the same to the bit in every process, whatever ran before and whatever is on disk, choose
    "unrolled", "rolled" or "python", here or by SIXD_KERNELS: each of them always runs the same code for a robot.
    """
    global _chosen
    _chosen = None if kind is None else given.choice(kind, "kernels", KINDS)


def get_kernels() -> str:
    """What was chosen: by `set_kernels`, else by the environment variable SIXD_KERNELS, else "auto"."""
    kind = _chosen or os.environ.get("SIXD_KERNELS") or "auto"
    if kind not in KINDS:
        raise ChoiceError(f"SIXD_KERNELS must be one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    return kind


class Chooser:
    """The code of one function for one model."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.renew()
        forks.renew(self)
        self.made: dict[str, Kernel | None] = {}
        self.work = 0.0
        #: The recording written out has more nodes than this.
        self.exceeded = 0.0
        self.settled: Kernel | None = None
        #: Code of this robot's own from the cache, of any size: for "auto" alone, which goes by what there is.
        self.found: Kernel | None = None
        self.searched = False

    def renew(self) -> None:
        """A lock for what is being made. Handlers of signals may call the method that they have interrupted."""
        self.lock = threading.RLock()

    def __call__(self, samples: int) -> Kernel | None:
        """What to run for so many samples; None to run the function itself."""
        kind = get_kernels()
        if kind == "auto" and self.settled is not None:
            return self.settled
        if kind == "python" or not self.request.model.nv:
            return None
        with self.lock:
            if kind == "unrolled":
                return self._unrolled(LARGE) or self._rolled()
            if kind == "rolled":
                return self._rolled() or self._unrolled(LARGE)
            return self._best(samples)

    def _best(self, samples: int) -> Kernel | None:
        if not self.searched:
            self.found = find_unrolled(self.request)
            self.searched = True
        code = self.found or self.made.get("unrolled") or self._rolled() or self._unrolled(SMALL)
        self.work += samples * (code.code.operations if code is not None else WORTH / MANY)
        if code is None or code.rolled:
            if self.work < WORTH:
                return code
            code = self._unrolled(LARGE) or code
        self.settled = code
        return code

    def _rolled(self) -> Kernel | None:
        if "rolled" not in self.made:
            self.made["rolled"] = compile_rolled_if_possible(self.request)
        return self.made["rolled"]

    def _unrolled(self, limit: float) -> Kernel | None:
        if self.made.get("unrolled") is None and limit > self.exceeded:
            try:
                self.made["unrolled"] = compile_unrolled(self.request, limit)
            except TooLargeError:
                self.made["unrolled"], self.exceeded = None, limit
        return self.made.get("unrolled")


#: What functions of models have been used of late. A kernel of inverse kinematics, with its program, takes a megabyte.
_CHOOSERS: Recent[Chooser] = Recent(1_000)
_KERNELS: Recent[Kernel] = Recent(256)


def _key(function: Any, model: Model, shapes: Mapping[str, Any], fixed: Mapping[str, Any], key: Any = None) -> Any:
    # A type of the user's own may have changed under the same name: the class itself tells. 1, 1.0 and True are equal.
    values = tuple((name, type(x), repr(x) if isinstance(x, float) else x) for name, x in fixed.items())
    return (function, model.fingerprint, model.joint_types, tuple(shapes.items()), values, key)


def chooser(
    function: Callable[..., Any], model: Model, shapes: Mapping[str, tuple[int, ...]], fixed: Mapping[str, Any]
) -> Chooser:
    """The code of a function for a model; models with the same content share it. Values in ``fixed`` are hashable."""
    which = _key(function, model, shapes, fixed)
    return _CHOOSERS.get(which) or _CHOOSERS.put(which, Chooser(Request(function, model, shapes, fixed).apart()))


def kernel(
    function: Callable[..., Any],
    model: Model,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    key: Any = None,
    nonfinite: tuple[str, ...] = (),
    **fixed: Any,
) -> Kernel:
    """The kernel that `sixd.compile` makes of a function, kept for models with the same content.

    ``key`` tells kernels of one function apart where ``fixed`` (hashable values) does not.
    """
    which = _key(function, model, shapes or {}, fixed, (key, nonfinite))
    found = _KERNELS.get(which)
    return found or _KERNELS.put(which, compile(function, model, shapes=shapes, nonfinite=nonfinite, **fixed))
