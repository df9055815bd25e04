"""Plots of trajectories, by matplotlib."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sixd.errors import ArgumentError
from sixd.process.forks import importing
from sixd.simulation.columns import one_sample
from sixd.simulation.parts import joints_of
from sixd.tables.fields import coordinate_names

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["plot"]

#: Lines beyond are too many for a legend.
MOST_NAMED = 20
_TITLES = {"q": "position", "qd": "velocity", "tau": "joint force"}


def plot(trajectory: Trajectory, joints: Any = None) -> Any:
    """A figure with positions, velocities, joint forces and energies of one sample over time.

    ``joints``: the names of those to show, all by default.
    """
    with importing:
        try:
            figures = import_module("matplotlib.figure")
        except ImportError:
            raise ArgumentError("plot needs matplotlib: pip install matplotlib, or 'sixd[plot]'") from None
    robot = one_sample(trajectory, "plot").robot
    own = [joint for joint in robot.joints if joint.mimic is None]
    chosen = own if joints is None else joints_of(robot, joints)
    figure = figures.Figure(figsize=(8.0, 9.0), layout="constrained")
    axes = figure.subplots(4, 1, sharex=True)
    for ax, quantity in zip(axes, _TITLES, strict=False):
        names, array = coordinate_names(robot, quantity == "q"), getattr(trajectory, quantity)
        for joint in chosen:
            where = joint.q if quantity == "q" else joint.v
            for k in range(where.start, where.stop):
                number = joint.q.start + k - where.start  # a joint looks the same in all panels
                look = f"C{number % 10}{'--' if number // 10 % 2 else '-'}"  # there are ten colours
                ax.plot(trajectory.t, array[:, k], look, label=names[k], linewidth=1.2)
        ax.set_ylabel(f"{_TITLES[quantity]}\n[{_units(quantity)}]")
        ax.grid(alpha=0.3)
    lines = axes[0].get_lines()
    beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "fontsize": "small", "frameon": False}
    if 1 < len(lines) <= MOST_NAMED:
        axes[0].legend(ncols=1 if len(lines) <= 10 else 2, columnspacing=1.0, **beside)
    elif lines:
        many = f"{len(lines)} coordinates:\njoints=[...] of plot\nshows some by name"
        title = many if len(lines) > 1 else lines[0].get_label()
        axes[0].legend([], [], title=title, title_fontsize="small", **beside)
    for name in ("kinetic", "potential"):
        axes[3].plot(trajectory.t, getattr(trajectory, f"{name}_energy"), label=name, linewidth=1.2)
    axes[3].plot(trajectory.t, trajectory.energy, "k", label="total", linewidth=1.2)
    axes[3].set_ylabel("energy\n[J]")
    axes[3].set_xlabel("time [s]")
    axes[3].legend(**beside)
    axes[3].grid(alpha=0.3)
    if len(trajectory) > 1:
        axes[3].set_xlim(float(trajectory.t[0]), float(trajectory.t[-1]))
    figure.suptitle(robot.name)
    return figure


def _units(quantity: str) -> str:
    """Units of revolute and of sliding joints."""
    return {"q": "rad or m", "qd": "rad/s or m/s", "tau": "N m or N"}[quantity]
