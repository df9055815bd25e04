"""How long a program takes that calls 21 methods of a robot once each: `python -m benchmarks.start`.

Each figure comes from fresh processes, without the import of sixd and the loading of the robot: first with an empty
cache, where all code is compiled, then with what that one has left there. Methods are called for one state or for a
batch, for which there is other code. The minimum and the median are told.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

import sixd
from benchmarks.machine import description, versions
from benchmarks.robots import example
from sixd.backends.llvm.target import host, lanes

ROOT = Path(__file__).parents[1]
ROBOTS = ("Panda", "ANYmal")
#: States in a batch: enough for blocks of all lanes and for a rest.
BATCH = 100
#: Seconds that all calls may take: with an empty cache for each robot, and with all code in it.
GOALS = {"Panda": 2.0, "ANYmal": 3.0}
WARM = 0.3


def methods(robot: sixd.Robot, lead: tuple[int, ...]) -> dict[str, Callable[[], Any]]:
    """Calls of the methods, each with all of its arguments."""
    q, frame = robot.random(0, lead), robot.frames[-1].name
    qd, qdd = np.random.default_rng(0).normal(size=(2, *lead, robot.nv))
    return {
        "inverse_dynamics": lambda: robot.inverse_dynamics(q, qd, qdd),
        "forward_dynamics": lambda: robot.forward_dynamics(q, qd, qdd),
        "mass_matrix": lambda: robot.mass_matrix(q),
        "inverse_mass_matrix": lambda: robot.inverse_mass_matrix(q),
        "bias_forces": lambda: robot.bias_forces(q, qd),
        "gravity_forces": lambda: robot.gravity_forces(q),
        "passive_forces": lambda: robot.passive_forces(q, qd),
        "joint_forces": lambda: robot.joint_forces(q, qd, qdd),
        "pose": lambda: robot.pose(q, frame),
        "poses": lambda: robot.poses(q),
        "velocity": lambda: robot.velocity(q, qd, frame),
        "acceleration": lambda: robot.acceleration(q, qd, qdd, frame),
        "jacobian": lambda: robot.jacobian(q, frame),
        "jacobian_rate": lambda: robot.jacobian_rate(q, qd, frame),
        "kinetic_energy": lambda: robot.kinetic_energy(q, qd),
        "potential_energy": lambda: robot.potential_energy(q),
        "center_of_mass": lambda: robot.center_of_mass(q),
        "center_of_mass_jacobian": lambda: robot.center_of_mass_jacobian(q),
        "momentum": lambda: robot.momentum(q, qd),
        "momentum_matrix": lambda: robot.momentum_matrix(q),
        "composite_inertia": lambda: robot.composite_inertia(q),
    }


def once_each(name: str, batch: int) -> dict[str, tuple[float, float]]:
    """Seconds of each method's first call in this process, by the clock and of the processor."""
    robot = example(name).robot
    found = {}
    for method, call in methods(robot, (batch,) if batch else ()).items():
        start, used = perf_counter(), process_time()
        call()
        found[method] = perf_counter() - start, process_time() - used
    return found


def in_fresh_process(name: str, batch: int, cache: str) -> dict[str, tuple[float, float]]:
    """The same in a process of its own with this cache."""
    environment = {"SIXD_KERNELS": "unrolled", **os.environ, "SIXD_CACHE": cache}
    command = [sys.executable, "-m", "benchmarks.start", "--child", name, str(batch)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def main(repetitions: int, details: bool) -> None:
    print(f"{description()}; {host()[0]}, {lanes()} lanes of double precision")
    print(versions())
    print(f"\n{'21 methods once each':34}{'empty cache':>24}{'all in the cache':>24}   at most")
    for name in ROBOTS:
        for batch in (0, BATCH):
            runs: dict[str, list[dict[str, tuple[float, float]]]] = {"empty": [], "warm": []}
            for _ in range(repetitions):
                with tempfile.TemporaryDirectory() as cache:
                    for kind in runs:
                        runs[kind].append(in_fresh_process(name, batch, cache))
            columns = [_seconds(each) for each in runs.values()]
            what = f"{name}, {f'batches of {batch}' if batch else 'one state'}"
            print(f"{what:34}{columns[0]:>24}{columns[1]:>24}   {GOALS[name]} s, {WARM} s")
            if details:
                for method in runs["empty"][0]:
                    times = (1e3 * min(run[method][0] for run in each) for each in runs.values())
                    print("    {:30}{:>21.0f} ms{:>21.1f} ms".format(method, *times))
    print("\nminimum (median) by the clock; of the processor alone after the slash")


def _seconds(runs: list[dict[str, tuple[float, float]]]) -> str:
    clock, used = ([sum(pair[k] for pair in run.values()) for run in runs] for k in (0, 1))
    return f"{min(clock):.2f} ({median(clock):.2f}) / {min(used):.2f} s"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(once_each(sys.argv[2], int(sys.argv[3]))))
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--repetitions", type=int, default=3)
        parser.add_argument("--details", action="store_true", help="each method too")
        given = parser.parse_args()
        main(given.repetitions, given.details)
