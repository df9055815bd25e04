"""Everything one run measured, kept as JSON beside the report."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.contest import KernelCost
from benchmarks.machine import Peak
from benchmarks.measure import Figure
from benchmarks.startup import Cost, Memory

__all__ = ["CPP", "KERNEL", "Record", "ratio"]

CPP = "Pinocchio C++"
#: The variants of sixd's figures that are kernels called as users would for speed.
KERNEL = ("", "rolled", "unrolled")


@dataclass
class Record:
    """The figures of a run, and what they belong to."""

    command: str
    date: str
    machine: str
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
    notes: list[str] = field(default_factory=list)

    def best(
        self, robot: str, algorithm: str, library: str, batch: int | None, variants: tuple[str, ...] | None = None
    ) -> Figure | None:
        """The fastest figure of a library, of its variants or of these; ``batch`` None takes the largest there is."""
        found = [
            f
            for f in self.figures
            if (f.robot, f.algorithm, f.library) == (robot, algorithm, library)
            and (variants is None or f.variant in variants)
        ]
        wanted = max((f.batch for f in found), default=0) if batch is None else batch
        return min((f for f in found if f.batch == wanted), key=lambda f: f.minimum, default=None)

    def kernel(self, robot: str, algorithm: str, batch: int | None, form: tuple[str, ...] = KERNEL) -> Figure | None:
        """The figure of sixd's kernel."""
        return self.best(robot, algorithm, "sixd", batch, form)

    def robots(self) -> list[str]:
        """The robots of the package that were measured."""
        return [name for name in dict.fromkeys(f.robot for f in self.figures) if " " not in name]

    def made_up(self, kind: str) -> list[tuple[str, int]]:
        """Chains or trees, with their numbers of bodies."""
        return [x for x in dict.fromkeys((f.robot, f.bodies) for f in self.figures) if x[0].startswith(kind + " ")]

    def algorithms(self, robot: str) -> list[str]:
        return list(dict.fromkeys(f.algorithm for f in self.figures if f.robot == robot))

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1))


def ratio(theirs: Figure | None, ours: Figure | None) -> float | None:
    """How many times faster sixd is, by the minima."""
    return None if theirs is None or ours is None else theirs.minimum / ours.minimum
