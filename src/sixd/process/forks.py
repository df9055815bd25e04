"""What is done around each fork of this process, in one place, because the order matters.

A child process has only the thread that forked. If another thread held a lock, it stays locked in the child forever. If
another thread was in the middle of some work, that work stays half done. So, around every fork:

1. Threads of sixd's own end (`stop_before`). This comes first, because they may need the locks of step 2 to finish.
2. Locks of what must be consistent in the child are taken (`hold`), so that no other thread is in the middle of it.
   These are LLVM, which has internal state, and imports. A fork waits until a running call of LLVM has returned.
3. After the fork these locks are released, in the parent and in the child.
4. In the child all other locks are replaced by new ones (`renew`). Results that were half made are made again.

Signal handlers run between any two lines of the main thread, and may call the function that they have interrupted. So
every lock in sixd is re-entrant: one thread can take it twice. For the same reason everything that compiles is imported
together with sixd, not when it is first needed: a handler could find a module that is only half imported.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

__all__ = ["Renewed", "cached_property", "hold", "importing", "renew", "stop_before"]

T = TypeVar("T")


class Renewed(Protocol):
    """Something with a lock."""

    def renew(self) -> None:
        """Make a new lock. The old one may be held by a thread that does not exist in this process."""


#: Hold this around imports within functions. Python locks a module while it is imported, and a child would wait for
#: that lock.
importing = threading.RLock()

_stops: list[Callable[[], None]] = []
_held: list[AbstractContextManager[Any]] = [importing]
_renewed: WeakSet[Any] = WeakSet()
#: The locks that the forking thread has taken. Each thread has its own, since two may fork at the same time.
_own = threading.local()


def stop_before(stop: Callable[[], None]) -> None:
    """Have ``stop`` called before each fork, to end threads. It must not need a lock that is held across forks."""
    _stops.append(stop)


def hold(lock: AbstractContextManager[Any]) -> None:
    """Hold this lock across forks. Locks are taken in the order in which they were given here."""
    _held.append(lock)


def renew(thing: Renewed) -> None:
    """Call the ``renew`` of this object in forked children, as long as the object lives."""
    _renewed.add(thing)


def _before() -> None:
    _own.taken = ExitStack()
    for stop in _stops:
        stop()
    for lock in _held:
        _own.taken.enter_context(lock)


def _after() -> None:
    _own.taken.close()


def _after_in_child() -> None:
    _after()
    for thing in list(_renewed):
        thing.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)


class cached_property(functools.cached_property[T]):
    """`functools.cached_property` without the lock that Python 3.11 holds meanwhile.

    Two threads may then compute a value twice, which does no harm.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(function)
        self.lock = nullcontext()
