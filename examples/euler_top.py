"""A box spins about its middle axis and flips over, again and again: the Dzhanibekov effect.

Without moments, Euler's equations I dw/dt + w x I w = 0 have the solution w = (a cn, b sn, c dn)(u | m) by Jacobi's
elliptic functions: L. D. Landau and E. M. Lifshitz, "Mechanics", section 37. The simulation is laid on it. Energy and
the angular momentum in the world are constant.

    python examples/euler_top.py [euler_top.png]            needs matplotlib, SciPy; writes a page too, euler_top.html
"""

import sys
from pathlib import Path

import numpy as np

import sixd
from sixd.joints import Spherical
from sixd.model.parts import Visual

#: The sides of the box, m, its mass, kg, and its angular velocity at the start, rad/s: about the middle axis, nearly.
SIDES, MASS, W0 = np.array([0.30, 0.20, 0.05]), 1.0, np.array([0.0, 6.0, 0.01])
#: Moments of inertia, kg m^2, in rising order.
I = MASS / 12 * (np.sum(SIDES**2) - SIDES**2)


def box() -> sixd.Robot:
    """The box, held at its centre, free to turn, without gravity."""
    b = sixd.Builder("spinning box")
    b.body("box", joint=Spherical(), joint_name="centre", mass=MASS, com=(0, 0, 0), inertia=tuple(I))
    b.visuals.append(Visual("box", "box", tuple(SIDES), color=(0.25, 0.5, 0.8, 1.0)))
    return b.build(gravity=(0, 0, 0))


def exact(t: np.ndarray) -> tuple[np.ndarray, float]:
    """The angular velocity in the box's axes at times t, (T, 3), and the time from flip to flip."""
    from scipy.special import ellipj, ellipkm1

    E2, L2 = I @ W0**2, I**2 @ W0**2  # twice the energy, and the square of the angular momentum
    a = np.sqrt((E2 * I[2] - L2) / (I[0] * (I[2] - I[0])))
    b = np.sqrt((E2 * I[2] - L2) / (I[1] * (I[2] - I[1])))
    c = np.sqrt((L2 - E2 * I[0]) / (I[2] * (I[2] - I[0])))
    rate = np.sqrt((I[2] - I[1]) * (L2 - E2 * I[0]) / I.prod())
    m = (I[1] - I[0]) * (E2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - E2 * I[0]))
    quarter = ellipkm1(1.0 - m)
    sn, cn, dn, _ = ellipj(quarter + rate * t, m)  # at t = 0, w is largest along the middle axis
    return np.stack([a * cn, b * sn, c * dn], axis=1), 2 * quarter / rate


def draw(path: str, run: sixd.simulation.Trajectory) -> None:
    """The angular velocity over time, and the path of the angular momentum on its sphere, in the box's axes."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(10, 4.2), layout="constrained")
    grid = figure.add_gridspec(1, 2, width_ratios=(1.7, 1))
    panel, ball = figure.add_subplot(grid[0]), figure.add_subplot(grid[1], projection="3d")
    few = slice(None, None, max(1, len(run.t) // 60))
    for k, name in enumerate(("long axis", "middle axis", "short axis")):
        panel.plot(run.t, run.qd[:, k], color=f"C{k}", label=name)
        panel.plot(run.t[few], exact(run.t)[0][few, k], "o", color=f"C{k}", markersize=3.5)
    panel.set(xlabel="t, s", ylabel="angular velocity, rad/s", title="lines: simulated; dots: elliptic functions")
    panel.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False)
    panel.grid(alpha=0.3)
    L = I * run.qd / np.linalg.norm(I * W0)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 40), np.linspace(0, np.pi, 20))
    ball.plot_surface(np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v), color="0.85", alpha=0.25, linewidth=0)
    ball.plot(*L.T, color="C3")
    for axis, name in zip(1.35 * np.eye(3), ("long", "middle", "short"), strict=True):
        ball.plot(*np.outer(axis, [0, 1]), color="0.4", linewidth=1)
        ball.text(*(1.12 * axis), name, ha="center")
    ball.set(title="angular momentum seen from the box", xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    ball.set_box_aspect((1, 1, 1), zoom=1.1)
    ball.view_init(elev=25, azim=35)
    ball.set_axis_off()
    figure.savefig(path, dpi=100)


def main(path: str = "euler_top.png", seconds: float = 12.0) -> None:
    robot = box()
    run = sixd.simulate(robot, robot.neutral(), W0, seconds, dt=0.01, integrator="dopri5", rtol=1e-12, atol=1e-13)
    wanted, flip = exact(run.t)
    momentum = robot.momentum(run.q, run.qd)[:, :3]
    flips = np.count_nonzero(np.diff(np.sign(run.qd[:, 1])))
    print(f"it flips over every {flip:.4f} s: {flips} times in {seconds:g} s")
    print(f"distance from the elliptic functions: {np.abs(run.qd - wanted).max():.0e} rad/s")
    print(f"change of the energy:                 {np.ptp(run.energy) / run.energy[0]:.0e} of its value")
    change = np.ptp(momentum, axis=0).max() / np.linalg.norm(momentum[0])
    print(f"change of the angular momentum:       {change:.0e} of its value")
    draw(path, run)
    run.save_html(Path(path).with_suffix(".html"), curves={"angular velocity [rad/s]": run.qd})


if __name__ == "__main__":
    main(*sys.argv[1:2])
