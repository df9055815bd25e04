"""What is paid before the first result: import, loading, compiling or finding machine code; and memory. Each figure
comes from a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

__all__ = ["Cost", "Memory", "first_calls", "memory", "rolled_compile_times"]

ROOT = Path(__file__).parents[1]

#: Times of one fresh process: import, loading a robot, the first result.
FIRST_CALL = """
import json, sys, time
start = time.perf_counter()
import sixd
imported = time.perf_counter()
import numpy as np, warnings
warnings.simplefilter("ignore")
text, how = open(sys.argv[1]).read(), sys.argv[2]
began = time.perf_counter()
robot = sixd.load(text)
loaded = time.perf_counter()
q, qd, qdd = np.full((3, robot.nv), 0.5)
if how == "method":
    robot.inverse_dynamics(q, qd, qdd)
else:
    sixd.compile(sixd.algorithms.rnea, robot, rolled=how == "rolled")(q, qd, qdd)
print(json.dumps([imported - start, loaded - began, time.perf_counter() - loaded]))
"""

#: The most memory so far, of this process alone: getrusage would count that of the process that started it.
RESIDENT = """
import json, sys
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
import sixd
from benchmarks.robots import chain
imported = peak()
robot = chain(int(sys.argv[1])).robot
built = peak()
import numpy as np
kernel = sixd.compile(getattr(sixd.algorithms, sys.argv[2]), robot, rolled=True)
state = np.full((3, robot.nv), 0.1)
assert np.isfinite(kernel(*state)).all()
print(json.dumps([imported, built, peak()]))
"""

COMPILE = """
import json, sys, sixd
from benchmarks.robots import chain
robot = chain(int(sys.argv[1])).robot
kernel = sixd.compile(getattr(sixd.algorithms, sys.argv[2]), robot, rolled=True)
print(json.dumps(kernel.times))
"""


@dataclass(frozen=True)
class Cost:
    """Seconds, minimum and median of several processes."""

    what: str
    imported: tuple[float, float]
    loaded: tuple[float, float]
    first_result: tuple[float, float]

    @property
    def stages(self) -> tuple[tuple[float, float], ...]:
        return self.imported, self.loaded, self.first_result


@dataclass(frozen=True)
class Memory:
    """Megabytes at most: after the import, with the robot built, and after the first result."""

    algorithm: str
    bodies: int
    imported: float
    built: float
    called: float

    @property
    def stages(self) -> tuple[float, ...]:
        return self.imported, self.built, self.called


def _fresh(script: str, *arguments: object, cache: str = "off") -> Any:
    """What a script prints as JSON in a fresh process that finds Python's bytecode, as that of an installed package."""
    bytecode = str(Path(tempfile.gettempdir()) / "sixd-benchmarks-bytecode")
    environment = {**os.environ, "SIXD_CACHE": cache, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], env=environment, capture_output=True, text=True, cwd=ROOT
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def first_calls(urdf: str, stranger: str, repetitions: int) -> list[Cost]:
    """Inverse dynamics of a robot in a fresh process; ``stranger`` is another one with the same types of joints."""
    with tempfile.TemporaryDirectory() as directory:
        path, other = Path(directory) / "robot.urdf", Path(directory) / "other.urdf"
        path.write_text(urdf)
        other.write_text(stranger)

        def measure(what: str, how: str, warmed_by: tuple[Path, str] | None) -> Cost:
            rows = []
            for k in range(repetitions):
                cache = str(Path(directory) / f"{how}-{what}-{k}".replace(" ", "-"))
                if warmed_by is not None:
                    _fresh(FIRST_CALL, *warmed_by, cache=cache)
                rows.append(_fresh(FIRST_CALL, path, how, cache=cache))
            return Cost(what, *((min(column), median(column)) for column in zip(*rows, strict=True)))

        return [
            measure("compile, empty cache", "unrolled", None),
            measure("compile, in the cache", "unrolled", (path, "unrolled")),
            measure("compile with loops, empty cache", "rolled", None),
            measure("compile with loops, cache filled by another robot", "rolled", (other, "rolled")),
            measure("robot.inverse_dynamics, empty cache", "method", None),
            measure("robot.inverse_dynamics, in the cache", "method", (path, "method")),
            measure("robot.inverse_dynamics, cache filled by another robot", "method", (other, "method")),
        ]


def memory(bodies: int) -> list[Memory]:
    """The most memory that one state of a long chain needs."""
    return [Memory(name.upper(), bodies, *_fresh(RESIDENT, bodies, name)) for name in ("rnea", "aba")]


def rolled_compile_times(sizes: tuple[int, ...], repetitions: int) -> dict[str, dict[int, float]]:
    """Seconds to record and compile code with loops, without a cache, by algorithm and number of bodies."""
    times: dict[str, dict[int, float]] = {}
    for name in ("rnea", "aba"):
        rows = {n: [_fresh(COMPILE, n, name)["compile"] for _ in range(repetitions)] for n in sizes}
        times[name.upper()] = {n: min(row) for n, row in rows.items()}
    return times
