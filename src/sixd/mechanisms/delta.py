"""The delta robot: three arms that carry a platform which cannot turn."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.constraints import Loop
from sixd.errors import ModelError
from sixd.joints import Free, Revolute, Universal
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, GREEN, GREY, ORANGE, bar, shape_along
from sixd.model.parts import Visual
from sixd.robot import Builder
from sixd.simulation.forces.joint_spring import JointSpring
from sixd.spatial import Transform

__all__ = ["delta_robot"]

Array = NDArray[np.float64]
#: Where arms are hinged and where rods end on the platform, from the middle; lengths of arms and rods; half of the
#: width of a parallelogram, m.
BASE, PLATFORM, ARM, ROD, HALF = 0.16, 0.05, 0.26, 0.48, 0.04
#: The joint of a rod in its arm's frame: it turns about the arm's y axis first, then sideways; z points down.
HANG = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])


def delta_robot(place: Sequence[float] = (0.06, -0.03, -0.5)) -> Mechanism:
    """Clavel's delta robot: three arms, six rods in three parallelograms, 21 coordinates and 18 rows, three freedoms.

    Arms "arm0" to "arm2" turn about horizontal axes; each carries two rods on universal joints, which end in balls on
    the platform. The parallelograms keep the platform from turning. ``place`` is where it is, m. With u the direction
    of an arm from the middle, its angle t is the solution of

        |(BASE + ARM cos t - PLATFORM) u - ARM sin t e_z - place| = ROD

    with the elbow outside. Springs at the arms, relaxed there, carry the robot.
    """
    p = np.array(given.finite(place, "place", 3))
    b = Builder("delta robot")
    b.body("platform", "base", Free(), mass=0.2, inertia=(1e-4, 1e-4, 2e-4))
    b.visuals.append(Visual("platform", "cylinder", (1.1 * PLATFORM, 0.015), color=GREEN))
    plate = Transform.translation((0, 0, 0.02))
    b.visuals.append(Visual("base", "cylinder", (1.15 * BASE, 0.015), offset=plate, color=GREY))
    angles = []
    for k in range(3):
        turn = 2.0 * pi / 3.0 * k
        u, t = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
        options: dict[str, Any] = {"xyz": BASE * u, "rpy": (0, 0, turn), "joint_name": f"motor{k}"}
        bar(b, f"arm{k}", "base", Revolute("y"), (ARM, 0, 0), 0.3, 0.012, ORANGE, **options)
        b.visuals.append(shape_along(f"arm{k}", (ARM, -HALF, 0), (ARM, HALF, 0), 0.008, ORANGE))
        for side, sign in (("left", 1.0), ("right", -1.0)):
            name, at = f"rod{k}_{side}", np.eye(4)
            at[:3, :3], at[:3, 3] = HANG, (ARM, sign * HALF, 0.0)
            bar(b, name, f"arm{k}", Universal(), (0, 0, ROD), 0.05, 0.006, BLUE, at=at)
            b.frame(f"{name} end", on=name, xyz=(0, 0, ROD))
            b.frame(f"{name} ball", on="platform", xyz=PLATFORM * u + sign * HALF * t)
        angles.append(_arm_angles(np.array([p @ u + PLATFORM - BASE, p @ t, p[2]]), k))
    rods = [f"rod{k}_{side}" for k in range(3) for side in ("left", "right")]
    robot = b.build().close(*(Loop(f"{rod} ball", f"{rod} end", "point", name=f"ball of {rod}") for rod in rods))
    q = robot.neutral()
    q[robot.joint("platform_joint").q][4:] = p
    for k, (arm, *rod) in enumerate(angles):
        q[robot.joint(f"motor{k}").q] = arm
        for side in ("left", "right"):
            q[robot.joint(f"rod{k}_{side}_joint").q] = rod
    motors = ["motor0", "motor1", "motor2"]
    spring = JointSpring(8.0, rest=[arm for arm, *_ in angles], joints=motors)
    return Mechanism.of(robot, q, freedoms=3, independent=motors, forces=[spring])


def _arm_angles(way: Array, k: int) -> tuple[float, float, float]:
    """The angles of an arm and of the two axes of its rods, for the way from its hinge to the rods' ends, as the arm
    would be at zero.
    """
    A, B, C = 2.0 * ARM * way[0], -2.0 * ARM * way[2], way @ way + ARM**2 - ROD**2  # A cos + B sin = C
    size = float(np.hypot(A, B))
    if abs(C) > size:
        raise ModelError(f"delta robot: arm {k} does not reach this place")
    arm = float(np.arctan2(B, A) - np.arccos(C / size))
    c, s = np.cos(arm), np.sin(arm)
    rod = way - ARM * np.array([c, 0.0, -s])
    in_arm = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]) @ rod
    x, y, z = HANG.T @ in_arm / ROD  # the rod's direction is (sin b, -sin a cos b, cos a cos b)
    return arm, float(np.arctan2(-y, z)), float(np.arcsin(x))
