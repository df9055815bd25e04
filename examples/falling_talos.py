"""Talos, a humanoid of 90 kg, faints and falls: spheres at feet, knees, hips, chest, head, elbows and hands touch the ground.

Its joints have damping and stops at their limits, and no motors. Dampers, stops and the ground only take energy, so the
energy must never grow; what each of them took adds up to what is missing. In the end the ground carries the weight.

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
    q[6] -= min(robot.pose(q, frame)[2, 3] - radius for frame, radius in SPHERES.items() if frame in robot.frame_names)
    return q


def fall(robot: sixd.Robot, q: np.ndarray, spheres: dict[str, float], seconds: float) -> sixd.simulation.Trajectory:
    """The motion after a push forward and to the side, with the work of dampers, stops and ground in its books."""
    qd = np.zeros(robot.nv)
    qd[3:6] = (0.5, 0.2, 0.0)
    contacts = Contacts([Sphere(*x) for x in spheres.items()], law=Compliant(stiffness=3e5, damping=0.5, viscosity=200.0))
    forces = [JointDamper(4.0), JointStops(stiffness=500.0, dissipation=0.5)]
    return sixd.simulate(robot, q, qd, seconds, dt=2e-4, forces=forces, contacts=contacts, record=20, books=True)


def report(run: sixd.simulation.Trajectory) -> None:
    """Energy, load and depth."""
    lost, load = run.energy[0] - run.energy, run.contact_forces[..., 2].sum(axis=1) / (run.robot.mass * 9.81)
    work, change = run.work[-1], run.mechanical_energy[-1] - run.mechanical_energy[0]
    first = {run.contact_names[k]: run.t[f[:, 2].argmax()] for k, f in enumerate(np.moveaxis(run.contact_forces, 1, 0))}
    print("hardest knock, s:", ", ".join(f"{name} {t:.2f}" for name, t in sorted(first.items(), key=lambda x: x[1])))
    print("work, J:", ", ".join(f"{name} {w:+.1f}" for name, w in zip(run.sources, work, strict=True)))
    print(f"change of energy {change:+.1f} J: {100 * abs(work.sum() - change) / abs(change):.2f} % is unaccounted for")
    print(f"the energy grows by at most {-np.diff(lost).min():.0e} J from one record to the next")
    print(f"in the end the ground carries {load[run.t > 0.9 * run.t[-1]].mean():.3f} of the weight")


if __name__ == "__main__":
    robot = talos()
    import time
    t0=time.time()
    run = fall(robot, standing(robot), SPHERES, 2.0)
    print(time.time()-t0)
    report(run)
    print(time.time()-t0)
