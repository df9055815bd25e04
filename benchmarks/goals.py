"""The figures that sixd is to reach, beside those of this run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from benchmarks.constrained import constrained_goals
from benchmarks.goal import Goal, at_least, at_most
from benchmarks.methods import method_goals
from benchmarks.record import PYTHON_PEERS, Record, ratio
from benchmarks.rollout_derivatives import derivative_goals
from benchmarks.simulation import simulation_goals

__all__ = ["goals"]

#: At least so many times faster than Pinocchio in C++, on a batch of 10,000.
BATCH: dict[str, dict[str, float]] = {
    "Panda": {"RNEA": 24, "ABA": 28, "CRBA": 12, "FK": 8},
    "Talos": {"RNEA": 14, "ABA": 16, "CRBA": 4},
}
#: The same for derivatives, all blocks that Pinocchio's call returns, with 4 lanes; half as much again with 8.
DERIVATIVES: dict[str, dict[str, float]] = {
    "Panda": {"∂ID": 11, "∂FD": 12},
    "ANYmal": {"∂ID": 8, "∂FD": 6},
    "Talos": {"∂ID": 5, "∂FD": 3.5},
}
#: The time of a method for one state of these over that of Pinocchio's call from Python, at most.
DERIVATIVES_ALONE = {"Panda": 0.35, "ANYmal": 0.45, "Talos": 0.8}
#: The same for a chain of 300 links, by code with loops.
CHAIN: dict[str, float] = {"RNEA": 10, "ABA": 8}
#: Additions and multiplications of the code for a robot, at most.
OPERATIONS = {("UR5", "RNEA"): 562, ("Panda", "RNEA"): 958, ("Panda", "ABA"): 1742, ("Panda", "CRBA"): 469}
#: The time of a single call from Python over that of the fastest peer, at most.
SINGLE = {"RNEA": 0.4, "ABA": 0.35}


def goals(record: Record) -> list[Goal]:
    """All goals that this run has figures for."""
    return [
        *_speed(record),
        *constrained_goals(record),
        *simulation_goals(record),
        *derivative_goals(record),
        *method_goals(record),
        *_operations(record),
        *_start(record),
        *_size(record),
        *_threads(record),
    ]


def _speed(record: Record) -> Iterator[Goal]:
    for robot, asked in BATCH.items():
        for algorithm, factor in asked.items():
            found = ratio(record.pinocchio(robot, algorithm, 10_000), record.kernel(robot, algorithm, 10_000))
            yield from at_least(f"{robot}, batch of 10,000, {algorithm}, faster than Pinocchio C++", factor, found)
    yield from _derivatives(record)
    for algorithm, factor in CHAIN.items():
        ours = record.kernel("chain 300", algorithm, None, ("rolled",))
        found = ratio(record.pinocchio("chain 300", algorithm, None), ours)
        yield from at_least(f"chain of 300 links, {algorithm}, faster than Pinocchio C++", factor, found)
    for algorithm, factor in SINGLE.items():
        best, ours = record.single_peer("Panda", algorithm), record.kernel("Panda", algorithm, 1)
        if best is not None and ours is not None:
            what = f"Panda, single call, {algorithm}: time over that of {best.library}"
            yield from at_most(what, factor, ours.minimum / best.minimum, " x")


def _derivatives(record: Record) -> Iterator[Goal]:
    wide = 1.5 if record.lanes == 8 else 1.0
    for robot, asked in DERIVATIVES.items():
        for algorithm, factor in asked.items():
            found = ratio(record.pinocchio(robot, algorithm, 10_000), record.kernel(robot, algorithm, 10_000))
            what = f"{robot}, batch of 10,000, {algorithm}, faster than Pinocchio C++, {record.lanes} lanes"
            yield from at_least(what, wide * factor, found)
            theirs = record.best(robot, algorithm, PYTHON_PEERS[0], 1)
            ours = record.kernel(robot, algorithm, 1, ("robot method",))
            if theirs is not None and ours is not None:
                what = f"{robot}, one state, {algorithm}: time of the method over that of {theirs.library}"
                yield from at_most(what, DERIVATIVES_ALONE[robot], ours.minimum / theirs.minimum, " x")


def _operations(record: Record) -> Iterator[Goal]:
    for kernel in record.kernels:
        most = OPERATIONS.get((kernel.robot, kernel.algorithm))
        if most is not None:
            yield from at_most(f"operations of {kernel.algorithm}, {kernel.robot}", most, kernel.operations)


def _start(record: Record) -> Iterator[Goal]:
    costs = {cost.what: cost for cost in record.costs}
    asked = {
        "compile, empty cache": 0.5,
        "compile, in the cache": 0.03,
        "compile with loops, cache filled by another robot": 0.05,
    }
    for what, seconds in asked.items():
        if what in costs:
            yield from at_most(f"first RNEA, Panda: {what}", seconds, costs[what].first_result[0], " ms", 1e3)
    if costs:
        imported = min(cost.imported[0] for cost in record.costs)
        yield from at_most("import sixd", 0.25, imported, " s")
    for algorithm, times in record.compile_times.items():
        small, large = times[min(times)], times[max(times)]
        sizes = f"{max(times):,} bodies against {min(times)}"
        yield from at_most(f"time to compile {algorithm} with loops: {sizes}", 1.2, large / small, " x")
        yield from at_most(f"time to compile {algorithm} with loops", 1.0, max(small, large), " s")


def _size(record: Record) -> Iterator[Goal]:
    for row in record.memory:
        yield from at_most(f"memory for one state, {row.algorithm}, chain of {row.bodies:,}", 200.0, row.called, " MB")
    sizes = {n: name for name, n in record.made_up("chain")}
    if {30, 10_000} <= sizes.keys():
        for algorithm, (states, batch) in product(CHAIN, {"one state": 1, "batch": None}.items()):
            small, large = (record.kernel(sizes[n], algorithm, batch, ("rolled",)) for n in (30, 10_000))
            if small is not None and large is not None:
                growth = (large.minimum / 10_000) / (small.minimum / 30)
                what = f"time per body, {algorithm}, {states}, chain of 10,000 against 30"
                yield from at_most(what, 1.5, growth, " x")


def _threads(record: Record) -> Iterator[Goal]:
    ours = {(f.robot, f.algorithm, f.variant): f for f in record.threads if f.library == "sixd"}
    for (robot, algorithm, variant), one in ours.items():
        if variant == "1 thread":
            found = ratio(one, ours[robot, algorithm, "2 threads"])
            yield from at_least(f"two threads against one, {robot} {algorithm}, {one.batch:,} states", 1.8, found)
