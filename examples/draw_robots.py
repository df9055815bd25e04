"""Draws the gallery: skeletons, and the inertia of every body as the solid ellipsoid that has it.

python examples/draw_robots.py [picture.png]          needs matplotlib
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import sixd


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
        robot.plot(q, layers=("skeleton", "inertias", "coms"), ax=ax)
    figure.subplots_adjust(wspace=0.0)
    figure.savefig(path, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
