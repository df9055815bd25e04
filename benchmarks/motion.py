"""Motions of least cost with exact gradients, against the same search with gradients from differences.

The seven-axis arm moves between two positions in two seconds, by a spline of ten pieces. Each search runs twice, with
the same optimiser of SciPy, unknowns, start and tolerances: with the gradient that compiled code gives, and with one
that SciPy makes from differences of the cost, one for each unknown. Code is compiled before, and time is that of one
core. An evaluation is one of the cost, on all 60 points of the quadrature. "more than the best" is by how much the cost
is above the smaller of the two.

    python -m benchmarks.motion
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: its threads would wait for one core

import time
from dataclasses import dataclass

import numpy as np

import sixd
from benchmarks.measure import pin_to_one_core
from sixd.motion.limits import constraints_of
from sixd.motion.problem import Problem
from sixd.motion.search import search

#: Where the motion starts and ends, and its duration, s.
Q0, Q1, DURATION = (0.0, 0.6, 0.0, 1.2, 0.0, 0.6, 0.0), (1.6, 1.0, -0.7, 0.4, 1.0, -0.8, 0.5), 2.0
PIECES, MOST = 10, 2000
#: How often each search is run; the least time counts. Searches that take longer than this, s, run once.
REPEATS, LONG = 5, 2.0
#: What is compared: costs and limits.
CASES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("energy", ()),
    ("energy", ("position", "velocity")),
    ("torque", ("position", "velocity")),
    ("curvature", ()),
)


@dataclass(frozen=True)
class Figures:
    """Of one search: seconds, steps, evaluations of the cost, the cost, and whether it has converged."""

    seconds: float
    iterations: int
    evaluations: int
    cost: float
    success: bool


def measure(cost: str, limits: tuple[str, ...], exact: bool) -> Figures:
    robot = sixd.gallery.seven_axis_arm()
    problem = Problem(robot, Q0, Q1, DURATION, cost, PIECES, None)
    constraints = constraints_of(problem, limits)
    problem.value(problem.start), problem.value_and_gradient(problem.start)  # compiled now
    for constraint in constraints:
        constraint.margin(np.zeros(len(problem.scale)))
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        found = search(problem, constraints, MOST, exact)
        best = min(best, time.process_time() - start)
        if best > LONG:
            break
    return Figures(best, found.iterations, found.evaluations, problem.value(found.control_points), found.success)


def main() -> None:
    pin_to_one_core()
    print(f"seven-axis arm, {DURATION:g} s, {PIECES} pieces; cost and limits, gradient, and what the search took:\n")
    for cost, limits in CASES:
        both = {name: measure(cost, limits, name == "exact") for name in ("exact", "differences")}
        best = min(found.cost for found in both.values())
        print(f"{cost}; limits: {', '.join(limits) or 'none'}")
        print(f"  {'gradient':12} {'time':>10} {'iterations':>11} {'evaluations':>12}   more than the best")
        for name, f in both.items():
            end = "" if f.success else ", not converged"
            row = f"{1e3 * f.seconds:7.0f} ms {f.iterations:11} {f.evaluations:12}   {f.cost / best - 1.0:.0e}"
            print(f"  {name:12} {row}{end}")
        exact, other = both.values()
        print(f"  exact: {other.seconds / exact.seconds:.1f} times faster\n")


if __name__ == "__main__":
    main()
