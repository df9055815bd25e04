"""One thread against two, in a process of its own that may use all cores: python -m benchmarks.threads BATCH SECONDS"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import sixd
from benchmarks.algorithms import ALGORITHMS
from benchmarks.measure import Contestant, Figure, Task, call, figures
from benchmarks.robots import Specimen, example
from benchmarks.subject import LIBRARY, Subject

__all__ = ["measure_in_process"]

ROBOTS = ("Panda", "Talos")
NAMES = ("RNEA", "ABA")


def measure(batch: int, seconds: float) -> list[Figure]:
    """sixd on a large batch, and Pinocchio's own parallel loops (on a tenth of it), each with 1 and 2."""
    found = []
    for name in ROBOTS:
        specimen = example(name)
        subject, peer = Subject(specimen), pinocchio(specimen)
        for algorithm in (ALGORITHMS[each] for each in NAMES):
            kernel, given = sixd.compile(algorithm.function, specimen.robot), subject.arguments(algorithm, batch)
            given["out"] = kernel(*given.values())
            statement = f"kernel({', '.join(algorithm.arguments)}, out=out)"
            run = call(statement, batch, perf_counter, kernel=kernel, **given)
            field = [on_threads(run, batch, n) for n in (1, 2)]
            for n in (1, 2) if peer is not None else ():
                field += peer.in_parallel(algorithm, batch // 10, n, perf_counter)
            found += figures(Task(name, specimen.robot.n_bodies, algorithm.name), field, seconds, 3)
    return found


def pinocchio(specimen: Specimen) -> Any:
    """Pinocchio's Python functions, or None if it is not installed."""
    try:
        from benchmarks.peers.pinocchio_python import PinocchioModel, PinocchioPython
    except ImportError:
        return None
    return PinocchioPython(PinocchioModel(specimen))


def on_threads(run: Callable[[float], list[float]], batch: int, n: int) -> Contestant:
    """sixd with so many threads."""

    def time(seconds: float) -> list[float]:
        sixd.set_threads(n)
        return run(seconds)

    return Contestant(LIBRARY, f"{n} thread{'s' * (n > 1)}", batch, time)


def measure_in_process(batch: int, seconds: float, cores: set[int]) -> list[Figure]:
    """Run this module on these cores; its last line has the figures."""
    command = [sys.executable, "-m", "benchmarks.threads", str(batch), str(seconds), *map(str, sorted(cores))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    if done.returncode:
        raise RuntimeError(done.stderr)
    *told, last = done.stdout.splitlines()
    print("\n".join(told), flush=True)
    return [Figure(**row) for row in json.loads(last)]


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core) for core in sys.argv[3:]})
    print(json.dumps([asdict(figure) for figure in measure(int(sys.argv[1]), float(sys.argv[2]))]))
