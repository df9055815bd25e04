"""sixd and its peers on one robot: who takes part, what they do, and whether they agree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.algorithms import ALGORITHMS, Algorithm
from benchmarks.invite import invited
from benchmarks.measure import Task, figures
from benchmarks.record import KernelCost, Record
from benchmarks.robots import Specimen
from benchmarks.subject import UNROLLED, Subject

__all__ = ["Contest"]

#: Batches whose arguments and results need more than this (bytes) are left out.
MEMORY = 4e9


class Contest:
    """Runs algorithms on one robot by all libraries that can read it, and records what was found."""

    def __init__(
        self, record: Record, specimen: Specimen, program: Any, states: int, seconds: float, rounds: int
    ) -> None:
        self.record, self.specimen, self.seconds, self.rounds = record, specimen, seconds, rounds
        self.subject = Subject(specimen)
        self.peers = invited(specimen, record.note, program, states)

    def run(self, batches: Iterable[int], algorithms: Iterable[str] = ALGORITHMS) -> None:
        """Measure; raises `DisagreementError` if a peer computes something else."""
        batches = tuple(batches)
        for algorithm in (ALGORITHMS[name] for name in algorithms):
            kernels = self.subject.kernels(algorithm)
            if not kernels:
                what = f"chains and trees of more than {UNROLLED} bodies, {algorithm.name}"
                self.record.note(f"{what}: sixd writes this out body by body, which takes too long to compile")
                continue
            size = algorithm.bytes(self.specimen.robot)
            for batch in batches:
                if batch * size <= MEMORY:
                    self.measure(algorithm, batch)
            # Code for batches is made by the first of them: only now is all of it there.
            for form, kernel in kernels.items():
                seconds = sum(kernel.times.get(stage, 0.0) for stage in ("record", "compile", "batches"))
                cost = kernel.code.operations, size, seconds
                self.record.kernels.append(KernelCost(self.specimen.name, algorithm.name, form, *cost))

    def measure(self, algorithm: Algorithm, batch: int) -> None:
        field = self.subject.contestants(algorithm, batch)
        for peer in self.peers:
            field += peer.contestants(algorithm, batch)
        kernel = next(iter(self.subject.kernels(algorithm).values()))
        task = Task(self.specimen.name, self.specimen.robot.n_bodies, algorithm.name)
        ours = lambda: self.subject.results(algorithm, kernel)  # noqa: E731
        self.record.figures += figures(task, field, self.seconds, self.rounds, ours)
