"""sixd and its peers on one robot: who takes part, what they do, and whether they agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.algorithms import ALGORITHMS, Algorithm
from benchmarks.measure import Contestant, Figure, compare, difference
from benchmarks.robots import Specimen
from benchmarks.subject import UNROLLED, Subject

__all__ = ["Contest", "KernelCost"]

#: Batches whose arguments and results need more than this (bytes) are left out.
MEMORY = 4e9


@dataclass(frozen=True)
class KernelCost:
    """What a kernel does for one state, and what it took to make it."""

    robot: str
    algorithm: str
    form: str
    operations: int
    bytes: int
    seconds: float


class Contest:
    """Runs algorithms on one robot by all libraries that can read it; ``notes`` says what could not be done."""

    def __init__(self, specimen: Specimen, program: Any, states: int, seconds: float, rounds: int) -> None:
        self.specimen, self.seconds, self.rounds = specimen, seconds, rounds
        self.subject = Subject(specimen)
        self.notes: list[str] = []
        self.figures: list[Figure] = []
        self.kernels: list[KernelCost] = []
        self.peers = self.invite(program, states)

    def invite(self, program: Any, states: int) -> list[Any]:
        """The peers, but for those that are not installed or refuse the robot."""

        def pinocchio() -> list[Any]:
            from benchmarks.peers.pinocchio_cpp import MOST_BODIES, PinocchioCpp
            from benchmarks.peers.pinocchio_python import PinocchioModel, PinocchioPython

            if self.specimen.robot.n_bodies > MOST_BODIES:
                return []
            translated = PinocchioModel(self.specimen)
            own = [PinocchioCpp(translated, program, states)] if program is not None else []
            return [*own, PinocchioPython(translated)]

        def mujoco() -> list[Any]:
            from benchmarks.peers.mujoco import MOST_BODIES, MuJoCo

            return [MuJoCo(self.specimen)] if self.specimen.robot.n_bodies <= MOST_BODIES else []

        def dynibo() -> list[Any]:
            from benchmarks.peers.dynibo import MOST_BODIES, Dynibo

            return [Dynibo(self.specimen)] if self.specimen.robot.n_bodies <= MOST_BODIES else []

        makers: Sequence[Callable[[], list[Any]]] = (pinocchio, mujoco, dynibo)
        found = []
        for make in makers:
            try:
                found += make()
            except (ImportError, ValueError, RuntimeError) as reason:
                self.notes.append(f"{self.specimen.name}, {make.__name__}: {reason}")
        return found

    def run(self, batches: Iterable[int], algorithms: Iterable[str] = ALGORITHMS) -> None:
        """Measure; raises `DisagreementError` if a peer computes something else."""
        batches = tuple(batches)
        for algorithm in (ALGORITHMS[name] for name in algorithms):
            kernels = self.subject.kernels(algorithm)
            if not kernels:
                what = f"chains and trees of more than {UNROLLED} bodies, {algorithm.name}"
                self.notes.append(f"{what}: sixd writes this out body by body, which takes too long to compile")
                continue
            size = algorithm.bytes(self.specimen.robot)
            for form, kernel in kernels.items():
                cost = kernel.code.operations, size, sum(kernel.times.values())
                self.kernels.append(KernelCost(self.specimen.name, algorithm.name, form, *cost))
            for batch in batches:
                if batch * size <= MEMORY:
                    self.measure(algorithm, batch)

    def measure(self, algorithm: Algorithm, batch: int) -> None:
        field = self.subject.contestants(algorithm, batch)
        for peer in self.peers:
            field += peer.contestants(algorithm, batch)
        differences = [self.check(algorithm, contestant) for contestant in field]
        for (contestant, least, middle), found in zip(
            compare(field, self.seconds, self.rounds), differences, strict=True
        ):
            who = contestant.library, contestant.variant
            bodies = self.specimen.robot.n_bodies
            figure = Figure(self.specimen.name, bodies, algorithm.name, *who, batch, least, middle, found)
            self.figures.append(figure)
            print(
                f"{figure.robot:<12} {figure.algorithm:<15} {batch:>8} {figure.library:<17} {figure.variant:<45} "
                f"{1e9 * least:12.1f} {1e9 * middle:12.1f} ns" + ("" if found is None else f"   {found:.0e}"),
                flush=True,
            )

    def check(self, algorithm: Algorithm, contestant: Contestant) -> float | None:
        if contestant.results is None:
            return None
        what = f"{self.specimen.name}, {algorithm.name}, {contestant.library} {contestant.variant}"
        kernel = next(iter(self.subject.kernels(algorithm).values()))
        return difference(what, self.subject.results(algorithm, kernel), contestant.results(), contestant.tolerance)
