"""Plots of trajectories, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixd.model import JointView, Model
from sixd.model.units import coordinate_units
from sixd.simulation.columns import one_sample
from sixd.simulation.parts import joints_of
from sixd.view.extras import optional, plain

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["plot"]

#: Lines beyond are too many for a legend.
MOST_NAMED = 20
_TITLES = {"q": "position", "qd": "velocity", "tau": "joint force"}


def plot(trajectory: Trajectory, joints: Any = None) -> Any:
    """A figure with positions, velocities, joint forces, if there are any, and energies of one sample over time.

    ``joints``: the names of those to show, all by default.
    """
    pyplot = optional("matplotlib.pyplot", "plot", "plot")
    robot = one_sample(trajectory, "plot").robot
    own = [joint for joint in robot.joints if joint.mimic is None]
    chosen = own if joints is None else joints_of(robot, joints)
    shown = [quantity for quantity in _TITLES if quantity != "tau" or trajectory.tau.any()]
    figure = pyplot.figure(figsize=(8.0, 2.25 * (len(shown) + 1)), layout="constrained")
    *axes, energies = figure.subplots(len(shown) + 1, 1, sharex=True)
    for ax, quantity in zip(axes, shown, strict=True):
        array = getattr(trajectory, quantity)
        for joint in chosen:
            where = joint.q if quantity == "q" else joint.v
            for k, (name, place) in enumerate(zip(*_coordinates(joint, quantity), strict=True), start=where.start):
                number = joint.q.start + place  # a joint looks the same in all panels
                look = f"C{number % 10}{'--' if number // 10 % 2 else '-'}"  # there are ten colours
                ax.plot(trajectory.t, array[:, k], look, label=_label(name), linewidth=1.2)
        ax.set_ylabel(f"{_TITLES[quantity]}\n[{_units(quantity, robot, chosen)}]")
        ax.grid(alpha=0.3)
    lines = axes[0].get_lines()
    beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "fontsize": "small", "frameon": False}
    for ax, quantity in zip(axes[1:], shown[1:], strict=True):
        turned = [
            _label(name) for joint in chosen if _has_quaternion(joint) for name in _coordinates(joint, quantity)[0]
        ]
        if len(lines) <= MOST_NAMED and turned:
            named = {line.get_label(): line for line in ax.get_lines()}
            ax.legend([named[name] for name in turned], turned, **beside)
    if 1 < len(lines) <= MOST_NAMED:
        axes[0].legend(ncols=1 if len(lines) <= 10 else 2, columnspacing=1.0, **beside)
    elif lines:
        many = f"{len(lines)} coordinates:\njoints=[...] of plot\nshows some by name"
        title = many if len(lines) > 1 else lines[0].get_label()
        axes[0].legend([], [], title=title, title_fontsize="small", **beside)
    for name in ("kinetic", "potential"):
        energies.plot(trajectory.t, getattr(trajectory, f"{name}_energy"), label=name, linewidth=1.2)
    energies.plot(trajectory.t, trajectory.energy, "k", label="total", linewidth=1.2)
    energies.set_ylabel("energy\n[J]")
    energies.set_xlabel("time [s]")
    energies.legend(**beside)
    energies.grid(alpha=0.3)
    if len(trajectory) > 1:
        energies.set_xlim(float(trajectory.t[0]), float(trajectory.t[-1]))
    figure.suptitle(plain(robot.name))
    return figure


def _has_quaternion(joint: JointView) -> bool:
    return joint.type.nq == joint.type.nv + 1


def _coordinates(joint: JointView, quantity: str) -> tuple[list[str], list[int]]:
    """What the coordinates of a joint are called in q, qd or tau, and which entry of its q each goes with.

    Those of a quaternion (x, y, z, w) go with the three freedoms of turning about x, y and z.
    """
    number = joint.type.nq if quantity == "q" else joint.type.nv
    if not _has_quaternion(joint):
        names = [joint.name] if number == 1 else [f"{joint.name}[{k}]" for k in range(number)]
        return names, list(range(number))
    turns = {"q": ["qx", "qy", "qz", "qw"], "qd": ["wx", "wy", "wz"], "tau": ["nx", "ny", "nz"]}[quantity]
    moves = {"q": "xyz", "qd": ("vx", "vy", "vz"), "tau": ("fx", "fy", "fz")}[quantity]
    parts = [*turns, *moves][:number]
    places = [k if quantity == "q" or k < 3 else k + 1 for k in range(number)]
    return [f"{joint.name} {part}" for part in parts], places


def _label(name: str) -> str:
    """A name in a legend, which leaves out those that begin with _."""
    return f" {plain(name)}" if name.startswith("_") else plain(name)


def _units(quantity: str, robot: Model, joints: Sequence[JointView]) -> str:
    """The unit of a quantity of these joints: that of what turns, that of what slides, or both."""
    names = {"rad": {"q": "rad", "qd": "rad/s", "tau": "N m"}, "m": {"q": "m", "qd": "m/s", "tau": "N"}}
    of_joints = coordinate_units(robot)
    found = {unit for joint in joints for unit in of_joints[joint.name]}
    units = [names[unit][quantity] for unit in names if unit in found or not found]
    return " or ".join([*units, *(["1"] if quantity == "q" and any(map(_has_quaternion, joints)) else [])])
