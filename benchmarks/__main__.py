"""How fast sixd is, against Pinocchio called from Python, on the same states, in the same run, on one core.

    make bench          or: python -m benchmarks [seconds per figure]

A figure is the best of many repetitions, in microseconds per state. The ratio is Pinocchio's time over sixd's: above
one, sixd is faster. Pinocchio's time is that of one call from Python, with the model, the data and the converted state
made beforehand.
"""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import distribution, version
from pathlib import Path
from time import perf_counter

import numpy as np

ROBOTS = {
    "UR5": ("ur5_robot.urdf", "fixed"),
    "Panda": ("panda.urdf", "fixed"),
    "ANYmal": ("anymal.urdf", "free"),
    "Talos": ("talos_reduced.urdf", "free"),
}
BATCHES = (1, 100, 10_000)


def find(name: str) -> Path:
    """A URDF file of the package example-robot-data."""
    package = distribution("example-robot-data")
    return next(Path(str(package.locate_file(f))) for f in package.files or [] if f.name == name)


def best(run: Callable[[], object], seconds: float) -> float:
    """The shortest time of a call, in seconds."""
    run()
    shortest, spent = float("inf"), 0.0
    while spent < seconds:
        start = perf_counter()
        run()
        took = perf_counter() - start
        shortest, spent = min(shortest, took), spent + took
    return shortest


def machine() -> str:
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":")[1].strip() if lines else model
    return f"{model}, {os.cpu_count()} cores, one used; {platform.system()} {platform.release()}"


Task = tuple[Callable[[int], object], Callable[[], object]]


def tasks(path: Path, base: str) -> dict[str, Task]:
    """What is measured on one robot: ours on the first n of the states, Pinocchio's on the first."""
    import pinocchio as pin

    import sixd
    from sixd.layouts import pinocchio_layout

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        robot = sixd.load(path, base=base, mimic=False)
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    model = pin.buildModelFromUrdf(str(path), *root)
    data, layout = model.createData(), pinocchio_layout(robot, model)
    rng = np.random.default_rng(0)
    q = robot.random(rng, max(BATCHES))
    qd, x = rng.normal(size=(2, max(BATCHES), robot.nv))
    pq, pv, px = layout.q_to(q[0]), layout.v_to(q[0], qd[0]), layout.v_to(q[0], x[0])
    frame, joint = robot.bodies[-1].name, model.getJointId(robot.joints[-1].name)
    return {
        "inverse dynamics": (
            lambda n: robot.inverse_dynamics(q[:n], qd[:n], x[:n]),
            lambda: pin.rnea(model, data, pq, pv, px),
        ),
        "forward dynamics": (
            lambda n: robot.forward_dynamics(q[:n], qd[:n], x[:n]),
            lambda: pin.aba(model, data, pq, pv, px),
        ),
        "mass matrix": (lambda n: robot.mass_matrix(q[:n]), lambda: pin.crba(model, data, pq)),
        "poses": (lambda n: robot.poses(q[:n]), lambda: pin.framesForwardKinematics(model, data, pq)),
        "Jacobian": (
            lambda n: robot.jacobian(q[:n], frame),
            lambda: pin.computeJointJacobian(model, data, pq, joint),
        ),
    }


def main(seconds: float = 1.0) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"machine: {machine()}")
    packages = ", ".join(f"{p} {version(p)}" for p in ("sixd", "numpy", "pin"))
    print(f"versions: Python {platform.python_version()}, {packages}")
    print(f"command: python -m benchmarks {seconds:g}")
    print("microseconds per state; ratio = Pinocchio from Python / sixd, same run\n")
    header = [f"{'robot':<8} {'algorithm':<18}", *(f"{f'batch {n}':>14}" for n in BATCHES), f"{'Pinocchio':>12}"]
    print(*header, f"{'ratio 1':>9} {'ratio max':>10}")
    for name, (file, base) in ROBOTS.items():
        for task, (ours, theirs) in tasks(find(file), base).items():
            times = [best(partial(ours, n), seconds) / n for n in BATCHES]
            peer = best(theirs, min(seconds, 0.2))
            figures = " ".join(f"{t * 1e6:14.2f}" for t in times)
            print(f"{name:<8} {task:<18} {figures} {peer * 1e6:12.2f} {peer / times[0]:9.4f} {peer / min(times):10.3f}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
