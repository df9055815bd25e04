"""What a run measures, and how long."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import methods
from benchmarks.algorithms import ALGORITHMS
from benchmarks.robots import ROBOTS
from benchmarks.tables import BATCHES

__all__ = ["PARTS", "Plan", "full", "quick"]

#: In the order in which they run. All but the last two keep to one core.
PARTS = (
    *(name.lower() for name in ROBOTS),
    "chains",
    "trees",
    "constrained",
    "simulation",
    "methods",
    "start",
    "threads",
)


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    parts: tuple[str, ...]
    rounds: int
    robots: dict[str, tuple[str, ...]]
    #: Numbers of bodies of chains and trees.
    sizes: dict[str, tuple[int, ...]]
    chain_algorithms: tuple[str, ...]
    batches: tuple[int, ...]
    method_robots: tuple[str, ...]
    repetitions: int
    thread_batch: int


def full(parts: tuple[str, ...]) -> Plan:
    """Meant to take less than twenty minutes; the first run builds Pinocchio as well, which takes some more."""
    sizes = {"chains": (10, 30, 100, 300, 1000, 3000, 10_000), "trees": (10, 100, 1000, 10_000)}
    robots = {name: tuple(ALGORITHMS) for name in ROBOTS}
    return Plan(parts, 5, robots, sizes, tuple(ALGORITHMS), BATCHES, methods.ROBOTS, 5, 1_000_000)


def quick(parts: tuple[str, ...]) -> Plan:
    """Some minutes."""
    robots = {"Panda": ("RNEA", "ABA", "CRBA", "FK"), "Talos": ("RNEA", "ABA", "CRBA")}
    parts = tuple(part for part in parts if part != "trees")
    sizes = {"chains": (30, 300, 10_000)}
    return Plan(parts, 3, robots, sizes, ("RNEA", "ABA"), BATCHES[:3], ("Panda",), 2, 300_000)
