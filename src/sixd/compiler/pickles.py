"""Pickles of kernels: they hold the function, the model and the options that a kernel was made from.

A process that reads a pickle makes the kernel again; the machine code is loaded from the cache on disk, or compiled.
That is done once for each kernel, however often its pickle is read: a worker that gets a kernel with each of its tasks
compiles it for the first task only.

Functions are pickled by name, as always in Python: the process that reads a pickle imports the module that defines
them.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, NamedTuple

from sixd.compiler.request import Request
from sixd.errors import ArgumentError, SixdError
from sixd.model import Model
from sixd.process import forks
from sixd.process.names import named
from sixd.runtime.least_recently_used import Recent

__all__ = ["Origin", "restored"]

_REMEDY = "define it at the top level of a module that the other process can import"


@dataclass(frozen=True)
class Origin:
    """What a kernel was made from: the request, and the function that compiled it, unrolled or rolled.

    The model of the request is a plain `Model`, so that kernels do not keep robots; ``kind`` is the class of the
    original.
    """

    make: Callable[[Request], Any]
    request: Request
    kind: type[Model]

    @classmethod
    def of(cls, make: Callable[[Request], Any], request: Request) -> Origin:
        return cls(make, request.apart(), type(request.model))

    def reduced(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        """What ``__reduce_ex__`` returns: a function, and its argument."""
        model = object.__new__(self.kind)
        vars(model).update(vars(self.request.model))
        buffer = io.BytesIO()
        try:
            _Writer(buffer).dump((self.make, replace(self.request, model=model)))
        except SixdError as error:
            raise ArgumentError(f"the kernel {self.request.name} cannot be pickled: {error}") from None
        except (pickle.PicklingError, TypeError, AttributeError) as error:  # raised for objects that have no pickle
            what = f"it holds something that has no pickle ({error})"
            raise ArgumentError(f"the kernel {self.request.name} cannot be pickled: {what}") from error
        return restored, (buffer.getvalue(),)


class _Writer(pickle.Pickler):
    """A pickler that refuses functions and classes that another process would not find by name."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, FunctionType | type):
            reason = _why_not_found(thing)
            if reason:
                raise ArgumentError(f"{thing.__module__}.{thing.__qualname__} {reason}; {_REMEDY}")
        return NotImplemented


def _why_not_found(thing: FunctionType | type) -> str:
    """Why another process would not find a function or class by its name; empty if it would."""
    if "<lambda>" in thing.__qualname__:
        return "is a lambda, which has no name to be found by"
    if "<locals>" in thing.__qualname__:
        return "is defined inside a function, where another process does not find it"
    if thing.__module__ == "__main__" and not _main_can_be_run_again():
        return "is defined in an interactive session, which other processes do not have"
    if named(thing.__module__, thing.__qualname__) is not thing:
        return "is not what its module has under this name: it was replaced or wrapped"
    return ""


def _main_can_be_run_again() -> bool:
    """Whether other processes can run this process's main program again, as `multiprocessing` does."""
    main = sys.modules["__main__"]
    return main.__spec__ is not None or os.path.isfile(getattr(main, "__file__", None) or "")


class _Restored(NamedTuple):
    """A kernel from a pickle, and the functions and classes that the pickle named, as they were at that time."""

    kernel: Any
    named: list[tuple[str, str, Any]]

    def is_current(self) -> bool:
        """Whether the names still refer to the same objects. A module that was reloaded has new ones."""
        return all(named(module, name) is thing for module, name, thing in self.named)


class _Store:
    """The kernels that this process has made from pickles recently."""

    def __init__(self) -> None:
        self.kernels: Recent[_Restored] = Recent(256)
        self.renew()
        forks.renew(self)

    def renew(self) -> None:
        """Make a new lock. One thread at a time makes kernels here; the others find what it has made."""
        self.lock = threading.RLock()


_STORE = _Store()


def restored(pickled: bytes) -> Any:
    """The kernel of a pickle, made once in this process."""
    key = hashlib.sha256(pickled).digest()
    with _STORE.lock:
        found = _STORE.kernels.get(key)
        if found is None or not found.is_current():
            reader = _Reader(io.BytesIO(pickled))
            make, request = reader.load()
            found = _STORE.kernels.put(key, _Restored(make(request), reader.named))
    return found.kernel


class _Reader(pickle.Unpickler):
    """An unpickler that notes which names a pickle refers to, and explains it if this process does not have one."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.named: list[tuple[str, str, Any]] = []

    def find_class(self, module: str, name: str) -> Any:
        try:
            found = super().find_class(module, name)
        except (ImportError, AttributeError) as error:
            what = f"it needs {module}.{name}, which this process does not find ({error}); {_REMEDY}"
            raise ArgumentError(f"a pickled kernel cannot be made here: {what}") from error
        self.named.append((module, name, found))
        return found
