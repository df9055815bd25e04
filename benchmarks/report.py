"""The report: what was measured, on what, how, and the tables and plots."""

from __future__ import annotations

from pathlib import Path

from benchmarks import constrained, methods, rollout_derivatives, simulation
from benchmarks.record import Record
from benchmarks.tables import (
    agreement_table,
    batch_table,
    float32_table,
    goal_table,
    growth_table,
    peak_table,
    single_table,
    sizes_table,
    start_table,
    threads_table,
)

__all__ = ["write_report"]

METHOD = """\
Times are minimum (median) of many repetitions, the contestants in turn, several rounds. A ratio is the peer's time over
sixd's, of the minima and (in brackets) of the medians: above one, sixd is faster. All libraries compute on the same
states; their results are compared with sixd's before they are timed, and the run fails if they differ by more than
1e-9 (relative; other bounds, where there are, are told). All but the sections on threads and on what comes before the
first result runs on one core, by the clock of the process.

- Pinocchio C++: its header-only algorithms, `g++ -O3 -march=native -DNDEBUG`, a loop over the states; or the loops of
  its package, `rneaInParallel` and `abaInParallel` with one thread. ABA and CRBA in both of its conventions. The
  fastest counts. Jacobian: `computeJointJacobian`, of the body farthest from the base, in body coordinates. FK:
  `forwardKinematics`, all bodies. M⁻¹ and the mass matrix: upper triangles. ∂ID and ∂FD: `computeRNEADerivatives` and
  `computeABADerivatives`, three matrices each.
- Pinocchio Python: the same functions, one state a call.
- MuJoCo: the stages of its pipeline that an algorithm needs, one after the other, or one call where it has one, with
  constraints off and the state in place. It has no ABA: `mj_forward` solves with the sparse factors of the mass matrix.
- dynibo: one state a call, results written in place. It has no M⁻¹ and no centroidal map. Neither it nor MuJoCo has
  analytic derivatives.
- sixd: kernels of `sixd.compile`. "eager" is the algorithm run on plain numbers or arrays, "interpreter" that of the
  recorded program. FK writes rotations and positions (3 x 4) of all bodies, code with loops 4 x 4 matrices.
- Panda without its fingers; free bases for ANYmal and Talos."""


#: Title, what is to be known about it, and the table.
SECTIONS = (
    ("Goals", "", goal_table),
    (
        "Batches of 10,000 states",
        "Per state. sixd writes its results to an array that is there already. Pinocchio's results stay in its "
        "workspace, where the next state overwrites them: storing them would cost it more. dynibo has no loops over "
        "states, MuJoCo has one of whole steps (see Simulation); the last columns have the fastest call from Python, "
        "for one state, of all peers.",
        batch_table,
    ),
    (
        "sixd by size of the batch",
        "Nanoseconds per state. One state is a call from Python that returns a new array. Batches that need more than "
        "4 GB are left out. The last column makes a new array for the results each time.",
        sizes_table,
    ),
    (
        "Single precision",
        "Per state, batches of 10,000: the same kernels on arrays of float32, which have twice the lanes and half the "
        "bytes. The difference is the largest of some states, relative to the largest entry of each; the states "
        "themselves are rounded too.",
        float32_table,
    ),
    (
        "One state, called from Python",
        "Microseconds per call, from the fastest of each library's ways to do it; models, workspaces and states are "
        "made beforehand. The robot's methods check their arguments more closely than kernels do.",
        single_table,
    ),
    (
        "Chains and binary trees",
        "Per state, with half the time for a figure. Revolute joints in general position. Pinocchio's "
        "workspace grows with the cube of the number of bodies: 0.9 GB at 300.",
        growth_table,
    ),
    (
        "Closed robots",
        constrained.ABOUT,
        constrained.constrained_table,
    ),
    ("Closed robots, all methods and solvers", "The same batches of 10,000 states.", constrained.every_way_table),
    (
        "Simulation",
        simulation.ABOUT,
        simulation.simulation_table,
    ),
    (
        "Derivatives through a simulation",
        rollout_derivatives.ABOUT,
        rollout_derivatives.derivative_table,
    ),
    (
        "Methods of a robot, for one state",
        methods.ABOUT,
        methods.method_table,
    ),
    (
        "Methods over their kernels",
        "Microseconds per call: what a method takes beside the kernel that it runs, and a kernel that writes to "
        "an array that is given beside one that makes it.",
        methods.over_kernel_table,
    ),
    ("Threads", "Wall time per state, with all cores at hand. A gain needs a second core that is free.", threads_table),
    ("Before the first result", "Wall time of fresh processes.", start_table),
    (
        "How far from the limits of the core",
        "Batches of 10,000. Operations are additions, subtractions, multiplications and divisions before any are "
        "fused; sines and cosines are not counted. Bytes are arguments and results, which caches may hold. The time "
        "to compile is that of the code for one state and of that for batches, in double precision.",
        peak_table,
    ),
    ("Agreement", "Largest entry of the difference over largest entry, the worst of all robots.", agreement_table),
)


def write_report(record: Record, plots: list[Path], path: Path) -> None:
    """Write the report; it shows the plots that are beside it."""
    core = "not pinned" if record.core is None else f"pinned to core {record.core}"
    lines = [
        "# Benchmark",
        "",
        f"- machine: {record.machine}; {core}; load before the run {record.load:.2f}",
        f"- code of sixd: for {record.target}, {record.lanes} numbers of double precision in a register",
        f"- versions: {record.versions}",
        f"- command: `{record.command}`, {record.seconds:g} s a figure; {record.date}; {_durations(record)}",
    ]
    if record.peak is not None:
        lines.append(
            f"- one core: {record.peak.gflops:.0f} GFLOP/s of fused multiply-adds, "
            f"{record.peak.bandwidth:.1f} GB/s copied in memory (read plus written)"
        )
    lines += ["", METHOD, ""]
    for plot in plots:
        lines += [f"![{plot.stem.replace('-', ' ')}]({plot.name})", ""]
    for title, about, make in SECTIONS:
        text = make(record)
        if text.count("\n") > 1:
            lines += [f"## {title}", "", *([about, ""] if about else []), text, ""]
    if record.notes:
        lines += ["## Notes", "", *(f"- {note}" for note in record.notes), ""]
    path.write_text("\n".join(lines))


def _durations(record: Record) -> str:
    """How long the run took, with its parts."""
    parts = ", ".join(f"{part} {seconds:.0f} s" for part, seconds in record.took.items())
    return f"took {sum(record.took.values()) / 60.0:.0f} min ({parts})"
