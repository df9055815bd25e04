"""The report: what was measured, on what, how, and the tables and plots."""

from __future__ import annotations

from pathlib import Path

from benchmarks.record import Record
from benchmarks.tables import SECTIONS

__all__ = ["write_report"]

METHOD = """\
Times are minimum (median) of many repetitions, the contestants in turn, several rounds. A ratio is the peer's time over
sixd's, of the minima and (in brackets) of the medians: above one, sixd is faster. All libraries compute on the same
states; their results are compared with sixd's before they are timed, and the run fails if they differ by more than
1e-9. All but the section on threads runs on one core, by the clock of the process.

- Pinocchio C++: its header-only algorithms, `g++ -O3 -march=native -DNDEBUG`, a loop over the states. ABA and CRBA in
  both of its conventions; the faster counts. Jacobian: `computeJointJacobian`, of the body farthest from the base, in
  body coordinates. FK: `forwardKinematics`, all bodies. M⁻¹ and the mass matrix: upper triangles. ∂ID and ∂FD:
  `computeRNEADerivatives` and `computeABADerivatives`, three matrices each.
- Pinocchio Python: the same functions, one state a call; `rneaInParallel` and `abaInParallel` loop over a batch.
- MuJoCo: the stages of its pipeline that an algorithm needs, one after the other, or one call where it has one, with
  constraints off and the state in place. It has no ABA: `mj_forward` solves with the sparse factors of the mass matrix.
- dynibo: one state a call, results written in place. It has no M⁻¹ and no centroidal map. Neither it nor MuJoCo has
  analytic derivatives.
- sixd: kernels of `sixd.compile`. "eager" is the algorithm run on plain numbers or arrays, "interpreter" that of the
  recorded program. FK writes rotations and positions (3 x 4) of all bodies, code with loops 4 x 4 matrices.
- Panda without its fingers; free bases for ANYmal and Talos."""


def write_report(record: Record, plots: list[Path], path: Path) -> None:
    """Write the report; it shows the plots that are beside it."""
    core = "not pinned" if record.core is None else f"pinned to core {record.core}"
    lines = [
        "# Benchmark",
        "",
        f"- machine: {record.machine}; {core}; load before the run {record.load:.2f}",
        f"- versions: {record.versions}",
        f"- command: `{record.command}`, {record.seconds:g} s a figure; {record.date}",
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
        lines += ["## Left out", "", *(f"- {note}" for note in record.notes), ""]
    path.write_text("\n".join(lines))
