"""A run: measures the parts that are asked for, one after the other, and writes the report.

A peer that is not there, or an interrupt, leaves a note in the report; libraries that disagree end the run.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import sixd
from benchmarks import constrained, machine, methods, simulation, startup
from benchmarks.algorithms import ALGORITHMS
from benchmarks.compiler import NotBuiltError, build
from benchmarks.contest import Contest
from benchmarks.measure import pin_to_one_core
from benchmarks.plan import PARTS, Plan, full, quick
from benchmarks.plots import draw
from benchmarks.record import Record
from benchmarks.report import write_report
from benchmarks.robots import Specimen, binary_tree, chain, example
from benchmarks.tables import goal_table
from benchmarks.threads import measure_in_process
from sixd.backends.llvm.target import host, lanes

__all__ = ["main"]

HERE = Path(__file__).parent

#: Bytes of arguments and results of the batches that chains and trees are measured on, at most.
CHAIN_MEMORY = 5e8
#: These have results of three matrices. They are left out where one state needs more memory than that.
DERIVATIVES = ("∂ID", "∂FD")


class Run:
    """Measures what a plan has and records it."""

    def __init__(self, plan: Plan, record: Record, cores: set[int]) -> None:
        self.plan, self.record, self.cores = plan, record, cores
        self.program: Any = None

    def measure(self) -> None:
        """All parts; after an interrupt the record has what was found until then."""
        part = "the preparations"
        try:
            self.prepare()
            for part in (each for each in PARTS if each in self.plan.parts):
                start = monotonic()
                self.measure_part(part)
                self.record.took[part] = monotonic() - start
        except KeyboardInterrupt:
            self.record.note(
                f"the run was interrupted in {part}: that part is not complete, and those after it are missing"
            )
        finally:
            if self.program is not None:
                self.program.close()

    def prepare(self) -> None:
        """The limits of the core, and Pinocchio's program."""
        try:
            self.record.peak = machine.measure_peak(build(HERE / "machine_peak.cpp"))
        except NotBuiltError as reason:
            self.record.note(f"the limits of the core: {reason}")
        try:
            from benchmarks.peers.pinocchio_cpp import Program

            self.program = Program()
        except (ImportError, NotBuiltError) as reason:
            self.record.note(f"Pinocchio C++: {reason}")

    def measure_part(self, part: str) -> None:
        record, plan = self.record, self.plan
        if part == "constrained":
            constrained.measure(record, self.program, plan.rounds)
        elif part == "simulation":
            simulation.measure(record, plan.rounds)
        elif part == "methods":
            methods.measure(record, plan.method_robots, plan.rounds)
        elif part == "start":
            record.costs = startup.first_calls(example("Panda").urdf, example("UR5").urdf, plan.repetitions)
            record.memory = startup.memory(10_000)
            record.compile_times = startup.rolled_compile_times((30, 10_000), plan.repetitions)
        elif part == "threads":
            record.threads = measure_in_process(plan.thread_batch, record.seconds, self.cores)
        elif part in ("chains", "trees"):
            for n in plan.sizes[part]:
                self.made_up((chain if part == "chains" else binary_tree)(n))
        else:
            for name, algorithms in plan.robots.items():
                if name.lower() == part:
                    contest = Contest(record, example(name), self.program, 10_000, record.seconds, plan.rounds)
                    contest.run(plan.batches, algorithms)

    def made_up(self, specimen: Specimen) -> None:
        """One state, and a batch that shrinks as the robot grows; in half the time, as there are many of them."""
        most = max(100, min(10_000, 300_000 // specimen.robot.n_bodies))
        contest = Contest(self.record, specimen, self.program, most, self.record.seconds / 2.0, 3)
        for name in self.plan.chain_algorithms:
            fits = int(CHAIN_MEMORY // ALGORITHMS[name].bytes(specimen.robot))
            if fits >= 1 or name not in DERIVATIVES:
                contest.run((1, min(most, fits)) if fits > 1 else (1,), (name,))


def arguments(*parts: str) -> argparse.Namespace:
    """The options; ``parts`` are what is measured unless told otherwise."""
    parser = argparse.ArgumentParser(description="Measures sixd beside Pinocchio, MuJoCo and dynibo; writes a report.")
    parser.add_argument("--quick", action="store_true", help="two robots, few sizes: some minutes")
    parser.add_argument("--only", default=",".join(parts), help=f"parts to measure, of {','.join(PARTS)}")
    parser.add_argument("--seconds", type=float, help="time for each figure (default 0.3, quick 0.1)")
    parser.add_argument("--output", type=Path, help="where to write the report")
    found = parser.parse_args()
    found.parts = tuple(found.only.lower().split(","))
    unknown = set(found.parts) - set(PARTS)
    if unknown:
        parser.error(f"--only knows {', '.join(PARTS)}, not {', '.join(sorted(unknown))}")
    return found


def main(*parts: str) -> None:
    """Measure these parts, or all; runs that are not complete write to results/partial."""
    options = arguments(*(parts or PARTS))
    os.environ["SIXD_CACHE"] = "off"  # times to compile are measured, and nothing of the user's is touched
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    sixd.set_threads(1)
    load = os.getloadavg()[0]
    plan = (quick if options.quick else full)(options.parts)
    record = Record(
        command=shlex.join(["python", "-m", "benchmarks", *parts_option(parts), *sys.argv[1:]]),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        machine=machine.description(),
        target=host()[0],
        lanes=lanes(),
        versions=machine.versions(),
        load=load,
        core=pin_to_one_core(),
        seconds=options.seconds or (0.1 if options.quick else 0.3),
    )
    print(f"{record.machine}\n{record.target}, {record.lanes} lanes\n{record.versions}", flush=True)
    for part in options.parts:
        if part not in plan.parts:
            record.note(f"{part}: left out of quick runs")
    Run(plan, record, cores).measure()
    whole = not options.quick and set(record.took) == set(PARTS)
    output = options.output or HERE / "results" / ("" if whole else "partial")
    output.mkdir(parents=True, exist_ok=True)
    record.write(output / "figures.json")
    write_report(record, draw(record, output), output / "report.md")
    print(f"\n{goal_table(record)}\n\nreport: {output / 'report.md'}")


def parts_option(parts: tuple[str, ...]) -> list[str]:
    return ["--only", ",".join(parts)] if parts else []
