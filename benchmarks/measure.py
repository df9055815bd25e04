"""Timing: calls repeated in turn with those they are compared with, so that all see the machine in the same state.

On one core the clock is that of the process: time that the system gives to others does not count.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from timeit import Timer
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "CHECKED",
    "Contestant",
    "DisagreementError",
    "Figure",
    "Task",
    "call",
    "compare",
    "difference",
    "figures",
    "pin_to_one_core",
]

Array = Any

#: A repetition shorter than this (seconds) is made of several calls, so that the clock does not matter.
SHORTEST = 1e-3

#: Results of two libraries that differ by more than this, relative to the largest entry of a state, are a defect.
TOLERANCE = 1e-9

#: How many states are compared.
CHECKED = 10


@dataclass(frozen=True)
class Contestant:
    """One way to compute an algorithm for a batch of states."""

    library: str
    #: What tells it from others of the same library: a convention, a call, a number of threads.
    variant: str
    batch: int
    #: Run for so many seconds; the seconds per state of every repetition.
    time: Callable[[float], list[float]]
    #: The results for the first states in sixd's layout, to compare; None where they are sixd's own.
    results: Callable[[], Array] | None = None
    #: How much they may differ.
    tolerance: float = TOLERANCE


class Task(NamedTuple):
    """What contestants compute."""

    robot: str
    bodies: int
    algorithm: str


@dataclass(frozen=True)
class Figure:
    """What was measured: seconds per state."""

    robot: str
    bodies: int
    algorithm: str
    library: str
    variant: str
    batch: int
    minimum: float
    median: float
    #: The largest relative difference from sixd's results; None if not compared.
    difference: float | None = None


class DisagreementError(AssertionError):
    """Two libraries computed different things: their times must not be compared."""


def call(
    statement: str, states: int = 1, clock: Callable[[], float] = time.process_time, **names: Any
) -> Callable[[float], list[float]]:
    """Times a Python statement that works on so many states; the names are what it refers to."""
    timer = Timer(statement, timer=clock, globals=names)

    def run(seconds: float) -> list[float]:
        number = 1
        while (spent := timer.timeit(number)) < SHORTEST:
            number *= 2
        # A call that takes all the time there is counts at once; else caches and branches are warm from now on.
        times = [spent / (number * states)] if spent >= seconds else []
        spent = spent if times else 0.0
        while spent < seconds or not times:
            took = timer.timeit(number)
            if took > 0.0:  # the clock of a process may stand still for a moment on a virtual machine
                times.append(took / (number * states))
            spent += took
        return times

    return run


def compare(contestants: Sequence[Contestant], seconds: float, rounds: int) -> list[tuple[Contestant, float, float]]:
    """Time all contestants in turn, several rounds; minimum and median of each, in seconds per state."""
    times: list[list[float]] = [[] for _ in contestants]
    for _ in range(rounds):
        for mine, contestant in zip(times, contestants, strict=True):
            mine.extend(contestant.time(seconds / rounds))
    return [(c, min(mine), median(mine)) for c, mine in zip(contestants, times, strict=True)]


def figures(
    task: Task,
    contestants: Sequence[Contestant],
    seconds: float,
    rounds: int,
    ours: Callable[[], Array] | None = None,
) -> list[Figure]:
    """Compare the results of all contestants with ours, time them, and print what was found."""
    checked = [_checked(task, c, ours) for c in contestants]
    found = []
    for (c, least, middle), off in zip(compare(contestants, seconds, rounds), checked, strict=True):
        found.append(Figure(*task, c.library, c.variant, c.batch, least, middle, off))
        print(
            f"{task.robot:<20} {task.algorithm:<24} {c.batch:>8} {c.library:<17} {c.variant:<45} "
            f"{1e9 * least:12.1f} {1e9 * middle:12.1f} ns" + ("" if off is None else f"   {off:.0e}"),
            flush=True,
        )
    return found


def _checked(task: Task, c: Contestant, ours: Callable[[], Array] | None) -> float | None:
    if ours is None or c.results is None:
        return None
    what = f"{task.robot}, {task.algorithm}, {c.library} {c.variant}"
    return difference(what, ours(), c.results(), c.tolerance)


def difference(what: str, ours: Array, theirs: Array, tolerance: float = TOLERANCE) -> float:
    """The largest difference of two batches of results, relative to the largest entry of each state; raises if big."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        raise DisagreementError(f"{what}: shapes {ours.shape} and {theirs.shape}")
    axes = tuple(range(1, ours.ndim))
    found = float((np.abs(ours - theirs).max(axis=axes) / np.abs(ours).max(axis=axes)).max())
    if not found <= tolerance:
        raise DisagreementError(f"{what}: the results differ by {found:.1e}, more than {tolerance:g}")
    return found


def pin_to_one_core() -> int | None:
    """Stay on one core from now on, children included; its number, or None where the system does not offer that."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core
