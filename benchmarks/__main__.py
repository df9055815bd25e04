"""How fast sixd is, against Pinocchio (C++ and Python), MuJoCo and dynibo, on the same states, in one run.

    make bench          or: python -m benchmarks [--quick] [--only panda,talos,chains,...] [--seconds S]

Writes a report in Markdown with plots, and the figures as JSON. Runs that are not complete go to results/partial.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import machine, startup
from benchmarks.algorithms import ALGORITHMS
from benchmarks.compiler import NotBuiltError, build
from benchmarks.contest import Contest
from benchmarks.measure import pin_to_one_core
from benchmarks.plots import draw
from benchmarks.record import Record
from benchmarks.report import write_report
from benchmarks.robots import ROBOTS, Specimen, binary_tree, chain, example
from benchmarks.tables import BATCHES, goal_table
from benchmarks.threads import measure_in_process

HERE = Path(__file__).parent
PARTS = (*(name.lower() for name in ROBOTS), "chains", "trees", "threads", "start")

#: Bytes of arguments and results of the batches that chains and trees are measured on, at most.
CHAIN_MEMORY = 5e8
#: These have results of three matrices. They are left out where one state needs more memory than that.
DERIVATIVES = ("∂ID", "∂FD")


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    parts: tuple[str, ...]
    seconds: float
    rounds: int
    robots: dict[str, tuple[str, ...]]
    sizes: tuple[int, ...]
    chain_algorithms: tuple[str, ...]
    batches: tuple[int, ...]
    repetitions: int
    thread_batch: int


def full(parts: tuple[str, ...], seconds: float) -> Plan:
    sizes = (10, 30, 100, 300, 1000, 3000, 10_000)
    robots = {name: tuple(ALGORITHMS) for name in ROBOTS}
    return Plan(parts, seconds, 5, robots, sizes, tuple(ALGORITHMS), BATCHES, 5, 1_000_000)


def quick(parts: tuple[str, ...], seconds: float) -> Plan:
    robots = {"Panda": ("RNEA", "ABA", "CRBA", "FK"), "Talos": ("RNEA", "ABA", "CRBA")}
    parts = tuple(part for part in parts if part != "trees")
    return Plan(parts, seconds, 3, robots, (30, 300, 10_000), ("RNEA", "ABA"), BATCHES[:3], 2, 300_000)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="two robots, few sizes: some minutes")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts to measure, of {','.join(PARTS)}")
    parser.add_argument("--seconds", type=float, help="time for each figure (default 0.3, quick 0.1)")
    parser.add_argument("--output", type=Path, help="where to write the report")
    found = parser.parse_args()
    found.parts = tuple(found.only.lower().split(","))
    unknown = set(found.parts) - set(PARTS)
    if unknown:
        parser.error(f"--only knows {', '.join(PARTS)}, not {', '.join(sorted(unknown))}")
    return found


def contests(plan: Plan, program: Any) -> Iterator[Contest]:
    """Everything that is measured in this process, robot by robot."""
    for name, algorithms in plan.robots.items():
        if name.lower() in plan.parts:
            contest = Contest(example(name), program, 10_000, plan.seconds, plan.rounds)
            contest.run(plan.batches, algorithms)
            yield contest
    for part, make in (("chains", chain), ("trees", binary_tree)):
        for n in plan.sizes if part in plan.parts else ():
            yield made_up(make(n), plan, program)


def made_up(specimen: Specimen, plan: Plan, program: Any) -> Contest:
    """One state, and a batch that shrinks as the robot grows."""
    most = max(100, min(10_000, 300_000 // specimen.robot.n_bodies))
    contest = Contest(specimen, program, most, plan.seconds, plan.rounds)
    for name in plan.chain_algorithms:
        fits = int(CHAIN_MEMORY // ALGORITHMS[name].bytes(specimen.robot))
        if fits >= 1 or name not in DERIVATIVES:
            contest.run((1, min(most, fits)) if fits > 1 else (1,), (name,))
    return contest


def measure(plan: Plan, record: Record, cores: set[int]) -> None:
    try:
        record.peak = machine.measure_peak(build(HERE / "machine_peak.cpp"))
    except NotBuiltError as reason:
        record.notes.append(f"the limits of the core: {reason}")
    program = None
    try:
        from benchmarks.peers.pinocchio_cpp import Program

        program = Program()
    except (ImportError, NotBuiltError) as reason:
        record.notes.append(f"Pinocchio C++: {reason}")
    for contest in contests(plan, program):
        record.figures += contest.figures
        record.kernels += contest.kernels
        record.notes += (note for note in contest.notes if note not in record.notes)
    if program is not None:
        program.close()
    if "start" in plan.parts:
        record.costs = startup.first_calls(example("Panda").urdf, example("UR5").urdf, plan.repetitions)
        record.memory = startup.memory(10_000)
        record.compile_times = startup.rolled_compile_times((30, 10_000), plan.repetitions)
    if "threads" in plan.parts:
        record.threads = measure_in_process(plan.thread_batch, plan.seconds, cores)


def main() -> None:
    options = arguments()
    os.environ["SIXD_CACHE"] = "off"  # times to compile are measured, and nothing of the user's is touched
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    load = os.getloadavg()[0]
    seconds = options.seconds or (0.1 if options.quick else 0.3)
    plan = (quick if options.quick else full)(options.parts, seconds)
    command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    record = Record(command, date, machine.description(), machine.versions(), load, pin_to_one_core(), seconds)
    print(f"{record.machine}\n{record.versions}", flush=True)
    measure(plan, record, cores)
    whole = not options.quick and set(options.parts) == set(PARTS)
    output = options.output or HERE / "results" / ("" if whole else "partial")
    output.mkdir(parents=True, exist_ok=True)
    record.write(output / "figures.json")
    write_report(record, draw(record, output), output / "report.md")
    print(f"\n{goal_table(record)}\n\nreport: {output / 'report.md'}")


if __name__ == "__main__":
    main()
