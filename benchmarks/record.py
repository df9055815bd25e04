"""Everything one run measured, kept as JSON beside the report."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.machine import Peak
from benchmarks.measure import Figure
from benchmarks.startup import Cost, Memory

__all__ = ["CPP", "KERNEL", "PYTHON_PEERS", "KernelCost", "Record", "fastest", "ratio"]

CPP = "Pinocchio C++"
PYTHON_PEERS = ("Pinocchio Python", "MuJoCo Python", "dynibo Python")
#: The variants of sixd's figures that are kernels called as users would for speed.
KERNEL = ("", "rolled", "unrolled")


@dataclass(frozen=True)
class KernelCost:
    """What a kernel does for one state, and what it took to make it."""

    robot: str
    algorithm: str
    form: str
    operations: int
    bytes: int
    seconds: float


@dataclass
class Record:
    """The figures of a run, and what they belong to."""

    command: str
    date: str
    machine: str
    #: The processor that code is made for, and how many numbers of double precision its registers hold.
    target: str
    lanes: int
    versions: str
    #: Processes that wanted a core before the run began: above zero, others were at work.
    load: float
    core: int | None
    seconds: float
    peak: Peak | None = None
    figures: list[Figure] = field(default_factory=list)
    kernels: list[KernelCost] = field(default_factory=list)
    threads: list[Figure] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    #: Seconds by algorithm and number of bodies.
    compile_times: dict[str, dict[int, float]] = field(default_factory=dict)
    #: Closed robots, simulation and derivatives through it, and methods called for one state.
    constrained: list[Figure] = field(default_factory=list)
    simulation: list[Figure] = field(default_factory=list)
    rollout_derivatives: list[Figure] = field(default_factory=list)
    methods: list[Figure] = field(default_factory=list)
    #: Seconds that each part of the run took.
    took: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def best(
        self, robot: str, algorithm: str, library: str, batch: int | None, variants: tuple[str, ...] | None = None
    ) -> Figure | None:
        """The fastest figure of a library, of its variants or of these; ``batch`` None takes the largest there is."""
        of_robot = [f for f in self.figures if f.robot == robot and f.algorithm == algorithm]
        return fastest(of_robot, (library,), batch, variants)

    def kernel(self, robot: str, algorithm: str, batch: int | None, form: tuple[str, ...] = KERNEL) -> Figure | None:
        """The figure of sixd's kernel."""
        return self.best(robot, algorithm, "sixd", batch, form)

    def pinocchio(self, robot: str, algorithm: str, batch: int | None) -> Figure | None:
        """Pinocchio's fastest loop over a batch: its C++ built here, or that in its package; None is the largest."""
        of_robot = [f for f in self.figures if f.robot == robot and f.algorithm == algorithm]
        largest = max((f.batch for f in of_robot), default=0)
        return fastest(of_robot, (CPP, PYTHON_PEERS[0]), largest if batch is None else batch)

    def single_peer(self, robot: str, algorithm: str) -> Figure | None:
        """The fastest call of a peer from Python, for one state."""
        return fastest((f for f in self.figures if (f.robot, f.algorithm) == (robot, algorithm)), PYTHON_PEERS, 1)

    def robots(self) -> list[str]:
        """The robots of the package that were measured."""
        return [name for name in dict.fromkeys(f.robot for f in self.figures) if " " not in name]

    def made_up(self, kind: str) -> list[tuple[str, int]]:
        """Chains or trees, with their numbers of bodies."""
        return [x for x in dict.fromkeys((f.robot, f.bodies) for f in self.figures) if x[0].startswith(kind + " ")]

    def algorithms(self, robot: str) -> list[str]:
        return list(dict.fromkeys(f.algorithm for f in self.figures if f.robot == robot))

    def note(self, text: str) -> None:
        """Something that a reader must know: what is left out and why, or how a peer differs."""
        if text not in self.notes:
            self.notes.append(text)

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1))


def fastest(
    figures: Iterable[Figure],
    libraries: tuple[str, ...],
    batch: int | None = None,
    variants: tuple[str, ...] | None = None,
) -> Figure | None:
    """The fastest figure of these libraries, of their variants or of these, on the largest batch or on this."""
    found = [f for f in figures if f.library in libraries and (variants is None or f.variant in variants)]
    wanted = max((f.batch for f in found), default=0) if batch is None else batch
    return min((f for f in found if f.batch == wanted), key=lambda f: f.minimum, default=None)


def ratio(theirs: Figure | None, ours: Figure | None) -> float | None:
    """How many times faster sixd is, by the minima."""
    return None if theirs is None or ours is None else theirs.minimum / ours.minimum
