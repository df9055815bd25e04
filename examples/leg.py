"""A leg kicks a ball: hip, knee and ankle, driven by muscles that weaken as they shorten faster.

Masses, lengths and inertias are those of a person of 75 kg and 1.75 m: D. A. Winter, "Biomechanics and Motor Control of
Human Movement". A muscle gives its torque times its activation times Hill's factor for speed; ligaments are stops. The
thigh is swung first and the shank follows: hip, knee and ankle are fastest one after the other. The books balance: what
muscles do becomes energy, or is lost in ligaments and tissue.

    python examples/leg.py [leg.png]                        needs matplotlib; writes a page too, leg.html
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sixd
from sixd.joints import Revolute
from sixd.model.parts import Visual
from sixd.ops import Scalar, divide, where
from sixd.simulation import Controller, Moment
from sixd.simulation.forces import JointDamper, JointStops

BODY, HEIGHT = 75.0, 1.75
#: Of each part: joint, mass and length as shares of the body's, centre of mass from above and radius of gyration as
#: shares of the length, and the limits of the joint, rad. Positive angles swing forward; the knee only bends back.
PARTS = {
    "thigh": ("hip", 0.100, 0.245, 0.433, 0.323, (-0.5, 2.0)),
    "shank": ("knee", 0.0465, 0.246, 0.433, 0.302, (-2.4, -0.05)),
    "foot": ("ankle", 0.0145, 0.152, 0.5, 0.475, (-0.7, 0.4)),
}
#: Of each muscle: joint, torque, N m (forward is positive), when it begins and ends, s, largest speed, rad/s.
MUSCLES = (
    ("hip", 320.0, 0.05, 0.30, 22.0),
    ("knee", -60.0, 0.0, 0.14, 16.0),
    ("knee", 260.0, 0.15, 0.30, 30.0),
    ("hip", -150.0, 0.24, 0.44, 22.0),
    ("ankle", -40.0, 0.0, 0.40, 16.0),
)


def leg() -> sixd.Robot:
    """The right leg, hung at the hip; x is forward."""
    b, parent, place = sixd.Builder("leg"), "base", 0.0
    for name, (joint, mass, length, com, gyration, (lower, upper)) in PARTS.items():
        m, l = mass * BODY, length * HEIGHT
        down = (0, 0, -1) if name != "foot" else (1, 0, 0)  # the foot points forward
        inertia = m * (gyration * l) ** 2 * (1 - 0.95 * np.abs(np.array(down, dtype=float)))
        b.body(
            name, parent=parent, joint=Revolute((0, -1, 0)), joint_name=joint, xyz=(0, 0, -place), mass=m,
            com=tuple(com * l * np.array(down)), inertia=tuple(inertia), lower=lower, upper=upper,
        )  # fmt: skip
        turn = sixd.Transform.rotation((0, 1, 0), np.pi / 2 if name == "foot" else 0.0)
        middle = turn @ sixd.Transform.translation(tuple(l / 2 * np.array(down)))
        radius = {"thigh": 0.07, "shank": 0.05, "foot": 0.035}[name]
        b.visuals.append(Visual(name, "capsule", (radius, l), offset=middle, color=(0.85, 0.62, 0.5, 1.0)))
        parent, place = name, l
    b.frame("toe", on="foot", xyz=(0.152 * HEIGHT, 0, 0))
    return b.build()


@dataclass(frozen=True)
class Muscles(Controller):
    """Torques of muscles: activation in time, less at speed by Hill's curve, (1 - v/v0) / (1 + 4 v/v0)."""

    name = "muscles"

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        tau: list[Scalar] = [0.0] * moment.model.nv
        for joint, most, begin, end, fastest in MUSCLES:
            k = moment.model.joint(joint).v.start
            s = (moment.t - begin) * (1.0 / (end - begin))
            s = where(s < 0.0, 0.0, where(s > 1.0, 1.0, s))
            active = 16.0 * s * s * (1.0 - s) * (1.0 - s)
            v = moment.qd[k] * (np.sign(most) / fastest)  # how fast it shortens
            v = where(v < 0.0, 0.0, where(v > 1.0, 1.0, v))
            tau[k] = tau[k] + most * active * divide(1.0 - v, 1.0 + 4.0 * v)
        return tau


def kick(seconds: float = 0.4) -> sixd.simulation.Trajectory:
    """The kick, from a leg that is drawn back, with its books."""
    forces = [JointDamper((0.5, 0.3, 0.8)), JointStops(stiffness=2000.0, dissipation=0.3)]
    parts = {"control": Muscles(), "forces": forces}
    start, how = [-0.35, -0.9, -0.4], {"dt": 1e-4, "integrator": "rk4", "record": 10}
    return sixd.simulate(leg(), start, np.zeros(3), seconds, **parts, **how, books=True)


def speed(run: sixd.simulation.Trajectory, frame: str) -> np.ndarray:
    """The speed of a frame's origin, m/s."""
    return np.linalg.norm(run.robot.velocity(run.q, run.qd, frame, "aligned")[:, 3:], axis=1)


def draw(path: str, run: sixd.simulation.Trajectory) -> None:
    """The leg at some times, angular velocities and torques."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(10, 5), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.3))
    picture, rates, torques = (figure.add_subplot(grid[x]) for x in (np.s_[:, 0], np.s_[0, 1], np.s_[1, 1]))
    points = np.stack([run.robot.pose(run.q, f)[:, :3, 3] for f in (*PARTS, "toe")], axis=1)
    for k in range(0, len(run), len(run) // 14):
        color = pyplot.cm.viridis(run.t[k] / run.t[-1])
        picture.plot(points[k, :, 0], points[k, :, 2], "o-", color=color, linewidth=2.5, markersize=3)
    picture.plot(points[:, -1, 0], points[:, -1, 2], color="0.5", linewidth=0.8)
    picture.set(xlabel="x, m", ylabel="z, m", title="the kick, dark to light", aspect="equal")
    for joint in run.robot.joints:
        rates.plot(run.t, run.joint(joint.name).qd[:, 0], label=joint.name)
        torques.plot(run.t, run.joint(joint.name).tau[:, 0], label=joint.name)
    rates.set(ylabel="angular velocity, rad/s", title=f"the toe reaches {speed(run, 'toe').max():.1f} m/s")
    torques.set(xlabel="t, s", ylabel="torque of muscles, N m")
    rates.legend()
    for panel in (rates, torques, picture):
        panel.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main(path: str = "leg.png", seconds: float = 0.4) -> None:
    run = kick(seconds)
    for joint in run.robot.joints:
        qd = run.joint(joint.name).qd[:, 0]
        print(f"{joint.name:5} fastest at {run.t[qd.argmax()]:.3f} s, {qd.max():5.1f} rad/s")
    print(f"toe   fastest at {run.t[speed(run, 'toe').argmax()]:.3f} s, {speed(run, 'toe').max():5.1f} m/s")
    change = run.mechanical_energy[-1] - run.mechanical_energy[0]
    print("work, J:", ", ".join(f"{name} {w:+.2f}" for name, w in zip(run.sources, run.work[-1], strict=True)))
    print(f"change of energy {change:+.2f} J; unaccounted for: {abs(run.work[-1].sum() - change):.0e} J")
    draw(path, run)
    run.save_html(Path(path).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
