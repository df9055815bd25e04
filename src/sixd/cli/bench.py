"""Time the main methods on this machine.

One state and batches of states are computed. Times are the shortest of several rounds, in which all are measured in
turn, so that all see the machine in the same state. "first" is what the first call took: machine code is made then, or
read from the cache. With --peers, Pinocchio's Python functions, if it is installed, are timed in the same run on the
same states, after their results were compared. Of a built-in mechanism with loops, such as mechanisms.five_bar, the
methods of closed robots are timed.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd._version import __version__
from sixd.backends.llvm.target import lanes
from sixd.cli.builtin import NAMES, Subject
from sixd.cli.command import Command, register
from sixd.cli.pinocchio import Pinocchio
from sixd.cli.robots import ROBOT, add_json, add_robot, columns, load_subject, print_json, whole
from sixd.compiler.progress import Progress
from sixd.errors import ArgumentError, SingularError
from sixd.robot import Robot
from sixd.runtime.threads import get_threads, set_threads

__all__ = ["BENCH", "arguments", "run"]

Array = NDArray[np.float64]

EXAMPLES = """\
examples:
  sixd bench arm.urdf
  sixd bench humanoid.urdf --base free --batch 10000 --peers
  SIXD_THREADS=8 sixd bench arm.urdf --json
  sixd bench mechanisms.five_bar
