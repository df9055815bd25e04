"""Draws the gallery: skeletons, and the inertia of every body as the solid ellipsoid that has it.

python examples/draw_robots.py [picture.png]          needs matplotlib
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import sixd

BONE, MASS, TIP = "#1f3a5f", "#e07a3f", "#2a9d8f"


def ellipsoid(inertia: sixd.Inertia) -> np.ndarray | None:
    """Points (n, m, 3) on the uniform solid ellipsoid with this mass and inertia, in body coordinates."""
    if inertia.m <= 0.0:
        return None
    I = inertia.I_com.array()
    moments, axes = np.linalg.eigh(0.5 * np.trace(I) * np.eye(3) - I)  # second moments of mass
    radii = np.sqrt(5.0 * np.clip(moments, 0.0, None) / inertia.m)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13))
    sphere = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1)
    return sphere * radii @ axes.T + inertia.com.array()


def draw(ax: plt.Axes, robot: sixd.Robot, q: np.ndarray) -> None:
    """One robot at one position."""
    names = robot.bodies.names
    poses = dict(zip(robot.frames.names, robot.poses(q), strict=True))
    for i, body in enumerate(robot.bodies):
        here = poses[names[i]]
        if i and robot.bodies[body.parent].name != "world":
            ends = np.stack([poses[names[body.parent]][:3, 3], here[:3, 3]])
            ax.plot(*ends.T, color=BONE, lw=3, solid_capstyle="round", zorder=3)
        if i:
            ax.scatter(*here[:3, 3], color=BONE, s=22, zorder=4)
            surface = ellipsoid(body.inertia)
            if surface is not None:
                points = surface @ here[:3, :3].T + here[:3, 3]
                ax.plot_surface(*np.moveaxis(points, -1, 0), color=MASS, alpha=0.22, linewidth=0)
    for frame in robot.frames:
        if frame.name not in names and not frame.name.startswith("dh"):
            ends = np.stack([poses[names[frame.body]][:3, 3], poses[frame.name][:3, 3]])
            ax.plot(*ends.T, color=BONE, lw=3, solid_capstyle="round")
            ax.scatter(*ends[1], color=TIP, s=40, zorder=5)
    com = robot.center_of_mass(q)
    ax.scatter(*com, color="black", marker="x", s=50, zorder=6)
    ax.set_title(f"{robot.name}\n{robot.n_bodies} bodies, {robot.nv} dof, {robot.mass:.3g} kg", fontsize=10)
    ax.set_aspect("equal")
    ax.set_axis_off()


def main(path: str = "robots.png") -> None:
    puma, arm, dog = sixd.gallery.puma560(), sixd.gallery.seven_axis_arm(), sixd.gallery.quadruped()
    stand = dog.neutral()
    for leg in ("FL", "FR", "RL", "RR"):
        stand[dog.joint(f"{leg}_flexion").q] = 0.8
        stand[dog.joint(f"{leg}_knee").q] = -1.5
    shown = [
        (puma, np.array([0.3, 0.8, -2.6, 0.4, 0.6, 0.0])),
        (arm, np.array([0.4, 0.6, 0.2, 1.2, 0.3, 0.8, 0.0])),
        (dog, stand),
    ]
    figure = plt.figure(figsize=(11, 4.2))
    for k, (robot, q) in enumerate(shown, start=1):
        ax = figure.add_subplot(1, 3, k, projection="3d", computed_zorder=False)
        ax.view_init(elev=18, azim=-58)
        draw(ax, robot, q)
    figure.subplots_adjust(wspace=0.0)
    figure.savefig(path, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
