"""The plots: time per state against the number of bodies, and by robot and library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

from benchmarks.measure import Figure
from benchmarks.record import CPP, Record

__all__ = ["draw"]

#: The batch of the bars.
LARGE = 10_000

#: Label, library, variants, whether for one state or a batch, colour, marker.
LINES = (
    ("Pinocchio Python", "Pinocchio Python", None, 1, "#9467bd", "v"),
    ("MuJoCo Python", "MuJoCo Python", None, 1, "#2ca02c", "s"),
    ("dynibo Python", "dynibo Python", None, 1, "#8c564b", "D"),
    ("Pinocchio C++, batch", CPP, None, None, "#1f77b4", "o"),
    ("sixd, single call", "sixd", ("rolled", "unrolled", ""), 1, "#ffb07c", "^"),
    ("sixd, batch", "sixd", ("rolled", "unrolled", ""), None, "#d62728", "o"),
)
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "savefig.dpi": 150,
    "svg.hashsalt": "sixd",
}


def draw(record: Record, directory: Path) -> list[Path]:
    """Draw what there are figures for, as PNG and SVG; the PNG files."""
    mpl.use("Agg")
    with mpl.rc_context(STYLE):
        drawn = [growth(record, kind, directory) for kind in ("chain", "tree") if len(record.made_up(kind)) > 1]
        if record.robots():
            drawn.append(bars(record, directory))
    return drawn


def growth(record: Record, kind: str, directory: Path) -> Path:
    """Time per state against the number of bodies, one panel an algorithm."""
    robots = record.made_up(kind)
    wanted = ("RNEA", "ABA", "CRBA", "FK")
    panels = [a for a in wanted if any(a in record.algorithms(robot) for robot, _ in robots)]
    figure, axes = _grid(len(panels), 4.8, 3.4)
    for ax, algorithm in zip(axes.flat, panels, strict=False):
        for label, library, variants, batch, colour, marker in LINES:
            found = [(n, _figure(record, robot, algorithm, library, batch, variants)) for robot, n in robots]
            points = [(n, 1e6 * f.minimum) for n, f in found if f is not None]
            if points:
                ax.plot(*zip(*points, strict=True), color=colour, marker=marker, ms=4.5, lw=1.6, label=label)
        ax.set(xscale="log", yscale="log", title=algorithm, xlabel="bodies", ylabel="time per state (µs)")
        _plain_ticks(ax.xaxis)
        _plain_ticks(ax.yaxis)
    title = {"chain": "Chains of revolute joints", "tree": "Binary trees of revolute joints"}[kind]
    return _finish(
        figure, f"{title}: time per state on one core", axes.flat[0], directory / f"time-against-bodies-{kind}"
    )


def bars(record: Record, directory: Path) -> Path:
    """Time per state by robot and library, one panel an algorithm."""
    robots = record.robots()
    panels = list(dict.fromkeys(a for robot in robots for a in record.algorithms(robot)))
    figure, axes = _grid(len(panels), 5.4, 2.7, sharey=True)
    for ax, algorithm in zip(axes.flat, panels, strict=False):
        _bar_panel(ax, record, algorithm, robots)
    for ax in axes[:, 0]:
        ax.set_ylabel("time per state (µs)")
    return _finish(
        figure,
        "Time per state on one core, and how much faster batches of 10,000 are by sixd than by Pinocchio C++",
        axes.flat[0],
        directory / "time-by-robot",
    )


def _bar_panel(ax: Any, record: Record, algorithm: str, robots: list[str]) -> None:
    """One algorithm: a group of bars a robot, with the ratio of sixd to Pinocchio C++ over the last."""
    width = 0.85 / len(LINES)
    for k, (label, library, variants, batch, colour, _) in enumerate(LINES):
        found = [_figure(record, robot, algorithm, library, batch or LARGE, variants) for robot in robots]
        places = [x + (k - (len(LINES) - 1) / 2) * width for x, f in enumerate(found) if f is not None]
        ax.bar(places, [1e6 * f.minimum for f in found if f is not None], width, color=colour, label=label)
    for x, robot in enumerate(robots):
        theirs, ours = record.pinocchio(robot, algorithm, LARGE), record.kernel(robot, algorithm, LARGE)
        if theirs is not None and ours is not None:
            place = x + (len(LINES) / 2 - 0.95) * width, 1.12e6 * ours.minimum
            ax.annotate(f"{theirs.minimum / ours.minimum:.2g}×", place, fontsize=8, color="#d62728")
    ax.set(yscale="log", title=algorithm, xlim=(-0.55, len(robots) - 0.45))
    ax.set_xticks(range(len(robots)), robots)
    ax.grid(axis="x", visible=False)
    _plain_ticks(ax.yaxis)


def _figure(
    record: Record, robot: str, algorithm: str, library: str, batch: int | None, variants: tuple[str, ...] | None
) -> Figure | None:
    """The figure of a line or a bar."""
    if library == CPP:
        return record.pinocchio(robot, algorithm, batch)
    return record.best(robot, algorithm, library, batch, variants)


def _grid(panels: int, width: float, height: float, sharey: bool = False) -> tuple[Any, Any]:
    """A figure with so many panels of this size (inches), two in a row."""
    import matplotlib.pyplot as plt

    columns = min(2, panels)
    rows = -(-panels // columns)
    size = (width * columns + 0.4, height * rows + 0.9)
    figure, axes = plt.subplots(rows, columns, figsize=size, sharey=sharey, squeeze=False)
    for ax in axes.flat[panels:]:
        ax.set_visible(False)
    return figure, axes


def _plain_ticks(axis: Any) -> None:
    """0.1, 1, 10, 100 instead of powers of ten."""
    axis.set_major_formatter(lambda x, _: f"{x:,.10g}")
    axis.set_minor_formatter(lambda x, _: "")


def _finish(figure: Any, title: str, legend_of: Any, stem: Path) -> Path:
    """Title above, legend below, both outside the panels; written in both formats."""
    import matplotlib.pyplot as plt

    handles, labels = legend_of.get_legend_handles_labels()
    inches = figure.get_size_inches()[1]
    figure.suptitle(title, y=1.0 - 0.1 / inches, va="top", fontsize=12)
    rows = 1 if figure.get_size_inches()[0] > 11 else 2
    figure.legend(handles, labels, loc="lower center", ncols=-(-len(labels) // rows), frameon=False)
    figure.tight_layout(rect=(0, (0.05 + 0.25 * rows) / inches, 1, 1.0 - 0.05 / inches))
    for suffix, options in ((".png", {}), (".svg", {"metadata": {"Date": None}})):
        figure.savefig(stem.with_suffix(suffix), **options)
    plt.close(figure)
    return stem.with_suffix(".png")
