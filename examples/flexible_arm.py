"""Two flexible links: an arm stops, and goes on swinging.

The arm of Book (1984): two slender links with joints at shoulder and elbow, moved in a plane by PD control.
Three models get the same commands. In one each link is a beam with three assumed modes; in another it is cut into many
rigid pieces with springs between them; in the third it is rigid. The first two agree, with 8 degrees of freedom for 26.

    python examples/flexible_arm.py [flexible_arm.png]    needs matplotlib; writes a page too, flexible_arm.html
"""

import sys
from pathlib import Path

import numpy as np

import sixd
from sixd.flexible import Beam
from sixd.joints import Revolute
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Passive

#: Aluminium, 1 m long, 30 mm high and 10 mm wide: it bends in the plane, hardly out of it.
BEAM = Beam.rectangular(1.0, width=0.01, height=0.03, E=70e9, density=2700.0)
#: A hub, and what is at the tip of each link: the elbow's motor, and the load.
HUB = {"mass": 0.2, "inertia": (1e-3, 1e-3, 2e-3), "rotor_inertia": 0.05}
TIPS = {"upper": {"mass": 0.4, "inertia": (2e-3,) * 3}, "fore": {"mass": 0.2, "inertia": (1e-4,) * 3}}
#: Angles of shoulder and elbow, rad, before and after, and how long the way and the rest take, s.
START, END, WAY, REST = np.array([-0.6, 0.3]), np.array([0.9, -0.7]), 1.0, 2.0


def arm(kind: str, pieces: int = 12) -> sixd.Robot:
    """The arm with links that are "modal", cut into "pieces", or "rigid"."""
    b = sixd.Builder(f"{kind} arm", gravity=(0, 0, 0))
    parent = "base"
    for name, joint, end in (("upper", "shoulder", "motor"), ("fore", "elbow", "load")):
        if kind == "modal":
            b.flexible_body(name, BEAM, parent, Revolute("z"), joint, bending_y=0, bending_z=3, **HUB)
            b.body(end, f"{name}_tip", **TIPS[name])
        else:
            b.body(name, parent, Revolute("z"), joint, **HUB)
            last, length = cut(b, name, pieces if kind == "pieces" else 0)
            b.body(end, last, xyz=(length, 0, 0), **TIPS[name])
        parent = end
    return b.build()


def cut(b: sixd.Builder, name: str, n: int) -> tuple[str, float]:
    """Put n springs and the pieces between them on a hub, or one rigid piece; gives the last one and its length."""
    h = BEAM.length / max(n, 1)
    lengths = [h / 2, *[h] * (n - 1), h / 2] if n else [h]
    parent, x = name, 0.0
    for k, length in enumerate(lengths):
        m = BEAM.mass_per_length * length
        turn = length * np.array(BEAM.inertia_per_length) + m * length**2 / 12 * np.array([0, 1, 1])
        spring = {"joint": Revolute("z"), "stiffness": BEAM.EI_z / h} if k else {}
        b.body(f"{name}_{k}", parent, xyz=(x, 0, 0), mass=m, com=(length / 2, 0, 0), inertia=turn, **spring)
        parent, x = f"{name}_{k}", length
    return parent, x


def move(robot: sixd.Robot, dt: float = 1e-4) -> sixd.simulation.Trajectory:
    """From START to END on a smooth way, then rest: PD control of the two hubs; beams hold by their own stiffness."""
    s = np.clip(np.arange(0.0, WAY + REST, dt) / WAY, 0.0, 1.0)[:, None]
    angles = START + (END - START) * s**3 * (10 - 15 * s + 6 * s**2)
    wanted, q0 = np.zeros((len(s), robot.nq)), robot.neutral()
    for k, joint in enumerate(("shoulder", "elbow")):
        wanted[:, robot.joint(joint).q] = angles[:, k : k + 1]
        q0[robot.joint(joint).q] = START[k]
    inputs = {"q_target": wanted, "qd_target": np.gradient(wanted, dt, axis=0)}
    control = JointPD(kp=(2000.0, 400.0), kd=(100.0, 15.0), qd="qd_target", joints=("shoulder", "elbow"))
    return sixd.simulate(
        robot, q0, np.zeros(robot.nv), dt * len(s), dt=dt, control=control, inputs=inputs, forces=[Passive()],
        integrator="rk4", record=50,
    )  # fmt: skip


def tip(run: sixd.simulation.Trajectory) -> np.ndarray:
    """Where the load is, (T, 2), m."""
    return run.robot.pose(run.q, "load")[:, :2, 3]


def draw(path: str, runs: dict[str, sixd.simulation.Trajectory]) -> None:
    """The arm at several times, with what the rigid one does in grey; the way of the load over time."""
    from matplotlib import pyplot

    figure, (plane, curves) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained", width_ratios=(1, 1.25))
    modal, rigid = runs["modal"], runs["rigid"]
    frames = modal.robot.frames.names
    order = [f for link in ("upper", "fore") for f in frames if f == link or f.startswith(f"{link}_")]
    for k, t in enumerate((0.0, 0.35, 0.5, 0.65, 0.9, 1.1)):
        i = np.searchsorted(modal.t, t)
        points = np.array([modal.robot.pose(modal.q[i], frame)[:2, 3] for frame in order])
        stiff = np.array([rigid.robot.pose(rigid.q[i], frame)[:2, 3] for frame in ("upper", "fore", "load")])
        plane.plot(*stiff.T, color="0.8", linewidth=2)
        plane.plot(*points.T, color=pyplot.cm.viridis(k / 6), linewidth=2, label=f"{t:g} s")
        plane.plot(*points[-1], "o", color=pyplot.cm.viridis(k / 6))
    plane.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    plane.legend(loc="lower left", fontsize="small")
    styles = {"rigid": ("0.6", "-", 2), "modal": ("C0", "-", 3), "pieces": ("k", ":", 1.5)}
    labels = {"rigid": "rigid links", "modal": "3 modes each", "pieces": "12 springs each"}
    for kind, run in runs.items():
        color, line, width = styles[kind]
        curves.plot(run.t, tip(run)[:, 1], color=color, linestyle=line, linewidth=width, label=labels[kind])
    curves.set(xlabel="t, s", ylabel="y of the load, m")
    curves.legend(loc="lower right")
    curves.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def main(path: str = "flexible_arm.png") -> None:
    runs = {kind: move(arm(kind)) for kind in ("rigid", "modal", "pieces")}
    modal, pieces = runs["modal"], runs["pieces"]
    after = modal.t > WAY
    swing = {kind: np.ptp(tip(run)[after], axis=0).max() for kind, run in runs.items()}
    print(f"degrees of freedom: {modal.robot.nv} with modes, {pieces.robot.nv} in pieces")
    print(f"after the motion the load swings over {1e3 * swing['modal']:.0f} mm")
    print(f"that of the rigid arm over {1e3 * swing['rigid']:.0f} mm")
    print(f"modes and pieces differ by at most {1e3 * np.abs(tip(modal) - tip(pieces)).max():.1f} mm")
    bent = np.degrees(np.abs(modal.joint("upper_modes").q[:, 0]).max())
    print(f"largest angle between the ends of the upper link: {bent:.0f} degrees")
    draw(path, runs)
    modal.save_html(Path(path).with_suffix(".html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
