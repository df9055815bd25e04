"""Motions of an arm between two positions: the straight one, and those of least energy, torque and curvature.

A motion of least kinetic energy is a geodesic of the mass matrix, PBP95 section 5: without gravity, the arm moves like
this by itself, without joint forces, and its energy is constant. A motion of least torque starts and ends at rest and
holds the arm's weight where that is easy. A motion of least curvature goes around where the dynamics change quickly.
All are found with exact gradients from compiled code, within the limits of positions and velocities.

    python examples/minimum_energy.py [--duration 4] [--plot minimum_energy.png]
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

import numpy as np

import sixd
from sixd.motion import COSTS, OptimizedMotion, check_gradient, optimize

#: Where the motion starts and ends.
Q0, Q1 = np.array([-1.1, 1.2, 0.0, 0.5, 0.0, 0.4, 0.0]), np.array([1.1, 1.3, 0.5, 0.9, -0.6, -0.5, 0.5])


def motions(arm: sixd.Robot, duration: float) -> dict[str, OptimizedMotion]:
    """The motion of least cost, for each cost."""
    return {cost: optimize(arm, Q0, Q1, duration, cost) for cost in COSTS}


def figures(arm: sixd.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[float, float, float, float]:
    """Of a motion: mean and spread of the kinetic energy, rms of the torques and of the scalar curvature."""
    T, tau = arm.kinetic_energy(q, qd), arm.inverse_dynamics(q, qd, qdd)
    R = arm.scalar_curvature(q)
    return T.mean(), np.ptp(T), np.sqrt(np.mean(np.sum(tau**2, axis=1))), np.sqrt(np.mean(R**2))


def straight(duration: float, samples: int = 101) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The straight motion at constant velocity."""
    s, qd = np.linspace(0.0, 1.0, samples)[:, None], np.tile((Q1 - Q0) / duration, (samples, 1))
    return Q0 + s * (Q1 - Q0), qd, np.zeros_like(qd)


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=4.0, help="how long the motion takes, s")
    parser.add_argument("--plot", help="a file for a picture of the paths; needs matplotlib")
    given = parser.parse_args(arguments)
    arm = sixd.gallery.seven_axis_arm()
    found = motions(arm, given.duration)
    for motion in found.values():
        print(motion)
    rows = {"straight": straight(given.duration), **{name: (m.q, m.qd, m.qdd) for name, m in found.items()}}
    print("\n           mean of T   max - min     rms tau       rms R")
    print("                   J           J         N m  1/(kg m^2)")
    for name, states in rows.items():
        print(f"{name:9}", *(f"{x:11.4g}" for x in figures(arm, *states)))
    error = max(check_gradient(arm, Q0, Q1, given.duration, cost).error for cost in COSTS)
    print(f"\nlargest relative difference of a gradient from differences: {error:.0e}")
    if given.plot:
        draw(arm, given.duration, rows).savefig(given.plot, dpi=100)


def draw(arm: sixd.Robot, duration: float, rows: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Any:
    """The way of the tool, the kinetic energy, the torques and the curvature along each motion."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(11, 7), layout="constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=(1.3, 1))
    space = figure.add_subplot(grid[:, 0], projection="3d")
    panels = [figure.add_subplot(grid[k, 1]) for k in range(3)]
    colors = {"straight": "0.6", "energy": "C0", "torque": "C3", "curvature": "C2"}
    for name, (q, qd, qdd) in rows.items():
        t, style = np.linspace(0.0, duration, len(q)), {"color": colors[name], "label": name}
        space.plot(*arm.pose(q, "tool")[:, :3, 3].T, linewidth=2, **style)
        panels[0].plot(t, arm.kinetic_energy(q, qd), **style)
        panels[1].plot(t, np.linalg.norm(arm.inverse_dynamics(q, qd, qdd), axis=1), **style)
        panels[2].plot(t, arm.scalar_curvature(q), **style)
    for q, dots in ((Q0, "o"), (Q1, "s")):
        joints = np.array([arm.pose(q, frame) for frame in (*(f"link{k}" for k in range(1, 8)), "tool")])
        bones = np.vstack([np.zeros(3), joints[:, :3, 3]])
        space.plot(*bones.T, color="0.3", marker=dots, markersize=4, linewidth=1.5)
    space.set(
        xlabel="x, m", ylabel="y, m", zlabel="z, m", title="way of the tool; the arm at its start (o) and end (□)"
    )
    space.set_aspect("equal")
    space.view_init(elev=35.0, azim=-25.0)
    for panel, what in zip(panels, ("kinetic energy, J", "|tau|, N m", "scalar curvature, 1/(kg m²)"), strict=True):
        panel.set(ylabel=what, xlim=(0.0, duration))
        panel.grid(alpha=0.3)
    panels[0].set(yscale="log", ylim=(0.02, 20.0))
    panels[-1].set_xlabel("t, s")
    panels[0].legend(ncols=2, fontsize="small")
    return figure


if __name__ == "__main__":
    main()
