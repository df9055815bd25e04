"""What a method of a robot costs for one state: beside the peers' calls from Python, and over its own kernel.

    python -m benchmarks.methods [--quick] [--seconds S]

The peer of a row is the fastest of those that have the call: Pinocchio, MuJoCo, dynibo, each with the state in its own
layout and its workspace made beforehand. Frames are given as each library wants them: names here, numbers there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import sixd
from benchmarks.algorithms import ALGORITHMS
from benchmarks.goal import Goal, at_most
from benchmarks.invite import invited
from benchmarks.markdown import factor, table, time
from benchmarks.measure import CHECKED, Contestant, Figure, Task, call, figures
from benchmarks.record import PYTHON_PEERS, Record, fastest, ratio
from benchmarks.robots import Specimen, example

__all__ = ["ABOUT", "ROBOTS", "measure", "method_goals", "method_table", "over_kernel_table"]

Array = Any

ROBOTS = ("Panda", "ANYmal", "Talos")
#: The methods as they are called, and the time over that of the fastest peer, at most.
METHODS = {
    "inverse_dynamics": ("robot.inverse_dynamics(q, qd, qdd)", 0.6),
    "forward_dynamics": ("robot.forward_dynamics(q, qd, qdd)", 0.6),
    "mass_matrix": ("robot.mass_matrix(q)", 0.6),
    "gravity_forces": ("robot.gravity_forces(q)", 0.6),
    "pose": ("robot.pose(q, tip)", 0.9),
    "jacobian": ("robot.jacobian(q, tip)", 0.9),
    "velocity": ("robot.velocity(q, qd, tip)", 0.9),
    "integrate": ("robot.integrate(q, qd)", 0.9),
    "inverse_dynamics, a force": ("robot.inverse_dynamics(q, qd, qdd, f_ext)", 1.0),
    "inverse_mass_matrix": ("robot.inverse_mass_matrix(q)", 1.0),
}
#: Those that are among the nine algorithms, which all peers have.
SHARED = {
    "inverse_dynamics": "RNEA",
    "forward_dynamics": "ABA",
    "mass_matrix": "CRBA",
    "jacobian": "Jacobian",
    "inverse_mass_matrix": "M⁻¹",
}
#: Seconds that a method may take beside its kernel: without and with the name of a frame, or of joints.
OVER = {"method": 0.3e-6, "method, by name": 0.6e-6}
OVER_KERNEL = ", over its kernel"


ABOUT = """\
Microseconds per call from Python; peers have their model, workspace and state ready, and the fastest counts. sixd
returns new arrays. MuJoCo leaves results in its workspace and dynibo in arrays that are given; poses and velocities of
Pinocchio and dynibo are objects of their own. Frames are given by name here, by number there."""


def against_peers(record: Record, name: str, rounds: int) -> None:
    """The methods that peers have."""
    specimen = example(name)
    robot, tip = specimen.robot, specimen.robot.body_list[specimen.tip].name
    peers = their_calls(specimen, record.note)
    for method, (statement, _) in METHODS.items():
        force = {tip: np.arange(6.0)}

        def ours(statement: str = statement, force: Any = force) -> Array:
            return eval(statement, {"robot": robot, "tip": tip, "f_ext": force, **specimen.states(CHECKED)})

        one = {key: array[0].copy() for key, array in specimen.states(1).items()}
        run = call(statement, 1, robot=robot, tip=tip, f_ext=force, **one)
        field = [Contestant("sixd", "method", 1, run), *peers.get(method, ())]
        record.methods += figures(Task(name, robot.n_bodies, method), field, record.seconds, rounds, ours)


def their_calls(specimen: Specimen, note: Callable[[str], None]) -> dict[str, list[Contestant]]:
    """For each method the calls of peers that compute the same."""
    found: dict[str, list[Contestant]] = defaultdict(list)
    for peer in invited(specimen, note):
        for method, algorithm in SHARED.items():
            found[method] += peer.contestants(ALGORITHMS[algorithm], 1)
        for method, contestant in peer.methods().items():
            found[method].append(contestant)
    return found


def over_kernels(record: Record, name: str, rounds: int) -> None:
    """Every method of a robot that is a function of a state, and the kernel that it runs."""
    from tests.robot.calls import calls

    robot = example(name).robot
    for label, method, arguments in calls(robot, options=False):
        before = set(robot._code)
        method(**arguments)
        made = [robot._code[key] for key in robot._code if key not in before]
        if len(made) != 1 or made[0].kernel is None:
            record.note(f"{name}, {label}, over its kernel: it runs {len(made)}")
            continue
        inputs = {f"x{k}": arguments.get(port.name) for k, port in enumerate(made[0].kernel.inputs)}
        by_name = {"frame", "left", "known"} & arguments.keys()
        run = call(f"method({', '.join(arguments)})", 1, method=method, **arguments)
        kernel = call(f"kernel({', '.join(inputs)})", 1, kernel=made[0].kernel, **inputs)
        field = [Contestant("sixd", "method" + ", by name" * bool(by_name), 1, run)]
        field.append(Contestant("sixd", "kernel", 1, kernel))
        record.methods += figures(Task(name, robot.n_bodies, label + OVER_KERNEL), field, record.seconds, rounds)


def filled(record: Record, name: str, rounds: int) -> None:
    """Kernels that fill an array that is given, beside those that make one."""
    specimen = example(name)
    for about in (ALGORITHMS[each] for each in ("RNEA", "ABA", "CRBA")):
        kernel = sixd.compile(about.function, specimen.robot)
        arrays = {f"x{k}": array[0].copy() for k, array in enumerate(specimen.states(1, about.arguments).values())}
        names, inputs = {"kernel": kernel, "out": kernel(*arrays.values()), **arrays}, ", ".join(arrays)
        field = [
            Contestant("sixd", "kernel, out=", 1, call(f"kernel({inputs}, out=out)", 1, **names)),
            Contestant("sixd", "kernel", 1, call(f"kernel({inputs})", 1, **names)),
        ]
        record.methods += figures(
            Task(name, specimen.robot.n_bodies, f"{about.name}, out="), field, record.seconds, rounds
        )


def measure(record: Record, robots: Iterable[str], rounds: int) -> None:
    for name in robots:
        against_peers(record, name, rounds)
    over_kernels(record, "Panda", rounds)
    filled(record, "Panda", rounds)


def method_table(record: Record) -> str:
    """Methods beside the fastest peer."""
    rows = []
    for robot, method, of_method in _groups(record):
        ours, theirs = fastest(of_method, ("sixd",)), fastest(of_method, PYTHON_PEERS)
        if method in METHODS and ours is not None:
            who = "" if theirs is None else f"{theirs.library.removesuffix(' Python')} {theirs.variant}".strip()
            rows.append((robot, method, time(ours, "us"), time(theirs, "us"), who, factor(theirs, ours)))
    return table(["robot", "method", "sixd, us", "fastest peer, us", "which", "ratio"], rows)


def over_kernel_table(record: Record) -> str:
    """Methods and kernels into arrays, each beside the plain kernel."""
    rows = []
    for robot, what, of_method in _groups(record):
        kernel = fastest(of_method, ("sixd",), variants=("kernel",))
        other = next((f for f in of_method if f.variant != "kernel"), None)
        if kernel is not None and other is not None:
            more = f"{1e6 * (other.minimum - kernel.minimum):.2f}"
            rows.append(
                (robot, what.removesuffix(OVER_KERNEL), other.variant, time(other, "us"), time(kernel, "us"), more)
            )
    return table(["robot", "method or algorithm", "called", "time, us", "plain kernel, us", "more, us"], rows)


def method_goals(record: Record) -> Iterator[Goal]:
    beside: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for robot, method, of_method in _groups(record):
        kernel, into = (fastest(of_method, ("sixd",), variants=(name,)) for name in ("kernel", "kernel, out="))
        yield from at_most(f"{robot}, kernel of {method} over one that makes an array", 1.1, ratio(into, kernel), " x")
        for variant in OVER:
            own = fastest(of_method, ("sixd",), variants=(variant,))
            if own is not None and kernel is not None:
                beside[variant].append((own.minimum - kernel.minimum, method.removesuffix(OVER_KERNEL)))
        if method in METHODS:
            ours, theirs = fastest(of_method, ("sixd",)), fastest(of_method, PYTHON_PEERS)
            who = "" if theirs is None else theirs.library
            what = f"{robot}, one state, robot.{method}: time over that of {who}"
            yield from at_most(what, METHODS[method][1], ratio(ours, theirs), " x")
    for variant, most in OVER.items():
        if beside[variant]:
            longest, who = max(beside[variant])
            what = f"{len(beside[variant])} methods ({variant}), the longest time beside the kernel, of {who}"
            yield from at_most(what, most, longest, " us", 1e6)


def _groups(record: Record) -> Iterator[tuple[str, str, list[Figure]]]:
    """The figures of each robot and method."""
    groups: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    for f in record.methods:
        groups[f.robot, f.algorithm].append(f)
    for (robot, method), found in groups.items():
        yield robot, method, found


if __name__ == "__main__":
    from benchmarks.run import main

    main("methods")
