"""How many targets a second inverse kinematics solves: all in one call, and one by one.

The targets are poses of the Panda arm (of the package example-robot-data) at random configurations within its limits.
A target counts as reached if the pose of what was found says so. The first call, which compiles unless the cache holds
what it needs, is timed by itself. With the root of another checkout, that version is measured too, right after.

    python -m benchmarks.ik_throughput [root of another checkout]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sixd
from benchmarks.ik_success import ARMS, load
from sixd.ik import inverse_kinematics
from sixd.lie import se3
from sixd.spatial import Transform

Array = Any

#: The checkout that this file belongs to.
HERE = Path(__file__).resolve().parents[1]
#: Targets in one call, targets one by one, and how often each is repeated; the median counts.
TOGETHER, ALONE, REPEATS = 10_000, 200, 3


@dataclass(frozen=True)
class Rates:
    """Targets a second and the fraction of them that was reached, in one call and one by one; the first call, s."""

    first: float
    together: float
    together_reached: float
    alone: float
    alone_reached: float


def measure(repeats: int) -> Rates:
    """Measure the version of sixd that is imported."""
    file, frame = ARMS["Panda"]
    robot = load(file)
    target = robot.pose(robot.random(np.random.default_rng(2010), TOGETHER), frame)

    def solve(targets: Array) -> Array:
        return inverse_kinematics(robot, frame, targets).q

    def one_by_one(targets: Array) -> Array:
        return np.array([solve(each) for each in targets])

    def reached(q: Array) -> float:
        gap = Transform.from_pose(target[: len(q)]) @ Transform.from_pose(robot.pose(q, frame)).inverse()
        within = np.all((robot.lower <= q) & (q <= robot.upper), axis=1)
        return float(np.mean(within & (np.linalg.norm(se3.log(gap).array(), axis=1) < 2e-8)))

    first, _ = _timed(solve, target[0])
    together = [_timed(solve, target) for _ in range(repeats)]
    alone = [_timed(one_by_one, target[:ALONE]) for _ in range(repeats)]
    return Rates(
        first,
        TOGETHER / float(np.median([t for t, _ in together])),
        reached(together[0][1]),
        ALONE / float(np.median([t for t, _ in alone])),
        reached(alone[0][1]),
    )


def _timed(function: Any, argument: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function(argument)
    return time.perf_counter() - start, result


def measure_apart(root: Path, repeats: int) -> Rates:
    """Measure the version of sixd in a checkout, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-m", "benchmarks.ik_throughput", "--json", str(repeats)]
    done = subprocess.run(command, env=environment, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True)
    source, rates = json.loads(done.stdout.splitlines()[-1])
    if root / "src" not in Path(source).parents:
        raise RuntimeError(f"measured was {source}, not the version in {root}")
    return Rates(**rates)


def main(root: str | None = None) -> None:
    """Measure and print the table."""
    versions = {"this": HERE} | ({} if root is None else {"other": Path(root).resolve()})
    print(f"inverse kinematics of the Panda: {TOGETHER} targets in one call, {ALONE} one by one")
    print(f"{'version':8} {'first call':>11} {'in one call':>14} {'reached':>8} {'one by one':>14} {'reached':>8}")
    found = {name: measure_apart(tree, REPEATS) for name, tree in versions.items()}
    for name, r in found.items():
        print(
            f"{name:8} {r.first:9.2f} s {r.together:12.0f}/s {r.together_reached:8.2%} {r.alone:12.0f}/s "
            f"{r.alone_reached:8.2%}"
        )
    if "other" in found:
        ratio = found["this"].together / found["other"].alone
        print(f"one call of this version against one by one of the other: {ratio:.0f} times the throughput")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--json"]:
        print(json.dumps([sixd.__file__, asdict(measure(int(sys.argv[2])))]))
    else:
        main(*sys.argv[1:])
