"""Inner loops of a gufunc that are compiled, or loaded, when they are first run.

Most programs use a kernel in one way: for one state at a time or for batches, in double or in single precision. So the
code that is made first has stubs in place of the loops that may not be needed, a few instructions that look up where
the loop is and go there. The first call finds nothing: it asks Python, in the middle of NumPy's own call, to make the
loop. Whatever Python raises (a keyboard interrupt too) is left for NumPy, which raises it after the loop: no number
comes out of a call that failed, and the next call tries again.

In sub-interpreters a loop cannot ask Python. There all loops are made with the kernel.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sixd.process import forks

__all__ = ["DATA", "KNOWN", "MADE", "MAKER", "InnerLoop", "Later", "in_main_interpreter"]

#: What the stub (`gufunc_loop.emit_stub`) is given: words for the address of the loop as all threads see it, as the one
#: that made it sees it, for what the loop is given, and for the object that makes it.
KNOWN, MADE, DATA, MAKER = range(4)


class InnerLoop(NamedTuple):
    """An inner loop of a gufunc: its address, what it is given, and what must live as long as it."""

    address: int
    data: int = 0
    owner: Any = None


class Later:
    """What a stub needs: it runs the loop that ``make`` returns. It must live as long as the stub can be called."""

    def __init__(self, make: Callable[[], InnerLoop]) -> None:
        self.make = make
        self.words = np.zeros(4, np.int64)
        self.words[MAKER] = id(self)
        self.kept: list[InnerLoop] = []

    @property
    def data(self) -> int:
        """What the stub is to be given."""
        return int(self.words.ctypes.data)

    def make_now(self) -> None:
        """Make the loop before the stub is given to anybody."""
        self()
        self.words[KNOWN] = self.words[MADE]

    def __call__(self) -> None:
        """Make the loop, if that is not done: one thread at a time. It is there afterwards, or an error is raised."""
        with _making.lock:
            if self.words[MADE]:
                return
            loop = self.make()
            self.kept.append(loop)
            if not self.words[MADE]:  # a handler of a signal may have done all of this meanwhile
                self.words[DATA] = loop.data
                self.words[MADE] = loop.address


@cache
def in_main_interpreter() -> bool:
    """Whether stubs can ask Python: in a sub-interpreter PyGILState_Ensure waits forever (CPython 3.11), or may."""
    get, number = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_GetID
    get.restype, number.restype, number.argtypes = ctypes.c_void_p, ctypes.c_int64, [ctypes.c_void_p]
    return int(number(get())) == 0


class _Making:
    """The lock of what is being made; handlers of signals may call kernels too, so one thread can take it twice."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.lock = threading.RLock()


_making = _Making()
forks.renew(_making)
