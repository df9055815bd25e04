"""Inner loops of a gufunc that are compiled, or loaded from the cache, when they first run.

Most users call a kernel in one way: for one state at a time or for batches, in double or in single precision. So the
code that is made first has *stubs* in place of the loops that may not be needed: a few instructions that look up the
address of the loop and jump there. The first time there is no address, and the stub calls Python, in the middle of
NumPy's call, to make the loop. If Python raises (a keyboard interrupt, too), NumPy raises the exception after the loop:
a call that failed returns no numbers, and the next call tries again.

In sub-interpreters a stub cannot call Python. There all loops are made with the kernel.
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

#: The words that a stub (`gufunc_loop.emit_stub`) reads. KNOWN: the address of the loop, once all threads may use it.
#: MADE: the same, set first, when the loop is made. DATA: the pointer that the loop is given. MAKER: the `Later`.
KNOWN, MADE, DATA, MAKER = range(4)


class InnerLoop(NamedTuple):
    """An inner loop of a gufunc: its address, the pointer that it is given, and what must live as long as it."""

    address: int
    data: int = 0
    owner: Any = None


class Later:
    """Makes the loop of a stub when it is first needed. It must live as long as the stub can be called."""

    def __init__(self, make: Callable[[], InnerLoop]) -> None:
        self.make = make
        self.words = np.zeros(4, np.int64)
        self.words[MAKER] = id(self)
        self.kept: list[InnerLoop] = []

    @property
    def data(self) -> int:
        """The pointer that the stub is to be given."""
        return int(self.words.ctypes.data)

    def make_now(self) -> None:
        """Make the loop at once, before the stub is used."""
        self()
        self.words[KNOWN] = self.words[MADE]

    def __call__(self) -> None:
        """Make the loop, unless it is made already. One thread does so at a time."""
        with _making.lock:
            if self.words[MADE]:
                return
            loop = self.make()
            self.kept.append(loop)
            if not self.words[MADE]:  # a signal handler that called the kernel may have made it meanwhile
                self.words[DATA] = loop.data
                self.words[MADE] = loop.address


@cache
def in_main_interpreter() -> bool:
    """Whether stubs can call Python: in a sub-interpreter PyGILState_Ensure may wait forever (CPython 3.11 does)."""
    get, number = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_GetID
    get.restype, number.restype, number.argtypes = ctypes.c_void_p, ctypes.c_int64, [ctypes.c_void_p]
    return int(number(get())) == 0


class _Making:
    """The lock held while a loop is made. One thread can take it twice, since its signal handlers may call kernels."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.lock = threading.RLock()


_making = _Making()
forks.renew(_making)
