"""An arm swings in vacuum, in air and under water: buoyancy carries it, drag stops it.

Each link is a tube, closed at both ends. Its buoyancy is rho V g at its middle; its drag grows with the square of the
speed, 1/2 rho C_d A |v| v, across and hardly along the tube, felt at three places of it. What drag takes is what the
energy loses. A tube as heavy as the water it displaces hangs in any position.

    python examples/underwater_arm.py [underwater_arm.png]  needs matplotlib; writes a page too, underwater_arm.html
"""

import sys
from pathlib import Path

import numpy as np

import sixd
from sixd.joints import Revolute
from sixd.model.parts import Visual
from sixd.simulation.forces import Buoyancy, Drag

#: Length and radius of a tube, m, its mass, kg, and its volume, m^3. Fluids by density, kg/m^3.
LENGTH, RADIUS, MASS = 0.6, 0.05, 7.0
VOLUME = np.pi * RADIUS**2 * LENGTH
FLUIDS = {"vacuum": 0.0, "air": 1.2, "water": 1000.0}
#: Where the arm is let go: rather high.
START = np.array([2.0, 0.4, -0.5])


def arm(mass: float = MASS) -> sixd.Robot:
    """Three tubes, one below the other, that swing about y axes; three places on each feel drag."""
    b = sixd.Builder("underwater arm")
    across, along = mass * (LENGTH**2 / 12 + RADIUS**2 / 4), mass * RADIUS**2 / 2
    middle = (0, 0, -LENGTH / 2)
    for i in (1, 2, 3):
        b.body(
            f"tube{i}",
            parent="base" if i == 1 else f"tube{i - 1}",
            joint=Revolute((0, 1, 0)),
            joint_name=f"joint{i}",
            xyz=(0, 0, 0 if i == 1 else -LENGTH),
            mass=mass,
            com=middle,
            inertia=(across, across, along),
        )
        for k in range(3):
            b.frame(f"tube{i}_{k}", on=f"tube{i}", xyz=(0, 0, -LENGTH * (k + 0.5) / 3))
        place = sixd.Transform.translation(middle)
        b.visuals.append(Visual(f"tube{i}", "capsule", (RADIUS, LENGTH), offset=place, color=(0.9, 0.7, 0.1, 1.0)))
    return b.build()


def fluid(density: float) -> list[Buoyancy | Drag]:
    """Buoyancy and drag of all tubes in a fluid; C_d = 1.1 across a tube, 0.05 along it."""
    parts: list[Buoyancy | Drag] = []
    for i in (1, 2, 3):
        parts.append(Buoyancy(f"tube{i}", VOLUME, center=(0, 0, -LENGTH / 2), density=density))
        area = 2 * RADIUS * LENGTH / 3
        c = 0.5 * density * area * np.array([1.1, 1.1, 0.05])
        parts += [Drag(f"tube{i}_{k}", quadratic=c) for k in range(3)]
    return parts


def swing(density: float, seconds: float, mass: float = MASS) -> sixd.simulation.Trajectory:
    """The arm, let go, in a fluid."""
    robot, forces = arm(mass), fluid(density) if density else []
    return sixd.simulate(robot, START, np.zeros(3), seconds, dt=1e-3, forces=forces, integrator="rk4", books=True)


def draw(path: str, runs: dict[str, sixd.simulation.Trajectory]) -> None:
    """Above, the way of the tip in each fluid, with the arm at some times; below, the energy over time."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 3, figsize=(10, 6.2), layout="constrained", sharey="row")
    for (name, run), above, below in zip(runs.items(), *panels, strict=True):
        robot, few = run.robot, np.linspace(0, len(run) - 1, 12).astype(int)
        joints = np.stack([robot.pose(run.q, f"tube{i}")[:, :3, 3] for i in (1, 2, 3)], axis=1)
        ends = robot.pose(run.q, "tube3") @ np.array([0, 0, -LENGTH, 1])
        chain = np.concatenate([joints, ends[:, None, :3]], axis=1)
        for k in few:
            above.plot(chain[k, :, 0], chain[k, :, 2], color="0.3", alpha=0.15 + 0.75 * k / len(run), linewidth=2)
        above.plot(ends[:, 0], ends[:, 2], color="C0", linewidth=0.8)
        above.set(title=f"{name}, {run.t[-1]:g} s", xlabel="x, m", aspect="equal", xlim=(-2, 2), ylim=(-2, 2))
        start = run.energy[0]  # at rest: all of it is potential
        below.plot(run.t, run.potential_energy - start, label="potential")
        below.plot(run.t, run.kinetic_energy, label="kinetic")
        below.plot(run.t, run.energy - start, label="sum")
        below.set(xlabel="t, s")
        below.grid(alpha=0.3)
    panels[0, 0].set_ylabel("z, m")
    panels[1, 0].set_ylabel("energy, less that at the start, J")
    panels[1, 2].legend()
    figure.savefig(path, dpi=90)


def main(path: str = "underwater_arm.png", seconds: float = 6.0) -> None:
    runs = {name: swing(density, seconds) for name, density in FLUIDS.items()}
    for name, run in runs.items():
        drag = sum(w for source, w in zip(run.sources, run.work[-1], strict=True) if source.startswith("drag"))
        lost = run.energy[-1] - run.energy[0]
        speed = np.abs(run.qd).max()
        print(f"{name:7} drag does {drag:+10.5f} J, energy changes by {lost:+10.5f} J; at most {speed:5.2f} rad/s")
    still = swing(1000.0, 1.0, mass=1000.0 * VOLUME)
    print(f"as heavy as water, it hangs: it moves by {np.abs(still.q - START).max():.0e} rad in 1 s")
    draw(path, runs)
    runs["water"].save_html(Path(path).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
