"""A satellite with an arm: when the arm moves, the satellite turns.

Nothing pushes from outside, so momentum stays zero. The base is free, FO00 section 4: its six velocities are unknowns
like those of the joints. The arm goes around a square in the space of its two joints and comes back to where it was,
and yet the satellite has turned: that is how a falling cat lands on its feet.

    python examples/satellite_arm.py [satellite_arm.png]    needs matplotlib; writes a page too, satellite_arm.html
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

import sixd
from sixd.joints import Revolute
from sixd.model.parts import Visual
from sixd.simulation.controllers import JointPD

#: The corners of the square, angles of shoulder and elbow, rad, and the time from one to the next, s.
CORNERS = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]])


def satellite() -> sixd.Robot:
    """A cube with solar panels on a free base, and an arm of two links that move in the x-y plane."""
    b = sixd.Builder("satellite")
    b.link("cube", mass=40.0, inertia=(3.0, 6.0, 8.0))
    links = ("upper", "cube", "shoulder", 0.4, 1.0), ("fore", "upper", "elbow", 1.0, 0.8)
    for name, parent, joint, x, length in links:
        inertia = 6.0 * length**2 / 12 * np.diag([0.02, 1.0, 1.0])
        b.body(
            name, parent=parent, joint=Revolute((0, 0, 1)), joint_name=joint, xyz=(x, 0, 0), mass=6.0,
            com=(length / 2, 0, 0), inertia=inertia,
        )  # fmt: skip
        place = sixd.Transform.translation((length / 2, 0, 0))
        b.visuals.append(Visual(name, "box", (length, 0.1, 0.1), offset=place, color=(0.8, 0.45, 0.15, 1.0)))
    b.visuals.append(Visual("cube", "box", (0.8, 0.6, 0.6), color=(0.7, 0.7, 0.75, 1.0)))
    b.visuals.append(Visual("cube", "box", (0.5, 3.6, 0.03), color=(0.15, 0.25, 0.6, 1.0)))
    b.frame("hand", on="fore", xyz=(0.8, 0, 0))
    return b.build(base="free", gravity=(0, 0, 0))


def way(leg: float, dt: float) -> np.ndarray:
    """The angles that are wanted at every step, (steps, 2): smoothly from corner to corner, then one leg of rest."""
    s = np.arange(0.0, leg, dt) / leg
    s = (s**3 * (10 - 15 * s + 6 * s**2))[:, None]
    legs = [a + s * (b - a) for a, b in pairwise(CORNERS)]
    return np.concatenate([*legs, np.tile(CORNERS[-1], (len(s), 1))])


def fly(leg: float, dt: float = 0.002) -> sixd.simulation.Trajectory:
    """The motion, from rest, under a PD controller at both joints."""
    robot, angles = satellite(), way(leg, dt)
    wanted = np.tile(robot.neutral(), (len(angles), 1))
    wanted[:, 7:] = angles
    control = JointPD(kp=(300.0, 60.0), kd=(60.0, 15.0))
    inputs = {"q_target": wanted}
    return sixd.simulate(
        robot, robot.neutral(), np.zeros(8), dt * len(angles), dt=dt, control=control, inputs=inputs, integrator="rk4"
    )


def turned(run: sixd.simulation.Trajectory) -> np.ndarray:
    """The angle by which the satellite has turned about z, degrees, at each time."""
    R = run.robot.pose(run.q, "cube")
    return np.degrees(np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])))


def draw(path: str, run: sixd.simulation.Trajectory) -> None:
    """Pictures of the satellite at each corner of the square, and its angle and the momentum over time."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(10, 5.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(0.75, 1))
    robot, leg = run.robot, len(run) // len(CORNERS)
    scenes = above.subplots(1, len(CORNERS), subplot_kw={"projection": "3d", "computed_zorder": False})
    for k, panel in enumerate(scenes):
        robot.plot(run.q[k * leg], ax=panel)
        panel.view_init(elev=90, azim=-90)
        panel.set(xlim=(-2.2, 2.4), ylim=(-2.3, 2.3), zlim=(-2.3, 2.3))
        panel.set_title(f"t = {run.t[k * leg]:.0f} s", y=0.95)
        panel.set_box_aspect((1, 1, 1), zoom=1.6)
    angles, momentum = below.subplots(1, 2)
    angles.plot(run.t, np.degrees(run.joint("shoulder").q), label="shoulder")
    angles.plot(run.t, np.degrees(run.joint("elbow").q), label="elbow")
    angles.plot(run.t, turned(run), color="k", linewidth=2, label="satellite")
    angles.set(xlabel="t, s", ylabel="angle, degrees")
    angles.legend()
    parts = {"satellite": spin(run), "all": robot.momentum(run.q, run.qd, about="com")[:, 2]}
    momentum.plot(run.t, parts["all"] - parts["satellite"], label="arm")
    momentum.plot(run.t, parts["satellite"], color="k", label="satellite")
    momentum.plot(run.t, parts["all"], color="C3", linestyle="--", label="sum")
    momentum.set(xlabel="t, s", ylabel="angular momentum, kg m²/s")
    momentum.legend()
    for panel in (angles, momentum):
        panel.grid(alpha=0.3)
    figure.savefig(path, dpi=90)


def spin(run: sixd.simulation.Trajectory) -> np.ndarray:
    """The angular momentum of the satellite without its arm, about the centre of mass of both, along z."""
    robot = run.robot
    cube = robot.body("cube").inertia
    v = robot.velocity(run.q, run.qd, "cube")
    R, r = robot.pose(run.q, "cube")[:, :3, :3], run.q[:, 4:7] - run.center_of_mass
    p = cube.m * np.einsum("tij,tj->ti", R, v[:, 3:])
    return 8.0 * v[:, 2] + np.cross(r, p)[:, 2]


def main(path: str = "satellite_arm.png", leg: float = 4.0) -> None:
    run = fly(leg)
    momentum = run.robot.momentum(run.q, run.qd, about="com")
    angular, linear = (np.abs(x).max() for x in np.split(momentum, 2, axis=1))
    print(f"largest momentum of the whole: {linear:.0e} kg m/s, {angular:.0e} kg m^2/s")
    print(f"of the satellite alone:        {np.abs(spin(run)).max():.2f} kg m^2/s")
    print(f"the centre of mass moves by    {np.ptp(run.center_of_mass, axis=0).max():.0e} m")
    arm = np.degrees(run.q[-1, 7:] - run.q[0, 7:])
    print(f"in the end the arm is back within {np.abs(arm).max():.4f} degrees")
    print(f"the satellite has turned by    {turned(run)[-1]:.2f} degrees")
    draw(path, run)
    run.save_html(Path(path).with_suffix(".html"), curves={"angles [degrees]": {"satellite": turned(run)}})


if __name__ == "__main__":
    main(*sys.argv[1:2])
