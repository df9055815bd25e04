"""The tables of robots, chains and trees; times are minimum (median)."""

from __future__ import annotations

from benchmarks.goals import goals
from benchmarks.markdown import digits, factor, table, time
from benchmarks.measure import Figure
from benchmarks.record import Record

__all__ = [
    "BATCHES",
    "agreement_table",
    "batch_table",
    "float32_table",
    "goal_table",
    "growth_table",
    "peak_table",
    "single_table",
    "sizes_table",
    "start_table",
    "threads_table",
]

BATCHES = (1, 100, 10_000, 1_000_000)
LARGE = 10_000
SINGLE = {
    "sixd kernel": ("sixd", ("",)),
    "sixd robot method": ("sixd", ("robot method",)),
    "Pinocchio": ("Pinocchio Python", None),
    "MuJoCo": ("MuJoCo Python", None),
    "dynibo": ("dynibo Python", None),
    "sixd eager": ("sixd", ("eager",)),
    "sixd interpreter": ("sixd", ("interpreter",)),
}


def goal_table(record: Record) -> str:
    return table(
        ["figure", "goal", "this run", ""], [(*goal[:3], "met" if goal.met else "**missed**") for goal in goals(record)]
    )


def batch_table(record: Record) -> str:
    rows = []
    for robot in record.robots():
        for algorithm in record.algorithms(robot):
            ours, theirs = record.kernel(robot, algorithm, LARGE), record.pinocchio(robot, algorithm, LARGE)
            way = theirs.variant if theirs else ""
            alone = record.single_peer(robot, algorithm)
            who = alone.library.removesuffix(" Python") if alone else ""
            cells = time(ours), time(theirs), way, factor(theirs, ours), time(alone), who, factor(alone, ours)
            rows.append((robot, algorithm, *cells))
    header = ["robot", "algorithm", "sixd, ns", "Pinocchio C++, ns", "its fastest loop", "ratio"]
    return table([*header, "fastest single call of a peer, ns", "whose", "ratio"], rows)


def sizes_table(record: Record) -> str:
    rows = []
    for robot in record.robots():
        for algorithm in record.algorithms(robot):
            cells = [time(record.kernel(robot, algorithm, batch)) for batch in BATCHES]
            cells.append(time(record.best(robot, algorithm, "sixd", LARGE, ("new array",))))
            rows.append((robot, algorithm, *cells))
    return table(["robot", "algorithm", *(f"batch {n:,}" for n in BATCHES), "10,000, new array"], rows)


def float32_table(record: Record) -> str:
    rows = []
    for robot in record.robots():
        for algorithm in record.algorithms(robot):
            double, single = (record.kernel(robot, algorithm, LARGE, (form,)) for form in ("", "float32"))
            if single is not None:
                cells = time(double), time(single), factor(double, single), f"{single.difference:.0e}"
                rows.append((robot, algorithm, *cells))
    return table(["robot", "algorithm", "float64, ns", "float32, ns", "ratio", "difference"], rows)


def single_table(record: Record) -> str:
    rows = []
    for robot in record.robots():
        for algorithm in record.algorithms(robot):
            found = {name: record.best(robot, algorithm, lib, 1, how) for name, (lib, how) in SINGLE.items()}
            cells = [time(figure, "us") for figure in found.values()]
            best = record.single_peer(robot, algorithm)
            rows.append((robot, algorithm, *cells, factor(best, found["sixd kernel"])))
    return table(["robot", "algorithm", *SINGLE, "ratio, best peer"], rows)


def growth_table(record: Record) -> str:
    rows = []
    for kind in ("chain", "tree"):
        for robot, n in record.made_up(kind):
            for algorithm in record.algorithms(robot):
                rolled = record.kernel(robot, algorithm, None, ("rolled",))
                unrolled = record.kernel(robot, algorithm, None, ("unrolled",))
                ours = min((f for f in (rolled, unrolled) if f is not None), key=lambda f: f.minimum)
                theirs = record.pinocchio(robot, algorithm, None)
                single = record.kernel(robot, algorithm, 1)
                per_body = digits(1e9 * rolled.minimum / n) if rolled else ""
                cells = time(rolled, "us"), per_body, time(unrolled, "us"), time(theirs, "us"), factor(theirs, ours)
                rows.append((kind, n, algorithm, ours.batch, *cells, time(single, "us")))
    header = ["", "bodies", "algorithm", "batch", "loops, us", "ns per body", "written out, us", "Pinocchio C++, us"]
    return table([*header, "ratio", "single call, us"], rows)


def threads_table(record: Record) -> str:
    by_key: dict[tuple[str, str, str, int], dict[str, Figure]] = {}
    for f in record.threads:
        key = f.robot, f.algorithm, f.library, f.batch
        by_key.setdefault(key, {})["2" if "2 thread" in f.variant else "1"] = f
    rows = [
        (robot, algorithm, library, f"{batch:,}", time(f["1"]), time(f["2"]), factor(f["1"], f["2"]))
        for (robot, algorithm, library, batch), f in by_key.items()
    ]
    return table(["robot", "algorithm", "library", "batch", "1 thread, ns", "2 threads, ns", "gain"], rows)


def start_table(record: Record) -> str:
    if not record.costs:
        return ""
    times = [(c.what, *(f"{1e3 * x:.1f} ({1e3 * y:.1f})" for x, y in c.stages)) for c in record.costs]
    loops = [(name, f"{n:,}", f"{t:.3f}") for name, each in record.compile_times.items() for n, t in each.items()]
    sizes = [(m.algorithm, f"{m.bodies:,}", *(f"{x:.0f}" for x in m.stages)) for m in record.memory]
    parts = (
        table(["Panda, RNEA", "import, ms", "load the URDF, ms", "first result, ms"], times),
        table(["code with loops", "bodies", "record and compile, s"], loops),
        table(["one state of a chain", "bodies", "after import, MB", "robot built, MB", "first result, MB"], sizes),
    )
    return "\n\n".join(parts)


def peak_table(record: Record) -> str:
    rows = []
    for kernel in record.kernels:
        ours = record.kernel(kernel.robot, kernel.algorithm, LARGE)
        if kernel.form or ours is None:
            continue
        flops, rate = kernel.operations / ours.minimum / 1e9, kernel.bytes / ours.minimum / 1e9
        of_peak = f"{flops / record.peak.gflops:.0%}" if record.peak else ""
        of_copying = f"{rate / record.peak.bandwidth:.0%}" if record.peak else ""
        cells = kernel.operations, f"{flops:.1f}", of_peak, kernel.bytes, f"{rate:.1f}", of_copying
        rows.append((kernel.robot, kernel.algorithm, *cells, f"{kernel.seconds:.2f}"))
    header = ["robot", "algorithm", "operations", "GFLOP/s", "of peak", "bytes", "GB/s", "of copying", "compile, s"]
    return table(header, rows)


def agreement_table(record: Record) -> str:
    worst: dict[tuple[str, str], float] = {}
    for f in record.figures:
        if f.difference is not None:
            variant = f.variant if f.library == "sixd" else ""
            worst[f.library, variant] = max(worst.get((f.library, variant), 0.0), f.difference)
    return table(["library", "", "largest difference"], [(*who, f"{x:.1e}") for who, x in worst.items()])
