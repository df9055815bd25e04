"""Talos, a humanoid of 90 kg, faints and falls.

Spheres at feet, knees, hips, chest, head, elbows and hands touch the ground. Joints have damping and stops at their
limits, and no motors. Dampers, stops and the ground only take energy, so the energy must never grow, and what each of
them took adds up to what is missing. In the end the ground carries the weight.

    python examples/falling_talos.py [falling_talos.png]    needs matplotlib; writes a page too, falling_talos.html

Talos comes with the package example-robot-data.
"""

import sys
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np

import sixd
from sixd.simulation.contact import Compliant, Contacts, Sphere
from sixd.simulation.forces import JointDamper, JointStops

#: The spheres that touch the ground: frames and radii, m.
SPHERES = {"base_link": 0.15, "torso_2_link": 0.18, "head_2_link": 0.12}
for side in ("left", "right"):
    SPHERES |= {f"leg_{side}_6_link": 0.1, f"leg_{side}_4_link": 0.08, f"arm_{side}_4_link": 0.06}
    SPHERES |= {f"gripper_{side}_base_link": 0.07}


def talos() -> sixd.Robot:
    """Talos on a free base."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        sys.exit("Talos comes with another package: pip install example-robot-data")
    urdf = next(f for f in files if str(f).endswith("talos_data/robots/talos_reduced.urdf"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)  # of what its file says about single links
        return sixd.load(Path(str(urdf.locate())), base="free")


def standing(robot: sixd.Robot) -> np.ndarray:
    """With bent knees and elbows, on the ground."""
    q = robot.clip(robot.neutral())
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for joint, angle in (("leg_{}_3", -0.4), ("leg_{}_4", 0.8), ("leg_{}_5", -0.4), ("arm_{}_4", -0.6)):
            q[robot.joint(joint.format(side) + "_joint").q] = angle
        q[robot.joint(f"arm_{side}_2_joint").q] = 0.3 * sign
    q[6] -= min(robot.pose(q, frame)[2, 3] - radius for frame, radius in SPHERES.items())
    return q


def fall(robot: sixd.Robot, q: np.ndarray, spheres: dict[str, float], seconds: float) -> sixd.simulation.Trajectory:
    """The motion after a push forward and to the side, with the work of dampers, stops and ground in its books."""
    qd = np.zeros(robot.nv)
    qd[3:6] = (0.5, 0.2, 0.0)
    law = Compliant(stiffness=3e5, damping=0.5, viscosity=200.0)
    contacts = Contacts([Sphere(frame, radius) for frame, radius in spheres.items()], law=law)
    forces = [JointDamper(4.0), JointStops(stiffness=500.0, dissipation=0.5)]
    return sixd.simulate(robot, q, qd, seconds, dt=2e-4, forces=forces, contacts=contacts, record=20, books=True)


def report(run: sixd.simulation.Trajectory) -> None:
    """Energy, load and depth."""
    load = run.contact_forces[..., 2].sum(axis=1) / (run.robot.mass * 9.81)
    work, change = run.work[-1], run.mechanical_energy[-1] - run.mechanical_energy[0]
    forces = run.contact_forces[..., 2]
    for k in np.argsort(forces.argmax(axis=0)):
        when, most = run.t[forces[:, k].argmax()], forces[:, k].max()
        if most > 0.0:
            print(f"{when:5.2f} s  hardest knock of {run.contact_names[k]}: {most:.0f} N")
    print("work, J:", ", ".join(f"{name} {w:+.1f}" for name, w in zip(run.sources, work, strict=True)))
    print(f"change of energy {change:+.1f} J: {100 * abs(work.sum() - change) / abs(change):.2f} % is unaccounted for")
    grows = np.diff(run.energy).max() > 1e-9 * np.ptp(run.energy)  # more than rounding
    print(
        f"the energy {'grows somewhere' if grows else 'never grows'}; {run.energy[0] - run.energy[-1]:.1f} J are lost"
    )
    print(f"in the end the ground carries {load[run.t > 0.9 * run.t[-1]].mean():.3f} of the weight")


def draw(path: str, run: sixd.simulation.Trajectory) -> None:
    """Pictures of the fall; below, where the energy went, and the force of the ground."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(10, 6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(0.9, 1))
    scenes = above.subplots(1, 5, subplot_kw={"projection": "3d", "computed_zorder": False})
    for t, panel in zip(np.linspace(0.0, min(1.2, run.t[-1]), 5), scenes, strict=True):
        now = np.abs(run.t - t).argmin()
        run.robot.plot(run.q[now], ax=panel)
        x, y = run.center_of_mass[now, :2]
        panel.set(title=f"t = {t:.1f} s", xlim=(x - 0.9, x + 0.9), ylim=(y - 0.9, y + 0.9), zlim=(0.0, 1.8))
        panel.set_box_aspect((1, 1, 1), zoom=1.6)
        panel.view_init(elev=5, azim=-75)
    energies, forces = below.subplots(1, 2)
    sources = dict(zip(run.sources, run.work.T, strict=True))
    taken = {"still there": run.mechanical_energy - run.mechanical_energy[-1]}
    taken |= {f"taken by {name}": -sources[name] for name in ("contact", "joint_damper", "joint_stops")}
    energies.stackplot(run.t, *taken.values(), labels=taken, alpha=0.8)
    energies.set(xlabel="t, s", ylabel="energy, J", xlim=(0.0, run.t[-1]))
    energies.legend(loc="lower right", fontsize="small")
    forces.plot(run.t, run.contact_forces[..., 2].sum(axis=1), color="C3")
    forces.axhline(run.robot.mass * 9.81, color="0.4", linestyle="--", label="weight")
    forces.set(xlabel="t, s", ylabel="force of the ground, N", xlim=(0.0, run.t[-1]))
    forces.legend()
    forces.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main(path: str = "falling_talos.png", seconds: float = 3.0) -> None:
    robot = talos()
    run = fall(robot, standing(robot), SPHERES, seconds)
    report(run)
    draw(path, run)
    run.save_html(Path(path).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
