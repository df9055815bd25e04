"""Forward dynamics in O(log N) steps: how many steps and operations, and what they cost on this machine.

The first table is of recorded programs of chains with revolute joints: operations (additions, multiplications,
divisions) and depth, the longest chain of operations of which each needs the one before. The second is of time: the
articulated-body algorithm, as code with loops, against divide and conquer and constraint forces evaluated round by
round, each round one call for all pieces. One state on one core, one state on all cores, and as many states as make
16,384 bodies; microseconds per state, the least of several runs. Results are compared first. The third is of rounding:
how well known accelerations are found again from the joint forces that they need.

    python -m benchmarks.parallel [--quick]
"""

from __future__ import annotations

import argparse
import os
from time import perf_counter, process_time

import numpy as np

import sixd
from benchmarks import machine
from benchmarks.measure import Contestant, call, compare, difference
from sixd import algorithms, operators
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.gallery import chain
from sixd.parallel import ConstraintForces, DivideAndConquer

WAYS = {
    "RNEA": algorithms.rnea,
    "ABA": algorithms.aba,
    "(26)": operators.forward_dynamics_innovations,
    "(27)": operators.forward_dynamics_sparse,
    "(28)": operators.forward_dynamics_constraint_forces,
    "DCA": operators.divide_and_conquer,
    "CFA": operators.constraint_force_algorithm,
}
SIZES, QUICK_SIZES = (4, 8, 16, 32, 64, 128), (4, 8, 16, 32)
BODIES, QUICK_BODIES = (16, 64, 256, 1024, 4096), (16, 256)
TOTAL = 16_384
#: Long chains cost all ways digits.
TOLERANCE = 1e-8


def depths(sizes: tuple[int, ...]) -> None:
    """Operations and depth of recorded programs."""
    print("operations / depth of a chain of N bodies; RNEA is inverse dynamics, all others forward dynamics\n")
    print(f"{'N':>6}" + "".join(f"{name:>16}" for name in WAYS))
    for n in sizes:
        robot, row = chain(n), ""
        for way in WAYS.values():
            program = record_unrolled(Request(way, robot, {}, {}))
            row += f"{program.operations:>9} /{program.depth:>5}"
        print(f"{n:>6}{row}", flush=True)


def times(n: int, seconds: float) -> str:
    """The time of one state on one core and on all of them, and of a state in a batch on one core."""
    robot, rng = chain(n), np.random.default_rng(0)
    batch = max(1, TOTAL // n)
    q, qd, tau = 0.3 * rng.normal(size=(batch, n)), *rng.normal(size=(2, batch, n))
    ways = {"ABA": sixd.compile(algorithms.aba, robot, rolled=True)}
    ways |= {"DCA": DivideAndConquer(robot), "CFA": ConstraintForces(robot)}
    wanted = ways["ABA"](q, qd, tau)
    for name, way in ways.items():
        difference(name, wanted, way(q, qd, tau), TOLERANCE)
    row = ""
    for threads, size, clock in ((1, 1, process_time), (None, 1, perf_counter), (1, batch, process_time)):
        sixd.set_threads(threads)
        state = {"q": q[:size], "qd": qd[:size], "tau": tau[:size]}
        if size == 1:
            state = {key: x[0] for key, x in state.items()}
        contestants = [
            Contestant("sixd", name, size, call("way(q, qd, tau)", size, clock=clock, way=way, **state))
            for name, way in ways.items()
        ]
        row += "".join(f"{1e6 * least:>10.1f}" for _, least, _ in compare(contestants, seconds, 3)) + "   "
    return f"{n:>6}{row}   {ways['DCA'].rounds}"


def errors(n: int) -> str:
    """The largest error of accelerations, rad/s^2, from the joint forces that inverse dynamics has for known ones."""
    robot, rng = chain(n), np.random.default_rng(0)
    q, qd, qdd = 0.3 * rng.normal(size=n), *rng.normal(size=(2, n))
    aba, rnea = (sixd.compile(way, robot, rolled=True) for way in (algorithms.aba, algorithms.rnea))
    tau = rnea(q, qd, qdd)
    ways = (aba, DivideAndConquer(robot), ConstraintForces(robot))
    return f"{n:>6}" + "".join(f"{np.abs(way(q, qd, tau) - qdd).max():>10.0e}" for way in ways)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parallel", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small chains: half a minute")
    quick = parser.parse_args().quick
    print(machine.description(), machine.versions(), sep="\n")
    depths(QUICK_SIZES if quick else SIZES)
    print(f"\nmicroseconds per state; one core, {os.cpu_count()} cores, batches of {TOTAL} bodies on one core\n")
    heads = "".join(f"{name:>10}" for name in ("ABA", "DCA", "CFA")) + "   "
    print(f"{'N':>6}{heads * 3}   rounds of DCA")
    for n in QUICK_BODIES if quick else BODIES:
        print(times(n, 0.3 if quick else 1.0), flush=True)
    print("\nlargest error of accelerations of about 1 rad/s^2, from the joint forces of inverse dynamics\n")
    print(f"{'N':>6}{heads}")
    for n in QUICK_BODIES if quick else BODIES:
        print(errors(n), flush=True)


if __name__ == "__main__":
    main()
