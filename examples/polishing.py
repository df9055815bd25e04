"""An arm polishes a wavy table: it follows a path along it, and presses on it with a set force.

Hybrid motion and force control after Khatib (1987). Along x and y, and in its attitude, the tool is led; along z it
presses, with 15 N, then 25 N. The table rises and falls by 4 mm, which the controller does not know, and rubs.
Without a sensor the waves push back, and friction holds the tool behind its path. With a sensor of the contact
force, the controller corrects the one and cancels the other.

    python examples/polishing.py [polishing.png]  needs matplotlib; writes a page too, polishing.html
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

import sixd
from sixd import ops
from sixd.simulation.contact import Compliant, Contacts, HeightField, Point
from sixd.simulation.controllers import HybridForceControl

ARM = sixd.gallery.seven_axis_arm()
#: Seconds, and the length of a step.
DURATION, DT = 8.0, 1e-3
#: The path is a figure of eight: its middle, m, its half width and height, m, and the time of one round, s.
MIDDLE, EXTENT, ROUND = np.array([0.5, 0.0, 0.2]), np.array([0.06, 0.1]), 4.0
#: The force, N, before and after half time.
PRESS = 15.0, 25.0


def table(x: Any, y: Any) -> Any:
    """The height of the table, m: waves of 4 mm, 12 cm long, at an angle."""
    return 0.2 + 0.004 * ops.sin((2 * np.pi / 0.12) * (0.8 * x + 0.6 * y))


def path(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration along x and y at times t, each (..., 2)."""
    w = 2 * np.pi / ROUND * np.array([2.0, 1.0])
    angle = t[..., None] * w
    return EXTENT * np.sin(angle), EXTENT * w * np.cos(angle), -EXTENT * w**2 * np.sin(angle)


def inputs() -> dict[str, np.ndarray]:
    """What the controller is given at each step: poses, velocities, accelerations and forces of the tool."""
    t = DT * np.arange(round(DURATION / DT))
    x, v, a = path(t)
    poses = np.zeros((len(t), 4, 4))
    poses[:] = np.diag([-1.0, 1.0, -1.0, 1.0])  # pointing down
    poses[:, :3, 3] = MIDDLE
    poses[:, :2, 3] += x
    found = {name: np.zeros((len(t), 6)) for name in ("v", "a", "f")}
    found["v"][:, 3:5], found["a"][:, 3:5] = v, a
    found["f"][:, 5] = -np.where(t < DURATION / 2, *PRESS)
    return {"x": poses, **found}


def polish(force_gain: float | None) -> sixd.simulation.Trajectory:
    """The arm at work; without a sensor if there is no gain."""
    contacts = Contacts([Point("tool")], HeightField(table), Compliant(stiffness=1e5, friction=0.3))
    control = HybridForceControl(
        "tool",
        kp=400.0,
        kd=40.0,
        force_along="z",
        force="f",
        kind="pose",
        target="x",
        velocity="v",
        acceleration="a",
        sensor=None if force_gain is None else contacts.elements()[0],
        force_gain=force_gain or 0.0,
        force_damping=30.0,
        null_damping=5.0,
    )
    given = inputs()
    down = given["x"][0].copy()
    down[2, 3] = table(*down[:2, 3])
    start = ARM.inverse_kinematics("tool", down, q0=[0.0, 0.6, 0.0, -1.5, 0.0, 0.9, 0.0])
    J, v = ARM.jacobian(start.q, "tool", "aligned"), given["v"][0]
    qd = np.linalg.pinv(J) @ v
    return sixd.simulate(
        ARM, start.q, qd, DURATION, dt=DT, control=control, contacts=contacts, inputs=given, integrator="rk4"
    )


def errors(run: sixd.simulation.Trajectory) -> dict[str, np.ndarray]:
    """Where the tool is off its path, m, and how hard it presses too much, N."""
    at = ARM.pose(run.q, "tool")[:, :3, 3]
    pressed = run.contact_forces.reshape(len(run), -1, 3).sum(axis=1)[:, 2]
    wanted = np.where(run.t < DURATION / 2, *PRESS)
    return {"at": at, "off": at[:, :2] - MIDDLE[:2] - path(run.t)[0], "pressed": pressed, "too much": pressed - wanted}


def draw(picture: str, runs: dict[str, sixd.simulation.Trajectory]) -> None:
    """Left, the path on the table and the way off it; right, the force and its error."""
    from matplotlib import pyplot

    figure, ((where, force), (off, error)) = pyplot.subplots(2, 2, figsize=(10, 6.6), layout="constrained")
    y, x = np.meshgrid(np.linspace(-0.14, 0.14, 280), np.linspace(0.42, 0.58, 160))
    heights = where.pcolormesh(y, x, 1e3 * (table(x, y) - MIDDLE[2]), cmap="Greys", alpha=0.5)
    figure.colorbar(heights, ax=where, label="height, mm", shrink=0.8)
    t = next(iter(runs.values())).t
    force.plot(t, np.where(t < DURATION / 2, *PRESS), color="0.2", linewidth=1, linestyle="--", label="set")
    for (name, run), color in zip(runs.items(), ("C1", "C0"), strict=True):
        found = errors(run)
        where.plot(found["at"][:, 1], found["at"][:, 0], color=color, linewidth=1, label=name)
        force.plot(t, found["pressed"], color=color, linewidth=0.9, label=name)
        off.plot(t, 1e3 * np.linalg.norm(found["off"], axis=1), color=color, linewidth=0.9, label=name)
        error.plot(t, found["too much"], color=color, linewidth=0.9, label=name)
    wanted = MIDDLE[:2] + path(t)[0]
    where.plot(wanted[:, 1], wanted[:, 0], color="0.2", linewidth=1, linestyle="--", label="set")
    where.set(xlabel="y, m", ylabel="x, m", aspect="equal", title="the tool on the table")
    force.set(xlabel="t, s", ylabel="force, N", ylim=(0, 40), title="how hard it presses")
    off.set(xlabel="t, s", ylabel="distance from the path, mm", ylim=(0, None))
    error.set(xlabel="t, s", ylabel="force, less what was set, N", ylim=(-12, 12))
    for panel in (force, off, error):
        panel.grid(alpha=0.3)
    force.legend(loc="lower right", fontsize="small")
    figure.savefig(picture, dpi=90)


def main(picture: str = "polishing.png") -> None:
    runs = {"without a sensor": polish(None), "with a sensor": polish(3.0)}
    for name, run in runs.items():
        found, settled = errors(run), (run.t % (DURATION / 2)) > 0.5
        off = 1e3 * np.linalg.norm(found["off"], axis=1)[settled].max()
        wrong = found["too much"][settled]
        print(f"{name:17} off its path by at most {off:6.3f} mm; force wrong by at most {np.abs(wrong).max():5.2f} N, "
              f"{np.sqrt(np.mean(wrong**2)):5.2f} N on average")  # fmt: skip
    draw(picture, runs)
    runs["with a sensor"].save_html(Path(picture).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
