"""What other processes run in tests of pickled kernels: functions found by name, and a count of what is compiled."""

from __future__ import annotations

import os
from collections import Counter
from functools import wraps

import sixd
from sixd import algorithms
from sixd.compiler import machine_code

__all__ = ["MADE", "doubled", "energy", "ready", "run"]

#: How often each process has made a piece of machine code of kernels, rather than found it on disk: by process and
#: title. A kernel has a piece for one state and, once it is called with anything else, one for batches.
MADE: Counter[tuple[int, str]] = Counter()

_compile_module = machine_code.compile_module


@wraps(_compile_module)
def _counted(text, key, store, note):
    def made():
        MADE[os.getpid(), note["title"]] += 1
        return text()

    return _compile_module(made, key, store, note)


machine_code.compile_module = _counted


def doubled(model, q, qd, qdd):
    """A function of one's own."""
    return 2.0 * algorithms.rnea(model, q, qd, qdd)


def energy(model, q):
    """A function that asks the robot it was compiled for."""
    return model.factor * algorithms.potential_energy(model, q)


class Weighted(sixd.Robot):
    """A robot of one's own type."""

    factor = 3.0


def ready():
    """That this module is imported, and counts, before a kernel is read."""
    return os.getpid()


def run(kernel, *arrays):
    """A task: the result, the process, the kernel that it has, and how often it has made each piece of code so far."""
    result = kernel(*arrays)
    made = {title: times for (process, title), times in list(MADE.items()) if process == os.getpid()}
    return result, os.getpid(), id(kernel), made
