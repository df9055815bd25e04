"""Forks in the midst of work: what is stopped, held and renewed around them, in one place, so that the order is one.

A child has the thread that forked and no other. What another thread has locked stays locked in it forever, and what
another has half done stays so. So, around every fork of this process:

1. Threads of our own end (`stop_before`). They may need what is held next to get there, hence first.
2. What must be whole in the child is held (`hold`), so that no other thread is in the midst of it: LLVM, which has a
   state of its own, and imports. A fork waits for the call of LLVM that is under way.
3. After the fork it is given back, in the parent and in the child.
4. In the child all else that was locked gets new locks (`renew`): results that are half made are made again.

Handlers of signals run between any two lines of the main thread, and may call what they have interrupted: every lock
here and elsewhere in sixd can be taken twice by one thread. For the same reason all that compiles is imported with sixd
and not when it is needed: a handler would find half a module.
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
        """Make a new lock: a thread that is no more may hold the old one."""


#: To be held around imports within functions. Python locks a module that is being imported; a child would wait for it.
importing = threading.RLock()

_stops: list[Callable[[], None]] = []
_held: list[AbstractContextManager[Any]] = [importing]
_renewed: WeakSet[Any] = WeakSet()
#: What the thread that forks has taken: two may fork at a time.
_own = threading.local()


def stop_before(stop: Callable[[], None]) -> None:
    """Have this done before each fork: it ends threads, and must not need what is held across forks for it."""
    _stops.append(stop)


def hold(lock: AbstractContextManager[Any]) -> None:
    """Hold this lock across forks, taken after those that were given before."""
    _held.append(lock)


def renew(thing: Renewed) -> None:
    """Have this thing renew its lock in forked children, as long as it lives."""
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
    """That of functools, without the lock that Python 3.11 holds meanwhile: what is computed twice is the same."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(function)
        self.lock = nullcontext()
