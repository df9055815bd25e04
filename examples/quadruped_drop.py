"""Quadrupeds that stand and that are dropped: rigid contact of four feet, a PD controller at the joints.

In each step of a millisecond a solver inside the compiled code finds impulses with which no foot moves into the ground,
within the cone of friction. How far feet are in the ground and how far they slip is printed; standing, both should be
zero to rounding, and the ground should carry the weight.

    python examples/quadruped_drop.py [quadruped_drop.png]  needs matplotlib; writes a page too, quadruped_drop.html

With the package example-robot-data, ANYmal is dropped beside the quadruped of the gallery.
"""

import sys
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np

import sixd
from sixd.simulation.contact import Contacts
from sixd.simulation.controllers import JointPD


def gallery_dog() -> tuple[sixd.Robot, np.ndarray, tuple[str, ...], float, float]:
    """The quadruped of the gallery, its posture, its feet, and the gains kp, N m/rad, and kd, N m s/rad."""
    robot = sixd.gallery.quadruped()
    q = robot.neutral()
    for leg in ("FL", "FR", "RL", "RR"):
        q[robot.joint(f"{leg}_flexion").q], q[robot.joint(f"{leg}_knee").q] = 0.7, -1.4
    return robot, q, ("FL_foot", "FR_foot", "RL_foot", "RR_foot"), 200.0, 8.0


def anymal() -> tuple[sixd.Robot, np.ndarray, tuple[str, ...], float, float] | None:
    """The same for ANYmal, if example-robot-data is installed."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        print("ANYmal is left out: it needs pip install example-robot-data")
        return None
    urdf = next(f for f in files if str(f).endswith("anymal_b_simple_description/robots/anymal.urdf"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)  # of links without mass
        robot = sixd.load(Path(str(urdf.locate())), base="free")
    q = robot.neutral()
    for joint in robot.joints[1:]:
        side = 1.0 if joint.name[1] == "F" else -1.0
        q[joint.q] = side * {"HAA": 0.0, "HFE": 0.4, "KFE": -0.8}[joint.name[-3:]]
    return robot, q, ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"), 200.0, 10.0


def drop(dog: tuple[sixd.Robot, np.ndarray, tuple[str, ...], float, float], height: float, seconds: float):
    """The motion from a height of the feet above the ground, m; dropped robots are tilted a little."""
    robot, posture, feet, kp, kd = dog
    q = posture.copy()
    q[6] = height - min(robot.pose(q, foot)[2, 3] for foot in feet)
    if height > 0.0:
        q = robot.integrate(q, np.concatenate([[0.15, -0.2, 0.0], np.zeros(robot.nv - 3)]))
    control, contacts = JointPD(kp, kd, q=posture), Contacts.of(robot, feet, law="rigid", friction=0.7)
    return sixd.simulate(robot, q, np.zeros(robot.nv), seconds, control=control, contacts=contacts)


def report(name: str, run: sixd.simulation.Trajectory) -> None:
    """Penetration at any time; penetration, slip and load in the last fifth."""
    late = run.t > 0.8 * run.t[-1]
    depth, points = -np.minimum(run.contact_points[..., 2], 0.0) + 0.0, run.contact_points[late][..., :2]
    load = run.contact_forces[..., 2].sum(axis=1) / (run.robot.mass * 9.81)
    print(
        f"{name:20} deepest {depth.max():.0e} m, at the end {depth[late].max():.0e} m; "
        f"slip at the end {np.ptp(points, axis=0).max():.0e} m; load at the end {load[late].mean():.4f} of the weight"
    )


def draw(path: str, runs: dict[str, sixd.simulation.Trajectory]) -> None:
    """Above, the force of the ground on each foot over time; below, each robot as it lies or stands in the end."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(4.4 * len(runs), 6.4), layout="constrained")
    grid = figure.add_gridspec(2, len(runs), height_ratios=(1, 1.3))
    for k, (name, run) in enumerate(runs.items()):
        panel = figure.add_subplot(grid[0, k])
        for foot, f in zip(run.contact_names, run.contact_forces[..., 2].T, strict=True):
            panel.plot(run.t, f, linewidth=1, label=foot)
        panel.set(title=name, xlabel="t, s", ylim=(0.0, 0.9 * run.robot.mass * 9.81))
        panel.grid(alpha=0.3)
        panel.legend(fontsize="small", ncols=2)
        scene = figure.add_subplot(grid[1, k], projection="3d", computed_zorder=False)
        forces = {"points": run.contact_points[-1], "forces": run.contact_forces[-1]}
        sixd.view.plot(run.robot, run.q[-1], **forces, ax=scene, title="at the end")
    figure.axes[0].set_ylabel("normal force on each foot, N")
    figure.savefig(path, dpi=90)


def main(path: str = "quadruped_drop.png", seconds: float = 4.0, height: float = 0.3) -> None:
    dogs = {"quadruped": gallery_dog(), "ANYmal": anymal()}
    runs = {"quadruped, standing": drop(dogs["quadruped"], 0.0, seconds)}
    runs |= {f"{name}, dropped": drop(dog, height, seconds) for name, dog in dogs.items() if dog is not None}
    for name, run in runs.items():
        report(name, run)
    draw(path, runs)
    run.save_html(Path(path).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