"""

#: How often all are measured in turn, and the shortest measurement, seconds.
ROUNDS, SHORTEST = 5, 2e-3

#: How far the states of a mechanism are from its own position, rad or m.
NEAR = 0.01

#: The methods, and which parts of the state they take.
METHODS: dict[str, str] = {
    "inverse_dynamics": "q qd qdd",
    "forward_dynamics": "q qd tau",
    "mass_matrix": "q",
    "inverse_mass_matrix": "q",
    "bias_forces": "q qd",
    "pose": "q frame",
    "jacobian": "q frame",
    "center_of_mass": "q",
    "inverse_dynamics_derivatives": "q qd qdd",
    "forward_dynamics_derivatives": "q qd tau",
}

#: The same of a robot with loops.
OF_LOOPS: dict[str, str] = {
    "inverse_dynamics": "q qd qdd",
    "forward_dynamics": "q qd tau",
    "constraint_forces": "q qd tau",
    "constraint_error": "q",
    "constraint_jacobian": "q",
    "pose": "q frame",
    "jacobian": "q frame",
    "center_of_mass": "q",
    "forward_dynamics_derivatives": "q qd tau",
}


class Figure(NamedTuple):
    """Seconds: of the first call, of one state, and of a state in a batch with one thread and with all."""

    method: str
    first: float
    one: float
    batch: float
    threads: float
    pinocchio: float | None


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_robot(parser)
    parser.add_argument("--batch", type=whole(1), default=4096, metavar="N", help="states in a batch (4096)")
    parser.add_argument("--frame", help="the frame of pose and Jacobian; by default the one most joints move")
    names = tuple(dict.fromkeys((*METHODS, *OF_LOOPS)))
    parser.add_argument("--methods", nargs="+", choices=names, metavar="METHOD", help=f"some of {', '.join(names)}")
    parser.add_argument("--seconds", type=float, default=0.2, metavar="S", help="how long each is measured (0.2)")
    parser.add_argument("--peers", action="store_true", help="time Pinocchio beside sixd")
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    if not 0.0 < args.seconds < 3600.0:
        raise ArgumentError(f"--seconds must be positive and below an hour, not {args.seconds}")
    subject = load_subject(args)
    robot = subject.robot
    if not robot.nv:
        raise ArgumentError(f"{args.file}: no joint of it moves: there is nothing to measure")
    frame = robot.frame(args.frame).name if args.frame else _deepest(robot)
    if args.peers and args.file in NAMES:
        raise ArgumentError(f"--peers needs a file that Pinocchio can read: {args.file} is built in, leave it out")
    peer = Pinocchio(args.file, robot, args.base) if args.peers else None
    methods = _methods(args.methods, robot)
    state = _states(subject, args.batch)
    with Progress() as progress:
        figures, left_out = [], []
        for k, (name, needs) in enumerate(methods.items()):
            progress(f"measuring {name}, {k + 1} of {len(methods)}", expected=args.seconds * len(methods))
            many = [frame if part == "frame" else state[part] for part in needs.split()]
            try:
                figures.append(_measure(name, getattr(robot, name), many, args.seconds, peer, state))
            except SingularError as error:
                left_out.append(f"{name}: {error}")
    if args.json:
        about = {"robot": robot.name, "frame": frame, "batch": args.batch, "unit": "s"}
        print_json({**_machine(), **about, "figures": [f._asdict() for f in figures], "left_out": left_out})
        return
    for what, value in _machine().items():
        print(f"{what:<8} {value}")
    print(f"{'robot':<8} {robot.name}, {robot.n_bodies} bodies, nv {robot.nv}; pose and Jacobian of {frame}\n")
    print("\n".join([*_table(figures, args.batch, peer), *(f"not measured: {what}" for what in left_out)]))


BENCH = register(Command("bench", __doc__, arguments, run, words_or_files=ROBOT))


def _deepest(robot: Robot) -> str:
    """The frame that most joints move; the last one of them."""
    return max(reversed(robot.frame_list), key=lambda frame: len(robot.path(frame.body))).name


def _methods(names: list[str] | None, robot: Robot) -> dict[str, str]:
    """The methods to be measured, and which parts of the state they take; all that the robot has, if none is named."""
    known, kind = (OF_LOOPS, "with") if robot.constraint_list else (METHODS, "without")
    for name in names or ():
        if name not in known:
            raise ArgumentError(f"{name} is not measured of a robot {kind} loops; there are {', '.join(known)}")
    return {name: known[name] for name in names or known}


def _states(subject: Subject, batch: int) -> dict[str, Array]:
    """Random states; of a mechanism with loops such that are near its own position and keep its constraints."""
    rng, robot = np.random.default_rng(0), subject.robot
    if subject.closed is None:
        q, (qd, qdd, tau) = robot.random(rng, batch), rng.normal(size=(3, batch, robot.nv))
        return {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
    away, qd, qdd, tau = rng.normal(size=(4, batch, robot.nv))
    q = subject.closed.project(robot.integrate(subject.q, NEAR * away))
    q, qd, qdd = subject.closed.project(q, qd, qdd)
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau}


def _measure(
    name: str,
    method: Callable[..., Any],
    many: list[Any],
    seconds: float,
    peer: Pinocchio | None,
    state: dict[str, Array],
) -> Figure:
    one = [part if isinstance(part, str) else part[0].copy() for part in many]
    start = perf_counter()
    result = method(*one)
    first = perf_counter() - start
    calls: dict[str, Callable[[], Any]] = {"one": partial(method, *one)}
    calls["batch"] = partial(_with_threads, 1, partial(method, *many))
    calls["threads"] = partial(method, *many)
    if peer is not None and name in peer.calls:
        peer.check(name, state, result)
        calls["pinocchio"] = peer.call(name, state)
    shortest, batch = _minima(calls, seconds), len(state["q"])
    one_thread, all_threads = shortest["batch"] / batch, shortest["threads"] / batch
    return Figure(name, first, shortest["one"], one_thread, all_threads, shortest.get("pinocchio"))


def _with_threads(number: int, call: Callable[[], Any]) -> None:
    before = get_threads()
    set_threads(number)
    try:
        call()
    finally:
        set_threads(before)


def _minima(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """The shortest time of each call; all take turns."""
    repeats = {}
    for name, call in calls.items():
        call()
        n = 1
        while (took := _timed(call, n)) < SHORTEST:
            n *= 2
        repeats[name] = n, max(1, round(seconds / ROUNDS / took))
    shortest = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            n, times = repeats[name]
            shortest[name] = min([shortest[name], *(_timed(call, n) / n for _ in range(times))])
    return shortest


def _timed(call: Callable[[], Any], n: int) -> float:
    turns = range(n)
    start = perf_counter()
    for _ in turns:
        call()
    return perf_counter() - start


def _threads(n: int) -> str:
    return f"{n} thread{'s' * (n != 1)}"


def _table(figures: list[Figure], batch: int, peer: Pinocchio | None) -> list[str]:
    threads = get_threads()
    title = f"shortest times: of the first call, of one state, of a state in a batch of {batch}"
    head = ["", "first, s", "one, us", "1 thread, ns", f"{_threads(threads)}, ns"]
    rows = [head + (["Pinocchio one, us", "ratio"] if peer else [])]
    for f in figures:
        row = [f.method, f"{f.first:.2f}", f"{1e6 * f.one:.2f}", f"{1e9 * f.batch:.0f}", f"{1e9 * f.threads:.0f}"]
        if peer:
            row += ["", ""] if f.pinocchio is None else [f"{1e6 * f.pinocchio:.2f}", f"{f.pinocchio / f.one:.1f}"]
        rows.append(row)
    return [title, *columns(rows)]


def _machine() -> dict[str, str]:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    found = [f"sixd {__version__}", f"Python {platform.python_version()}"]
    for package in ("numpy", "llvmlite", "pin"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    cores = f"{os.cpu_count()} cores, {_threads(get_threads())} used, {lanes()} lanes of float64"
    return {"machine": f"{cpu}, {cores}; {platform.system()}", "versions": ", ".join(found)}
